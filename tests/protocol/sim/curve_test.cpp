#include <gtest/gtest.h>

#include <contrail/sim/curve.hpp>
#include <contrail/sim/frame.hpp>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;

Vec3 metres(int x, int y, int z) {
  return Vec3(x, y, z) * k_units_per_metre;
}

TEST(CurveTest, a_cubic_is_exact_at_its_ends_and_stays_in_the_box_of_its_control_points) {
  const std::uint64_t seed = test::seed_or(5);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  for (int i = 0; i < test::repeats(20'000); ++i) {
    Cubic c;
    for (Vec3& p : c) {
      p = numbers.extreme_vector<Vec3>(0x7FFF'FFFF);
    }
    const int k = static_cast<int>(numbers.between(8, 20));
    ASSERT_EQ(cubic_point(c, 0, k), c[0]);
    ASSERT_EQ(cubic_point(c, std::int64_t{1} << k, k), c[3]);
    const Vec3 p = cubic_point(c, numbers.between(0, 1LL << k), k);
    for (int axis = 0; axis < 3; ++axis) {
      const auto [low, high] = std::minmax({c[0][axis], c[1][axis], c[2][axis], c[3][axis]});
      ASSERT_LE(low, p[axis]);
      ASSERT_LE(p[axis], high);
    }
  }
}

TEST(CurveTest, a_cubic_is_within_three_units_of_the_real_one) {
  Numbers numbers(test::seed_or(6));
  for (int i = 0; i < test::repeats(20'000); ++i) {
    Cubic c;
    for (Vec3& p : c) {
      p = numbers.vector<Vec3>(1 << 30);
    }
    const std::int64_t t = numbers.between(0, 1 << 20);
    const long double u = static_cast<long double>(t) / (1 << 20);
    const long double s = 1 - u;
    const long double exact =
        s * s * s * c[0].x + 3 * s * s * u * c[1].x + 3 * s * u * u * c[2].x + u * u * u * c[3].x;
    ASSERT_NEAR(cubic_point(c, t, 20).x, static_cast<double>(exact), 3.0);
  }
}

// G1: the parameter of a curve is not its time; with these control points it runs slow-fast-slow.
TEST(CurveTest, case_G1_the_parameter_runs_slow_fast_slow) {
  const Cubic c{metres(0, 0, 0), metres(0, 0, 0), metres(100, 0, 0), metres(100, 0, 0)};
  const Hodograph h = hodograph(c);
  const auto at = [&](std::int64_t t) { return cubic_point(c, t, 20).x / 4096.0; };
  const auto speed = [&](std::int64_t t) {
    return 3.0 * static_cast<double>(blossom(h, t, t, 20).x) / 409'600.0;  // of the mean
  };
  const std::int64_t tenth = 104'858;
  EXPECT_NEAR(at(tenth), 2.8, 0.001);
  EXPECT_NEAR(at(1 << 18), 15.625, 0.001);
  EXPECT_NEAR(at(1 << 19), 50.0, 0.001);
  EXPECT_NEAR(speed(tenth), 0.54, 0.001);
  EXPECT_NEAR(speed(1 << 18), 1.125, 0.001);
  EXPECT_NEAR(speed(1 << 19), 1.5, 0.001);
}

TEST(CurveTest, case_01_a_vanishing_end_tangent_falls_back_to_the_next_control_point) {
  const Vec3 up = unit({50, 100, 0});
  const Vec3 down = unit({50, -100, 0});
  const Cubic start_doubled{metres(0, 0, 0), metres(0, 0, 0), metres(50, 100, 0),
                            metres(100, 0, 0)};
  EXPECT_EQ(start_tangent(start_doubled), up);
  EXPECT_NEAR(up.x, 0.4472136 * k_one, 1.5);
  EXPECT_NEAR(up.y, 0.8944272 * k_one, 1.5);
  const Cubic end_doubled{metres(0, 0, 0), metres(50, 100, 0), metres(100, 0, 0),
                          metres(100, 0, 0)};
  EXPECT_EQ(end_tangent(end_doubled), down);
  const Cubic tripled{metres(0, 0, 0), metres(0, 0, 0), metres(0, 0, 0), metres(90, 0, 0)};
  EXPECT_EQ(start_tangent(tripled), Vec3(k_one, 0, 0));
  EXPECT_EQ(end_tangent({metres(0, 0, 0), metres(90, 0, 0), metres(90, 0, 0), metres(90, 0, 0)}),
            Vec3(k_one, 0, 0));
  EXPECT_EQ(start_tangent(Cubic{}), Vec3(0, 0, k_one));
  EXPECT_EQ(end_tangent(Cubic{}), Vec3(0, 0, k_one));
}

TEST(CurveTest, case_01_the_tangent_is_continuous_where_it_falls_back) {
  const Cubic c{metres(0, 0, 0), metres(0, 0, 0), metres(50, 100, 0), metres(100, 0, 0)};
  const CurveFrames frames(c);
  const Hodograph h = hodograph(c);
  for (const std::int64_t u : {10, 100, 1'000, 10'000}) {
    // A curve bends by about its parameter; near the start its slope has few units, and the
    // direction is good to two of them.
    const double slope = static_cast<double>(max_abs(blossom(h, u, u, 20)));
    const double allowed = k_one * (3.0 * static_cast<double>(u) / (1 << 20) + 2.0 / slope);
    const std::int64_t turned =
        max_abs(WideVec3(frames.at(u).tangent) - WideVec3(frames.at(0).tangent));
    EXPECT_LT(static_cast<double>(turned), allowed) << u;
  }
}

TEST(CurveTest, hermite_pieces_have_the_given_ends_and_end_velocities) {
  Numbers numbers(test::seed_or(7));
  for (int i = 0; i < test::repeats(10'000); ++i) {
    const int k = static_cast<int>(numbers.between(9, 20));
    const auto p0 = numbers.vector<Vec3>(1 << 28);
    const auto p1 = numbers.vector<Vec3>(1 << 28);
    const auto v0 = numbers.vector<Vec3>(k_max_speed);
    const auto v1 = numbers.vector<Vec3>(k_max_speed);
    const Cubic c = hermite(p0, v0, p1, v1, k);
    ASSERT_EQ(c[0], p0);
    ASSERT_EQ(c[3], p1);
    // Three times the end rows, by the duration, are the velocities up to a unit of position.
    const double seconds = static_cast<double>(1LL << k) / 65'536.0;
    ASSERT_NEAR(3.0 * (c[1].x - c[0].x) / seconds, v0.x, 3.0 / seconds + 0.01);
    ASSERT_NEAR(3.0 * (c[3].y - c[2].y) / seconds, v1.y, 3.0 / seconds + 0.01);
  }
}

}  // namespace
}  // namespace contrail::sim
