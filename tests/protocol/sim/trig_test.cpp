#include <gtest/gtest.h>

#include <cmath>
#include <contrail/sim/trig.hpp>
#include <contrail/sim/units.hpp>
#include <numbers>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

constexpr std::int32_t k_quarter = 1 << 30;
constexpr double k_radians = std::numbers::pi / 2'147'483'648.0;

std::int32_t wrapped(std::int64_t angle) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(angle & 0xFFFF'FFFF));
}

TEST(TrigTest, sine_and_cosine_are_within_one_unit_all_around_the_circle) {
  double worst = 0;
  const std::int64_t step = 4'294'967'296 / test::repeats(1'000'000);
  for (std::int64_t turn = 0; turn < 4'294'967'296; turn += step | 1) {
    const std::int32_t angle = wrapped(turn);
    const double radians = angle * k_radians;
    worst = std::max(worst, std::abs(sin_angle(angle) - std::sin(radians) * k_one));
    worst = std::max(worst, std::abs(cos_angle(angle) - std::cos(radians) * k_one));
  }
  EXPECT_LT(worst, 1.0);
  EXPECT_GT(worst, 0.5);  // rounding alone gives one half
  RecordProperty("worst", std::to_string(worst));
}

TEST(TrigTest, multiples_of_90_degrees_are_exact) {
  EXPECT_EQ(sin_angle(0), 0);
  EXPECT_EQ(sin_angle(k_quarter), k_one);
  EXPECT_EQ(sin_angle(wrapped(2LL * k_quarter)), 0);
  EXPECT_EQ(sin_angle(-k_quarter), -k_one);
  EXPECT_EQ(cos_angle(0), k_one);
  EXPECT_EQ(cos_angle(k_quarter), 0);
  EXPECT_EQ(cos_angle(wrapped(2LL * k_quarter)), -k_one);
}

TEST(TrigTest, sine_is_odd_and_cosine_even) {
  test::Numbers numbers(test::seed_or(2));
  for (int i = 0; i < 100'000; ++i) {
    const std::int32_t angle = wrapped(static_cast<std::int64_t>(numbers.next() >> 1));
    if (angle == std::numeric_limits<std::int32_t>::min()) {
      continue;
    }
    ASSERT_EQ(sin_angle(-angle), -sin_angle(angle)) << angle;
    ASSERT_EQ(cos_angle(-angle), cos_angle(angle)) << angle;
  }
}

TEST(TrigTest, arc_tangent_is_within_48_units_all_around_the_circle) {
  const std::uint64_t seed = test::seed_or(3);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Numbers numbers(seed);
  std::int64_t worst = 0;
  for (int i = 0; i < test::repeats(500'000); ++i) {
    const std::int64_t y = numbers.graded((1LL << 52) - 1);
    const std::int64_t x = numbers.graded((1LL << 52) - 1);
    if (x == 0 && y == 0) {
      continue;
    }
    const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x)) /
                              std::numbers::pi_v<long double> * 2'147'483'648.0L;
    const std::int64_t off =
        wrapped(atan2_angle(y, x) - static_cast<std::int64_t>(std::llround(exact)));
    worst = std::max(worst, std::abs(off));
  }
  EXPECT_LE(worst, 48);
  EXPECT_GT(worst, 0);
  RecordProperty("worst", static_cast<int>(worst));
}

TEST(TrigTest, arc_tangent_is_exact_on_axes_and_diagonals) {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{4096}, (std::int64_t{1} << 52) - 1}) {
    EXPECT_EQ(atan2_angle(0, n), 0);
    EXPECT_EQ(atan2_angle(n, 0), k_quarter);
    EXPECT_EQ(atan2_angle(-n, 0), -k_quarter);
    EXPECT_EQ(atan2_angle(0, -n), std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(atan2_angle(n, n), k_quarter / 2);
    EXPECT_EQ(atan2_angle(-n, -n), -k_quarter - k_quarter / 2);
  }
  EXPECT_EQ(atan2_angle(0, 0), 0);
}

}  // namespace
}  // namespace contrail::sim
