#include <gtest/gtest.h>

#include <algorithm>

#include <contrail/sim/trig.hpp>

#include "test_numbers.hpp"
#include "turret_rig.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;
using test::seed_or;
using test::turret_degrees;

/// MapToRange of the books: a difference of angles to -180 .. 180 degrees.
int map_to_range(int degrees) {
  while (degrees > 180) degrees -= 360;
  while (degrees < -180) degrees += 360;
  return degrees;
}

std::uint32_t binary_degrees(int degrees) {
  return static_cast<std::uint32_t>((std::int64_t{degrees} << 32) / 360);
}

TEST(TurretAngles, binary_angles_wrap_as_map_to_range_does_for_all_pairs_of_whole_degrees) {
  int pairs = 0;
  int wrapped = 0;
  for (int from = -180; from <= 180; ++from) {
    for (int to = -180; to <= 180; ++to) {
      const int want = map_to_range(to - from);
      const auto got =
          static_cast<std::int32_t>(binary_degrees(to) - binary_degrees(from));  // wraps by itself
      const double degrees = got * 360.0 / 4'294'967'296.0;
      // Half a turn is +180 or -180 in either form.
      const bool half = want == 180 || want == -180;
      EXPECT_NEAR(half ? std::abs(degrees) : degrees, half ? 180 : want, 1e-6) << from << ' ' << to;
      const std::int64_t turret =
          wrap_turret_angle(std::int64_t{turret_degrees(to)} - turret_degrees(from));
      EXPECT_NEAR(half ? std::abs(test::degrees(turret)) : test::degrees(turret), half ? 180 : want,
                  2e-6);
      wrapped += want != to - from ? 1 : 0;
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 361 * 361);
  EXPECT_EQ(wrapped, 32'580);  // 2 (1 + ... + 180): the control, plain differences are wrong
}

TEST(TurretAngles, turret_angles_and_binary_angles_are_each_others_inverse) {
  for (int degrees = -180; degrees < 180; ++degrees) {
    const std::int32_t angle = turret_degrees(degrees);
    EXPECT_EQ(turret_angle(binary_angle(angle)), angle);
  }
  EXPECT_EQ(turret_angle(7), 0);
  EXPECT_EQ(turret_angle(8), 1);
}

TEST(TurretAngles, the_stopping_rate_is_the_exact_inverse_of_the_stopping_distance) {
  const std::uint64_t seed = seed_or(51);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t gain = 1 + (numbers.between(0, (1 << 26) - 1) >> (numbers.next() % 26));
    const std::int64_t distance = numbers.between(0, 1LL << 29) >> (numbers.next() % 29);
    const std::int64_t rate = stopping_rate(distance, gain);
    ASSERT_LE(stopping_distance(rate, gain), distance);
    ASSERT_GT(stopping_distance(rate + 1, gain), distance);
    // The law of the books with the step in it bounds it from above and is met at whole gains.
    const double half = static_cast<double>(gain) / 2;
    const double law = -half + std::sqrt(half * half + 2.0 * static_cast<double>(gain) *
                                                           static_cast<double>(distance));
    ASSERT_LE(static_cast<double>(rate), law + 1e-3);
    ASSERT_GE(static_cast<double>(rate), law - half / 2 - 1);
  }
}

TEST(TurretAngles, a_stopping_distance_is_the_sum_of_the_rates_of_braking) {
  for (std::int64_t gain : {1, 2, 7, 100}) {
    for (std::int64_t rate = 0; rate < 1'000; ++rate) {
      std::int64_t sum = 0;
      for (std::int64_t r = rate; r > 0; r -= gain) sum += r;
      ASSERT_EQ(stopping_distance(rate, gain), sum);
    }
  }
}

TEST(TurretAngles, axis_limits_per_tick_never_exceed_those_per_second) {
  const std::uint64_t seed = seed_or(52);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  for (int i = 0; i < 100'000; ++i) {
    const int log2_tick = static_cast<int>(numbers.between(9, 13));
    TurretAxis axis;
    axis.max_speed = static_cast<std::int32_t>(numbers.between(1 << 7, 0x7FFF'FFFF));
    axis.max_acceleration = static_cast<std::int32_t>(numbers.between(1 << 14, 0x7FFF'FFFF));
    const AxisMotion motion = axis_motion(axis, log2_tick);
    ASSERT_LE(motion.speed << (16 - log2_tick), axis.max_speed);
    ASSERT_LE(motion.gain << (2 * (16 - log2_tick)), axis.max_acceleration);
    ASSERT_LE(motion.gain, 2 * motion.speed);
    ASSERT_LE(motion.speed, k_max_turret_rate);
    ASSERT_GE(motion.gain, 1);
  }
}

TEST(TurretAngles, faults_of_a_mount_are_named) {
  const TurretMount good = test::mount_with(test::arc_axis(-120, 120, 90, 90));
  EXPECT_EQ(turret_fault(good), TurretFault::none);
  const auto fault_of = [&good](auto&& change) {
    TurretMount mount = good;
    change(mount);
    return turret_fault(mount);
  };
  EXPECT_EQ(fault_of([](TurretMount& m) { std::swap(m.yaw.low, m.yaw.high); }),
            TurretFault::stops_reversed);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.pitch.low = m.pitch.high + 1; }),
            TurretFault::stops_reversed);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.yaw.low -= k_turret_turn / 2; }),
            TurretFault::stops_too_wide);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.yaw.rest = m.yaw.high + 1; }),
            TurretFault::rest_outside);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.pitch.full_turn = true; }),
            TurretFault::pitch_too_wide);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.pitch.high += 1; }), TurretFault::pitch_too_wide);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.yaw.max_speed = 0; }), TurretFault::no_speed);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.pitch.max_acceleration = -1; }), TurretFault::no_speed);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.muzzles.clear(); }), TurretFault::no_muzzle);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.muzzles.resize(9); }), TurretFault::no_muzzle);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.align.slow_radius = 0; }), TurretFault::align_settings);
  EXPECT_EQ(fault_of([](TurretMount& m) { m.tolerance = -1; }), TurretFault::tolerance);
  for (int i = 0; i <= static_cast<int>(TurretFault::tolerance); ++i) {
    EXPECT_STRNE(turret_fault_name(static_cast<TurretFault>(i)), "unknown");
  }
}

