#include "turret_runs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include <contrail/sim/turret.hpp>

namespace contrail::bench {
namespace {

constexpr double k_tick = 1.0 / 32;
constexpr double k_close = 1;  // degrees; the target radius of align
constexpr int k_ticks = static_cast<int>(k_slew_seconds * 32);
constexpr int k_watched = 60 * 32;  // who is off or moves in the last ten seconds does so for ever

double time_after(int last_tick) {
  return last_tick > 50 * 32 ? -1 : (last_tick + 1) * k_tick;
}

std::int32_t turret_angle_of(double radians) {
  return static_cast<std::int32_t>(
      std::lround(radians / (2 * std::numbers::pi) * sim::k_turret_turn));
}
double to_degrees(double turret_angle) {
  return turret_angle * 360 / sim::k_turret_turn;
}

/// An axis under some controller.
class Runner {
 public:
  virtual ~Runner() = default;
  /// One tick towards a goal that turned by `rate` in it; degrees. Returns the angle.
  virtual double step(double goal, double rate) = 0;
  [[nodiscard]] virtual bool rests() const = 0;
};

class OwnRunner final : public Runner {
 public:
  OwnRunner(const SlewLimits& limits, sim::TurretController controller) {
    mount_.controller = controller;
    mount_.yaw.max_speed = turret_angle_of(limits.speed);
    mount_.yaw.max_acceleration = turret_angle_of(limits.acceleration);
  }
  double step(double goal, double rate) override {
    const auto angle = [](double degrees) {
      return turret_angle_of(degrees * std::numbers::pi / 180);
    };
    goal_ = angle(std::remainder(goal, 360));
    state_ = axis_step(mount_.yaw, state_, {goal_, angle(rate), false}, mount_, k_slew_log2_tick);
    turned_ += state_.rate;
    return to_degrees(static_cast<double>(turned_));
  }
  [[nodiscard]] bool rests() const override {
    return state_.rate == 0 && sim::wrap_turret_angle(std::int64_t{state_.angle} - goal_) == 0;
  }

 private:
  sim::TurretMount mount_;
  sim::AxisState state_;
  std::int32_t goal_ = 0;
  std::int64_t turned_ = 0;
};

/// Millington, "Artificial Intelligence for Games", Align: orientation first by the old rotation,
/// then the rotation by the steering. Its settings are the defaults of the align controller.
class TextbookRunner final : public Runner {
 public:
  explicit TextbookRunner(const SlewLimits& limits)
      : max_rotation_(limits.speed * 180 / std::numbers::pi),
        max_angular_(limits.acceleration * 180 / std::numbers::pi) {}
  double step(double goal, double /*rate*/) override {
    const sim::AlignSettings align;
    angle_ += rotation_ * k_tick;
    const double turn = std::remainder(goal - angle_, 360);
    const double size = std::abs(turn);
    if (size < to_degrees(align.target_radius)) {
      return angle_;  // there: no steering
    }
    const double slow = to_degrees(align.slow_radius);
    const double wanted = size > slow ? max_rotation_ : max_rotation_ * size / slow;
    const double angular = (std::copysign(wanted, turn) - rotation_) /
                           (static_cast<double>(align.time_to_target) / 65536);
    rotation_ += std::clamp(angular, -max_angular_, max_angular_) * k_tick;
    return angle_;
  }
  [[nodiscard]] bool rests() const override { return false; }

 private:
  double max_rotation_;
  double max_angular_;
  double angle_ = 0;
  double rotation_ = 0;
};

SlewCurve run(const std::string& name, const SlewLimits& limits,
              const std::function<std::unique_ptr<Runner>()>& make) {
  SlewCurve curve;
  curve.name = name;
  curve.angles = {0};
  const auto slewing = make();
  int last_off = 0;
  int last_moving = 0;
  for (int tick = 1; tick <= k_watched; ++tick) {
    const double angle = slewing->step(k_slew_degrees, 0);
    if (tick <= k_ticks) curve.angles.push_back(angle);
    curve.overshoot = std::max(curve.overshoot, angle - k_slew_degrees);
    if (std::abs(angle - k_slew_degrees) > k_close) last_off = tick;
    if (!slewing->rests()) last_moving = tick;
  }
  curve.settling = time_after(last_off);
  curve.landing = time_after(last_moving);

  // Behind a target that turns steadily; the mean of the last quarter of a long chase.
  const auto chasing = make();
  const double rate = limits.speed / 2 * 180 / std::numbers::pi * k_tick;
  double goal = 0;
  double sum = 0;
  for (int tick = 1; tick <= 4 * k_ticks; ++tick) {
    goal += rate;
    const double angle = chasing->step(goal, rate);
    if (tick > 3 * k_ticks) sum += std::abs(std::remainder(goal - angle, 360));
  }
  curve.lag = sum / k_ticks;
  return curve;
}

}  // namespace

std::vector<SlewCurve> slew_curves(const SlewLimits& limits) {
  const auto own = [&limits](sim::TurretController controller) {
    return [&limits, controller] { return std::make_unique<OwnRunner>(limits, controller); };
  };
  return {run("optimal", limits, own(sim::TurretController::optimal)),
          run("align", limits, own(sim::TurretController::align)),
          run("textbook Align", limits,
              [&limits] { return std::make_unique<TextbookRunner>(limits); })};
}

}  // namespace contrail::bench
