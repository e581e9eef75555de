#pragma once

// One match: steps every stage in the total order and writes the log. No sockets, clocks, files,
// threads or floats: the same scenario, seed and inputs give the same log bytes on every machine.

#include <cstdint>
#include <memory>
#include <vector>

#include <contrail/sim/world.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/commands.hpp>

#include <contrail/flow/countermeasures.hpp>
#include <contrail/flow/event_log.hpp>
#include <contrail/flow/fire_control.hpp>
#include <contrail/flow/guidance.hpp>
#include <contrail/flow/hit_resolver.hpp>
#include <contrail/flow/pilots.hpp>
#include <contrail/flow/population.hpp>
#include <contrail/flow/route_driver.hpp>
#include <contrail/flow/rules.hpp>

namespace contrail::server {

/// What happened since the match began.
struct MatchCounters {
  std::uint64_t salvos = 0;
  std::uint64_t missiles = 0;
  std::uint64_t impacts = 0;     // on the announced or a later locked target
  std::uint64_t other_hits = 0;  // other hulls and obstacles, by contact
  std::uint64_t proximity = 0;   // fuses
  std::uint64_t self_destructs = 0;
  std::uint64_t intercepted = 0;
  std::uint64_t expired = 0;
  std::uint64_t aborted = 0;
  std::uint64_t locks_lost = 0;  // without a new target in the same event
  std::uint64_t retargets = 0;
  std::uint64_t decoyed = 0;    // missiles won over by a decoy
  std::uint64_t decoys = 0;     // decoys thrown
  std::uint64_t destroyed = 0;  // entities
  std::uint64_t spawned = 0;
  std::uint64_t fires_accepted = 0;
  std::uint64_t fires_refused = 0;
  std::uint64_t commands_accepted = 0;  // other than fire
  std::uint64_t commands_refused = 0;
  std::int64_t missile_subticks = 0;  // flown by missiles that have ended
};

/// One step. Valid until the next one.
struct StepResult {
  const LogEntry& entry;
  const std::vector<InputResult>& results;   // of the inputs submitted before it
  const std::vector<wire::Input>& accepted;  // those that changed the match: record them
};

class Match {
 public:
  /// The scenario's own seed is the session seed; write another one into a copy to play
  /// differently. `rules` are those the scenario names, the standard ones if none are given.
  explicit Match(std::shared_ptr<const sim::Scenario> scenario,
                 std::shared_ptr<const Rules> rules = standard_rules());

  /// Takes a command of a client into the next step. Client numbers are the caller's, and the
  /// caller knows who may command what; the host's own are of wire::k_host_client.
  void submit(std::uint32_t client, const wire::Command& command);
  /// Throws decoys in the next step; false where the entity can't.
  bool release_decoys(std::uint16_t entity);
  /// Plays one tick.
  StepResult step();

  /// The tick played last; 0 before the first step.
  [[nodiscard]] std::uint32_t tick() const { return log_.world().tick(); }
  /// The match's own end was reached. Steps after it are still valid and launch nothing.
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const sim::World& world() const { return log_.world(); }
  [[nodiscard]] const EventLog& log() const { return log_; }
  [[nodiscard]] const MatchCounters& counters() const { return counters_; }
  /// Somebody steers or drives this entity.
  [[nodiscard]] bool is_steered(std::uint16_t entity) const { return pilots_.has(entity); }
  [[nodiscard]] const PilotCounters& pilot_counters() const { return pilots_.counters(); }
  [[nodiscard]] const Rules& rules() const { return *rules_; }
  [[nodiscard]] const GuidanceCounters& guidance_counters() const { return guidance_.counters(); }
  /// Test seam.
  void plant_fault(GuidanceFault fault) { guidance_.plant_fault(fault); }
  /// Subticks flown by missiles so far, those in flight included.
  [[nodiscard]] std::int64_t missile_subticks() const;

 private:
  void take_inputs(sim::TickRecord& record);
  wire::CommandResult release(const wire::Command& command);
  void spawn_asked(sim::TickRecord& record);
  void stage(const sim::TickRecord& record);
  void resolve(sim::TickRecord& record);
  void count(const LogEntry& entry);
  void judge_end();

  std::shared_ptr<const Rules> rules_;
  EventLog log_;
  FireControl fire_control_;
  HitResolver hit_resolver_;
  GuidanceControl guidance_;
  Population population_;
  Countermeasures countermeasures_;
  Pilots pilots_;
  RouteDriver route_driver_;
  MatchCounters counters_;
  std::vector<sim::Salvo> staged_;  // launches of the tick being decided
  std::vector<wire::Input> inputs_;
  std::vector<InputResult> results_;
  std::vector<wire::Input> accepted_;
  bool ended_ = false;
};

}  // namespace contrail::server
