#include <gtest/gtest.h>

#include <cmath>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/sim/flight_model.hpp>
#include <contrail/sim/track.hpp>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;

constexpr MotionLimits k_fighter{2'048'000, 409'600};  // 500 m/s, 100 m/s^2

class FlightModelTest : public testing::Test {
 protected:
  Motion random_motion(const MotionLimits& limits) {
    Motion m;
    m.position = numbers_.vector<Vec3>(1 << 26);
    const WideVec3 v(numbers_.vector<Vec3>(limits.max_speed));
    m.velocity = length(v) > limits.max_speed ? Vec3(shift_right(v, 1)) : Vec3(v);
    return m;
  }
  Steer random_command() {
    Steer s;
    s.kind = static_cast<SteerKind>(numbers_.between(0, 3));
    s.value = numbers_.vector<Vec3>(s.kind == SteerKind::waypoint ? 1 << 26 : 4'000'000);
    return s;
  }
  std::uint64_t seed_ = test::seed_or(15);
  Numbers numbers_{seed_};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

TEST_F(FlightModelTest, speed_and_acceleration_stay_within_their_limits) {
  for (int i = 0; i < test::repeats(50'000); ++i) {
    const MotionLimits limits{static_cast<std::int32_t>(numbers_.between(4'096, k_max_speed)),
                              static_cast<std::int32_t>(numbers_.between(0, 4'000'000))};
    const int k = static_cast<int>(numbers_.between(9, 20));
    const Motion start = random_motion(limits);
    const Motion end = steer(start, random_command(), limits, k);
    // A direction's rounding, and 16 units of a scaled length.
    ASSERT_LE(length(WideVec3(end.velocity)), limits.max_speed + 32);
    const std::int64_t gain = drift(std::int64_t{limits.max_acceleration}, Subtick{1} << k);
    const WideVec3 change = WideVec3(end.velocity) - WideVec3(start.velocity);
    ASSERT_LE(length(change), gain + 64 + gain / 100'000);
  }
}

TEST_F(FlightModelTest, a_step_is_constant_acceleration) {
  for (int i = 0; i < test::repeats(20'000); ++i) {
    const Motion start = random_motion(k_fighter);
    const int k = static_cast<int>(numbers_.between(9, 16));
    const Motion end = steer(start, random_command(), k_fighter, k);
    const WideVec3 mean = WideVec3(start.velocity) + WideVec3(end.velocity);
    const WideVec3 way = WideVec3(end.position) - WideVec3(start.position);
    ASSERT_LE(max_abs(way * std::int64_t{131'072} - mean * (std::int64_t{1} << k)), 131'072);
  }
}

TEST_F(FlightModelTest, coasting_is_what_the_track_does_without_a_key) {
  const Motion start = random_motion(k_fighter);
  const Motion end = steer(start, {}, k_fighter, 14);
  const Track track(0, false, start.position, start.velocity, {});
  EXPECT_EQ(end.velocity, start.velocity);
  EXPECT_LE(max_abs(WideVec3(end.position) - WideVec3(track.position(1 << 14))), 1);
}

TEST_F(FlightModelTest, one_long_step_ends_like_many_short_ones) {
  Motion start;
  start.velocity = Vec3(100'000, 0, -50'000);
  const Steer push{SteerKind::accelerate, Vec3(200'000, 100'000, 0)};
  const Motion once = steer(start, push, k_fighter, 16);
  Motion many = start;
  for (int i = 0; i < 16; ++i) {
    many = steer(many, push, k_fighter, 12);
  }
  EXPECT_EQ(once.velocity, many.velocity);
  EXPECT_LE(max_abs(WideVec3(once.position) - WideVec3(many.position)), 32);
}

TEST_F(FlightModelTest, a_wanted_velocity_is_reached_and_held) {
  const Steer command{SteerKind::velocity, Vec3(300'000, -200'000, 100'000)};
  Motion motion = random_motion(k_fighter);
  int steps = 0;
  while (motion.velocity != command.value && steps < 1'000) {
    motion = steer(motion, command, k_fighter, 14);
    ++steps;
  }
  EXPECT_LE(steps, 64);
  EXPECT_EQ(steer(motion, command, k_fighter, 14).velocity, command.value);
  // Faster than the ship can: its greatest speed in that direction.
  const Motion fast = steer({Vec3(0), Vec3(2'048'000, 0, 0)},
                            {SteerKind::velocity, Vec3(40'000'000, 0, 0)}, k_fighter, 14);
  EXPECT_LE(std::abs(fast.velocity.x - 2'048'000), 16);
}

TEST_F(FlightModelTest, a_waypoint_is_reached_along_a_line_without_passing_it) {
  for (int i = 0; i < test::repeats(300); ++i) {
    const MotionLimits limits{static_cast<std::int32_t>(numbers_.between(40'960, 4'096'000)),
                              static_cast<std::int32_t>(numbers_.between(20'480, 819'200))};
    const int k = static_cast<int>(numbers_.between(11, 14));
    const Vec3 goal(0, 0, static_cast<int>(numbers_.between(1, 1 << 26)));
    Motion motion;
    Subtick time = 0;
    while ((motion.position != goal || motion.velocity != Vec3(0)) && time < Subtick{1} << 27) {
      motion = steer(motion, {SteerKind::waypoint, goal}, limits, k);
      time += Subtick{1} << k;
      ASSERT_LE(motion.position.z, goal.z) << "run " << i;
    }
    EXPECT_LE(goal.z - motion.position.z, 64) << "run " << i;
    EXPECT_LE(std::abs(motion.velocity.z), 64) << "run " << i;
  }
}

TEST_F(FlightModelTest, a_waypoint_takes_little_longer_than_the_fastest_way) {
  const Vec3 goal(1'000 * k_units_per_metre, 0, 0);  // 1 km, without reaching 500 m/s
  Motion motion;
  Subtick time = 0;
  while (std::abs(goal.x - motion.position.x) > 4'096 && time < Subtick{1} << 24) {
    motion = steer(motion, {SteerKind::waypoint, goal}, k_fighter, 13);
    time += 1 << 13;
  }
  const double fastest = 2 * std::sqrt(1'000.0 / 100.0);  // s
  EXPECT_LT(static_cast<double>(time) / 65'536, fastest * 1.15);
  EXPECT_GT(static_cast<double>(time) / 65'536, fastest * 0.9);
}

TEST_F(FlightModelTest, any_waypoint_is_reached_in_the_end) {
  for (int i = 0; i < test::repeats(200); ++i) {
    Motion motion = random_motion(k_fighter);
    const Vec3 goal = motion.position + numbers_.vector<Vec3>(1 << 24);
    for (int step = 0; step < 2'000; ++step) {
      motion = steer(motion, {SteerKind::waypoint, goal}, k_fighter, 13);
    }
    ASSERT_LE(max_abs(WideVec3(motion.position) - WideVec3(goal)), 256) << "run " << i;
    ASSERT_LE(max_abs(WideVec3(motion.velocity)), 1'024) << "run " << i;
  }
}

TEST_F(FlightModelTest, relative_keys_carry_a_step_to_half_a_unit_of_their_scale) {
  for (int i = 0; i < test::repeats(50'000); ++i) {
    const Motion start = random_motion(k_fighter);
    const Motion end = steer(start, random_command(), k_fighter, 11 + 3);
    const auto key = relative_key(7, 3, 11, start, end);
    ASSERT_TRUE(key);
    const Track track(0, false, start.position, start.velocity, {});
    const TrackKey exact = resolve(*key, track, 0, 11);
    const std::int64_t half = key->scale == 0 ? 0 : std::int64_t{1} << (key->scale - 1);
    ASSERT_LE(max_abs(WideVec3(exact.position) - WideVec3(end.position)), half);
    ASSERT_LE(max_abs(WideVec3(exact.velocity) - WideVec3(end.velocity)), half);
    ASSERT_LE(key->scale, 4);  // 1/512 m, 1/512 m/s: a quarter of a second at 100 m/s^2
  }
}

TEST_F(FlightModelTest, ends_too_far_from_coasting_have_no_relative_key) {
  const Motion start{Vec3(-k_world_limit), Vec3(0)};
  EXPECT_FALSE(relative_key(0, 0, 11, start, {Vec3(k_world_limit), Vec3(0)}));
  EXPECT_TRUE(relative_key(0, 0, 11, start, {Vec3(-k_world_limit), Vec3(0)}));
}

TEST_F(FlightModelTest, a_ship_that_cannot_accelerate_coasts) {
  const Motion start = random_motion(k_fighter);
  const MotionLimits none{k_fighter.max_speed, 0};
  for (int kind = 0; kind < 4; ++kind) {
    const Motion end = steer(start, {static_cast<SteerKind>(kind), Vec3(1 << 20)}, none, 14);
    EXPECT_EQ(end.velocity, start.velocity) << kind;
  }
}

TEST_F(FlightModelTest, limits_beyond_the_simulations_are_broken_contracts) {
  EXPECT_THROW((void)steer({}, {}, {k_max_speed + 1, 0}, 14), AssertionFailure);
  EXPECT_THROW((void)steer({}, {}, {0, 1 << 26}, 14), AssertionFailure);
  EXPECT_THROW((void)steer({}, {}, {0, 0}, 21), AssertionFailure);
}

}  // namespace
}  // namespace contrail::sim
