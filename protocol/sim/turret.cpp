#include <contrail/sim/turret.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>

namespace contrail::sim {
namespace {

// Magnitudes. Rates are at most 2^25 (k_max_turret_rate), so relative rates and gains at most 2^26,
// and stopping_distance at most (2^26 + 1) * 2^26 < 2^53. Distances are cut at k_far = 2^48 before
// they are divided: 2 * 2^48 / gain < 2^52, 4 * that + 1 < 2^52. A divisor is a gain, or the number
// of ticks of a braking, at most 2^25 + 1. turret_range_test.cpp watches all this.
constexpr std::int64_t k_far = std::int64_t{1} << 48;

constexpr std::int64_t magnitude(std::int64_t x) {
  return x < 0 ? -x : x;
}
constexpr std::int64_t with_sign_of(std::int64_t value, std::int64_t sign) {
  return sign < 0 ? -value : value;
}
constexpr std::int64_t sign_of(std::int64_t x) {
  return static_cast<std::int64_t>(x > 0) - static_cast<std::int64_t>(x < 0);
}

/// A goal between the stops.
struct ArcGoal {
  std::int64_t angle = 0;
  bool at_stop = false;  // the demand lies in the dead zone
};

/// The demand inside the arc, or the stop that serves it: the nearer one; the one the axis turns
/// to, or waits beside, as long as it is not farther by more than twice the hysteresis.
ArcGoal arc_goal(const TurretAxis& axis, const AxisState& state, std::int64_t demand) {
  const std::int64_t turn = k_turret_turn;
  const std::int64_t arc = std::int64_t{axis.high} - axis.low;
  const std::int64_t inside = (demand - axis.low) & (turn - 1);
  const std::int64_t middle = std::int64_t{axis.low} + axis.high;
  if (inside <= arc) {
    const bool other_end = arc == turn && inside == 0 && 2 * std::int64_t{state.angle} > middle;
    return {axis.low + (other_end ? turn : inside), false};
  }
  const std::int64_t gap = turn - arc;
  const std::int64_t beyond = inside - arc;  // past the upper stop
  const std::int64_t margin = std::min<std::int64_t>(2 * k_turret_hysteresis, gap >> 1);
  const bool upward = state.rate != 0 ? state.rate > 0 : 2 * std::int64_t{state.angle} >= middle;
  const bool upper = upward ? 2 * beyond <= gap + margin : 2 * beyond < gap - margin;
  return {upper ? axis.high : axis.low, true};
}

/// From the axis to its goal, as both will be at the end of the tick if the axis turned with the
/// goal; and by how much the goal turns.
struct Chase {
  std::int64_t error = 0;
  std::int64_t goal_rate = 0;
};

Chase chase(const TurretAxis& axis, const AxisState& state, const AxisDemand& demand,
            const AxisMotion& motion) {
  const std::int64_t rate = std::clamp<std::int64_t>(demand.rate, -motion.speed, motion.speed);
  if (!axis.full_turn) {
    const ArcGoal goal = arc_goal(axis, state, demand.angle);
    const std::int64_t goal_rate = goal.at_stop ? 0 : rate;
    return {goal.angle - state.angle - goal_rate, goal_rate};
  }
  // The shorter way from where it could stop, and rather the way it turns already.
  const std::int64_t relative = state.rate - rate;
  const std::int64_t sign = sign_of(relative);
  const std::int64_t braked = std::max<std::int64_t>(magnitude(relative) - motion.gain, 0);
  const std::int64_t bias =
      sign * (stopping_distance(braked, motion.gain) + std::int64_t{k_turret_hysteresis});
  const std::int64_t gap = std::int64_t{demand.angle} - state.angle - rate;
  return {bias + wrap_turret_angle(gap - bias), rate};
}

std::int64_t optimal_rate(const Chase& c, const AxisMotion& motion) {
  return c.goal_rate + with_sign_of(stopping_rate(magnitude(c.error), motion.gain), c.error);
}

std::int64_t align_rate(const AlignSettings& align, const TurretAxis& axis, const AxisState& state,
                        const AxisDemand& demand, const AxisMotion& motion, int log2_tick) {
  const std::int64_t error = axis.full_turn
                                 ? wrap_turret_angle(std::int64_t{demand.angle} - state.angle)
                                 : arc_goal(axis, state, demand.angle).angle - state.angle;
  const std::int64_t size = magnitude(error);
  std::int64_t wanted = motion.speed;
  if (size <= align.target_radius) {
    wanted = 0;
  } else if (size < align.slow_radius) {
    wanted = floor_div(motion.speed * size, align.slow_radius);
  }
  const std::int64_t change = with_sign_of(wanted, error) - state.rate;
  // Away from zero, so that the last unit of a rate goes too.
  const std::int64_t time = std::max(align.time_to_target, Subtick{1} << log2_tick);
  const std::int64_t part = floor_div((magnitude(change) << log2_tick) + time - 1, time);
  return state.rate + with_sign_of(part, change);
}

TurretFault axis_fault(const TurretAxis& axis) {
  const std::int64_t turn = k_turret_turn;
  if (axis.max_speed <= 0 || axis.max_acceleration <= 0) {
    return TurretFault::no_speed;
  }
  if (axis.full_turn) {
    return axis.rest >= -turn / 2 && axis.rest < turn / 2 ? TurretFault::none
                                                          : TurretFault::rest_outside;
  }
  if (axis.low > axis.high) {
    return TurretFault::stops_reversed;
  }
  if (axis.low < -turn || axis.high > turn || std::int64_t{axis.high} - axis.low > turn) {
    return TurretFault::stops_too_wide;
  }
  return axis.rest >= axis.low && axis.rest <= axis.high ? TurretFault::none
                                                         : TurretFault::rest_outside;
}

bool is_reachable(const TurretAxis& axis, const AxisState& state, int log2_tick) {
  const AxisMotion motion = axis_motion(axis, log2_tick);
  const std::int64_t turn = k_turret_turn;
  const std::int64_t speed = magnitude(state.rate);
  if (speed > motion.speed) {
    return false;
  }
  if (axis.full_turn) {
    return state.angle >= -turn / 2 && state.angle < turn / 2;
  }
  const std::int64_t room =
      state.rate < 0 ? std::int64_t{state.angle} - axis.low : std::int64_t{axis.high} - state.angle;
  const std::int64_t braked = std::max<std::int64_t>(speed - motion.gain, 0);
  return state.angle >= axis.low && state.angle <= axis.high &&
         stopping_distance(braked, motion.gain) <= room;
}

}  // namespace

AxisMotion axis_motion(const TurretAxis& axis, int log2_tick) {
  const int ticks = 16 - log2_tick;  // log2 of the ticks in a second
  const std::int64_t speed = std::clamp<std::int64_t>(std::int64_t{axis.max_speed} >> ticks, 1,
                                                      std::int64_t{k_max_turret_rate});
  const std::int64_t gain =
      std::clamp<std::int64_t>(std::int64_t{axis.max_acceleration} >> (2 * ticks), 1, 2 * speed);
  return {speed, gain};
}

std::int64_t stopping_distance(std::int64_t rate, std::int64_t gain) {
  // rate + (rate - gain) + ..., the terms above zero. k (k + 1) / 2 of at most 2^51.
  const std::int64_t k = floor_div(rate, gain);
  return (k + 1) * rate - gain * ((k * (k + 1)) >> 1);
}

std::int64_t stopping_rate(std::int64_t distance, std::int64_t gain) {
  // The largest k with gain k (k + 1) / 2 <= distance, then what is left over, spread over k + 1
  // ticks: the inverse of stopping_distance, which is linear between multiples of the gain.
  const std::int64_t d = std::min(distance, k_far);
  const std::int64_t k = (isqrt(4 * floor_div(2 * d, gain) + 1) - 1) >> 1;
  return k * gain + floor_div(d - gain * ((k * (k + 1)) >> 1), k + 1);
}

std::int64_t slew_ticks(std::int64_t distance, const AxisMotion& motion) {
  const std::int64_t d = std::min(distance, k_far);
  if (stopping_rate(d >> 1, motion.gain) < motion.speed) {
    return 2 * isqrt(floor_div(d, motion.gain)) + 1;
  }
  return floor_div(d, motion.speed) + floor_div(motion.speed, motion.gain) + 1;
}

std::int64_t axis_distance(const TurretAxis& axis, const AxisState& state, std::int32_t angle) {
  const std::int64_t error = axis.full_turn ? wrap_turret_angle(std::int64_t{angle} - state.angle)
                                            : arc_goal(axis, state, angle).angle - state.angle;
  return magnitude(error);
}

AxisState axis_step(const TurretAxis& axis, const AxisState& state, const AxisDemand& demand,
                    const TurretMount& mount, int log2_tick) {
  const AxisMotion motion = axis_motion(axis, log2_tick);
  std::int64_t wanted = 0;
  if (demand.hold) {
    wanted = 0;
  } else if (mount.controller == TurretController::align) {
    wanted = align_rate(mount.align, axis, state, demand, motion, log2_tick);
  } else {
    wanted = optimal_rate(chase(axis, state, demand, motion), motion);
  }
  std::int64_t least = std::max(-motion.speed, state.rate - motion.gain);
  std::int64_t most = std::min(motion.speed, state.rate + motion.gain);
  if (!axis.full_turn) {
    // From a reachable state `least` stays below `most`: who could stop a tick ago still can.
    least = std::max(least, -stopping_rate(std::int64_t{state.angle} - axis.low, motion.gain));
    most = std::min(most, stopping_rate(std::int64_t{axis.high} - state.angle, motion.gain));
  }
  const std::int64_t rate = std::min(std::max(wanted, least), most);
  const std::int64_t angle = state.angle + rate;
  return {static_cast<std::int32_t>(axis.full_turn ? wrap_turret_angle(angle) : angle),
          static_cast<std::int32_t>(rate)};
}

TurretState turret_step(const TurretMount& mount, const TurretState& state,
                        const TurretDemand& demand, int log2_tick) {
  return {axis_step(mount.yaw, state.yaw, demand.yaw, mount, log2_tick),
          axis_step(mount.pitch, state.pitch, demand.pitch, mount, log2_tick)};
}

TurretState rest_state(const TurretMount& mount) {
  return {{mount.yaw.rest, 0}, {mount.pitch.rest, 0}};
}

TurretDemand rest_demand(const TurretMount& mount) {
  return {{mount.yaw.rest, 0, false}, {mount.pitch.rest, 0, false}};
}

bool is_reachable(const TurretMount& mount, const TurretState& state, int log2_tick) {
  return is_reachable(mount.yaw, state.yaw, log2_tick) &&
         is_reachable(mount.pitch, state.pitch, log2_tick);
}

TurretFault turret_fault(const TurretMount& mount) {
  for (const TurretAxis* axis : {&mount.yaw, &mount.pitch}) {
    if (const TurretFault fault = axis_fault(*axis); fault != TurretFault::none) {
      return fault;
    }
  }
  if (mount.pitch.full_turn || mount.pitch.low < -k_turret_turn / 4 ||
      mount.pitch.high > k_turret_turn / 4) {
    return TurretFault::pitch_too_wide;
  }
  if (mount.muzzles.empty() || mount.muzzles.size() > k_max_barrels) {
    return TurretFault::no_muzzle;
  }
  const AlignSettings& align = mount.align;
  if (align.target_radius < 0 || align.slow_radius <= 0 || align.slow_radius > k_max_slow_radius ||
      align.time_to_target < 0 || align.time_to_target > k_max_align_time) {
    return TurretFault::align_settings;
  }
  return mount.tolerance >= 0 && mount.tolerance < k_turret_turn / 2 ? TurretFault::none
                                                                     : TurretFault::tolerance;
}

const char* turret_fault_name(TurretFault fault) {
  switch (fault) {
    case TurretFault::none:
      return "none";
    case TurretFault::stops_reversed:
      return "the lower stop lies above the upper one";
    case TurretFault::stops_too_wide:
      return "the stops lie more than a turn apart, or beyond a turn";
    case TurretFault::rest_outside:
      return "the rest pose lies outside the stops";
    case TurretFault::pitch_too_wide:
      return "pitch has stops, within -90 and +90 degrees";
    case TurretFault::no_speed:
      return "speed and acceleration limits are above zero";
    case TurretFault::no_muzzle:
      return "a turret has 1 to 8 muzzles";
    case TurretFault::align_settings:
      return "align settings are out of range";
    case TurretFault::tolerance:
      return "the tolerance lies between 0 and 180 degrees";
  }
  return "unknown";
}

}  // namespace contrail::sim
