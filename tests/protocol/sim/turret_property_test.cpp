// Over random limits, speeds, accelerations, tick lengths, platforms and targets: a turret never
// leaves its stops, never exceeds a limit, and lands. Exact integers throughout.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <contrail/sim/arith.hpp>

#include "test_numbers.hpp"
#include "turret_rig.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;
using test::repeats;
using test::seed_or;

/// One axis and where it starts.
struct Case {
  TurretMount mount;
  int log2_tick = 11;
  AxisMotion motion;
  AxisState start;
};

/// From brisk to beyond reason: half a turn takes some hundred ticks at the most.
Case random_case(Numbers& numbers) {
  Case c;
  c.log2_tick = static_cast<int>(numbers.between(9, 13));
  const int ticks = 16 - c.log2_tick;
  const std::int64_t most_gain = std::min<std::int64_t>(0x7FFF'FFFF >> (2 * ticks), 1 << 24);
  const std::int64_t gain =
      std::max<std::int64_t>(numbers.between(1 << 14, most_gain) >> numbers.between(0, 2), 1 << 14);
  const std::int64_t speed =
      std::clamp<std::int64_t>((gain * numbers.between(8, 320)) >> 3, 1 << 14,
                               std::min<std::int64_t>(0x7FFF'FFFF >> ticks, k_max_turret_rate));
  TurretAxis axis;
  axis.max_speed = static_cast<std::int32_t>(speed << ticks);
  axis.max_acceleration = static_cast<std::int32_t>(gain << (2 * ticks));
  if (numbers.chance(50)) {
    axis.full_turn = false;
    axis.low = static_cast<std::int32_t>(numbers.between(-k_turret_turn, 0));
    axis.high = static_cast<std::int32_t>(axis.low + (numbers.chance(10)
                                                          ? numbers.between(0, 1'000)
                                                          : numbers.between(0, k_turret_turn)));
  }
  c.mount = test::mount_with(axis);
  c.motion = axis_motion(axis, c.log2_tick);
  // Any state from which it can still stop.
  do {
    c.start.angle = static_cast<std::int32_t>(
        axis.full_turn ? numbers.between(-k_turret_turn / 2, k_turret_turn / 2 - 1)
                       : numbers.between(axis.low, axis.high));
    c.start.rate = static_cast<std::int32_t>(
        numbers.chance(30)
            ? 0
            : numbers.between(-c.motion.speed, c.motion.speed) >> numbers.between(0, 3));
  } while (!is_reachable(c.mount, {c.start, {}}, c.log2_tick));
  return c;
}

std::int64_t random_goal(Numbers& numbers, const Case& c) {
  const TurretAxis& axis = c.mount.yaw;
  const std::int64_t whole_turns = numbers.between(-1, 1) * k_turret_turn;
  if (axis.full_turn)
    return numbers.between(-k_turret_turn / 2, k_turret_turn / 2 - 1) + whole_turns;
  return numbers.between(axis.low, axis.high) + whole_turns;
}

/// What went wrong, counted.
struct Verdict {
  long long cases = 0;
  long long ticks = 0;
  long long outside = 0;    // beyond a stop
  long long too_fast = 0;   // above the speed limit
  long long too_hard = 0;   // above the acceleration limit
  long long jumped = 0;     // turned by something else than its rate
  long long unsettled = 0;  // not on its goal and at rest in the time it may take
  long long restless = 0;   // moved again after it had come to rest
  long long overshot = 0;   // passed the goal although it could have stopped, or more than once
  long long late = 0;  // arrived more than a tick after the time-optimal slew (it rests one later)
  [[nodiscard]] long long faults() const {
    return outside + too_fast + too_hard + jumped + unsettled + restless + overshot + late;
  }
};

using Stepper = std::function<AxisState(const Case&, const AxisState&, const AxisDemand&,
                                        std::int64_t unwrapped)>;

AxisState own_step(const Case& c, const AxisState& s, const AxisDemand& d, std::int64_t) {
  return axis_step(c.mount.yaw, s, d, c.mount, c.log2_tick);
}

void check_limits(const Case& c, const AxisState& before, const AxisState& now, Verdict& v) {
  const TurretAxis& axis = c.mount.yaw;
  const int ticks = 16 - c.log2_tick;
  const std::int64_t change = std::int64_t{now.rate} - before.rate;
  v.too_fast += std::abs(std::int64_t{now.rate}) << ticks > axis.max_speed ? 1 : 0;
  v.too_hard += std::abs(change) << (2 * ticks) > axis.max_acceleration ? 1 : 0;
  v.outside += !axis.full_turn && (now.angle < axis.low || now.angle > axis.high) ? 1 : 0;
  v.jumped += wrap_turret_angle(std::int64_t{now.angle} - before.angle - now.rate) != 0 ? 1 : 0;
  ++v.ticks;
}

/// Ticks of a slew from rest over `distance` if time were not cut into ticks.
double optimal_ticks(double distance, const AxisMotion& motion) {
  const auto speed = static_cast<double>(motion.speed);
  const auto gain = static_cast<double>(motion.gain);
  return distance < speed * speed / gain ? 2 * std::sqrt(distance / gain)
                                         : distance / speed + speed / gain;
}

/// A slew to a fixed goal.
void slew(const Case& c, std::int64_t goal, const Stepper& step, Verdict& v) {
  const AxisDemand demand{static_cast<std::int32_t>(goal), 0, false};
  AxisState s = c.start;
  const auto error = [&] { return wrap_turret_angle(goal - s.angle); };
  const std::int64_t first = error();
  const double braking = std::abs(c.start.rate) / static_cast<double>(c.motion.gain);
  const double stop = static_cast<double>(stopping_distance(std::abs(c.start.rate), c.motion.gain));
  const double allowed =
      braking + optimal_ticks(k_turret_turn + 2.0 * k_turret_hysteresis + stop, c.motion) + 4;
  std::int64_t turned = 0;
  int rested = -1;
  // The way is known once it is there: whole turns included.
  std::vector<std::int64_t> way;
  for (int tick = 1; tick < allowed + 4; ++tick) {
    const AxisState before = s;
    s = step(c, before, demand, turned);
    turned += s.rate;
    way.push_back(turned);
    check_limits(c, before, s, v);
    const bool rests = error() == 0 && s.rate == 0;
    v.restless += rested >= 0 && !rests ? 1 : 0;
    if (rests && rested < 0) rested = tick;
    if (rested >= 0 && tick > rested + 2) break;
  }
  ++v.cases;
  v.unsettled += rested < 0 ? 1 : 0;
  // Passing: the distance left changes its sign.
  int passes = 0;
  const std::int64_t end = turned + error();
  std::int64_t left = end;
  for (const std::int64_t w : way) {
    passes += (left > 0 && end - w < 0) || (left < 0 && end - w > 0) ? 1 : 0;
    if (end - w != 0) left = end - w;
  }
  const std::int64_t braked = std::max<std::int64_t>(std::abs(c.start.rate) - c.motion.gain, 0);
  const std::int64_t runs_on =
      stopping_distance(braked, c.motion.gain) * (c.start.rate < 0 ? -1 : 1);
  const bool unavoidable = end > 0 ? runs_on > end : end < 0 ? runs_on < end : runs_on != 0;
  v.overshot += passes > (unavoidable ? 1 : 0) ? 1 : 0;
  if (c.start.rate == 0 && first != 0 && rested >= 0) {
    v.late += rested > optimal_ticks(static_cast<double>(std::abs(end)), c.motion) + 2 ? 1 : 0;
  }
}

void expect_none(const Verdict& v) {
  EXPECT_EQ(v.outside, 0);
  EXPECT_EQ(v.too_fast, 0);
  EXPECT_EQ(v.too_hard, 0);
  EXPECT_EQ(v.jumped, 0);
  EXPECT_EQ(v.unsettled, 0);
  EXPECT_EQ(v.restless, 0);
  EXPECT_EQ(v.overshot, 0);
  EXPECT_EQ(v.late, 0);
  std::printf("  %lld cases, %lld ticks\n", v.cases, v.ticks);
}

TEST(TurretProperty, every_slew_to_a_fixed_target_keeps_its_limits_and_lands_exactly) {
  const std::uint64_t seed = seed_or(5'001);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  Verdict v;
  for (int i = 0; i < repeats(720'000); ++i) {
    const Case c = random_case(numbers);
    slew(c, random_goal(numbers, c), own_step, v);
  }
  expect_none(v);
}

// The goal turns at a constant rate the axis could keep: from landing on it does it never leave it.
TEST(TurretProperty, a_goal_that_turns_steadily_is_caught_and_kept_exactly) {
  const std::uint64_t seed = seed_or(5'002);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  Verdict v;
  long long kept = 0;
  long long lost = 0;
  for (int i = 0; i < repeats(150'000); ++i) {
    Case c = random_case(numbers);
    if (!c.mount.yaw.full_turn) {
      c.mount.yaw = test::free_axis(1, 1);
      c.mount.yaw.max_speed = static_cast<std::int32_t>(c.motion.speed << (16 - c.log2_tick));
      c.mount.yaw.max_acceleration =
          static_cast<std::int32_t>(c.motion.gain << (2 * (16 - c.log2_tick)));
      c.start.angle = static_cast<std::int32_t>(wrap_turret_angle(c.start.angle));
    }
    const std::int64_t rate = numbers.between(-c.motion.speed, c.motion.speed) * 3 / 4;
    std::int64_t goal = random_goal(numbers, c);
    AxisState s = c.start;
    const double allowed =
        2.0 * static_cast<double>(c.motion.speed) / static_cast<double>(c.motion.gain) +
        2 * optimal_ticks(1.5 * k_turret_turn, {c.motion.speed / 4, c.motion.gain}) + 8;
    bool on = false;
    int after = 0;
    for (int tick = 0; tick < allowed && after < 4; ++tick) {
      const AxisState before = s;
      goal = wrap_turret_angle(goal + rate);
      s = own_step(c, before,
                   {static_cast<std::int32_t>(goal), static_cast<std::int32_t>(rate), false}, 0);
      check_limits(c, before, s, v);
      const bool hits = wrap_turret_angle(goal - s.angle) == 0 && s.rate == rate;
      lost += on && !hits ? 1 : 0;
      on = on || hits;
      after += on ? 1 : 0;
    }
    kept += on ? 1 : 0;
    v.unsettled += on ? 0 : 1;
    ++v.cases;
  }
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(kept, v.cases);
  expect_none(v);
}

// Goals that jump, jitter and run away, demands that hold, both controllers.
TEST(TurretProperty, no_demand_takes_an_axis_beyond_its_limits) {
  const std::uint64_t seed = seed_or(5'003);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  Verdict v;
  for (int i = 0; i < repeats(150'000); ++i) {
    Case c = random_case(numbers);
    if (numbers.chance(50)) {
      c.mount.controller = TurretController::align;
      c.mount.align = {static_cast<std::int32_t>(numbers.between(0, 1 << 22)),
                       static_cast<std::int32_t>(numbers.between(1, k_max_slow_radius)),
                       numbers.between(0, k_max_align_time)};
    }
    AxisState s = c.start;
    AxisDemand d;
    for (int tick = 0; tick < 24; ++tick) {
      if (numbers.chance(30)) {
        d = {static_cast<std::int32_t>(numbers.extreme(0x7FFF'FFFF)),
             static_cast<std::int32_t>(numbers.extreme(0x7FFF'FFFF)), numbers.chance(10)};
      } else {
        d.angle = static_cast<std::int32_t>(std::clamp<std::int64_t>(
            std::int64_t{d.angle} + numbers.between(-20'000, 20'000), -0x7FFF'FFFF, 0x7FFF'FFFF));
      }
      const AxisState before = s;
      s = own_step(c, before, d, 0);
      check_limits(c, before, s, v);
      v.unsettled += is_reachable(c.mount, {s, {}}, c.log2_tick) ? 0 : 1;
    }
    ++v.cases;
  }
  expect_none(v);
}

TEST(TurretProperty, at_rest_on_its_goal_nothing_changes) {
  const std::uint64_t seed = seed_or(5'004);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  for (int i = 0; i < repeats(20'000); ++i) {
    Case c = random_case(numbers);
    c.start.rate = 0;
    for (const TurretController controller : {TurretController::optimal, TurretController::align}) {
      c.mount.controller = controller;
      AxisState s = c.start;
      for (int tick = 0; tick < 10; ++tick) s = own_step(c, s, {c.start.angle, 0, false}, 0);
      ASSERT_EQ(s, c.start);
    }
  }
}

/// Align as the book has it (Millington, "AI for Games", 3.3.6), in floating point. What it wants,
/// it does: stops are not its business.
AxisState textbook_align(const Case& c, const AxisState& s, const AxisDemand& d, std::int64_t) {
  const double max_rotation = static_cast<double>(c.motion.speed);
  const double max_angular = static_cast<double>(c.motion.gain);
  const double slow_radius = k_turret_turn / 12.0;
  const double rotation = static_cast<double>(wrap_turret_angle(std::int64_t{d.angle} - s.angle));
  const double size = std::abs(rotation);
  double rate = s.rate;
  if (size > k_turret_turn / 360.0) {
    const double wanted = size > slow_radius ? max_rotation : max_rotation * size / slow_radius;
    const double time_to_target = 0.1 / test::tick_seconds(c.log2_tick);
    const double angular = (std::copysign(wanted, rotation) - rate) / std::max(time_to_target, 1.0);
    rate += std::clamp(angular, -max_angular, max_angular);
  }
  rate = std::trunc(rate);
  const std::int64_t angle = std::int64_t{s.angle} + static_cast<std::int64_t>(rate);
  return {static_cast<std::int32_t>(c.mount.yaw.full_turn ? wrap_turret_angle(angle) : angle),
          static_cast<std::int32_t>(rate)};
}

/// The brake curve without the step: v = sqrt(2 a d).
AxisState plain_root(const Case& c, const AxisState& s, const AxisDemand& d, std::int64_t) {
  const std::int64_t error = wrap_turret_angle(std::int64_t{d.angle} - s.angle);
  const std::int64_t size = std::min(isqrt(2 * c.motion.gain * std::abs(error)), c.motion.speed);
  const std::int64_t rate =
      std::clamp(error < 0 ? -size : size, s.rate - c.motion.gain, s.rate + c.motion.gain);
  return {static_cast<std::int32_t>(wrap_turret_angle(s.angle + rate)),
          static_cast<std::int32_t>(rate)};
}

/// The brake curve with the step, but taken as a curve: v = -a / 2 + sqrt((a / 2)^2 + 2 a d).
AxisState rounded_law(const Case& c, const AxisState& s, const AxisDemand& d, std::int64_t) {
  const std::int64_t error = wrap_turret_angle(std::int64_t{d.angle} - s.angle);
  const double half = static_cast<double>(c.motion.gain) / 2;
  const auto law = static_cast<std::int64_t>(
      std::sqrt(half * half + 4 * half * static_cast<double>(std::abs(error))) - half);
  const std::int64_t size = std::min(law, c.motion.speed);
  const std::int64_t rate =
      std::clamp(error < 0 ? -size : size, s.rate - c.motion.gain, s.rate + c.motion.gain);
  return {static_cast<std::int32_t>(wrap_turret_angle(s.angle + rate)),
          static_cast<std::int32_t>(rate)};
}

TEST(TurretProperty, control_the_laws_of_the_books_fail_the_same_property) {
  const std::uint64_t seed = seed_or(5'005);
  SCOPED_TRACE(seed);
  for (const auto& [name, step] : {std::pair<const char*, Stepper>{"Align", textbook_align},
                                   {"sqrt(2 a d)", plain_root},
                                   {"the same with the step", rounded_law}}) {
    Numbers numbers(seed);
    Verdict v;
    for (int i = 0; i < 20'000; ++i) {
      Case c = random_case(numbers);
      c.mount.yaw.full_turn = true;
      c.start.angle = static_cast<std::int32_t>(wrap_turret_angle(c.start.angle));
      slew(c, random_goal(numbers, c), step, v);
    }
    std::printf("  %s: of %lld cases %lld overshot, %lld never settled, %lld late\n", name, v.cases,
                v.overshot, v.unsettled, v.late);
    EXPECT_GT(v.faults(), 0) << name;
    EXPECT_GT(v.overshot + v.unsettled, 0) << name;
  }
}

}  // namespace
}  // namespace contrail::sim
