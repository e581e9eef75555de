#include <gtest/gtest.h>

#include <cstdio>

#include <contrail/sim/frame.hpp>

#include "launches.hpp"

namespace contrail::sim {
namespace {

using reference::Axes;
using reference::Bezier;
using reference::Vector;
using test::FlightSample;
using test::Numbers;

Axes axes_of(const Frame& f) {
  return {reference::from(f.tangent), reference::from(f.r), reference::from(f.s)};
}

/// Largest angle between the axes of two frames, radians.
long double turned(const Axes& a, const Axes& b) {
  return std::max(reference::angle(a.r, b.r), reference::angle(a.s, b.s));
}

TEST(FrameAccuracy, frames_are_those_of_4096_steps_of_double_reflection_to_1e4_rad) {
  const std::uint64_t seed = test::seed_or(102);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  long double worst = 0;
  for (int i = 0; i < test::repeats(150); ++i) {
    const Cubic curve = base_curve(test::missile_like(numbers, 30).source()).p;
    const Bezier exact = test::bezier(curve);
    const CurveFrames frames(curve);
    Axes axes = reference::first_axes(reference::unit(exact.slope(0)));
    for (int step = 1; step <= 4'096; ++step) {
      const long double a = (step - 1) / 4'096.0L;
      const long double b = step / 4'096.0L;
      axes = reference::double_reflection(axes, exact.at(b) - exact.at(a),
                                          reference::unit(exact.slope(b)));
      if (step % 73 != 0 && step != 4'096) continue;
      const long double off = turned(axes, axes_of(frames.at(std::int64_t{step} << 8)));
      worst = std::max(worst, off);
    }
  }
  std::printf("frames: %.3Le rad from 4096 steps\n", worst);
  EXPECT_LE(worst, 1e-4L);
}

struct Skews {
  long double recursion = 0;  // rad
  long double rs = 0;
  long double rt = 0;
};

/// Frames of random launches against the exact recursion. A direction is no better than a unit of
/// its chord, so short chords err more.
Skews skews(Numbers& numbers, int launches, std::int64_t shortest, std::int64_t longest) {
  Skews worst;
  for (int i = 0; i < launches; ++i) {
    const Cubic curve = base_curve(test::missile_like(numbers, 90, shortest, longest).source()).p;
    const Bezier exact = test::bezier(curve);
    const CurveFrames frames(curve);
    const Axes first = reference::first_axes(reference::unit(exact.slope(0)));
    for (int j = 0; j < 6; ++j) {
      const std::int64_t u = numbers.between(0, 1 << 20);
      const Axes is = axes_of(frames.at(u));
      const Axes right =
          reference::recursion(exact, first, static_cast<long double>(u) / (1 << 20));
      worst.recursion = std::max(worst.recursion, turned(right, is));
      const long double one = static_cast<long double>(k_one) * k_one;
      worst.rs = std::max(worst.rs, std::fabs(reference::dot(is.r, is.s) / one));
      worst.rt = std::max(worst.rt, std::fabs(reference::dot(is.r, is.t) / one));
    }
  }
  return worst;
}

TEST(FrameAccuracy, frames_are_the_exact_recursion_of_16_knots_to_4e6_rad_and_square) {
  const std::uint64_t seed = test::seed_or(103);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  const Skews far = skews(numbers, test::repeats(4'000), 4'096'000, 80'000'000);
  const Skews near = skews(numbers, test::repeats(4'000), 819'200, 4'096'000);
  for (const Skews& s : {far, near}) {
    std::printf("frames: %.3Le rad from the exact recursion, |r.s| %.3Le, |r.T| %.3Le\n",
                s.recursion, s.rs, s.rt);
    EXPECT_LE(s.rs, 2e-6L);
    EXPECT_LE(s.rt, 2e-6L);
  }
  EXPECT_LE(far.recursion, 4e-6L) << "chords of 1 km and more";
  EXPECT_LE(near.recursion, 2e-5L) << "chords of 200 m and more";
}

TEST(FrameAccuracy, control_frames_of_another_number_of_knots_are_noticed) {
  Numbers numbers(104);
  long double worst = 0;
  for (int i = 0; i < 50; ++i) {
    const Cubic curve = base_curve(test::missile_like(numbers, 180).source()).p;
    const Bezier exact = test::bezier(curve);
    const Axes first = reference::first_axes(reference::unit(exact.slope(0)));
    worst = std::max(worst, turned(reference::carried(exact, first, 1, 8),
                                   axes_of(CurveFrames(curve).at(1 << 20))));
  }
  EXPECT_GT(worst, 4e-6L);
}

/// What one launch did: the slowest point over the mean speed, and the largest angle by which an
/// axis of the frame turns from one of 64 places to the next. A flip turns it by half a turn.
struct Course {
  long double slowest = 1;
  long double turn = 0;  // rad
};

Course course(const Cubic& curve) {
  const CurveFrames frames(curve);
  const Hodograph h = hodograph(curve);
  Course result;
  long double sum = 0;
  long double slowest = 1e30L;
  Axes last = axes_of(frames.at(0));
  for (std::int64_t u = 0; u <= 1 << 20; u += 1 << 14) {
    const long double speed = reference::norm(reference::from(blossom(h, u, u, 20)));
    slowest = std::min(slowest, speed);
    sum += speed / 65;
    const Axes here = axes_of(frames.at(u));
    result.turn = std::max(result.turn, turned(last, here));
    last = here;
  }
  result.slowest = slowest / sum;
  return result;
}

TEST(FrameAccuracy, no_launch_in_any_direction_stalls_or_flips_its_frame) {
  const std::uint64_t seed = test::seed_or(105);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  const int launches = test::repeats_up_to(40'000, 1'000'000);
  Course worst;
  for (int i = 0; i < launches; ++i) {
    FlightSample s = test::missile_like(numbers, 180);
    if (i % 2 == 1) {
      // As blunt and as long-armed as weapons get that still fly a way.
      s.weapon.muzzle_handle = static_cast<std::int32_t>(numbers.between(13'107, 39'321));
      s.weapon.approach_handle = static_cast<std::int32_t>(numbers.between(13'107, 39'321));
      s.weapon.approach_cone = {16'384, static_cast<std::int32_t>(numbers.between(0, 11'585))};
    }
    const Course c = course(base_curve(s.source()).p);
    worst.slowest = std::min(worst.slowest, c.slowest);
    worst.turn = std::max(worst.turn, c.turn);
  }
  std::printf(
      "%d launches: slowest point %.4Lf of the mean speed, an axis turns by %.3Lf rad at most\n",
      launches, worst.slowest, worst.turn);
  EXPECT_GE(worst.slowest, 0.24L);
  EXPECT_LT(worst.turn, 1);
}

TEST(FrameAccuracy, control_launches_without_the_way_round_stall_and_flip) {
  Numbers numbers(106);
  int stalled = 0;
  int flipped = 0;
  for (int i = 0; i < 4'000; ++i) {
    Cubic curve = base_curve(test::missile_like(numbers, 180).source()).p;
    const Vector chord = reference::from(curve[3]) - reference::from(curve[0]);
    const Vector first = reference::unit(reference::from(curve[1]) - reference::from(curve[0]));
    const long double c = reference::dot(first, reference::unit(chord));
    if (c > -0.9L) continue;
    const Vector n = reference::unit(first - reference::unit(chord) * c);
    const Vector back = n * (-1.25L * reference::norm(chord) * -c);
    curve[2] += Vec3(static_cast<int>(back.x), static_cast<int>(back.y), static_cast<int>(back.z));
    const Course seen = course(curve);
    stalled += seen.slowest < 0.24L ? 1 : 0;
    flipped += seen.turn > 1.57L ? 1 : 0;
  }
  EXPECT_GT(stalled, 10);
  EXPECT_GT(flipped, 0);
}

}  // namespace
}  // namespace contrail::sim
