#pragma once

// Announces the routes of the entities that follow one, piece by piece, as track keys.

#include <cstdint>
#include <map>

#include <contrail/sim/world.hpp>

#include <contrail/flow/pilots.hpp>
#include <contrail/flow/population.hpp>

namespace contrail::server {

class RouteDriver {
 public:
  /// Adds the track keys of the world's next tick to the record; its despawns are already there.
  /// An entity that someone steers or drives has left its route for good.
  void step(const sim::World& world, const Population& population, const Pilots& pilots,
            sim::TickRecord& record);

 private:
  struct Progress {
    std::size_t next_key = 0;
    std::uint32_t due = 0;  // tick
  };
  std::map<std::uint16_t, Progress> progress_;  // by entity
};

}  // namespace contrail::server
