#include <contrail/edge/route_compiler.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/limits.hpp>

#include <contrail/edge/decimal.hpp>
#include <contrail/edge/route_thinning.hpp>

namespace contrail::server {

namespace {

using sim::Vec3;
using sim::WideVec3;

WideVec3 difference(const Vec3& to, const Vec3& from) {
  return WideVec3(to) - WideVec3(from);
}

class RouteCompiler {
 public:
  RouteCompiler(const RoutePlan& plan, int log2_tick, const std::optional<RouteLimits>& limits)
      : plan_(plan), points_(plan.waypoints), log2_tick_(log2_tick), limits_(limits) {}

  CompiledRoute run() {
    out_.route.name = plan_.name;
    out_.route.closed = plan_.closed;
    if (check_shape()) {
      if (timed()) {
        time_intervals();
      } else {
        speed_intervals();
      }
    }
    if (out_.faults.empty()) find_tangents();
    if (out_.faults.empty()) build();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t legs() const {
    return plan_.closed ? points_.size() : points_.size() - 1;
  }
  [[nodiscard]] std::size_t after(std::size_t i) const { return (i + 1) % points_.size(); }
  [[nodiscard]] WideVec3 chord(std::size_t leg) const {
    return difference(points_[after(leg)].position, points_[leg].position);
  }
  [[nodiscard]] bool timed() const {
    return std::any_of(points_.begin(), points_.end(),
                       [](const Waypoint& p) { return p.time.has_value(); });
  }
  void fault(std::size_t waypoint, std::string what, std::string remedy) {
    out_.faults.push_back({waypoint, std::move(what), std::move(remedy)});
  }

  bool check_shape() {
    const std::size_t least = plan_.closed ? 3 : 2;
    if (points_.size() < least) {
      fault(0, "the route has " + std::to_string(points_.size()) + " waypoints",
            std::string(plan_.closed ? "a closed" : "an open") + " route needs at least " +
                std::to_string(least));
      return false;
    }
    for (std::size_t i = 0; i < legs(); ++i) {
      if (sim::is_zero(chord(i))) {
        fault(after(i), "stands on the waypoint before it", "waypoints must be apart");
      }
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Waypoint& p = points_[i];
      if (p.corner && (p.velocity || p.speed)) {
        fault(i, "is a corner and has a speed", "a corner stops there: give one or the other");
      }
      if (p.velocity && p.speed) {
        fault(i, "has a velocity and a speed", "the velocity says both: give one of them");
      }
    }
    return out_.faults.empty();
  }

  void add_interval(std::size_t leg, std::int64_t ticks) {
    if (ticks < 1 || ticks > k_max_leg_ticks) {
      const sim::Subtick longest = sim::Subtick{k_max_leg_ticks} << log2_tick_;
      fault(after(leg),
            ticks < 1 ? "is reached less than a tick after the waypoint before it"
                      : "is reached too late after the waypoint before it",
            "a leg takes at least " + print_scaled(sim::Subtick{1} << log2_tick_, k_seconds) +
                " and at most " + print_scaled(longest, k_seconds));
      ticks = 1;
    }
    ticks_.push_back(static_cast<std::uint32_t>(ticks));
  }

  void time_intervals() {
    const auto nearest_tick = [this](sim::Subtick t) {
      return (t + (sim::Subtick{1} << (log2_tick_ - 1))) >> log2_tick_;
    };
    std::vector<std::int64_t> ticks;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!points_[i].time && i > 0) {
        fault(i, "has no time although others have", "give every waypoint a time, or none");
      }
      if (points_[i].speed) {
        fault(i, "has a time and a speed", "of a timed route the times alone rule: drop the speed");
      }
      ticks.push_back(nearest_tick(points_[i].time.value_or(0)));
    }
    if (plan_.closed && !plan_.lap) {
      fault(0, "the route is closed and timed, but has no lap",
            "lap says after how many seconds it is back at the first waypoint");
    }
    if (!out_.faults.empty()) return;
    if (plan_.closed) {
      ticks.push_back(nearest_tick(points_.front().time.value_or(0) + *plan_.lap));
    }
    for (std::size_t i = 0; i < legs(); ++i) add_interval(i, ticks[i + 1] - ticks[i]);
  }

  /// Speed at a waypoint of a route ruled by speeds; 0 at a corner.
  [[nodiscard]] std::int64_t speed_at(std::size_t i) const {
    const Waypoint& p = points_[i];
    if (p.corner) return 0;
    if (p.velocity) return sim::length(WideVec3(*p.velocity));
    return p.speed ? *p.speed : plan_.speed.value_or(0);
  }
  /// Mean speed of a leg; from stop to stop its middle runs at 3/2 of the mean.
  [[nodiscard]] std::int64_t mean_speed(std::size_t leg) const {
    const std::int64_t sum = speed_at(leg) + speed_at(after(leg));
    return std::max<std::int64_t>(1, sum != 0 ? sum / 2 : plan_.speed.value_or(0) * 2 / 3);
  }

