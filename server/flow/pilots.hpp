#pragma once

// Ships under command, and what else clients and the host ask for besides fire: who is steered,
// driven, told to throw decoys or to blow missiles up, spawned, removed.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <contrail/sim/helm.hpp>
#include <contrail/sim/world.hpp>
#include <contrail/wire/commands.hpp>

#include <contrail/flow/hit_resolver.hpp>
#include <contrail/flow/population.hpp>

namespace contrail::server {

/// A driven ship's track is nowhere further from what its driver says than this.
inline constexpr std::int64_t k_drive_tolerance = 205;  // length units, 5 cm

struct PilotCounters {
  std::uint64_t taken = 0;    // commands other than fire
  std::uint64_t refused = 0;  // of those
  std::uint64_t steer_keys = 0;
  std::uint64_t drive_keys = 0;
};

/// taken, or refused for a wanted time more than 250 ms before the world's or 1 s after its next.
wire::CommandStatus in_time(const sim::World& world, sim::Subtick at);

class Pilots {
 public:
  /// Decides a command that is neither fire nor release, for the world's next tick. A refused one
  /// changes nothing. Commands come in the order of (client, command id).
  wire::CommandResult take(const sim::World& world, std::uint32_t client,
                           const wire::Command& command);
  /// Adds the ends of missiles that are told to blow up: at the end of the tick.
  void add_self_destructs(const sim::World& world, std::vector<Contact>& contacts);
  /// Adds despawns asked for; those of destroyed entities are already there.
  void remove(const sim::World& world, sim::TickRecord& record);
  /// Adds spawns asked for, and says which entity each became.
  void spawn(const sim::World& world, Population& population, sim::TickRecord& record,
             std::vector<wire::CommandResult>& spawned);
  /// Adds custom entries and the keys of steered and driven entities, by entity.
  void step(const sim::World& world, sim::TickRecord& record);

  /// Someone steers or drives it: it has left its route for good.
  [[nodiscard]] bool has(std::uint16_t entity) const {
    return helms_.contains(entity) || driven_.contains(entity);
  }
  [[nodiscard]] const PilotCounters& counters() const { return counters_; }

 private:
  struct Driven {
    std::uint32_t tick = 0;  // the state below is of this tick
    sim::Vec3 position{0};
    sim::Vec3 velocity{0};
    sim::Vec3 acceleration{0};  // length units per second^2
    // After a pause the track may be elsewhere: it catches up until then. 0: it follows.
    sim::Subtick caught_up = 0;
    std::optional<sim::RelativeKey> key;  // that makes it catch up, of this tick
  };
  wire::CommandStatus steer(const sim::World& world, std::uint32_t client,
                            const wire::Command& command);
  wire::CommandStatus self_destruct(const sim::World& world, const wire::Command& command);
  wire::CommandStatus drive(const sim::World& world, const wire::DriveCommand& command);
  [[nodiscard]] static bool follow(const sim::World& world, const sim::Entity& entity,
                                   const Driven& last, Driven& now);
  void drive_keys(const sim::World& world, sim::TickRecord& record);
  void forget(const sim::World& world, const sim::TickRecord& record);

  std::map<std::uint16_t, sim::Helm> helms_;  // by entity
  std::map<std::uint16_t, Driven> driven_;    // by entity
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t>
      newest_;                      // command id of the last steer or drive, by client and entity
  std::set<std::uint32_t> doomed_;  // salvos told to blow up
  std::vector<std::pair<std::uint32_t, sim::Spawn>> spawns_;  // with the command's id
  std::vector<std::uint16_t> despawns_;
  std::vector<sim::Custom> customs_;
  std::size_t custom_bytes_ = 0;  // what they cost a record
  PilotCounters counters_;
};

}  // namespace contrail::server
