#pragma once

// Waypoints to track keys: unequal intervals, Catmull-Rom tangents where none are given, speeds
// that keep a type's limits, and pieces of 2^k ticks that lie on each span's own cubic. Integers
// only.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <contrail/sim/scenario.hpp>
#include <contrail/sim/units.hpp>

#include <contrail/edge/route_profile.hpp>

namespace contrail::server {

struct Waypoint {
  sim::Vec3 position{0};              // length units
  std::optional<std::int32_t> speed;  // length units per second, passing it
  std::optional<sim::Subtick> time;   // subticks since the route's start
  std::optional<sim::Vec3> velocity;  // length units per second: the tangent, given
  bool corner = false;                // a deliberate stop: zero tangent
};

/// Which way a waypoint without a velocity is passed: that of the Catmull-Rom spline over the times
/// of the legs beside it, or over the square roots of their lengths (half way between the two legs'
/// own directions, whatever their lengths).
enum class RouteSpline : std::uint8_t { timed, centripetal };

/// Either every waypoint has a time (a timed route), or none has and speeds rule.
struct RoutePlan {
  std::string name;
  bool closed = false;                // flies back from the last waypoint to the first
  std::vector<Waypoint> waypoints;    // at least 2, closed at least 3
  std::optional<std::int32_t> speed;  // length units per second, where a waypoint has none
  std::optional<sim::Subtick> lap;    // subticks; of a closed timed route, required
  RouteSpline spline = RouteSpline::timed;
  /// Length units. Above 0 the waypoints are points of a measured way: only those are kept that the
  /// route needs to pass each of them within this distance.
  std::int64_t tolerance = 0;
};

/// The way from one kept waypoint to the next; without a tolerance leg i starts at waypoint i.
struct RouteLeg {
  std::size_t waypoint = 0;     // it starts at, index into the plan's
  sim::Vec3 start_velocity{0};  // length units per second
  std::uint32_t ticks = 0;
  std::uint32_t first_key = 0;        // index into the route's keys
  std::int64_t top_speed = 0;         // length units per second
  std::int64_t top_acceleration = 0;  // length units per second^2
};

struct RouteFault {
  std::size_t waypoint = 0;  // index
  std::string what;
  std::string remedy;
};

/// A fault-free plan has legs and keys.
struct CompiledRoute {
  sim::Route route;
  std::vector<RouteLeg> legs;
  std::vector<RouteFault> faults;
  RouteChanges changes;            // for the limits
  std::int64_t max_deviation = 0;  // length units, of any point of a plan with a tolerance
};

/// Compiles a plan for ticks of 2^log2_tick subticks. A leg ruled by speed may take up to 1/16
/// longer than the speeds say, where that needs fewer keys. With limits it is slowed down where it
/// would break them, by more time or by nodes between waypoints; where that does not help,
/// `changes` says so. Arithmetic: tangents of the nonuniform Catmull-Rom spline (Barry and Goldman,
/// SIGGRAPH 1988; centripetal: Yuksel, Schaefer, Keyser, SIAM/ACM GPM 2009); ends of open routes
/// point along their leg.
CompiledRoute compile_route(const RoutePlan& plan, int log2_tick,
                            const std::optional<RouteLimits>& limits = std::nullopt);

/// The route begun at waypoint `first` (a closed one rotated, an open one cut) and moved by
/// `offset`. Nothing if a position leaves the world.
std::optional<sim::Route> route_variant(const CompiledRoute& compiled, std::size_t first,
                                        const sim::Vec3& offset);

/// Sum of the legs.
std::uint64_t route_ticks(const CompiledRoute& compiled);

}  // namespace contrail::server
