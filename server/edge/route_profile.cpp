#include <contrail/edge/route_profile.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/limits.hpp>

namespace contrail::server {

namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

constexpr int k_length_rounds = 8;     // the interval and its length settle
constexpr int k_relax_rounds = 400;    // each slows what is too fast by 0.2 to 50 percent
constexpr std::int64_t k_crawl = 400;  // length units per second: slower than that is no motion
constexpr std::int64_t k_whole = 65536;

int pieces_of(std::uint32_t ticks, int max_log2) {
  return static_cast<int>(ticks >> max_log2) + std::popcount(ticks & ((1U << max_log2) - 1));
}

/// The number of ticks from `least` to 1/16 more that splits into the fewest pieces.
std::uint32_t handy_ticks(std::uint32_t least, int max_log2) {
  std::uint32_t best = least;
  for (std::uint32_t n = least; n <= least + least / 16; ++n) {
    if (pieces_of(n, max_log2) < pieces_of(best, max_log2)) best = n;
  }
  return best;
}

std::int64_t speed_of(const RouteNode& node) {
  return sim::length(WideVec3(node.velocity));
}

/// value * factor / 65536, towards zero.
Vec3 scaled(const Vec3& value, std::int64_t factor) {
  const WideVec3 v = WideVec3(value) * factor / k_whole;
  return Vec3(v);
}

/// The factor that brings a speed (power 1) or an acceleration (power 2) down to its limit, Q16.
std::int64_t factor_of(std::int64_t value, std::int64_t limit, int power) {
  const std::int64_t ratio = static_cast<std::int64_t>((Int128{limit} << 32) / value);
  const std::int64_t factor = power == 1 ? ratio >> 16 : sim::isqrt(ratio);
  return std::clamp<std::int64_t>(factor, k_whole / 2, k_whole - k_whole / 500);
}

}  // namespace

bool exceeds(std::int64_t value, std::int64_t limit) {
  return value > limit + limit / 256 + 16;
}

RouteProfile::RouteProfile(std::vector<RouteNode> nodes, std::vector<std::uint32_t> ticks,
                           bool closed, bool timed, std::int64_t cruise, int log2_tick)
    : nodes_(std::move(nodes)),
      ticks_(std::move(ticks)),
      cruise_(ticks_.size(), cruise),
      closed_(closed),
      timed_(timed),
      log2_tick_(log2_tick),
      max_log2_(std::min(sim::k_max_log2_piece_ticks, sim::k_max_log2_piece - log2_tick)) {
  if (timed_) return;
  for (std::size_t i = 0; i < spans(); ++i) measure(i);
}

RouteCurve RouteProfile::curve(std::size_t span) const {
  const RouteNode& from = nodes_[span];
  const RouteNode& to = nodes_[after(span)];
  return {from.position, from.velocity, to.position, to.velocity,
          Subtick{ticks_[span]} << log2_tick_};
}

/// From stop to stop the middle runs at 3/2 of the mean.
std::int64_t RouteProfile::mean_speed(std::size_t span) const {
  const std::int64_t sum = speed_of(nodes_[span]) + speed_of(nodes_[after(span)]);
  return std::max<std::int64_t>(1, sum != 0 ? sum / 2 : cruise_[span] * 2 / 3);
}

/// Ticks the span needs at its mean speed, along the curve it then flies.
void RouteProfile::measure(std::size_t span) {
  Int128 ticks = 0;
  for (int round = 0; round < k_length_rounds; ++round) {
    const Int128 subticks = Int128{curve(span).arc_length()} * 65536 / mean_speed(span);
    ticks = (subticks + (Int128{1} << log2_tick_) - 1) >> log2_tick_;
    ticks = std::clamp<Int128>(ticks, 1, k_max_leg_ticks);
    ticks_[span] = static_cast<std::uint32_t>(ticks);
  }
  ticks_[span] = handy_ticks(static_cast<std::uint32_t>(ticks), max_log2_);
}

