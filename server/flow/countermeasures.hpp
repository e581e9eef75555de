#pragma once

// Throws decoys out of the entities that have dispensers: on command, or when a missile locked on
// the entity is about to arrive.

#include <cstdint>
#include <map>
#include <set>

#include <contrail/sim/world.hpp>

#include <contrail/flow/population.hpp>

namespace contrail::server {

class Countermeasures {
 public:
  /// Asks for a release in the next tick; true where the entity lives, has a dispenser, and decoys
  /// in it that are ready.
  bool release(const sim::World& world, std::uint16_t entity);

  /// Adds the decoys of the world's next tick to the record, whose despawns are already there.
  void step(const sim::World& world, Population& population, sim::TickRecord& record);

  /// Decoys thrown so far.
  [[nodiscard]] std::uint64_t released() const { return released_; }

 private:
  struct State {
    std::uint32_t ammunition = 0;
    sim::Subtick ready = 0;
  };
  State& state_of(const sim::World& world, const sim::Entity& entity);
  void throw_decoys(const sim::World& world, const sim::Entity& entity, State& state,
                    Population& population, sim::TickRecord& record);

  std::map<std::uint16_t, State> states_;  // by entity
  std::set<std::uint16_t> asked_;
  std::uint64_t released_ = 0;
};

}  // namespace contrail::server
