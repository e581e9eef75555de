#pragma once

// Spawns and respawns of the entities the scenario plans, and the ids they get.

#include <cstdint>
#include <vector>

#include <contrail/sim/world.hpp>

namespace contrail::server {

class Population {
 public:
  explicit Population(const sim::Scenario& scenario);

  /// Adds the despawns of entities whose lifetime ends with the world's next tick; the destroyed
  /// ones are already in the record.
  void expire(const sim::World& world, sim::TickRecord& record) const;
  /// Adds the spawns of the world's next tick to the record; its despawns are already there.
  void step(const sim::World& world, sim::TickRecord& record);

  /// Adds one more spawn under an id of its own; false where the world is full.
  bool add(const sim::World& world, sim::Spawn spawn, sim::TickRecord& record);

  /// The plan an entity was spawned from, or -1.
  [[nodiscard]] int plan_of(std::uint16_t entity) const;

 private:
  struct Planned {
    std::uint32_t next_spawn = 0;  // tick; 0: not again
    bool alive = false;
    std::uint16_t entity = sim::k_no_entity;
  };
  std::uint16_t next_id(const sim::World& world);

  std::vector<Planned> planned_;       // one for each EntityPlan
  std::vector<std::int32_t> plan_of_;  // by entity id; -1: none, or gone
  std::uint16_t last_id_ = sim::k_no_entity;
};

}  // namespace contrail::server