RouteProfile::Load RouteProfile::load(std::size_t span) const {
  const RouteCurve c = curve(span);
  return {c.top_speed(), sim::length(c.end_acceleration(false)),
          sim::length(c.end_acceleration(true))};
}

/// The acceleration at an end of a span if one of its nodes were passed a tenth slower.
std::int64_t RouteProfile::tried(std::size_t span, bool at_end, std::size_t slower) const {
  RouteCurve c = curve(span);
  Vec3& velocity = slower == span ? c.v0 : c.v1;
  velocity = scaled(velocity, k_whole * 9 / 10);
  const std::int64_t sum = sim::length(WideVec3(c.v0)) + sim::length(WideVec3(c.v1));
  if (sum < 2) return INT64_MAX;
  const Int128 subticks = Int128{c.arc_length()} * 65536 * 2 / sum;
  c.duration = std::max(c.duration, static_cast<Subtick>(subticks));
  return sim::length(c.end_acceleration(at_end));
}

/// Notes which ends of a span have to be slower for the acceleration at one of them: the one whose
/// slowing down helps more.
void RouteProfile::blame(std::size_t span, bool at_end, std::int64_t factor,
                         std::vector<std::int64_t>& factors) const {
  const auto helps = [&](std::size_t node) {
    return speed_of(nodes_[node]) > 2 * k_crawl ? tried(span, at_end, node) : INT64_MAX;
  };
  const std::int64_t by_first = helps(span);
  const std::int64_t by_last = helps(after(span));
  if (std::min(by_first, by_last) == INT64_MAX) return;
  const std::size_t node = by_first <= by_last ? span : after(span);
  factors[node] = std::min(factors[node], (k_whole + factor) / 2);
  if (by_first == by_last) factors[after(span)] = std::min(factors[after(span)], factors[node]);
}

/// Notes what must be slower for one span. Returns if anything must.
bool RouteProfile::relax_span(std::size_t span, const RouteLimits& limits,
                              std::vector<std::int64_t>& factors) {
  const Load seen = load(span);
  const bool fast = exceeds(seen.speed, limits.max_speed);
  const bool start = exceeds(seen.start, limits.max_acceleration);
  const bool end = exceeds(seen.end, limits.max_acceleration);
  if (!fast && !start && !end) return false;
  const std::int64_t by_speed = fast ? factor_of(seen.speed, limits.max_speed, 1) : k_whole;
  const std::int64_t by_start = start ? factor_of(seen.start, limits.max_acceleration, 2) : k_whole;
  const std::int64_t by_end = end ? factor_of(seen.end, limits.max_acceleration, 2) : k_whole;
  const std::int64_t least = std::min({by_speed, by_start, by_end});
  if (timed_) {  // the times give way, the tangents with them
    const auto longer =
        static_cast<std::uint32_t>(std::int64_t{ticks_[span]} * k_whole / least) + 1;
    ticks_[span] = std::min(longer, k_max_leg_ticks);
  }
  const bool stops = speed_of(nodes_[span]) + speed_of(nodes_[after(span)]) == 0;
  if (stops) cruise_[span] = cruise_[span] * least / k_whole;
  if (fast) {
    factors[span] = std::min(factors[span], by_speed);
    factors[after(span)] = std::min(factors[after(span)], by_speed);
  }
  if (start) blame(span, false, by_start, factors);
  if (end) blame(span, true, by_end, factors);
  return true;
}

