#include <contrail/edge/route_thinning.hpp>

#include <algorithm>
#include <utility>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/curve.hpp>

namespace contrail::server {

namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

constexpr std::size_t k_points_each = 64;  // of the points, kept at first
constexpr Subtick k_samples = 64;          // of a piece, before the nearest is looked for

/// A piece of track as it is flown.
struct FlownPiece {
  sim::Cubic curve;
  int log2_duration = 0;

  [[nodiscard]] std::int64_t distance(const Vec3& point, Subtick t) const {
    const WideVec3 gap = WideVec3(sim::cubic_point(curve, t, log2_duration)) - WideVec3(point);
    return sim::length(gap) + (sim::is_zero(gap) ? 0 : 1);
  }

  /// To the nearest place on the piece: the best of some samples, then by halving around it.
  [[nodiscard]] std::int64_t distance(const Vec3& point) const {
    const Subtick end = Subtick{1} << log2_duration;
    Subtick step = std::max<Subtick>(1, end / k_samples);
    Subtick best_time = 0;
    std::int64_t best = distance(point, 0);
    const auto look = [&](Subtick t) {
      if (t < 0 || t > end) return;
      const std::int64_t found = distance(point, t);
      if (found >= best) return;
      best = found;
      best_time = t;
    };
    for (Subtick t = step; t <= end; t += step) look(t);
    for (; step > 0; step /= 2) {
      const Subtick around = best_time;
      look(around - step);
      look(around + step);
    }
    return best;
  }
};

/// The pieces of one leg.
std::vector<FlownPiece> pieces_of_leg(const CompiledRoute& compiled, std::size_t leg,
                                      int log2_tick) {
  const std::vector<sim::RouteKey>& keys = compiled.route.keys;
  const std::size_t first = compiled.legs[leg].first_key;
  const std::size_t end =
      leg + 1 < compiled.legs.size() ? compiled.legs[leg + 1].first_key : keys.size();
  std::vector<FlownPiece> pieces;
  for (std::size_t k = first; k < end; ++k) {
    const Vec3 p0 = k > 0 ? keys[k - 1].position : compiled.route.start_position;
    const Vec3 v0 = k > 0 ? keys[k - 1].velocity : compiled.route.start_velocity;
    const int log2_duration = keys[k].log2_ticks + log2_tick;
    pieces.push_back(
        {sim::hermite(p0, v0, keys[k].position, keys[k].velocity, log2_duration), log2_duration});
  }
  return pieces;
}

/// The largest distance of a leg to the points between its ends, and which point it is.
std::pair<std::int64_t, std::size_t> leg_deviation(const RoutePlan& plan,
                                                   const CompiledRoute& compiled, std::size_t leg,
                                                   int log2_tick) {
  const std::size_t first = compiled.legs[leg].waypoint;
  const std::size_t end = leg + 1 < compiled.legs.size() ? compiled.legs[leg + 1].waypoint
                          : plan.closed                  ? plan.waypoints.size()
                                                         : plan.waypoints.size() - 1;
  const std::vector<FlownPiece> pieces = pieces_of_leg(compiled, leg, log2_tick);
  std::pair<std::int64_t, std::size_t> worst{0, first};
  for (std::size_t i = first; i < end; ++i) {
    std::int64_t nearest = INT64_MAX;
    for (const FlownPiece& piece : pieces) {
      nearest = std::min(nearest, piece.distance(plan.waypoints[i].position));
    }
    worst = std::max(worst, {nearest, i});
  }
  return worst;
}

/// The plan of the kept points alone.
RoutePlan plan_of(const RoutePlan& plan, const std::vector<std::size_t>& kept) {
  RoutePlan few;
  few.name = plan.name;
  few.closed = plan.closed;
  few.speed = plan.speed;
  few.lap = plan.lap;
  few.spline = plan.spline;
  few.tolerance = plan.tolerance;
  for (const std::size_t i : kept) few.waypoints.push_back(plan.waypoints[i]);
  return few;
}

std::vector<std::size_t> first_choice(const RoutePlan& plan) {
  const std::size_t count = plan.waypoints.size();
  const std::size_t parts =
      std::min<std::size_t>(count - (plan.closed ? 0 : 1),
                            std::max<std::size_t>(plan.closed ? 4 : 1, count / k_points_each));
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < parts; ++i)
    kept.push_back(i * (count - (plan.closed ? 0 : 1)) / parts);
  if (!plan.closed) kept.push_back(count - 1);
  return kept;
}

/// Timed points less than two ticks apart can't both be passed in time.
bool in_time(const RoutePlan& plan, std::size_t a, std::size_t b, int log2_tick) {
  const std::optional<Subtick>& from = plan.waypoints[a].time;
  if (!from) return true;
  const bool wraps = b >= plan.waypoints.size();
  const Subtick until = wraps ? plan.waypoints.front().time.value_or(0) + plan.lap.value_or(0)
                              : plan.waypoints[b].time.value_or(0);
  return until - *from >= Subtick{2} << log2_tick;
}

/// More points for the legs that pass one too far away. Where none can be added (all are kept) the
/// list stays as it is.
std::vector<std::size_t> more_points(const RoutePlan& plan, const CompiledRoute& compiled,
                                     const std::vector<std::size_t>& kept, int log2_tick) {
  std::vector<std::size_t> more = kept;
  for (std::size_t leg = 0; leg < compiled.legs.size(); ++leg) {
    const auto [distance, point] = leg_deviation(plan, compiled, leg, log2_tick);
    if (distance <= plan.tolerance) continue;
    const std::size_t first = kept[leg];
    const std::size_t end = leg + 1 < kept.size() ? kept[leg + 1] : plan.waypoints.size();
    if (end - first < 2) continue;
    // Not close to an end: short legs would not bend less.
    const std::size_t margin = std::max<std::size_t>(1, (end - first) / 4);
    const std::size_t chosen = std::clamp(point, first + margin, end - margin);
    if (!in_time(plan, first, chosen, log2_tick) || !in_time(plan, chosen, end, log2_tick))
      continue;
    more.push_back(chosen);
  }
  std::sort(more.begin(), more.end());
  return more;
}

}  // namespace

CompiledRoute compile_thinned_route(const RoutePlan& plan, int log2_tick,
                                    const std::optional<RouteLimits>& limits) {
  if (plan.waypoints.size() < (plan.closed ? 4U : 2U)) {
    return compile_every_waypoint(plan, log2_tick, limits);
  }
  std::vector<std::size_t> kept = first_choice(plan);
  while (true) {
    CompiledRoute compiled = compile_every_waypoint(plan_of(plan, kept), log2_tick, limits);
    for (RouteFault& fault : compiled.faults) fault.waypoint = kept[fault.waypoint];
    if (!compiled.faults.empty()) return compiled;
    for (RouteLeg& leg : compiled.legs) leg.waypoint = kept[leg.waypoint];
    std::vector<std::size_t> more = more_points(plan, compiled, kept, log2_tick);
    if (more.size() == kept.size()) {
      compiled.max_deviation = route_deviation(plan, compiled, log2_tick);
      return compiled;
    }
    kept = std::move(more);
  }
}

std::int64_t route_deviation(const RoutePlan& plan, const CompiledRoute& compiled, int log2_tick) {
  std::int64_t worst = 0;
  for (std::size_t leg = 0; leg < compiled.legs.size(); ++leg) {
    worst = std::max(worst, leg_deviation(plan, compiled, leg, log2_tick).first);
  }
  return worst;
}

}  // namespace contrail::server
