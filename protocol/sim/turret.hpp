#pragma once

// Turrets: bores that turn about two axes, limited in speed and in angular acceleration, stepped
// once a tick in integers. SPEC.md, "Turrets", is the definition.
//
// A turret angle is counted in 1/2^28 of a turn, a rate in turret angles a tick: limits, stops and
// landings are exact. Nothing here keeps anything; the pose is the caller's.

#include <cstdint>
#include <vector>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

inline constexpr std::int32_t k_turret_turn = 1 << 28;  // turret angles of a full turn
inline constexpr int k_max_barrels = 8;
/// How much farther the other way round, or the other stop, has to be before a turret that moves
/// (or waits at a stop) changes its mind: 2.8 degrees.
inline constexpr std::int32_t k_turret_hysteresis = k_turret_turn / 128;
/// No axis turns by more than this in a tick, whatever its speed limit.
inline constexpr std::int32_t k_max_turret_rate = 1 << 25;
inline constexpr std::int32_t k_max_slow_radius = k_turret_turn / 4;
inline constexpr Subtick k_max_align_time = 10 * k_subticks_per_second;

/// What one axis of a mount can do.
struct TurretAxis {
  bool full_turn = true;              // turns freely; otherwise between two stops
  std::int32_t low = 0;               // turret angle of the lower stop, -turn..turn
  std::int32_t high = 0;              // of the upper stop, at most a turn above
  std::int32_t rest = 0;              // turret angle, between the stops
  std::int32_t max_speed = 0;         // turret angles per second
  std::int32_t max_acceleration = 0;  // turret angles per second^2
  bool operator==(const TurretAxis&) const = default;
};

enum class TurretController : std::uint8_t {
  optimal = 0,  // as fast as the limits allow, lands exactly, follows without lag
  align = 1     // Align and Face of steering behaviours: slows down inside a radius
};

/// Of the align controller (Millington, "AI for Games", Align): it turns at full speed outside the
/// slow radius, slower in proportion inside, not at all inside the target radius.
struct AlignSettings {
  std::int32_t target_radius = k_turret_turn / 360;  // turret angle
  std::int32_t slow_radius = k_turret_turn / 12;     // turret angle, at most k_max_slow_radius
  Subtick time_to_target = 6554;                     // subticks in which to reach a wanted rate
  bool operator==(const AlignSettings&) const = default;
};

/// A turret of an entity type. Its axes meet in the pivot; at yaw and pitch zero the bore looks
/// along the orientation's forward axis. Yaw is from forward toward right, pitch up positive.
struct TurretMount {
  Vec3 pivot{0};              // length units, body axes
  Basis orientation;          // Q24, in body axes
  std::vector<Vec3> muzzles;  // 1..8 barrels: length units from the pivot, axes of the bore
  TurretAxis yaw;
  TurretAxis pitch;  // never a full turn, within +-90 degrees
  TurretController controller = TurretController::optimal;
  AlignSettings align;
  std::int32_t tolerance = k_turret_turn / 3600;  // turret angle between bore and solution to fire
  bool operator==(const TurretMount&) const = default;
};

enum class TurretFault : std::uint8_t {
  none = 0,
  stops_reversed,  // low > high
  stops_too_wide,  // beyond a turn, or more than a turn apart
  rest_outside,    // not between the stops
  pitch_too_wide,  // a full turn, or beyond +-90 degrees
  no_speed,        // a limit that is not positive
  no_muzzle,       // none, or more than 8
  align_settings,  // negative or too large
  tolerance        // negative, or half a turn and more
};
const char* turret_fault_name(TurretFault fault);
/// What is wrong with a mount; scenarios are refused with it. Every other function here expects a
/// mount without fault.
TurretFault turret_fault(const TurretMount& mount);

struct AxisState {
  std::int32_t angle = 0;  // turret angle; of a full turn in -turn/2 .. turn/2 - 1
  std::int32_t rate = 0;   // turret angles per tick: how far it turned in the last one
  bool operator==(const AxisState&) const = default;
};
struct TurretState {
  AxisState yaw;
  AxisState pitch;
  bool operator==(const TurretState&) const = default;
};

/// Where an axis shall point at the end of the tick.
struct AxisDemand {
  std::int32_t angle = 0;  // turret angle; whole turns do not matter
  std::int32_t rate = 0;   // by how much that moved in this tick, turret angles
  bool hold = false;       // stop turning and stay; nothing else is read
};
struct TurretDemand {
  AxisDemand yaw;
  AxisDemand pitch;
};

/// At its rest pose, not turning.
TurretState rest_state(const TurretMount& mount);
/// The demand that brings a turret to its rest pose.
TurretDemand rest_demand(const TurretMount& mount);
/// Whether a mount can be in a state: between its stops, within its speed, and able to stop before
/// a stop. What turret_step gives always is; bytes may not be.
bool is_reachable(const TurretMount& mount, const TurretState& state, int log2_tick);
/// The state one tick of 2^log2_tick subticks later. Between the two the turret turns at the new
/// rate. Never outside the stops, never above speed or acceleration limits.
TurretState turret_step(const TurretMount& mount, const TurretState& state,
                        const TurretDemand& demand, int log2_tick);

/// The limits of an axis a tick, rounded down, at least 1.
struct AxisMotion {
  std::int64_t speed = 1;  // turret angles per tick, at most k_max_turret_rate
  std::int64_t gain = 1;   // turret angles per tick^2, at most twice the speed
};
AxisMotion axis_motion(const TurretAxis& axis, int log2_tick);
/// How far an axis turns that starts a tick at `rate` >= 0 and brakes by `gain` every tick after,
/// the first tick included.
std::int64_t stopping_distance(std::int64_t rate, std::int64_t gain);
/// The largest rate whose stopping distance is at most `distance` >= 0.
std::int64_t stopping_rate(std::int64_t distance, std::int64_t gain);
/// About how many ticks an axis at rest needs to a goal `distance` away; to rank goals with.
std::int64_t slew_ticks(std::int64_t distance, const AxisMotion& motion);
/// How far a demand is away from an axis, the way the axis would go, turret angles, >= 0.
std::int64_t axis_distance(const TurretAxis& axis, const AxisState& state, std::int32_t angle);

/// One axis of turret_step.
AxisState axis_step(const TurretAxis& axis, const AxisState& state, const AxisDemand& demand,
                    const TurretMount& mount, int log2_tick);

/// x in -turn/2 .. turn/2 - 1 by whole turns.
constexpr std::int64_t wrap_turret_angle(std::int64_t x) {
  constexpr std::int64_t k_half = k_turret_turn / 2;
  return ((x + k_half) & (std::int64_t{k_turret_turn} - 1)) - k_half;
}
/// The binary angle (turn 2^32) of a turret angle.
constexpr std::int32_t binary_angle(std::int32_t turret_angle) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(turret_angle) << 4);
}
/// The turret angle nearest to a binary angle.
constexpr std::int32_t turret_angle(std::int32_t binary) {
  return static_cast<std::int32_t>((std::int64_t{binary} + 8) >> 4);
}

}  // namespace contrail::sim