/// Slows down node by node until every span keeps the limits; false where that does not end.
bool RouteProfile::relax(const RouteLimits& limits) {
  std::vector<bool> dirty(spans(), true);
  for (int round = 0; round < k_relax_rounds; ++round) {
    std::vector<std::int64_t> factors(nodes_.size(), k_whole);
    std::vector<bool> over(spans(), false);
    for (std::size_t i = 0; i < spans(); ++i) {
      if (dirty[i]) over[i] = relax_span(i, limits, factors);
    }
    if (std::find(over.begin(), over.end(), true) == over.end()) return true;
    if (limits.max_speed <= 0 || limits.max_acceleration <= 0) return false;
    dirty = over;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (factors[i] == k_whole || nodes_[i].velocity == Vec3(0)) continue;
      nodes_[i].velocity = scaled(nodes_[i].velocity, factors[i]);
      if (speed_of(nodes_[i]) < k_crawl) return false;
      if (i < spans()) dirty[i] = true;
      if (i > 0 || closed_) dirty[(i + nodes_.size() - 1) % nodes_.size()] = true;
    }
    for (std::size_t i = 0; i < spans(); ++i) {
      if (dirty[i] && !timed_) measure(i);
      if (ticks_[i] >= k_max_leg_ticks || cruise_[i] < 0) return false;
    }
  }
  return false;
}

/// This profile with nodes on the long spans beside nodes that `slowed` passes slower, where
/// braking begins and speeding up ends: only the turn is slow then, not the way to it.
RouteProfile RouteProfile::with_nodes(const RouteProfile& slowed, const RouteLimits& limits) const {
  std::vector<RouteNode> nodes;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes.push_back(nodes_[i]);
    if (i >= spans()) continue;
    const auto is_slowed = [&](std::size_t node) {
      return speed_of(slowed.nodes_[node]) < speed_of(nodes_[node]) * 9 / 10;
    };
    const std::int64_t cruise =
        std::min(limits.max_speed, std::max(speed_of(nodes_[i]), speed_of(nodes_[after(i)])));
    const RouteCurve c = curve(i);
    const std::int64_t length = c.arc_length();
    const Int128 way =
        Int128{cruise} * cruise * 3 / (4 * std::max<std::int64_t>(1, limits.max_acceleration));
    if (way * 3 > length || way == 0) continue;
    const auto add = [&](std::int64_t part) {  // of 256, of the way
      const WideVec3 v = c.velocity(part, 256);
      if (sim::is_zero(v)) return;
      const Vec3 direction = sim::unit(v);
      Vec3 velocity{0};
      for (int axis = 0; axis < 3; ++axis) {
        velocity[axis] = static_cast<std::int32_t>(direction[axis] * cruise / sim::k_one);
      }
      nodes.push_back({Vec3(c.position(part, 256)), velocity, nodes_[i].waypoint, true});
    };
    const auto part =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(way * 256 / length), 1, 127);
    if (is_slowed(i)) add(part);
    if (is_slowed(after(i))) add(256 - part);
  }
  const std::size_t spans = closed_ ? nodes.size() : nodes.size() - 1;
  return {std::move(nodes), std::vector<std::uint32_t>(spans, 1), closed_, timed_, cruise_.front(),
          log2_tick_};
}

std::uint64_t RouteProfile::total() const {
  std::uint64_t sum = 0;
  for (const std::uint32_t ticks : ticks_) sum += ticks;
  return sum;
}

RouteChanges RouteProfile::fit(const RouteLimits& limits) {
  const RouteProfile wanted = *this;
  RouteChanges changes;
  if (!relax(limits)) {
    *this = wanted;
    changes.fits = false;
    return changes;
  }
  if (!timed_) {
    RouteProfile refined = wanted.with_nodes(*this, limits);
    const std::size_t more = refined.nodes_.size() - nodes_.size();
    if (more > 0 && refined.relax(limits) && refined.total() < total()) {
      *this = std::move(refined);
      changes.inserted = more;
    }
  }
  for (const RouteNode& node : nodes_) {
    const bool slower = !node.inserted && node.velocity != wanted.nodes_[node.waypoint].velocity;
    changes.slowed += slower ? 1 : 0;
  }
  changes.added_time = (static_cast<Subtick>(total()) - static_cast<Subtick>(wanted.total()))
                       << log2_tick_;
  return changes;
}

}  // namespace contrail::server
