#pragma once

// What became of a route for one entity type: for its author.

#include <cstddef>
#include <cstdint>
#include <string>

#include <contrail/sim/units.hpp>

#include <contrail/edge/route_profile.hpp>

namespace contrail::server {

struct RouteReport {
  std::string route;
  std::string type;
  std::string file;                // of its points; empty: waypoints of the scenario
  std::size_t points = 0;          // waypoints given
  std::size_t kept = 0;            // of them, flown through
  std::size_t keys = 0;            // track keys
  sim::Subtick duration = 0;       // subticks; of a closed route, a lap
  std::int64_t top_speed = 0;      // length units per second
  std::int64_t tolerance = 0;      // length units; 0: every waypoint is flown through
  std::int64_t max_deviation = 0;  // length units, of any point
  RouteChanges changes;            // to keep the type's limits
  bool closed = false;
};

}  // namespace contrail::server