TEST(TurretAngles, states_that_cannot_stop_in_time_are_not_reachable) {
  const TurretMount mount = test::mount_with(test::arc_axis(-120, 120, 120, 90));
  TurretState state;
  EXPECT_TRUE(is_reachable(mount, state, 10));
  state.yaw.angle = turret_degrees(119);
  EXPECT_TRUE(is_reachable(mount, state, 10));
  state.yaw.rate = turret_degrees(100.0 / 64);
  EXPECT_FALSE(is_reachable(mount, state, 10));
  state.yaw.rate = -state.yaw.rate;  // away from the stop
  EXPECT_TRUE(is_reachable(mount, state, 10));
  state.yaw.angle = turret_degrees(121);
  EXPECT_FALSE(is_reachable(mount, state, 10));
  state.yaw = {0, turret_degrees(121.0 / 64)};  // too fast
  EXPECT_FALSE(is_reachable(mount, state, 10));
}

TEST(TurretAim, an_aim_and_the_bore_of_its_angles_are_one_direction) {
  const std::uint64_t seed = seed_or(53);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  std::int32_t worst = 0;
  for (int i = 0; i < 20'000; ++i) {
    TurretMount mount = test::mount_with(test::free_axis(90, 90));
    mount.pivot = numbers.vector<Vec3>(1 << 20);
    const auto angle = [&numbers] { return static_cast<std::int32_t>(numbers.next()); };
    mount.orientation = basis_of_angles(angle(), angle() >> 2, angle());
    const TurretPlatform platform{numbers.vector<Vec3>(1 << 28),
                                  basis_of_angles(angle(), angle() >> 2, angle())};
    const WideVec3 point =
        turret_pivot(mount, platform) + numbers.vector<WideVec3>(1LL << (8 + i % 22));
    const TurretAim aim = aim_at(mount, platform, point);
    if (!aim.direction) continue;
    const TurretState state{{aim.yaw, 0}, {aim.pitch, 0}};
    worst = std::max(worst, bore_error(state, aim));
    // In the world the bore looks at the point.
    const Vec3 forward = bore_basis(mount, state, platform.basis).forward;
    const Vec3 way = unit(point - turret_pivot(mount, platform));
    EXPECT_LE(max_abs(WideVec3(forward) - WideVec3(way)), 16);
  }
  EXPECT_LT(test::degrees(worst), 2e-5);
}

TEST(TurretAim, a_muzzle_lies_on_the_bore) {
  TurretMount mount = test::mount_with(test::free_axis(90, 90));
  mount.pivot = Vec3(0, 4'096, 0);
  mount.muzzles = {Vec3(1'000, 0, 8'192), Vec3(-1'000, 0, 8'192)};
  TurretState state;
  state.yaw.angle = k_turret_turn / 4;  // to the right
  const TurretPlatform platform{Vec3(100, 200, 300), Basis{}};
  EXPECT_EQ(muzzle_position(mount, state, platform, 0), WideVec3(8'292, 4'296, -700));
  EXPECT_EQ(muzzle_position(mount, state, platform, 1), WideVec3(8'292, 4'296, 1'300));
  state.pitch.angle = k_turret_turn / 4;  // straight up
  EXPECT_EQ(muzzle_position(mount, state, platform, 0), WideVec3(100, 12'488, -700));
}

}  // namespace
}  // namespace contrail::sim
