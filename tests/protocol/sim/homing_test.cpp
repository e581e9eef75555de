#include <gtest/gtest.h>

#include <cmath>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/homing.hpp>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

TEST(HomingTest, the_ramp_runs_from_nothing_to_one_and_is_exact_at_both_ends) {
  for (const Subtick duration : {1, 2, 3, 1'000, 32'768, 960 * 8'192}) {
    EXPECT_EQ(ramp(-1, duration), 0);
    EXPECT_EQ(ramp(0, duration), 0);
    EXPECT_EQ(ramp(duration, duration), k_one);
    EXPECT_EQ(ramp(duration + 1, duration), k_one);
  }
}

TEST(HomingTest, the_ramp_is_the_quintic_to_three_and_a_half_units) {
  const std::uint64_t seed = test::seed_or(13);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Numbers numbers(seed);
  double worst = 0;
  for (int i = 0; i < test::repeats(300'000); ++i) {
    const Subtick duration = 1 + (numbers.graded(960 * 8'192 - 1) & 0x7F'FFFF);
    const Subtick t = numbers.between(0, duration);
    const double u = static_cast<double>(t) / static_cast<double>(duration);
    const double exact = u * u * u * (u * (6 * u - 15) + 10) * k_one;
    worst = std::max(worst, std::abs(static_cast<double>(ramp(t, duration)) - exact));
  }
  EXPECT_LT(worst, 3.5);
  EXPECT_GT(worst, 0.5);
}

TEST(HomingTest, the_ramp_starts_and_ends_without_slope_or_bend) {
  const Subtick duration = 1 << 20;
  for (Subtick t = 0; t < 1 << 12; ++t) {
    // u^3 (10 - 15 u) at 2^-8: less than ten times 2^-24.
    ASSERT_LE(ramp(t, duration), 12);
    ASSERT_GE(ramp(duration - t, duration), k_one - 12);
  }
}

TEST(HomingTest, the_homing_term_holds_gaps_to_its_limit) {
  EXPECT_EQ(homing_term(WideVec3(100, -100, 7), 10, 10), WideVec3(100, -100, 7));
  EXPECT_EQ(homing_term(WideVec3(100, -100, 7), 0, 10), WideVec3(0));
  EXPECT_EQ(homing_term(WideVec3(1LL << 31, -(1LL << 31), 0), 10, 10),
            WideVec3(k_homing_clamp, -k_homing_clamp, 0));
}

TEST(HomingTest, a_lost_lock_keeps_the_velocity_of_the_last_sixty_fourth) {
  EXPECT_EQ(kept_velocity(WideVec3(164, 0, -1), WideVec3(100, 0, 0)), Vec3(4'096, 0, -64));
  EXPECT_EQ(kept_velocity(WideVec3(1LL << 26, 0, 0), WideVec3(0)).x, k_max_speed);
  EXPECT_EQ(k_back_step * 64, k_subticks_per_second);
}

}  // namespace
}  // namespace contrail::sim
