#pragma once

// Takes what happens inside a tick in the total order (time, class, salvo, missile, victim) and
// decides: which contacts count, who is hurt, who is destroyed and when.

#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <contrail/sim/hit.hpp>
#include <contrail/sim/world.hpp>

#include <contrail/flow/hit_resolver.hpp>
#include <contrail/flow/rules.hpp>
#include <contrail/flow/shot_resolver.hpp>

namespace contrail::server {

class Resolution {
 public:
  /// Of the world's next tick, whose new salvos are `staged`. Both must outlive the call of run().
  /// `rounds`: whose contacts are among those to come; none where nothing shoots.
  Resolution(const sim::World& world, std::span<const sim::Salvo> staged, const Rules& rules,
             const ShotResolver* rounds = nullptr)
      : world_(world), staged_(staged), rules_(rules), rounds_(rounds) {}

  /// Adds outcomes, health and despawns to the record. `contacts` as the hit resolver found them.
  void run(std::vector<Contact> contacts, sim::TickRecord& record);
  /// After run(): the contacts that used up their round.
  [[nodiscard]] const std::vector<Contact>& spent() const { return spent_; }

 private:
  struct Victim {
    std::uint16_t health = 0;
    bool hurt = false;
    bool dead = false;
    sim::Subtick died = 0;
    std::uint16_t by_salvo = sim::k_no_salvo;
  };

  void add_ends(std::vector<Contact>& contacts) const;
  [[nodiscard]] sim::Subtick self_destruct_time(const sim::Salvo& salvo, std::uint8_t index) const;
  [[nodiscard]] sim::EndKind end_of(const Contact& contact, const sim::Salvo& from) const;
  void take(const Contact& contact, sim::TickRecord& record);
  [[nodiscard]] bool take_round(const Contact& contact);
  void hurt_by_round(const Contact& contact, const LiveRound& round);
  void lower(const sim::Entity& entity, std::uint16_t damage, sim::Subtick at,
             std::uint16_t by_salvo);
  void burst(const Contact& contact, const sim::Salvo& from, sim::EndKind end);
  void hurt(const sim::Entity& entity, const Contact& contact, const sim::Salvo& from,
            sim::EndKind end, std::int64_t distance);
  void list_reach();
  [[nodiscard]] const sim::Salvo& salvo(std::uint32_t id) const;
  [[nodiscard]] bool dead_before(std::uint16_t entity, sim::Subtick t) const;

  /// A living entity, and a ball in which it stays all tick.
  struct Nearby {
    const sim::Entity* entity = nullptr;
    sim::Vec3 position{0};
    std::int64_t reach = 0;  // length units
  };

  const sim::World& world_;
  std::span<const sim::Salvo> staged_;
  const Rules& rules_;
  const ShotResolver* rounds_;
  std::vector<Contact> spent_;
  std::vector<Nearby> nearby_;  // by id; filled for the first blast
  std::map<std::uint16_t, Victim> victims_;
  std::set<std::pair<std::uint32_t, std::uint8_t>> ended_;
};

}  // namespace contrail::server
