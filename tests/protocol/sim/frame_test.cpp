#include <gtest/gtest.h>

#include <contrail/sim/frame.hpp>

#include "flight_samples.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;

Vec3 metres(int x, int y, int z) {
  return Vec3(x, y, z) * k_units_per_metre;
}

/// Largest error of lengths and right angles of tangent, r and s, Q24.
std::int64_t skew(const Frame& f) {
  std::int64_t worst = 0;
  for (const Vec3& axis : {f.tangent, f.r, f.s}) {
    worst = std::max(worst, std::abs(dot24(axis, axis) - k_one));
  }
  for (const std::int64_t product :
       {dot24(f.tangent, f.r), dot24(f.r, f.s), dot24(f.s, f.tangent)}) {
    worst = std::max(worst, std::abs(product));
  }
  return worst;
}

/// The axis r carried from a given start over the knots of the protocol.
Vec3 carried(const Cubic& curve, const Vec3& r0, const Vec3& s0, int steps) {
  const Hodograph h = hodograph(curve);
  Frame frame{start_tangent(curve), r0, s0};
  for (int i = 1; i <= steps; ++i) {
    const std::int64_t a = (std::int64_t{i - 1} << 20) / steps;
    const std::int64_t b = (std::int64_t{i} << 20) / steps;
    const WideVec3 slope = blossom(h, b, b, 20);
    const WideVec3 chord = blossom(h, a, a, 20) + blossom(h, a, b, 20) + slope;
    frame = reflect_frame(frame, chord, unit_or(slope, frame.tangent));
    frame.r = unit(frame.r);
    frame.s = unit(frame.s);
  }
  return frame.r;
}

