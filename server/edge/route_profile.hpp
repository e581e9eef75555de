#pragma once

// The speeds of a route: its nodes, the time each span between them takes, and both made to fit
// what an entity type can do.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <contrail/sim/units.hpp>

#include <contrail/edge/route_curve.hpp>

namespace contrail::server {

inline constexpr std::uint32_t k_max_leg_ticks = 1U << 20;  // keeps curve evaluation below 2^127

/// What a type can do.
struct RouteLimits {
  std::int64_t max_speed = 0;         // length units per second
  std::int64_t max_acceleration = 0;  // length units per second^2
  bool operator==(const RouteLimits&) const = default;
};
/// Is a value above a limit, with room for rounding in a limit given in round numbers.
bool exceeds(std::int64_t value, std::int64_t limit);

/// Where spans meet: a waypoint, or a node inserted between two.
struct RouteNode {
  sim::Vec3 position{0};
  sim::Vec3 velocity{0};     // length units per second
  std::size_t waypoint = 0;  // the waypoint it is, or the one before it
  bool inserted = false;
};

/// What had to change to keep the limits.
struct RouteChanges {
  std::size_t slowed = 0;       // waypoints passed slower than wanted
  std::size_t inserted = 0;     // nodes between waypoints
  sim::Subtick added_time = 0;  // subticks
  bool fits = true;             // false: no slowing down helps
};

/// Span i leads from node i to the next one. `cruise` is the speed in the middle of spans from stop
/// to stop, length units per second.
class RouteProfile {
 public:
  /// `ticks` has an entry for each span. Of a timed route they rule, else they are measured anew.
  RouteProfile(std::vector<RouteNode> nodes, std::vector<std::uint32_t> ticks, bool closed,
               bool timed, std::int64_t cruise, int log2_tick);

  /// Slows down and inserts nodes until every span keeps the limits.
  RouteChanges fit(const RouteLimits& limits);

  [[nodiscard]] std::size_t spans() const { return ticks_.size(); }
  [[nodiscard]] const std::vector<RouteNode>& nodes() const { return nodes_; }
  [[nodiscard]] std::uint32_t ticks(std::size_t span) const { return ticks_[span]; }
  [[nodiscard]] RouteCurve curve(std::size_t span) const;
  [[nodiscard]] std::size_t after(std::size_t node) const { return (node + 1) % nodes_.size(); }
  [[nodiscard]] int max_log2() const { return max_log2_; }

 private:
  struct Load {
    std::int64_t speed = 0;
    std::int64_t start = 0;  // acceleration
    std::int64_t end = 0;
  };
  [[nodiscard]] Load load(std::size_t span) const;
  [[nodiscard]] std::int64_t mean_speed(std::size_t span) const;
  void measure(std::size_t span);
  bool relax(const RouteLimits& limits);
  bool relax_span(std::size_t span, const RouteLimits& limits, std::vector<std::int64_t>& factors);
  [[nodiscard]] std::int64_t tried(std::size_t span, bool at_end, std::size_t slower) const;
  void blame(std::size_t span, bool at_end, std::int64_t factor,
             std::vector<std::int64_t>& factors) const;
  [[nodiscard]] RouteProfile with_nodes(const RouteProfile& slowed,
                                        const RouteLimits& limits) const;
  [[nodiscard]] std::uint64_t total() const;

  std::vector<RouteNode> nodes_;
  std::vector<std::uint32_t> ticks_;
  std::vector<std::int64_t> cruise_;  // of each span
  bool closed_;
  bool timed_;
  int log2_tick_;
  int max_log2_;
};

}  // namespace contrail::server