  void speed_intervals() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Waypoint& p = points_[i];
      if (!p.speed && !p.velocity && !p.corner && !plan_.speed) {
        fault(i, "has neither speed nor time",
              "give it one, or the route a speed for all its waypoints");
      }
    }
    for (std::size_t i = 0; i < legs() && out_.faults.empty(); ++i) {
      if (!plan_.speed && speed_at(i) == 0 && speed_at(after(i)) == 0) {
        fault(after(i), "is reached from stop to stop on a route without a speed",
              "give the route a speed: such a leg's middle runs at it");
      }
    }
    if (plan_.lap) fault(0, "the route has a lap but no times", "a lap belongs to a timed route");
    if (!out_.faults.empty()) return;
    // Chords over speeds: good enough to find the tangents; the profile measures the curve itself.
    for (std::size_t i = 0; i < legs(); ++i) {
      const Int128 subticks = Int128{sim::length(chord(i))} * 65536 / mean_speed(i);
      add_interval(i, static_cast<std::int64_t>((subticks >> log2_tick_) + 1));
    }
  }

  void find_tangents() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Waypoint& p = points_[i];
      if (p.corner || p.velocity) {
        velocities_.push_back(p.velocity.value_or(Vec3{0}));
        continue;
      }
      const WideVec3 tangent = catmull_rom(i);
      const bool too_fast = std::max({std::abs(tangent.x), std::abs(tangent.y),
                                      std::abs(tangent.z)}) > sim::k_max_speed;
      if (timed() && too_fast) {
        fault(i, "is passed at more than 10000 m/s", "give the legs beside it more time");
      }
      if (timed() && plan_.spline == RouteSpline::centripetal && !turns_back(i)) {
        velocities_.push_back(at_speed(direction(i, tangent), sim::length(tangent)));
      } else if (timed()) {
        velocities_.push_back(sim::clamp(tangent, sim::k_max_speed));
      } else if (turns_back(i)) {
        // Of a measured way nobody can mark the corners.
        if (plan_.tolerance == 0) {
          fault(i, "turns straight back", "mark it corner = true, or give it a velocity");
        }
        velocities_.push_back(Vec3{0});
      } else {
        velocities_.push_back(at_speed(direction(i, tangent), speed_at(i)));
      }
    }
  }

  /// The legs before and after a waypoint; at the ends of an open route both are the one there is.
  [[nodiscard]] std::pair<std::size_t, std::size_t> legs_at(std::size_t i) const {
    if (plan_.closed) return {(i + points_.size() - 1) % points_.size(), i};
    return {i == 0 ? 0 : i - 1, std::min(i, points_.size() - 2)};
  }

  /// The way back is the way there, to a degree: no direction to pass the waypoint in.
  [[nodiscard]] bool turns_back(std::size_t i) const {
    const auto [left, right] = legs_at(i);
    return sim::dot24(sim::unit(chord(left)), sim::unit(chord(right))) < -sim::k_one / 10000 * 9998;
  }

  /// Length units per second, from the intervals as they stand.
  [[nodiscard]] WideVec3 catmull_rom(std::size_t i) const {
    const auto [left, right] = legs_at(i);
    const Int128 d0 = std::int64_t{ticks_[left]} << log2_tick_;
    const Int128 d1 = std::int64_t{ticks_[right]} << log2_tick_;
    const WideVec3 a = chord(left);
    const WideVec3 b = chord(right);
    WideVec3 result{0};
    for (int axis = 0; axis < 3; ++axis) {
      // a/d0 and b/d1, each weighted with the other's interval.
      result[axis] = divide((a[axis] * d1 * d1 + b[axis] * d0 * d0) * 65536, d0 * d1 * (d0 + d1));
    }
    return result;
  }

  /// Never faster than `speed`: rounded towards zero.
  static Vec3 at_speed(const Vec3& direction, std::int64_t speed) {
    Vec3 result{0};
    for (int axis = 0; axis < 3; ++axis) {
      result[axis] = static_cast<std::int32_t>(direction[axis] * speed / sim::k_one);
    }
    return result;
  }

  /// Of a waypoint that does not turn straight back. Over the square roots of the legs' lengths
  /// the Catmull-Rom tangent is the sum of their directions.
  [[nodiscard]] Vec3 direction(std::size_t i, const WideVec3& tangent) const {
    if (plan_.spline == RouteSpline::timed) return sim::unit(tangent);
    const auto [left, right] = legs_at(i);
    return sim::unit(WideVec3(sim::unit(chord(left))) + WideVec3(sim::unit(chord(right))));
  }

  void build() {
    std::vector<RouteNode> nodes;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      nodes.push_back({points_[i].position, velocities_[i], i, false});
    }
    RouteProfile profile(std::move(nodes), ticks_, plan_.closed, timed(), plan_.speed.value_or(0),
                         log2_tick_);
    if (limits_) out_.changes = profile.fit(*limits_);
    out_.route.start_position = points_.front().position;
    out_.route.start_velocity = profile.nodes().front().velocity;
    for (std::size_t i = 0; i < profile.spans() && out_.faults.empty(); ++i) add_span(profile, i);
  }

  void add_span(const RouteProfile& profile, std::size_t span) {
    const RouteNode& node = profile.nodes()[span];
    if (!node.inserted) {
      RouteLeg leg;
      leg.waypoint = node.waypoint;
      leg.start_velocity = node.velocity;
      leg.first_key = static_cast<std::uint32_t>(out_.route.keys.size());
      out_.legs.push_back(leg);
    }
    RouteLeg& leg = out_.legs.back();
    const RouteCurve c = profile.curve(span);
    const std::uint32_t ticks = profile.ticks(span);
    leg.ticks += ticks;
    leg.top_speed = std::max(leg.top_speed, c.top_speed());
    leg.top_acceleration = std::max({leg.top_acceleration, sim::length(c.end_acceleration(false)),
                                     sim::length(c.end_acceleration(true))});
    for (std::uint32_t done = 0; done < ticks;) {
      const int log2_ticks =
          std::min(profile.max_log2(), static_cast<int>(std::bit_width(ticks - done)) - 1);
      done += 1U << log2_ticks;
      if (!add_key(c, log2_ticks, done, ticks, after(node.waypoint))) break;
    }
  }

  /// The key that ends at tick `done` of the span's `ticks`.
  bool add_key(const RouteCurve& c, int log2_ticks, std::uint32_t done, std::uint32_t ticks,
               std::size_t waypoint) {
    const WideVec3 p = c.position(done, ticks);
    const WideVec3 v = c.velocity(done, ticks);
    for (int axis = 0; axis < 3; ++axis) {
      if (std::abs(p[axis]) > sim::k_world_limit || std::abs(v[axis]) > sim::k_max_speed) {
        fault(waypoint, "is reached on a curve that leaves the world or exceeds 10000 m/s",
              "shorten the way or give it more time");
        return false;
      }
    }
    out_.route.keys.push_back({static_cast<std::uint8_t>(log2_ticks), Vec3(p), Vec3(v)});
    return true;
  }

  const RoutePlan& plan_;
  const std::vector<Waypoint>& points_;
  int log2_tick_;
  const std::optional<RouteLimits>& limits_;
  std::vector<std::uint32_t> ticks_;  // of each leg
  std::vector<Vec3> velocities_;      // at each waypoint
  CompiledRoute out_;
};

}  // namespace

