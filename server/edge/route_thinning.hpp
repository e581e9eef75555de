#pragma once

// A measured way of thousands of points, flown with as few waypoints as a tolerance allows.

#include <optional>

#include <contrail/edge/route_compiler.hpp>

namespace contrail::server {

/// The plan's points as they are, whatever its tolerance.
CompiledRoute compile_every_waypoint(const RoutePlan& plan, int log2_tick,
                                     const std::optional<RouteLimits>& limits);

/// Keeps first a few points, then more wherever the track compiled from them passes one of the
/// plan's points farther away than the tolerance. What is compared is the track that will be flown,
/// after all rounding and slowing down.
CompiledRoute compile_thinned_route(const RoutePlan& plan, int log2_tick,
                                    const std::optional<RouteLimits>& limits);

/// How far the track of a compiled route passes from each point of its plan at most, length units,
/// rounded up.
std::int64_t route_deviation(const RoutePlan& plan, const CompiledRoute& compiled, int log2_tick);

}  // namespace contrail::server
