#include <contrail/sim/flight_model.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>

namespace contrail::sim {
namespace {

/// A direction times a length; exact to a unit below 2^28, to 16 units above.
WideVec3 stretched(const Vec3& direction, std::int64_t length) {
  if (length < std::int64_t{1} << 28) {
    return shift_right(WideVec3(direction) * length, 24);
  }
  return along(direction, length);
}

/// v, no longer than limit >= 0.
WideVec3 limit_length(const WideVec3& v, std::int64_t limit) {
  return length(v) <= limit ? v : stretched(unit(v), limit);
}

/// The speed towards a point `distance` ahead from which the ship can still stop there in whole
/// steps, after a step of 2^k subticks that begins at speed `now`. From v the stop takes at most
/// v^2 / 2a + v h / 2, and the step itself (now + v) h / 2, so (v + a h)^2 <= (a h)^2 + 2 a rest.
/// One part in 64 of the acceleration is kept in reserve for rounding.
std::int64_t approach_speed(std::int64_t distance, std::int64_t now,
                            std::int64_t greatest_acceleration, int k) {
  const Subtick step = Subtick{1} << k;
  const std::int64_t acceleration = greatest_acceleration - (greatest_acceleration >> 6);
  const std::int64_t rest = distance - (drift(now, step) >> 1);
  if (rest <= 0 || acceleration <= 0) {
    return 0;
  }
  const std::int64_t gain = std::min(drift(acceleration, step), std::int64_t{1} << 25);
  const std::int64_t seen = std::min(rest, floor_div(std::int64_t{1} << 49, acceleration));
  const std::int64_t speed = isqrt(gain * gain + 2 * acceleration * seen) - gain;
  return std::min(speed, (rest << 16) >> k);
}

/// The velocity the command asks for, before the ship's limits; not for `accelerate`.
WideVec3 wanted_velocity(const Motion& start, const Steer& command, const MotionLimits& limits,
                         int k) {
  if (command.kind == SteerKind::velocity) {
    return limit_length(WideVec3(command.value), limits.max_speed);
  }
  if (command.kind == SteerKind::coast) {
    return WideVec3(start.velocity);
  }
  const WideVec3 way = WideVec3(command.value) - WideVec3(start.position);
  if (is_zero(way)) {
    return WideVec3(0);
  }
  const Vec3 direction = unit(way);
  const std::int64_t now = dot24(start.velocity, direction);
  const std::int64_t speed = approach_speed(length(way), now, limits.max_acceleration, k);
  return stretched(direction, std::min<std::int64_t>(speed, limits.max_speed));
}

/// round(value / 2^scale) as int16, or false.
bool quantise(const WideVec3& value, int scale, std::array<std::int16_t, 3>& out) {
  const std::int64_t half = scale == 0 ? 0 : std::int64_t{1} << (scale - 1);
  const WideVec3 q = shift_right(value + WideVec3(half), scale);
  if (max_abs(q) > 32'767) {
    return false;
  }
  out = {static_cast<std::int16_t>(q.x), static_cast<std::int16_t>(q.y),
         static_cast<std::int16_t>(q.z)};
  return true;
}

}  // namespace

Motion steer(const Motion& start, const Steer& command, const MotionLimits& limits, int k) {
  require(k >= k_min_log2_tick && k <= k_max_log2_piece, "a piece lasts 2^9 to 2^20 subticks");
  require(limits.max_acceleration >= 0 && limits.max_acceleration < 1 << 26 &&
              limits.max_speed >= 0 && limits.max_speed <= k_max_speed,
          "a ship's limits are within the simulation's");
  const Subtick step = Subtick{1} << k;
  const WideVec3 v0(start.velocity);
  WideVec3 gain(0);
  if (command.kind == SteerKind::accelerate) {
    const WideVec3 held = limit_length(WideVec3(command.value), limits.max_acceleration);
    gain = drift(Vec3(held), step);
  } else {
    const WideVec3 difference = wanted_velocity(start, command, limits, k) - v0;
    gain = limit_length(difference, drift(std::int64_t{limits.max_acceleration}, step));
  }
  const Vec3 v1 = clamp(limit_length(v0 + gain, limits.max_speed), k_max_speed);
  const WideVec3 way = shift_right(drift(start.velocity + v1, step), 1);
  return {clamp(WideVec3(start.position) + way, k_world_limit), v1};
}

std::optional<RelativeKey> relative_key(std::uint16_t entity, int log2_ticks, int log2_tick,
                                        const Motion& start, const Motion& end) {
  const Subtick step = Subtick{1} << (log2_ticks + log2_tick);
  const WideVec3 d =
      WideVec3(end.position) - WideVec3(start.position) - drift(start.velocity, step);
  const WideVec3 dv = WideVec3(end.velocity) - WideVec3(start.velocity);
  RelativeKey key;
  key.entity = entity;
  key.log2_ticks = static_cast<std::uint8_t>(log2_ticks);
  for (int scale = 0; scale <= 15; ++scale) {
    if (quantise(d, scale, key.d) && quantise(dv, scale, key.dv)) {
      key.scale = static_cast<std::uint8_t>(scale);
      return key;
    }
  }
  return std::nullopt;
}

}  // namespace contrail::sim