TEST(FrameTest, frames_of_random_curves_are_orthonormal_everywhere) {
  const std::uint64_t seed = test::seed_or(9);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  int worse = 0;
  const int curves = test::repeats(20'000);
  for (int i = 0; i < curves; ++i) {
    Cubic curve;
    for (Vec3& p : curve) {
      p = numbers.vector<Vec3>(1LL << numbers.between(8, 30));
    }
    const CurveFrames frames(curve);
    for (int j = 0; j < 8; ++j) {
      const std::int64_t u = numbers.extreme((1 << 19) - 1) + (1 << 19);
      const std::int64_t off = skew(frames.at(u));
      // Where a curve turns right back within one step: 0.11 degrees.
      ASSERT_LE(off, 1 << 15) << "curve " << i << " u " << u;
      worse += off > 1'024 ? 1 : 0;
    }
  }
  EXPECT_LT(worse, curves / 8);  // of eight times as many frames
}

TEST(FrameTest, frames_of_flights_are_orthonormal_to_five_digits) {
  const std::uint64_t seed = test::seed_or(16);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  for (int i = 0; i < test::repeats(5'000); ++i) {
    const test::FlightSample sample = test::random_flight(numbers, 1 << 26);
    const CurveFrames frames(base_curve(sample.source()).p);
    for (int j = 0; j < 8; ++j) {
      ASSERT_LE(skew(frames.at(numbers.between(0, 1 << 20))), 168) << "flight " << i;
    }
  }
}

TEST(FrameTest, control_an_axis_that_was_not_reflected_is_not_orthonormal) {
  const CurveFrames frames(
      {metres(0, 0, 0), metres(40, 0, 0), metres(40, 20, 0), metres(0, 20, 9)});
  Frame frame = frames.at(700'000);
  frame.s = frames.at(0).s;
  EXPECT_GT(skew(frame), 1'000);
}

TEST(FrameTest, the_frame_at_a_knot_and_just_before_it_agree) {
  Numbers numbers(test::seed_or(10));
  for (int i = 0; i < 500; ++i) {
    Cubic curve;
    for (Vec3& p : curve) {
      p = numbers.vector<Vec3>(1 << 24);
    }
    const CurveFrames frames(curve);
    for (std::int64_t knot = 1; knot < 16; ++knot) {
      // The tangent turns by a few units in 2^-20; the frame at the knot may differ by no more.
      const Frame before = frames.at((knot << 16) - 1);
      const Frame at = frames.at(knot << 16);
      const auto turn = max_abs(WideVec3(at.tangent) - WideVec3(before.tangent));
      ASSERT_LE(max_abs(WideVec3(at.r) - WideVec3(before.r)), 2 * turn + 64);
      ASSERT_LE(max_abs(WideVec3(at.s) - WideVec3(before.s)), 2 * turn + 64);
    }
  }
}

TEST(FrameTest, case_01_a_line_that_turns_back_has_finite_frames_at_its_turning_points) {
  const Cubic curve{metres(0, 0, 0), metres(10, 0, 0), metres(-10, 0, 0), metres(20, 0, 0)};
  EXPECT_EQ(cubic_point(curve, 1 << 18, 20).x, 12'800);  // 3.125 m
  EXPECT_EQ(cubic_point(curve, 1 << 19, 20).x, 10'240);  // 2.5 m
  const Hodograph h = hodograph(curve);
  EXPECT_TRUE(is_zero(blossom(h, 1 << 18, 1 << 18, 20)));
  EXPECT_TRUE(is_zero(blossom(h, 1 << 19, 1 << 19, 20)));
  const CurveFrames frames(curve);
  for (const std::int64_t u : {0, 1 << 18, (1 << 18) + 1, 1 << 19, (1 << 19) + 1, 1 << 20}) {
    EXPECT_LE(skew(frames.at(u)), 32) << u;
  }
  std::int64_t way = 0;
  for (std::int64_t u = 0; u < 1 << 20; u += 1 << 10) {
    way += std::abs(cubic_point(curve, u + (1 << 10), 20).x - cubic_point(curve, u, 20).x);
  }
  EXPECT_NEAR(static_cast<double>(way) / k_units_per_metre, 21.25, 0.01);
}

TEST(FrameTest, case_04_a_flat_U_turn_keeps_its_normal) {
  const Cubic curve{metres(0, 0, 0), metres(40, 0, 0), metres(40, 20, 0), metres(0, 20, 0)};
  const CurveFrames frames(curve);
  EXPECT_EQ(frames.at(0).tangent, Vec3(k_one, 0, 0));
  EXPECT_LE(max_abs(WideVec3(frames.at(1 << 20).tangent) - WideVec3(-k_one, 0, 0)), 1);
  // The normal of the plane is one of the axes, up to its sign, and stays.
  const Frame first = frames.at(0);
  for (std::int64_t u = 0; u <= 1 << 20; u += 1 << 14) {
    const Frame f = frames.at(u);
    EXPECT_LE(std::abs(f.r.z - first.r.z), 16) << u;
    EXPECT_LE(std::abs(f.s.z - first.s.z), 16) << u;
  }
  EXPECT_EQ(std::abs(first.r.z) + std::abs(first.s.z), k_one);
}

TEST(FrameTest, case_04_a_vertical_launch_is_orthonormal) {
  const CurveFrames frames({metres(0, 0, 0), metres(0, 30, 0), metres(0, 60, 0), metres(0, 90, 0)});
  for (std::int64_t u = 0; u <= 1 << 20; u += 1 << 14) {
    EXPECT_EQ(skew(frames.at(u)), 0) << u;
    EXPECT_EQ(frames.at(u), frames.at(0));
  }
}

TEST(FrameTest, case_04_double_reflection_reaches_the_known_end_normal) {
  const Cubic curve{metres(0, 0, 0), metres(0, 50, 0), metres(50, 50, 40), metres(100, 0, 0)};
  const Vec3 expected(static_cast<int>(-0.78693506 * k_one), static_cast<int>(-0.51479629 * k_one),
                      static_cast<int>(-0.34017347 * k_one));
  const Vec3 r0(k_one, 0, 0);
  const Vec3 s0(0, 0, -k_one);
  // Up to the rounding of 64 steps.
  EXPECT_LE(max_abs(WideVec3(carried(curve, r0, s0, 64)) - WideVec3(expected)), 64);
  // 16 steps end elsewhere, which is why their number is part of the protocol.
  const auto coarse = max_abs(WideVec3(carried(curve, r0, s0, 16)) - WideVec3(expected));
  EXPECT_GT(coarse, 16);
  EXPECT_LT(coarse, 2'000);
}

TEST(FrameTest, case_04_the_start_axis_is_the_world_axis_least_along_the_tangent) {
  Numbers numbers(test::seed_or(11));
  for (int i = 0; i < test::repeats(20'000); ++i) {
    const Vec3 t = unit(WideVec3(numbers.vector<Vec3>(1 << 20)) + WideVec3(1, 0, 0));
    ASSERT_LE(skew(start_frame(t)), 16);
  }
  // Ties go to x, then y.
  EXPECT_EQ(start_frame(Vec3(k_one, 0, 0)).r, Vec3(0, k_one, 0));
  EXPECT_EQ(start_frame(Vec3(0, 0, k_one)).r, Vec3(k_one, 0, 0));
}

TEST(FrameTest, case_04_a_nearly_opposite_tangent_is_reached_without_a_flip) {
  // From +X to (-1, 1e-8, 0): one unit of Q24 is 6e-8, so the request is -X exactly.
  const Frame from = start_frame(Vec3(k_one, 0, 0));
  const Frame to = reflect_frame(from, WideVec3(0, k_one, 0), Vec3(-k_one, 0, 0));
  EXPECT_EQ(to.tangent, Vec3(-k_one, 0, 0));
  EXPECT_LE(skew(to), 4);
}

TEST(FrameTest, a_curve_of_one_point_has_a_frame) {
  const CurveFrames frames({metres(1, 2, 3), metres(1, 2, 3), metres(1, 2, 3), metres(1, 2, 3)});
  for (const std::int64_t u : {0, 12'345, 1 << 20}) {
    EXPECT_EQ(frames.at(u).tangent, Vec3(0, 0, k_one));
    EXPECT_EQ(skew(frames.at(u)), 0);
  }
}

}  // namespace
}  // namespace contrail::sim
