#pragma once

// Turrets for tests, in degrees.

#include <cmath>
#include <cstdint>
#include <vector>

#include <contrail/sim/turret.hpp>
#include <contrail/sim/turret_aim.hpp>

namespace contrail::test {

/// The turret angle nearest to an angle in degrees; of speeds and accelerations as well.
inline std::int32_t turret_degrees(double degrees) {
  return static_cast<std::int32_t>(std::lround(degrees / 360 * sim::k_turret_turn));
}
inline double degrees(std::int64_t turret_angle) {
  return static_cast<double>(turret_angle) * 360 / sim::k_turret_turn;
}
inline double tick_seconds(int log2_tick) {
  return std::ldexp(1.0, log2_tick - 16);
}

/// Degrees, degrees per second, degrees per second^2.
inline sim::TurretAxis free_axis(double speed, double acceleration) {
  sim::TurretAxis axis;
  axis.max_speed = turret_degrees(speed);
  axis.max_acceleration = turret_degrees(acceleration);
  return axis;
}
inline sim::TurretAxis arc_axis(double low, double high, double speed, double acceleration) {
  sim::TurretAxis axis = free_axis(speed, acceleration);
  axis.full_turn = false;
  axis.low = turret_degrees(low);
  axis.high = turret_degrees(high);
  return axis;
}
/// One muzzle in the pivot; pitch from straight down to straight up.
inline sim::TurretMount mount_with(const sim::TurretAxis& yaw) {
  sim::TurretMount mount;
  mount.muzzles = {sim::Vec3(0)};
  mount.yaw = yaw;
  mount.pitch = arc_axis(-90, 90, 120, 90);
  return mount;
}

/// A yaw axis on its own.
class AxisRig {
 public:
  AxisRig(const sim::TurretAxis& axis, int log2_tick)
      : mount_(mount_with(axis)), log2_tick_(log2_tick) {}
  explicit AxisRig(sim::TurretMount mount, int log2_tick)
      : mount_(std::move(mount)), log2_tick_(log2_tick) {}

  /// Degrees, degrees per second.
  void place(double angle, double rate = 0) {
    state_ = {turret_degrees(angle), turret_degrees(rate * tick_seconds(log2_tick_))};
  }
  void step(double goal, double goal_rate = 0) {
    step(sim::AxisDemand{turret_degrees(goal), turret_degrees(goal_rate * tick_seconds(log2_tick_)),
                         false});
  }
  void step(const sim::AxisDemand& demand) {
    state_ = sim::axis_step(mount_.yaw, state_, demand, mount_, log2_tick_);
  }
  [[nodiscard]] const sim::AxisState& state() const { return state_; }
  [[nodiscard]] double angle() const { return degrees(state_.angle); }
  [[nodiscard]] double speed() const { return degrees(state_.rate) / tick_seconds(log2_tick_); }
  [[nodiscard]] double tick() const { return tick_seconds(log2_tick_); }

 private:
  sim::TurretMount mount_;
  int log2_tick_;
  sim::AxisState state_;
};

}  // namespace contrail::test
