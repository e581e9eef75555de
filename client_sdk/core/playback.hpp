#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <contrail/core/event.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::client {

/// What the folded log held so far.
struct LogCounts {
  std::uint64_t ticks = 0;        // ticks folded
  std::uint64_t records = 0;      // of them with content
  std::uint64_t launches = 0;     // salvos
  std::uint64_t missiles = 0;     // missiles of these salvos
  std::uint64_t impacts = 0;      // missiles that reached their target
  std::uint64_t other_ends = 0;   // missiles that ended otherwise
  std::uint64_t destroyed = 0;    // entities
  std::uint64_t hash_checks = 0;  // state hashes compared
  std::uint64_t hash_mismatches = 0;
  std::optional<sim::Subsystem> first_divergent;  // of the first mismatch
  std::uint32_t first_divergent_tick = 0;
};

/// A word for reports: launches, anchors, tracks, health, turrets or flights.
const char* subsystem_name(sim::Subsystem subsystem);

/// The log being read: the world it has led to, and the events not shown yet. Knows no network and
/// no clock, so it also plays recordings. Not thread-safe.
class Playback {
 public:
  explicit Playback(std::shared_ptr<const sim::Scenario> scenario);

  /// Takes over a snapshot: the world is its state, undelivered events are forgotten, one
  /// world_reset is queued. On an error nothing changed.
  sim::FoldError restore(const sim::Snapshot& snapshot);
  /// Folds the next record. On an error the log cannot be followed any further without a snapshot.
  sim::FoldError fold(const sim::TickRecord& record);
  /// Folds silent ticks up to and including `tick`; no effect when the world is there already.
  void advance(std::uint32_t tick);

  /// Takes the oldest event not later than `until`; false when there is none. Also keeps the shown
  /// hit points up to date.
  bool next_event(sim::Subtick until, Event& out);
  /// Hit points of an entity as of the events taken so far; 0 for an unknown one.
  [[nodiscard]] std::uint16_t shown_health(std::uint16_t entity) const;

  [[nodiscard]] const sim::World& world() const { return world_; }
  [[nodiscard]] const LogCounts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t events_dropped() const { return events_.dropped(); }
  /// Test seam for negative controls; also applies to worlds restored later.
  void plant_fault(sim::Fault fault);

 private:
  void take(const sim::TickRecord& record);
  Event event_of(const sim::WorldEvent& from, const sim::TickRecord& record) const;
  void describe_missile(const sim::WorldEvent& from, Event& event) const;
  void describe_credit(const sim::TickRecord& record, Event& event) const;
  void count(const Event& event);
  void check_hash(const sim::HashCheck& hash, std::uint32_t tick);

  std::shared_ptr<const sim::Scenario> scenario_;
  sim::World world_;
  sim::Fault fault_ = sim::Fault::none;
  EventQueue events_;
  LogCounts counts_;
  std::vector<sim::WorldEvent> folded_;  // reused between folds
  std::unordered_map<std::uint16_t, std::uint16_t> shown_health_;
};

}  // namespace contrail::client
