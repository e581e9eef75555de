#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include <cmath>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/sim/inline_unit.hpp>
#include <limits>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;
using test::repeats;
using test::seed_or;

__extension__ using Wide = __int128;

class ArithTest : public testing::Test {
 protected:
  std::uint64_t seed_ = seed_or(1);
  Numbers numbers_{seed_};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

/// floor(a / b) without rounding modes.
Wide naive_floor_div(Wide a, Wide b) {
  Wide q = a / b;
  while (q * b > a) {
    --q;
  }
  return q;
}

TEST_F(ArithTest, floor_div_rounds_towards_minus_infinity) {
  EXPECT_EQ(floor_div(7, 2), 3);
  EXPECT_EQ(floor_div(-7, 2), -4);
  EXPECT_EQ(floor_div(-8, 2), -4);
  EXPECT_EQ(floor_div(0, 5), 0);
  for (int i = 0; i < repeats(100'000); ++i) {
    const std::int64_t a = numbers_.graded(1LL << 52);
    const std::int64_t b = 1 + (numbers_.graded((1LL << 27) - 2) & 0x7FF'FFFF);
    ASSERT_EQ(Wide{floor_div(a, b)}, naive_floor_div(a, b)) << a << " / " << b;
  }
}

TEST_F(ArithTest, isqrt_is_the_floor_of_the_root) {
  const auto holds = [](std::int64_t x) {
    const Wide root = isqrt(x);
    return root * root <= x && (root + 1) * (root + 1) > x;
  };
  for (std::int64_t x = 0; x < 100'000; ++x) {
    ASSERT_TRUE(holds(x)) << x;
  }
  for (int i = 0; i < repeats(300'000); ++i) {
    const auto any = static_cast<std::int64_t>(numbers_.next() >> (1 + numbers_.next() % 63));
    const auto root = static_cast<std::int64_t>(numbers_.next() >> 33);
    ASSERT_TRUE(holds(any)) << any;
    ASSERT_TRUE(holds(root * root)) << root;
    ASSERT_TRUE(holds(std::max<std::int64_t>(root * root - 1, 0))) << root;
    ASSERT_TRUE(holds(root * root + 2 * root)) << root;
  }
  EXPECT_TRUE(holds(std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(holds((std::int64_t{1} << 52) - 1));
}

TEST_F(ArithTest, lerp_is_exact_at_both_ends_and_floors_between) {
  EXPECT_EQ(lerp(10, 13, 1, 1), 11);
  EXPECT_EQ(lerp(13, 10, 1, 1), 11);
  for (int i = 0; i < repeats(100'000); ++i) {
    const std::int64_t a = numbers_.extreme(0x7FFF'FFFF);
    const std::int64_t b = numbers_.extreme(0x7FFF'FFFF);
    const int k = static_cast<int>(numbers_.between(0, 20));
    const std::int64_t t = numbers_.between(0, 1LL << k);
    ASSERT_EQ(lerp(a, b, 0, k), a);
    ASSERT_EQ(lerp(a, b, std::int64_t{1} << k, k), b);
    ASSERT_EQ(Wide{lerp(a, b, t, k)}, a + naive_floor_div(Wide{b - a} * t, Wide{1} << k));
  }
}

TEST_F(ArithTest, drift_is_the_floor_of_velocity_times_time_also_backwards) {
  EXPECT_EQ(drift(std::int64_t{3}, 32'768), 1);
  EXPECT_EQ(drift(std::int64_t{-3}, 32'768), -2);
  EXPECT_EQ(drift(std::int64_t{3}, -32'768), -2);
  for (int i = 0; i < repeats(100'000); ++i) {
    const std::int64_t v = numbers_.extreme(2 * k_max_speed);
    const Subtick t = numbers_.graded(1LL << 40);
    ASSERT_EQ(Wide{drift(v, t)}, naive_floor_div(Wide{v} * t, 65'536)) << v << " " << t;
  }
}

// The short way to a direction divides by a length through an inverse, and takes the long way where
// that inverse could matter.
TEST_F(ArithTest, inverse_lengths_are_good_to_three_units_over_their_whole_range) {
  std::uint64_t worst = 0;
  std::uint64_t worst_estimate = 0;  // in parts of 2^40
  for (std::uint64_t l = 1U << 24; l * l < std::uint64_t{3} << 50; l += 1 + (l & 63U)) {
    for (const std::uint64_t square : {l * l, l * l + l, l * l + 2 * l}) {
      const Root root = root_of(square);
      ASSERT_EQ(root.root, l);
      const std::uint64_t exact = (std::uint64_t{1} << 62) / l;
      const std::uint64_t inverse = inverse_length(l, root.inverse);
      worst = std::max(worst, inverse > exact ? inverse - exact : exact - inverse);
      const auto off = static_cast<std::int64_t>(exact - root.inverse);
      worst_estimate = std::max(
          worst_estimate, (static_cast<std::uint64_t>(off < 0 ? -off : off) << 24) / (exact >> 16));
    }
  }
  EXPECT_LE(worst, 3U);
  EXPECT_LE(worst_estimate, std::uint64_t{1} << (40 - 18));
  EXPECT_GT(worst_estimate, std::uint64_t{1} << (40 - 24));  // else the step to the inverse is idle
}

TEST_F(ArithTest, the_short_way_to_a_direction_equals_the_specified_one) {
  int near_a_whole = 0;
  for (int i = 0; i < repeats(200'000); ++i) {
    const WideVec3 v = numbers_.vector<WideVec3>(1LL << numbers_.between(1, 34));
    if (is_zero(v)) {
      continue;
    }
    const ScaledVector s = scale_vector(v);
    ASSERT_EQ(inline_unit(v), divided_by_length(s.w, s.length)) << v.x << ' ' << v.y << ' ' << v.z;
    const std::int64_t rest = (s.w.x * k_one + (s.length >> 1)) % s.length;
    near_a_whole += rest != 0 && (rest < 1 << 14 || s.length - rest < 1 << 14) ? 1 : 0;
  }
  EXPECT_GT(near_a_whole, 20);  // where only the long way is exact
}

TEST_F(ArithTest, unit_vectors_have_length_one_and_the_direction_of_their_source) {
  for (int i = 0; i < repeats(100'000); ++i) {
    WideVec3 v(numbers_.graded(1LL << 45), numbers_.graded(1LL << 45), numbers_.graded(1LL << 45));
    if (is_zero(v)) {
      continue;
    }
    const Vec3 u = unit(v);
    const auto x = static_cast<long double>(v.x);
    const auto y = static_cast<long double>(v.y);
    const auto z = static_cast<long double>(v.z);
    const long double l = std::sqrt(x * x + y * y + z * z);
    // Vectors longer than 2^25 lose low bits; the length of the scaled one is floored.
    ASSERT_NEAR(static_cast<double>(u.x), static_cast<double>(x / l * k_one), 2.0) << v.x;
    ASSERT_NEAR(static_cast<double>(u.y), static_cast<double>(y / l * k_one), 2.0) << v.y;
    ASSERT_NEAR(static_cast<double>(u.z), static_cast<double>(z / l * k_one), 2.0) << v.z;
  }
  EXPECT_EQ(unit({0, 0, -1}), Vec3(0, 0, -k_one));
  EXPECT_EQ(unit({5, 0, 0}), Vec3(k_one, 0, 0));
  EXPECT_EQ(unit_or(WideVec3(0), Vec3(1, 2, 3)), Vec3(1, 2, 3));
}

TEST_F(ArithTest, normalising_the_zero_vector_is_a_broken_contract) {
  EXPECT_THROW((void)unit(WideVec3(0)), AssertionFailure);
}

TEST_F(ArithTest, length_is_right_to_22_bits) {
  EXPECT_EQ(length(WideVec3(0)), 0);
  EXPECT_EQ(length({3, 4, 0}), 5);
  EXPECT_EQ(length({-4096, 0, 0}), 4096);
  for (int i = 0; i < repeats(100'000); ++i) {
    const WideVec3 v(numbers_.graded(1LL << 33), numbers_.graded(1LL << 33),
                     numbers_.graded(1LL << 33));
    const auto x = static_cast<long double>(v.x);
    const auto y = static_cast<long double>(v.y);
    const auto z = static_cast<long double>(v.z);
    const auto exact = static_cast<double>(std::sqrt(x * x + y * y + z * z));
    ASSERT_NEAR(static_cast<double>(length(v)), exact, 1.0 + exact / (1 << 22));
  }
}

TEST_F(ArithTest, along_scales_a_direction_to_a_length) {
  EXPECT_EQ(along(Vec3(k_one, 0, -k_one), 4096), WideVec3(4096, 0, -4096));
  EXPECT_EQ(along(Vec3(k_one / 2, 1, -1), 0), WideVec3(0));
  for (int i = 0; i < repeats(50'000); ++i) {
    const std::int64_t n = numbers_.between(0, 4'500'000'000);
    const std::int64_t d = numbers_.extreme(k_one);
    const Wide expected = naive_floor_div(Wide{n >> 4} * d, 1 << 20);
    ASSERT_EQ(Wide{along(Vec3(static_cast<int>(d)), n).y}, expected);
  }
}

TEST_F(ArithTest, products_of_directions_round_to_nearest) {
  EXPECT_EQ(round24((1 << 23) - 1), 0);
  EXPECT_EQ(round24(1 << 23), 1);
  EXPECT_EQ(round24(-(1 << 23)), 0);
  EXPECT_EQ(round24(-(1 << 23) - 1), -1);
  const Vec3 x(k_one, 0, 0);
  const Vec3 y(0, k_one, 0);
  EXPECT_EQ(cross24(x, y), Vec3(0, 0, k_one));
  EXPECT_EQ(cross24(y, x), Vec3(0, 0, -k_one));
  EXPECT_EQ(dot24(x, y), 0);
  EXPECT_EQ(dot24(x, x), k_one);
}

TEST_F(ArithTest, mix_is_a_bijection_on_any_2_to_the_16_neighbours) {
  std::vector<std::uint32_t> seen;
  for (std::uint32_t x = 0; x < 65'536; ++x) {
    seen.push_back(mix(x * 65'537U));
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

// Golden: computed once with this code; SPEC.md repeats them.
TEST_F(ArithTest, mix_key_and_draw_have_their_golden_values) {
  EXPECT_EQ(mix(0), 0U);
  EXPECT_EQ(mix(1), 69'681'622U);
  EXPECT_EQ(mix(0xFFFF'FFFFU), 310'335'631U);
  EXPECT_EQ(key(42, Stream::wobble, 7), 1'496'586'710U);
  EXPECT_EQ(draw(key(42, Stream::wobble, 7), 3), 1'541'597'091U);
}

TEST_F(ArithTest, flipping_one_bit_of_a_seed_flips_about_half_of_a_draw) {
  for (int bit = 0; bit < 32; ++bit) {
    long flipped = 0;
    for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
      const std::uint32_t a = draw(key(seed, Stream::muzzle_spread, 0), 0);
      const std::uint32_t b = draw(key(seed ^ (1U << bit), Stream::muzzle_spread, 0), 0);
      flipped += std::popcount(a ^ b);
    }
    EXPECT_NEAR(static_cast<double>(flipped) / 2'000, 16.0, 0.5) << "bit " << bit;
  }
}

TEST_F(ArithTest, streams_and_indices_of_one_seed_are_unlike) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t stream = 1; stream <= 9; ++stream) {
    for (std::uint32_t index = 0; index < 1'024; ++index) {
      keys.push_back(key(12'345, static_cast<Stream>(stream), index));
    }
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST_F(ArithTest, ball_points_fill_the_unit_ball_and_never_leave_it) {
  std::int64_t largest = 0;
  WideVec3 sum(0);
  const int count = repeats(100'000);
  for (int i = 0; i < count; ++i) {
    const WideVec3 p(ball(static_cast<std::uint32_t>(numbers_.next()), 0));
    largest = std::max(largest, dot(p, p));
    sum += p;
  }
  EXPECT_LE(largest, std::int64_t{1} << 30);
  EXPECT_GT(largest, std::int64_t{1'000'000'000});
  EXPECT_LT(max_abs(sum) / count, 300);  // centred: one hundredth of the radius
}

TEST_F(ArithTest, case_06_launch_seeds_use_all_64_bits_of_the_session_seed) {
  const std::array<std::uint64_t, 9> seeds{0,
                                           1,
                                           42,
                                           std::uint64_t{1} << 31,
                                           0xFFFF'FFFFU,
                                           (std::uint64_t{1} << 53) + 1,
                                           std::uint64_t{1} << 63,
                                           ~std::uint64_t{0},
                                           static_cast<std::uint64_t>(-3'494'269'252'759'342'425)};
  std::vector<std::uint32_t> first;
  for (const std::uint64_t seed : seeds) {
    first.push_back(launch_seed(seed, 0));
  }
  // Golden: computed once with this code.
  EXPECT_EQ(first, (std::vector<std::uint32_t>{69'681'622U, 4'057'983'209U, 3'014'957'357U,
                                               2'320'258'457U, 0U, 3'931'336'140U, 756'263'405U,
                                               2'447'975'938U, 4'171'410'045U}));
}

}  // namespace
}  // namespace contrail::sim
