#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/intercept.hpp>
#include <contrail/sim/track.hpp>

#include "flight_samples.hpp"
#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;
using test::repeats;
using test::seed_or;

ShotBallistics shot_of(std::int32_t speed, Subtick longest) {
  ShotBallistics shot;
  shot.speed = speed;
  shot.max_flight_time = longest;
  return shot;
}
double seconds(Subtick t) {
  return static_cast<double>(t) / k_subticks_per_second;
}

// Metres as millionths here: the solver asks for one unit of length, not for which.
TEST(Intercept, case_18_equal_and_nearly_equal_speeds) {
  const auto micro = [](double metres) {
    return static_cast<std::int32_t>(std::llround(metres * 1e6));
  };
  const ShotBallistics shot = shot_of(micro(10), 30'000LL * k_subticks_per_second);
  const Vec3 target(micro(100), 0, 0);
  const auto time = [&](double x, double z) -> std::optional<double> {
    const auto meeting = intercept(shot, target, Vec3(micro(x), 0, micro(z)));
    return meeting ? std::optional(seconds(meeting->time)) : std::nullopt;
  };
  EXPECT_FALSE(time(0, 10));  // a = b = 0
  ASSERT_TRUE(time(0, 9.999999));
  EXPECT_NEAR(*time(0, 9.999999), 22'360.680, 0.004);
  EXPECT_FALSE(time(0, 10.000001));  // D = -0.8
  ASSERT_TRUE(time(-10, 0));
  EXPECT_NEAR(*time(-10, 0), 5.0, 0.004);
  EXPECT_FALSE(time(10, 0));  // -5 is the past
  // The time of flight refuses it, not the solver.
  EXPECT_FALSE(intercept(shot_of(micro(10), 22'360LL * k_subticks_per_second), target,
                         Vec3(0, 0, micro(9.999999))));
}

TEST(Intercept, case_18_the_same_on_the_lattice_to_the_subtick) {
  const std::int32_t metre = k_units_per_metre;
  const ShotBallistics shot = shot_of(10 * metre, 2'000LL * k_subticks_per_second);
  const Vec3 target(100 * metre, 0, 0);
  EXPECT_FALSE(intercept(shot, target, Vec3(0, 0, 10 * metre)));
  EXPECT_FALSE(intercept(shot, target, Vec3(0, 0, 10 * metre + 1)));
  const auto slower = intercept(shot, target, Vec3(0, 0, 10 * metre - 1));
  ASSERT_TRUE(slower);
  // d / sqrt(s^2 - v^2), s^2 - v^2 = 81,919.
  EXPECT_EQ(slower->time, static_cast<Subtick>(std::ceil(409'600 / std::sqrt(81'919.0L) * 65'536)));
  EXPECT_EQ(intercept(shot, target, Vec3(-10 * metre, 0, 0))->time, 5 * k_subticks_per_second);
  EXPECT_FALSE(intercept(shot, target, Vec3(10 * metre, 0, 0)));
}

TEST(Intercept, case_18_of_two_meetings_the_first) {
  const std::int32_t metre = k_units_per_metre;
  const ShotBallistics shot = shot_of(8 * metre, 100LL * k_subticks_per_second);
  const auto meeting = intercept(shot, Vec3(-100 * metre, 0, 0), Vec3(10 * metre, 0, 0));
  ASSERT_TRUE(meeting);
  EXPECT_EQ(meeting->time, static_cast<Subtick>(std::ceil(100.0 / 18 * 65'536)));  // not 50 s
  EXPECT_LT(meeting->way.x, 0);                                                    // it turns back
}

TEST(Intercept, degenerate_targets) {
  const std::int32_t metre = k_units_per_metre;
  ShotBallistics shot = shot_of(100 * metre, 10 * k_subticks_per_second);
  EXPECT_EQ(intercept(shot, Vec3(0), Vec3(0))->time, 0);
  EXPECT_EQ(intercept(shot, Vec3(0), Vec3(0))->way, WideVec3(0));
  EXPECT_EQ(intercept(shot, Vec3(0), Vec3(1'000 * metre, 0, 0))->time, 0);
  EXPECT_EQ(intercept(shot, Vec3(1, 0, 0), Vec3(0))->time, 1);
  EXPECT_EQ(intercept(shot, Vec3(1'000 * metre, 0, 0), Vec3(0))->time, 10 * k_subticks_per_second);
  EXPECT_FALSE(intercept(shot, Vec3(1'000 * metre + 1, 0, 0), Vec3(0)));  // out of range
  shot.muzzle = 2 * metre;
  EXPECT_EQ(intercept(shot, Vec3(metre, 0, 0), Vec3(0))->time, 0);  // inside the muzzle
}

/// The sign of |p + v T / 65536| - (m + s T / 65536), from 128 bits.
bool reached(const ShotBallistics& shot, const Vec3& p, const Vec3& v, Subtick t) {
  __extension__ using Wide = __int128;
  Wide gap = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const Wide x =
        (Wide{p[axis]} - shot.pivot[axis]) * 65'536 + (Wide{v[axis]} - shot.inherited[axis]) * t;
    gap += x * x;
  }
  const Wide reach = Wide{shot.muzzle} * 65'536 + Wide{shot.speed} * t;
  return gap <= reach * reach;
}

TEST(Intercept, straight_targets_are_met_at_the_first_subtick_that_exact_arithmetic_allows) {
  const std::uint64_t seed = seed_or(61);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  int met = 0;
  int fled = 0;
  int two_meetings = 0;
  for (int i = 0; i < repeats(20'000); ++i) {
    ShotBallistics shot =
        shot_of(static_cast<std::int32_t>(numbers.between(1, 1 << 22)), numbers.between(1, 4'000));
    // Near and slow enough that every subtick can be looked at.
    const long long near = 1LL << numbers.between(2, 18);
    const Vec3 position = numbers.vector<Vec3>(near);
    const Vec3 velocity = numbers.vector<Vec3>(1LL << numbers.between(10, 23));
    shot.inherited = numbers.chance(50) ? numbers.vector<Vec3>(1LL << 20) : Vec3(0);
    shot.muzzle = static_cast<std::int32_t>(numbers.chance(50) ? numbers.between(0, near) : 0);
    Subtick first = -1;
    int changes = 0;
    bool before = false;
    for (Subtick t = 0; t <= shot.max_flight_time; ++t) {
      const bool now = reached(shot, position, velocity, t);
      if (now && first < 0) first = t;
      changes += now != before ? 1 : 0;
      before = now;
    }
    const auto meeting = intercept(shot, position, velocity);
    ASSERT_EQ(meeting.has_value(), first >= 0);
    if (meeting) {
      ASSERT_EQ(meeting->time, first);
    }
    met += meeting ? 1 : 0;
    fled += meeting ? 0 : 1;
    two_meetings += changes > 1 ? 1 : 0;
  }
  EXPECT_GT(met, 1'000);
  EXPECT_GT(fled, 1'000);
  EXPECT_GT(two_meetings, 100);
}

// D = 0 up to one unit: the target passes where the shot can only just be.
TEST(Intercept, tangential_meetings_are_decided_exactly) {
  int met = 0;
  for (int by = -40; by <= 40; ++by) {
    // Shot 3/5 of the target's speed: the tangent is where it flies at right angles to the shot.
    const ShotBallistics shot = shot_of(3'000 * 4'096, 60 * k_subticks_per_second);
    const Vec3 velocity(5'000 * 4'096, 0, 0);
    const Vec3 position(-400'000'000 + by, 300'000'000, 0);
    bool any = false;
    const Subtick touch = 625'000'000LL * 65'536 / (5'000 * 4'096);
    for (Subtick t = touch - 20'000; t < touch + 20'000; ++t) {
      if (reached(shot, position, velocity, t)) {
        any = true;
        ASSERT_EQ(intercept(shot, position, velocity)->time, t);
        break;
      }
    }
    ASSERT_EQ(intercept(shot, position, velocity).has_value(), any) << by;
    met += any ? 1 : 0;
  }
  EXPECT_GT(met, 0);
  EXPECT_LT(met, 81);
}

TEST(Intercept, at_the_limits_of_the_world_the_grid_gets_coarser_and_stays_right) {
  const std::uint64_t seed = seed_or(62);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  int met = 0;
  for (int i = 0; i < 2'000; ++i) {
    ShotBallistics shot = shot_of(k_max_speed, 300LL * k_subticks_per_second);
    shot.pivot = numbers.extreme_vector<Vec3>(k_world_limit);
    const Vec3 position = numbers.extreme_vector<Vec3>(k_world_limit);
    const Vec3 velocity = numbers.extreme_vector<Vec3>(k_max_speed);
    const auto meeting = intercept(shot, position, velocity);
    if (!meeting) continue;
    ++met;
    EXPECT_TRUE(reached(shot, position, velocity, meeting->time));
    EXPECT_TRUE(meeting->time < 64 || !reached(shot, position, velocity, meeting->time - 64));
  }
  EXPECT_GT(met, 500);
}

TEST(Intercept, a_path_that_is_straight_gives_the_time_of_the_closed_form) {
  const std::uint64_t seed = seed_or(63);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  int met = 0;
  for (int i = 0; i < repeats(5'000); ++i) {
    ShotBallistics shot = shot_of(static_cast<std::int32_t>(numbers.between(1 << 20, 1 << 22)),
                                  numbers.between(1 << 12, 1 << 20));
    const Vec3 position = numbers.vector<Vec3>(1 << 24);
    const Vec3 velocity = numbers.vector<Vec3>(1LL << numbers.between(10, 22));
    const auto line = [&](Subtick t) {
      return Vec3(WideVec3(position) + drift(velocity, t - 500));
    };
    const auto closed = intercept(shot, position, velocity);
    const auto walked = intercept(shot, 500, PathView(line), 7'100'000);
    // They part only where the two meetings lie next to each other.
    if (closed.has_value() != walked.has_value()) {
      ASSERT_TRUE(closed);
      ASSERT_FALSE(reached(shot, position, velocity, closed->time + 70));
      continue;
    }
    if (!closed) continue;
    ++met;
    ASSERT_NEAR(static_cast<double>(closed->time), static_cast<double>(walked->time), 64);
    ASSERT_GE(walked->time, closed->time - 1);
  }
  EXPECT_GT(met, 500);
}

TEST(Intercept, a_shot_at_a_turning_ship_meets_it_where_its_track_goes) {
  Track track(0, false, Vec3(2'000'000, 0, 0), Vec3(0, 0, 409'600), {});
  track.start_piece(0, 17, Vec3(2'000'000, 100'000, 400'000), Vec3(-409'600, 0, 0));
  track.start_piece(131'072, 17, Vec3(1'400'000, 100'000, 0), Vec3(0, 0, -409'600));
  const ShotBallistics shot = shot_of(1'000 * 4'096, 10 * k_subticks_per_second);
  const auto at = [&track](Subtick t) { return track.position(t); };
  for (Subtick fired = 1; fired < 250'000; fired += 997) {
    const auto meeting = intercept(shot, fired, PathView(at), 2'000'000);
    ASSERT_TRUE(meeting);
    // The oracle looks at every subtick.
    Subtick first = 0;
    while (true) {
      const WideVec3 way(track.position(fired + first));
      if (length(way) <= drift(std::int64_t{shot.speed}, first)) break;
      ++first;
    }
    ASSERT_NEAR(static_cast<double>(meeting->time), static_cast<double>(first), 1);
    ASSERT_EQ(meeting->way, WideVec3(track.position(fired + meeting->time)));
    // And the shot, flown along the bore, is there.
    const WideVec3 flown = drift(shot_velocity(shot, unit(meeting->way)), meeting->time);
    ASSERT_LE(max_abs(flown - meeting->way), 80);  // 2 cm, of one subtick at 1 km/s: 6 cm
  }
}

TEST(Intercept, a_shot_at_a_missile_meets_its_known_flight_at_the_first_possible_subtick) {
  const std::uint64_t seed = seed_or(64);
  SCOPED_TRACE(seed);
  Numbers numbers(seed);
  int met = 0;
  int faster = 0;
  for (int i = 0; i < 60; ++i) {
    test::FlightSample sample = test::random_flight(numbers, 1 << 22);
    sample.launch.log2_piece = 12;
    sample.launch.pieces = 32;
    const Flight flight(sample.source());
    std::int64_t fastest = 0;
    for (Subtick t = 0; t < flight.duration(); t += 16) {
      fastest = std::max(
          fastest,
          length(WideVec3(flight.position(t + 16)) - WideVec3(flight.position(t))) * 4'096);
    }
    fastest += fastest >> 4;
    ShotBallistics shot = shot_of(static_cast<std::int32_t>(std::clamp<std::int64_t>(
                                      fastest * numbers.between(2, 24) / 8, 1, k_max_speed)),
                                  2 * k_subticks_per_second);
    shot.pivot = Vec3(WideVec3(flight.end()) + numbers.vector<WideVec3>(1 << 18));
    const Subtick fired = numbers.between(0, flight.duration() / 2);
    const auto at = [&flight](Subtick t) { return flight.position(t); };
    const auto speed = static_cast<std::int32_t>(std::min<std::int64_t>(fastest, k_max_speed));
    const auto meeting = intercept(shot, fired, PathView(at), speed);
    Subtick first = 0;
    const auto there = [&](Subtick t) {
      const WideVec3 way = WideVec3(flight.position(fired + t)) - WideVec3(shot.pivot);
      return length(way) <= drift(std::int64_t{shot.speed}, t);
    };
    while (first <= shot.max_flight_time && !there(first)) ++first;
    ASSERT_EQ(meeting.has_value(), first <= shot.max_flight_time);
    if (!meeting) continue;
    ASSERT_NEAR(static_cast<double>(meeting->time), static_cast<double>(first), 2);
    ++met;
    faster += fastest > shot.speed ? 1 : 0;
  }
  EXPECT_GT(met, 20);
  EXPECT_GT(faster, 3);
}

}  // namespace
}  // namespace contrail::sim
