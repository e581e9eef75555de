#pragma once

// Finds every first contact of a missile with a hull, an obstacle or the ground inside one tick,
// exactly to the subtick: the same answer as testing every subtick. No flight is compiled before it
// comes near something: every second each missile gets a window, a straight course with a
// proven radius; bodies near it become pairs in a calendar; a pair is looked at in its ticks only.
// MARGINS.md derives the bounds.

#include <cstdint>
#include <span>
#include <vector>

#include <contrail/flow/body_watch.hpp>
#include <contrail/flow/exact_contact.hpp>
#include <contrail/flow/missile_store.hpp>
#include <contrail/flow/pair_calendar.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

/// The order in which things that happen at the same subtick are taken.
enum class ContactClass : std::uint8_t { shot = 0, obstacle = 1, hull = 2, end = 3 };

struct Contact {
  sim::Subtick time = 0;
  ContactClass kind = ContactClass::hull;
  std::uint32_t salvo = 0;  // launch id
  std::uint8_t index = 0;   // missile
  std::uint16_t victim = sim::k_no_entity;
  auto operator<=>(const Contact&) const = default;
};

/// What the last find() did; decides nothing.
struct ResolverCounters {
  std::uint64_t windows = 0;      // opened
  std::uint64_t pairs = 0;        // looked at
  std::uint64_t planes = 0;       // in reach of the body's ball: a plane was tried
  std::uint64_t searches = 0;     // that needed exact positions
  std::uint64_t evaluations = 0;  // exact positions
  std::uint64_t compiled = 0;     // flights opened
};

/// One thread. Belongs to one world from before its first launch on.
class HitResolver {
 public:
  /// Contacts in the world's next tick, ordered; the first one of each pair of missile and body.
  /// `staged` are the salvos launched in that tick, not yet in the world, with consecutive ids from
  /// the world's next one on. A missile's locked target is not tested, nor its launcher until they
  /// were apart once. Call it once before each fold.
  void find(const sim::World& world, std::span<const sim::Salvo> staged, std::vector<Contact>& out);
  /// Learns what the fold of the tick just searched did. Call it once after each fold.
  void follow(const sim::World& world, std::span<const sim::WorldEvent> events);

  [[nodiscard]] const ResolverCounters& counters() const { return counters_; }
  /// Bytes held for missiles.
  [[nodiscard]] std::size_t bytes() const;
  /// Test seams. All bounds times percent / 100: less than 100 misses contacts.
  void scale_errors(int percent) { error_percent_ = percent; }
  /// Longest windows, ticks; 0: a second.
  void set_window_ticks(std::uint32_t ticks) { window_ticks_ = ticks; }
  /// The pairs of the tick last searched that were looked at: missile (salvo, index) and body.
  struct Looked {
    std::uint32_t salvo;
    std::uint8_t index;
    std::uint32_t body;
    auto operator<=>(const Looked&) const = default;
  };
  void record_looked(std::vector<Looked>* out) { looked_ = out; }

 private:
  /// What a missile's window promises, for a quick look when a body breaks its horizon.
  struct Watch {
    sim::Vec3 centre{0};
    std::int32_t radius = 0;
  };
  /// One call of find().
  struct Scan;
  static constexpr sim::Subtick k_leg = sim::k_subticks_per_second / 4;  // of a window

  void admit(Scan& scan, const sim::Salvo& salvo);
  void leave_launcher(const Scan& scan, std::uint32_t slot, const sim::Entity& launcher,
                      const sim::Pose& pose);
  void open_windows(Scan& scan);
  void open_window(Scan& scan, std::uint32_t slot, std::uint32_t ticks);
  void cut_into_legs(const Scan& scan, const CourseQuery& window, const Course& course);
  void meet_bodies(Scan& scan, std::uint32_t slot, const CourseQuery& query, const Course& course);
  void meet_sudden(Scan& scan);
  [[nodiscard]] CourseQuery course_query(const Scan& scan, std::uint32_t slot) const;
  [[nodiscard]] Course scaled(Course course) const;

  // hit_pairs.cpp: what is looked at in the tick itself.
  void free_attached(Scan& scan);
  void look_at_pairs(Scan& scan, std::vector<Contact>& out);
  void look_at_missile(Scan& scan, std::span<const Pair> pairs, std::vector<Contact>& out);
  void use_compiled(const HotMissile& missile);
  void release_compiled(const Scan& scan);
  [[nodiscard]] const BodyTick* target_in_tick(const Scan& scan, std::uint16_t target);

  struct Open {
    std::uint32_t salvo;
    std::uint8_t index;
    auto operator<=>(const Open&) const = default;
  };

  MissileStore store_;
  std::vector<Watch> watches_;  // by slot
  Calendar<SlotRef> windows_;
  Calendar<Pair> pairs_;
  std::vector<SlotRef> attached_;  // not off their launcher yet
  std::vector<SlotRef> again_;     // whose windows no longer hold
  BodyWatch bodies_;
  std::vector<Open> open_;  // compiled by this tick's searches
  std::vector<Open> open_before_;
  std::vector<Course> legs_;  // of the window at hand
  std::vector<SlotRef> due_windows_;
  std::vector<Pair> due_pairs_;
  std::vector<std::uint32_t> admitted_;
  std::vector<Looked>* looked_ = nullptr;
  ResolverCounters counters_;
  int error_percent_ = 100;
  std::uint32_t window_ticks_ = 0;
};

}  // namespace contrail::server
