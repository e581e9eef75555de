// Aiming faults others have met, by number; degrees and seconds. Their 60, 20 and 10 Hz are 64, 32
// and 16 Hz here.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/intercept.hpp>

#include "turret_rig.hpp"

namespace contrail::sim {
namespace {

using test::arc_axis;
using test::AxisRig;
using test::free_axis;
using test::turret_degrees;

constexpr std::array<int, 3> k_ticks{10, 11, 12};  // 1/64, 1/32, 1/16 s

/// A run to a fixed goal.
struct Slew {
  double time = 0;     // seconds until it lay on its goal and rested
  double lowest = 0;   // degrees
  double highest = 0;  // degrees
  double peak = 0;     // degrees per second
  int overshoots = 0;  // how often it passed the goal
  bool exact = false;  // on the goal and at rest, for ten seconds
};

Slew slew(AxisRig& rig, double goal, double goal_in_turn) {
  Slew result{0, rig.angle(), rig.angle(), 0, 0, true};
  const auto error = [&] { return turret_degrees(goal_in_turn) - rig.state().angle; };
  std::int64_t before = error();
  const int ticks = static_cast<int>(20 / rig.tick());
  int settled = 0;
  for (int i = 1; i <= ticks; ++i) {
    rig.step(goal);
    result.lowest = std::min(result.lowest, rig.angle());
    result.highest = std::max(result.highest, rig.angle());
    result.peak = std::max(result.peak, std::abs(rig.speed()));
    result.overshoots += (before > 0 && error() < 0) || (before < 0 && error() > 0) ? 1 : 0;
    if (error() != 0) before = error();
    if (error() != 0 || rig.state().rate != 0) settled = i;
  }
  result.time = (settled + 1) * rig.tick();
  result.exact = settled < ticks / 2;
  return result;
}

TEST(TurretCases, case_10_the_short_way_through_the_forbidden_arc_is_not_taken) {
  for (const int log2_tick : k_ticks) {
    AxisRig rig(arc_axis(-225, 45, 120, 90), log2_tick);
    rig.place(-170);
    const Slew s = slew(rig, 360, 0);  // 360 is 0
    EXPECT_TRUE(s.exact);
    EXPECT_EQ(rig.state().angle, 0);
    EXPECT_NEAR(s.lowest, -170, 1e-6);  // never towards -225
    EXPECT_NEAR(s.highest, 0, 1e-6);
    EXPECT_EQ(s.overshoots, 0);

    AxisRig wide(arc_axis(-180, 20, 120, 90), log2_tick);
    wide.place(20);
    const Slew there = slew(wide, -180, -180);
    EXPECT_TRUE(there.exact);
    EXPECT_NEAR(wide.angle(), -180, 1e-6);
    const Slew back = slew(wide, 20, 20);
    EXPECT_TRUE(back.exact);
    EXPECT_NEAR(wide.angle(), 20, 1e-6);
    EXPECT_EQ(there.overshoots + back.overshoots, 0);
  }
}

TEST(TurretCases, case_10_a_hull_that_turns_past_180_leaves_the_relative_yaw_alone) {
  const TurretMount mount = test::mount_with(arc_axis(-90, 90, 120, 90));
  TurretState state = rest_state(mount);
  state.yaw.angle = turret_degrees(30);
  // The target turns with the hull, 30 degrees off its bow.
  const auto aim = [&mount](double hull) {
    const auto binary = [](double d) { return binary_angle(turret_degrees(d)); };
    const Basis body = basis_of_angles(binary(hull), 0, 0);
    const Basis ahead = basis_of_angles(binary(hull + 30), 0, 0);
    return aim_along(mount, body, WideVec3(ahead.forward));
  };
  for (int i = 0; i < 64; ++i) {
    const double from = i % 2 == 0 ? 179 : -179;
    state = turret_step(mount, state, follow(aim(from), aim(-from)), 11);
    EXPECT_NEAR(test::degrees(state.yaw.angle), 30, 2e-5);
  }
}

TEST(TurretCases, case_11_in_the_dead_zone_one_swing_past_its_middle) {
  for (const int log2_tick : k_ticks) {
    AxisRig rig(arc_axis(-120, 120, 120, 90), log2_tick);
    rig.place(119);
    const double margin = test::degrees(k_turret_hysteresis);
    bool swung = false;
    double before = rig.angle();
    bool through_zero = false;
    for (double goal = 119; goal < 240; goal += 10 * rig.tick()) {
      rig.step(goal, 10);
      EXPECT_LE(std::abs(rig.angle()), 120);
      if (goal < 180 + margin - 10 * rig.tick() && goal > 122) {
        EXPECT_NEAR(rig.angle(), 120, 1e-6) << goal;
      }
      swung = swung || rig.angle() < 119;
      EXPECT_TRUE(!swung || rig.angle() <= before) << goal;  // one swing, no way back
      through_zero = through_zero || (before > 0 && rig.angle() <= 0);
      before = rig.angle();
    }
    EXPECT_TRUE(through_zero);
    EXPECT_NEAR(rig.angle(), -120, 1e-6);
    EXPECT_EQ(rig.state().rate, 0);
    rig.step(241, 10);  // back in the arc: it leaves the stop
    EXPECT_GT(rig.angle(), -120);
  }
}

TEST(TurretCases, case_11_a_target_that_jitters_about_the_middle_causes_at_most_one_swing) {
  const double margin = test::degrees(k_turret_hysteresis);
  for (const int log2_tick : k_ticks) {
    for (const double middle : {180.0, 180 + margin, 180 - margin}) {
      for (const double start : {120.0, -120.0, 0.0, 60.0}) {
        AxisRig rig(arc_axis(-120, 120, 120, 90), log2_tick);
        rig.place(start);
        int turns = 0;
        int direction = 0;
        for (int i = 0; i < 600; ++i) {
          rig.step(middle + (i % 2 == 0 ? 0.05 : -0.05), 0);
          EXPECT_LE(std::abs(rig.angle()), 120);
          const int now = (rig.state().rate > 0) - (rig.state().rate < 0);
          turns += now != 0 && now != direction ? 1 : 0;
          direction = now != 0 ? now : direction;
        }
        EXPECT_LE(turns, 1) << middle << ' ' << start;
        EXPECT_NEAR(std::abs(rig.angle()), 120, 1e-6);
        // A turret without stops that has to go half way round does not dither either.
        AxisRig free(free_axis(120, 90), log2_tick);
        free.place(0);
        for (int i = 0; i < 600; ++i) free.step(180 + (i % 2 == 0 ? 0.05 : -0.05), 0);
        EXPECT_GT(std::abs(free.angle()), 179.9);
      }
    }
  }
}

TEST(TurretCases, case_11_rest_is_reached_the_short_way_and_never_past_a_stop) {
  for (const int log2_tick : k_ticks) {
    AxisRig rig(free_axis(120, 90), log2_tick);
    rig.place(-30);  // 330
    const Slew s = slew(rig, 0, 0);
    EXPECT_TRUE(s.exact);
    EXPECT_NEAR(s.lowest, -30, 1e-6);  // by 360, never back over 180
    EXPECT_NEAR(s.highest, 0, 1e-6);
  }
}

TEST(TurretCases, case_12_slews_take_the_stated_time_and_land_exactly) {
  for (const int log2_tick : k_ticks) {
    const double tick = test::tick_seconds(log2_tick);
    const double gain = 90 * tick;
    const auto run = [&](double from, double rate, double goal) {
      AxisRig rig(arc_axis(-150, 200, 120, 90), log2_tick);
      rig.place(from, rate);
      const Slew s = slew(rig, goal, goal);
      EXPECT_TRUE(s.exact);
      EXPECT_NEAR(rig.angle(), goal, 1e-6);
      return s;
    };
    const Slew quarter = run(0, 0, 90);
    EXPECT_NEAR(quarter.time, 2.00, tick);
    EXPECT_NEAR(quarter.peak, 90, gain);
    EXPECT_EQ(quarter.overshoots, 0);
    const Slew half = run(0, 0, 180);
    EXPECT_NEAR(half.time, 2.833, tick);
    EXPECT_NEAR(half.peak, 120, 1e-4);
    EXPECT_EQ(half.overshoots, 0);
    const Slew turned = run(0, -60, 45);
    EXPECT_NEAR(turned.lowest, -20, 60 * tick);
    EXPECT_NEAR(turned.time, 2.366, tick);
    EXPECT_NEAR(turned.peak, 76.49, gain);
    EXPECT_EQ(turned.overshoots, 0);
    const Slew late = run(0, 100, 20);
    EXPECT_EQ(late.overshoots, 1);
    EXPECT_NEAR(late.highest - 20, 35.56, 100 * tick);
  }
}

TEST(TurretCases, case_12_control_the_law_without_the_step_overshoots) {
  for (const int log2_tick : k_ticks) {
    const AxisMotion motion = axis_motion(free_axis(120, 90), log2_tick);
    const std::int64_t goal = turret_degrees(90);
    std::int64_t angle = 0;
    std::int64_t rate = 0;
    std::int64_t highest = 0;
    for (int i = 0; i < 200; ++i) {
      const std::int64_t error = goal - angle;
      const std::int64_t size = isqrt(2 * motion.gain * std::abs(error));
      const std::int64_t wanted = std::min(size, motion.speed) * (error < 0 ? -1 : 1);
      rate = std::clamp(wanted, rate - motion.gain, rate + motion.gain);
      angle += rate;
      highest = std::max(highest, angle);
    }
    EXPECT_GT(test::degrees(highest) - 90, 0.5);
  }
}

TEST(TurretCases, case_15_a_target_in_the_pivot_holds_the_aim_until_it_has_a_direction) {
  TurretMount mount = test::mount_with(free_axis(120, 90));
  mount.muzzles = {Vec3(0, 0, 2 * k_units_per_metre)};
  const TurretPlatform platform;
  TurretState state = rest_state(mount);
  state.yaw.angle = turret_degrees(40);
  state.pitch.angle = turret_degrees(10);
  const TurretState held = state;
  const TurretAim none = aim_at(mount, platform, WideVec3(0));
  EXPECT_FALSE(none.direction);
  for (int i = 0; i < 10; ++i) {
    state = turret_step(mount, state, follow(none, none), 11);
    EXPECT_EQ(state, held);
    EXPECT_FALSE(on_target(mount, state, none));
  }
  const TurretAim ahead = aim_at(mount, platform, WideVec3(0, 0, 5 * k_units_per_metre));
  state = turret_step(mount, state, follow(none, ahead), 11);
  EXPECT_NE(state, held);  // in the very next tick
  for (int i = 0; i < 200; ++i) state = turret_step(mount, state, follow(ahead, ahead), 11);
  EXPECT_EQ(state, (TurretState{}));
  EXPECT_TRUE(on_target(mount, state, ahead));

  // Within the muzzle's length there is a direction, and a shot meets the target at once.
  const TurretAim inside = aim_at(mount, platform, WideVec3(0, 0, k_units_per_metre));
  EXPECT_TRUE(inside.direction);
  EXPECT_EQ(inside.yaw, 0);
  ShotBallistics shot;
  shot.speed = 260 * k_units_per_metre;
  shot.muzzle = 2 * k_units_per_metre;
  shot.max_flight_time = 10 * k_subticks_per_second;
  EXPECT_EQ(intercept(shot, Vec3(0, 0, k_units_per_metre), Vec3(0))->time, 0);
  EXPECT_EQ(intercept(shot, Vec3(0), Vec3(0))->time, 0);

  // Straight above there is no heading: pitch goes there, yaw holds.
  const TurretAim above = aim_at(mount, platform, WideVec3(0, 4'096, 0));
  EXPECT_TRUE(above.direction);
  EXPECT_FALSE(above.heading);
  state.yaw.angle = turret_degrees(40);
  for (int i = 0; i < 200; ++i) state = turret_step(mount, state, follow(above, above), 11);
  EXPECT_EQ(state.yaw.angle, turret_degrees(40));
  EXPECT_EQ(state.pitch.angle, k_turret_turn / 4);
  EXPECT_TRUE(on_target(mount, state, above));
}

TEST(TurretCases, case_16_yaw_goes_on_while_pitch_is_at_its_stop_and_the_gun_does_not_fire) {
  TurretMount mount = test::mount_with(free_axis(120, 90));
  mount.pitch = arc_axis(-10, 60, 120, 90);
  mount.tolerance = turret_degrees(0.1);
  ASSERT_EQ(turret_fault(mount), TurretFault::none);
  const auto aim = [&mount](double yaw, double elevation) {
    const Basis way = basis_of_angles(binary_angle(turret_degrees(yaw)),
                                      binary_angle(turret_degrees(elevation)), 0);
    return aim_along(mount, Basis{}, WideVec3(way.forward));
  };
  for (const int log2_tick : k_ticks) {
    const double tick = test::tick_seconds(log2_tick);
    TurretState state = rest_state(mount);
    double yaw = 0;
    for (double t = 0; t < 9; t += tick) {
      const double before = yaw;
      yaw = 10 * t;
      const TurretAim now = aim(yaw, -30);
      state = turret_step(mount, state, follow(aim(before, -30), now), log2_tick);
      EXPECT_FALSE(on_target(mount, state, now));
      if (t > 1) {
        EXPECT_NEAR(test::degrees(state.yaw.angle), yaw, 1e-4);  // the case asks for 0.5
        EXPECT_EQ(state.pitch.angle, turret_degrees(-10));
      }
    }
    const TurretAim risen = aim(yaw, -10.05);
    for (int i = 0; i < 100; ++i) {
      state = turret_step(mount, state, follow(risen, risen), log2_tick);
    }
    EXPECT_EQ(state.pitch.angle, turret_degrees(-10));
    EXPECT_TRUE(on_target(mount, state, risen));
    EXPECT_FALSE(on_target(mount, state, aim(yaw, -10.2)));
  }
  std::swap(mount.pitch.low, mount.pitch.high);
  EXPECT_EQ(turret_fault(mount), TurretFault::stops_reversed);
}

TEST(TurretCases, case_17_a_platform_gives_its_velocity_to_shot_and_lead_alike) {
  const auto metres = [](double x, double y, double z) {
    return Vec3(
        WideVec3(std::llround(x * 4'096), std::llround(y * 4'096), std::llround(z * 4'096)));
  };
  TurretMount mount = test::mount_with(free_axis(120, 90));
  mount.orientation.forward = Vec3(k_one, 0, 0);  // abeam, to +X
  ShotBallistics shot;
  shot.speed = 260 * 4'096;
  shot.max_flight_time = 20 * k_subticks_per_second;
  const Vec3 target = metres(1'040, 0, 0);
  const Vec3 velocity = metres(0, 0, 100);

  shot.inherited = velocity;
  auto meeting = intercept(shot, target, velocity);
  ASSERT_TRUE(meeting);
  EXPECT_EQ(meeting->time, 4 * k_subticks_per_second);
  EXPECT_EQ(aim_along(mount, Basis{}, meeting->way).yaw, 0);
  // The shot does meet the target.
  const Vec3 flown = shot_velocity(shot, Vec3(k_one, 0, 0));
  EXPECT_EQ(flown, metres(260, 0, 100));
  EXPECT_EQ(drift(flown, meeting->time), WideVec3(target) + drift(velocity, meeting->time));

  shot.inherited = Vec3(0);
  meeting = intercept(shot, target, velocity);
  ASSERT_TRUE(meeting);
  EXPECT_NEAR(static_cast<double>(meeting->time) / 65'536, 4.3333, 1.0 / 65'536 + 4e-5);
  // +Z is to the left of +X, and yaw counts to the right.
  EXPECT_NEAR(test::degrees(aim_along(mount, Basis{}, meeting->way).yaw), -22.62, 0.005);

  shot.inherited = velocity;
  shot.muzzle = 5 * 4'096;
  meeting = intercept(shot, target, velocity);
  ASSERT_TRUE(meeting);
  EXPECT_NEAR(static_cast<double>(meeting->time) / 65'536, 1'035.0 / 260, 1.0 / 65'536);
}

TEST(TurretCases, case_17_on_a_turning_hull_the_aim_stays_on_a_fixed_target) {
  const TurretMount mount = test::mount_with(free_axis(120, 90));
  for (const int log2_tick : k_ticks) {
    const auto platform = [&](int tick) {
      const double yaw = 30 * tick * test::tick_seconds(log2_tick);
      return TurretPlatform{
          Vec3(0), basis_of_angles(binary_angle(turret_degrees(std::fmod(yaw, 360))), 0, 0)};
    };
    const WideVec3 target(400'000, 50'000, 300'000);
    TurretState state = rest_state(mount);
    double worst = 0;
    double worst_without = 0;
    TurretState plain = state;  // the control: its rate is not added
    for (int tick = 1; tick * test::tick_seconds(log2_tick) < 20; ++tick) {
      const TurretAim now = aim_at(mount, platform(tick), target);
      state = turret_step(mount, state, follow(aim_at(mount, platform(tick - 1), target), now),
                          log2_tick);
      plain = turret_step(mount, plain, follow(now, now), log2_tick);
      if (tick * test::tick_seconds(log2_tick) > 3) {
        worst = std::max(worst, test::degrees(bore_error(state, now)));
        worst_without = std::max(worst_without, test::degrees(bore_error(plain, now)));
      }
    }
    EXPECT_LT(worst, 1e-4);  // the case asks for 0.1
    EXPECT_GT(worst_without, 1);
  }
}

}  // namespace
}  // namespace contrail::sim