CompiledRoute compile_route(const RoutePlan& plan, int log2_tick,
                            const std::optional<RouteLimits>& limits) {
  if (plan.tolerance > 0) return compile_thinned_route(plan, log2_tick, limits);
  return compile_every_waypoint(plan, log2_tick, limits);
}

CompiledRoute compile_every_waypoint(const RoutePlan& plan, int log2_tick,
                                     const std::optional<RouteLimits>& limits) {
  return RouteCompiler(plan, log2_tick, limits).run();
}

std::optional<sim::Route> route_variant(const CompiledRoute& compiled, std::size_t first,
                                        const Vec3& offset) {
  sim::Route route = compiled.route;
  if (first != 0) {
    const RouteLeg& leg = compiled.legs[first];
    const auto begin = route.keys.begin() + leg.first_key;
    route.start_position = route.keys[leg.first_key - 1].position;
    route.start_velocity = leg.start_velocity;
    if (route.closed) {
      std::rotate(route.keys.begin(), begin, route.keys.end());
    } else {
      route.keys.erase(route.keys.begin(), begin);
    }
  }
  const auto move = [&offset](Vec3& position) {
    const WideVec3 moved = WideVec3(position) + WideVec3(offset);
    position = sim::clamp(moved, sim::k_world_limit);
    return WideVec3(position) == moved;
  };
  bool inside = move(route.start_position);
  for (sim::RouteKey& key : route.keys) inside = move(key.position) && inside;
  if (!inside) return std::nullopt;
  return route;
}

std::uint64_t route_ticks(const CompiledRoute& compiled) {
  std::uint64_t sum = 0;
  for (const RouteLeg& leg : compiled.legs) sum += leg.ticks;
  return sum;
}

}  // namespace contrail::server
