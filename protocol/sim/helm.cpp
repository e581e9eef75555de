#include <contrail/sim/helm.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/sim/limits.hpp>

namespace contrail::sim {
namespace {

constexpr int k_longest_piece = 16;      // log2 of subticks: 1 s
constexpr int k_waypoint_piece = 13;     // 1/8 s; waypoints want steps of one length
constexpr std::int64_t k_arrived = 256;  // length units, and units per second

int floor_log2(std::uint32_t value) {
  int log2 = 0;
  while ((value >> (log2 + 1)) != 0) {
    ++log2;
  }
  return log2;
}

/// The longest piece over which the ship keeps the acceleration it is told to: one in which it
/// neither meets its speed limit nor reaches the wanted velocity before its end.
int piece_length(const Motion& start, const Steer& steer_to, const MotionLimits& limits,
                 int shortest, int longest) {
  const bool accelerates = steer_to.kind == SteerKind::accelerate;
  const MotionLimits free{k_max_speed, limits.max_acceleration};
  for (int k = longest; k > shortest; --k) {
    const Motion end = steer(start, steer_to, limits, k);
    if (accelerates) {
      if (end == steer(start, steer_to, free, k)) {
        return k;
      }
      continue;
    }
    const WideVec3 gain = WideVec3(end.velocity) - WideVec3(start.velocity);
    const std::int64_t most = drift(std::int64_t{limits.max_acceleration}, Subtick{1} << k);
    if (length(gain) + 32 >= most) {
      return k;
    }
  }
  return shortest;
}

/// A waypoint that has been reached is a place to stay at.
Steer effective(const Motion& start, const Steer& steer_to) {
  const WideVec3 way = WideVec3(steer_to.value) - WideVec3(start.position);
  if (steer_to.kind == SteerKind::waypoint && max_abs(way) <= k_arrived &&
      max_abs(WideVec3(start.velocity)) <= k_arrived) {
    return {SteerKind::velocity, Vec3(0)};
  }
  return steer_to;
}

}  // namespace

std::optional<RelativeKey> helm_key(const Helm& helm, const Track& track, std::uint32_t tick,
                                    int log2_tick) {
  require(!track.pieces().empty(), "a ship under command has a track");
  const Subtick now = Subtick{tick} << log2_tick;
  const TrackPiece& last = track.pieces().back();
  const std::uint32_t interval = key_interval(log2_tick);
  const Subtick begun = last.start;
  const bool by_jump = last.jump;  // a spawn or a jump leaves the ship free at once
  const Subtick ends = by_jump ? begun : begun + (Subtick{1} << last.log2_duration);
  const bool is_new = Subtick{helm.taken} << log2_tick > begun || by_jump;
  if (!is_new && ends > now) {
    return std::nullopt;
  }
  if (!by_jump && now - begun < Subtick{interval} << log2_tick) {
    return std::nullopt;
  }
  const Motion start{track.position(now), track.velocity(now)};
  const Steer to = effective(start, helm.steer);
  const int shortest = floor_log2(interval) + log2_tick;
  int k = shortest;
  if (to.kind == SteerKind::waypoint) {
    k = std::max(k_waypoint_piece, shortest);
  } else if (to.kind != SteerKind::coast) {
    k = piece_length(start, to, helm.limits, shortest, k_longest_piece);
  }
  const Motion end = steer(start, to, helm.limits, k);
  const auto key = relative_key(helm.entity, k - log2_tick, log2_tick, start, end);
  require(key.has_value(), "what a ship does in a second fits a relative key");
  const bool rests = key->d == std::array<std::int16_t, 3>{} &&
                     key->dv == std::array<std::int16_t, 3>{} && key->scale == 0;
  if (rests && ends <= now) {
    return std::nullopt;  // it coasts already
  }
  return key;
}

}  // namespace contrail::sim
