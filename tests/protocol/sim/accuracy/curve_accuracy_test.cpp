#include <gtest/gtest.h>

#include <cstdio>

#include <contrail/sim/curve.hpp>
#include <contrail/sim/trig.hpp>

#include "launches.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;

constexpr long double k_pi = 3.14159265358979323846264338327950288L;

TEST(CurveAccuracy, points_are_within_three_units_of_de_Casteljau_and_slopes_within_two) {
  const std::uint64_t seed = test::seed_or(101);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  long double point = 0;
  long double slope = 0;
  for (int i = 0; i < test::repeats(100'000); ++i) {
    Cubic c;
    for (Vec3& p : c) p = numbers.vector<Vec3>(1LL << numbers.between(4, 31));
    const int k = static_cast<int>(numbers.between(8, 20));
    const std::int64_t t = numbers.between(0, 1LL << k);
    const long double u = static_cast<long double>(t) / static_cast<long double>(1LL << k);
    const reference::Bezier exact = test::bezier(c);
    const auto off = reference::from(cubic_point(c, t, k)) - exact.at(u);
    point = std::max({point, std::fabs(off.x), std::fabs(off.y), std::fabs(off.z)});
    const auto bent = reference::from(blossom(hodograph(c), t, t, k)) - exact.slope(u) * (1.0L / 3);
    slope = std::max({slope, std::fabs(bent.x), std::fabs(bent.y), std::fabs(bent.z)});
  }
  std::printf("curves: off by %.3Lf units at most, slopes by %.3Lf\n", point, slope);
  EXPECT_LE(point, 3);
  EXPECT_GT(point, 0.5);
  EXPECT_LE(slope, 2);
}

TEST(CurveAccuracy, control_a_curve_evaluated_one_step_off_is_noticed) {
  Numbers numbers(1);
  long double worst = 0;
  for (int i = 0; i < 100; ++i) {
    Cubic c;
    for (Vec3& p : c) p = numbers.vector<Vec3>(1 << 24);
    const std::int64_t t = numbers.between(1, 1 << 20);
    const auto off = reference::from(cubic_point(c, t, 20)) -
                     test::bezier(c).at(static_cast<long double>(t - 1) / (1 << 20));
    worst = std::max(worst, reference::norm(off));
  }
  EXPECT_GT(worst, 4);
}

struct TrigErrors {
  long double sine = 0;    // Q24 units
  long double cosine = 0;  // Q24 units
  long double angle = 0;   // 2^-32 turns, of the arc tangent of what sine and cosine give
};

void look_at(std::uint32_t turn, TrigErrors& worst) {
  const auto angle = static_cast<std::int32_t>(turn);
  const long double radians = static_cast<long double>(turn) * (2 * k_pi / 4'294'967'296.0L);
  const std::int32_t s = sin_angle(angle);
  const std::int32_t c = cos_angle(angle);
  worst.sine = std::max(worst.sine, std::fabs(s - std::sin(radians) * k_one));
  worst.cosine = std::max(worst.cosine, std::fabs(c - std::cos(radians) * k_one));
  const long double exact = std::atan2(static_cast<long double>(s), static_cast<long double>(c)) /
                            (2 * k_pi) * 4'294'967'296.0L;
  long double off = std::fabs(atan2_angle(s, c) - exact);
  off = std::min(off, 4'294'967'296.0L - off);
  worst.angle = std::max(worst.angle, off);
}

TEST(CurveAccuracy, sine_cosine_and_arc_tangent_keep_their_stated_errors_around_the_circle) {
  TrigErrors worst;
  const std::uint32_t step = test::repeats_up_to(1 << 12, 1 << 8);
  for (std::uint64_t turn = 0; turn < 1ULL << 32; turn += step) {
    look_at(static_cast<std::uint32_t>(turn), worst);
  }
  // Where the formulas change: multiples of 45 degrees, and where 5 low = 2 high.
  for (std::uint32_t octant = 0; octant < 8; ++octant) {
    for (std::uint32_t i = 0; i < 4'000; ++i) look_at((octant << 29) + i - 2'000, worst);
    for (const std::uint32_t border : {260'215'610U, 536'870'912U - 260'215'610U}) {
      for (std::uint32_t i = 0; i < 4'000; ++i) look_at((octant << 29) + border + i - 2'000, worst);
    }
  }
  std::printf("sine off by %.4Lf / 2^24, cosine by %.4Lf, arc tangent by %.2Lf / 2^32 of a turn\n",
              worst.sine, worst.cosine, worst.angle);
  EXPECT_LT(worst.sine, 1);
  EXPECT_LT(worst.cosine, 1);
  EXPECT_LE(worst.angle, 48);
  EXPECT_GT(worst.sine, 0.5);  // the control: rounding alone gives one half
  EXPECT_GT(worst.angle, 0.5);
}

}  // namespace
}  // namespace contrail::sim
