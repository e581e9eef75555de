#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <contrail/sim/noise.hpp>
#include <fstream>
#include <sstream>

#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using test::Numbers;

constexpr std::array<NoiseKind, 2> k_kinds{NoiseKind::bspline, NoiseKind::perlin};

std::int64_t square(const Noise2& n) {
  return n.x * n.x + n.y * n.y;
}

TEST(NoiseTest, noise_stays_in_the_unit_disc) {
  const std::uint64_t seed = test::seed_or(8);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  // One unit of rounding a channel.
  const std::int64_t limit = (k_noise_one + 2) * (k_noise_one + 2);
  for (const NoiseKind kind : k_kinds) {
    std::int64_t largest = 0;
    for (int i = 0; i < test::repeats(200'000); ++i) {
      const Noise noise(kind, static_cast<std::uint32_t>(numbers.next()),
                        static_cast<std::uint32_t>(numbers.next() % 255));
      largest = std::max(largest, square(noise.at(numbers.between(0, (1LL << 41) - 1))));
    }
    EXPECT_LE(largest, limit);
    EXPECT_GT(largest, limit / 4) << "the noise hardly moves";
  }
}

TEST(NoiseTest, weights_of_extreme_knots_stay_in_the_disc) {
  for (std::int64_t t = 0; t < 65'536; ++t) {
    const Noise2 low{-32'768, 0};
    ASSERT_EQ(bspline_noise(low, low, low, low, t), (Noise2{-k_noise_one, 0}));
    const Noise2 high{32'767, 0};
    ASSERT_EQ(bspline_noise(high, high, high, high, t).x, 6 * 32'767);
  }
}

TEST(NoiseTest, knots_are_inside_the_disc_and_cover_it) {
  std::int64_t largest = 0;
  std::array<int, 4> quadrant{};
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const Noise2 knot = noise_knot(99, i);
    largest = std::max(largest, square(knot));
    ++quadrant[static_cast<std::size_t>((knot.x < 0 ? 1 : 0) + (knot.y < 0 ? 2 : 0))];
  }
  EXPECT_LE(largest, std::int64_t{1} << 30);
  for (const int count : quadrant) {
    EXPECT_NEAR(count, 25'000, 800);
  }
}

/// Largest jump of the values and of their first two differences between neighbours, relative to
/// the largest of their kind, over cells of one missile.
struct Roughness {
  double value = 0;
  double slope = 0;
  double bend = 0;
};

Roughness roughness(NoiseKind kind, std::int64_t step) {
  const Noise noise(kind, 2'026, 3);
  std::array<double, 4> x{};
  Roughness worst;
  for (std::int64_t i = 0; i < 64 * 65'536 / step; ++i) {
    x = {x[1], x[2], x[3], static_cast<double>(noise.at(i * step).x) / k_noise_one};
    if (i < 4) {
      continue;
    }
    worst.value = std::max(worst.value, std::abs(x[3] - x[2]));
    worst.slope = std::max(worst.slope, std::abs(x[3] - 2 * x[2] + x[1]));
    worst.bend = std::max(worst.bend, std::abs(x[3] - 3 * x[2] + 3 * x[1] - x[0]));
  }
  return worst;
}

TEST(NoiseTest, noise_is_smooth_to_the_second_derivative) {
  for (const NoiseKind kind : k_kinds) {
    const Roughness coarse = roughness(kind, 4'096);
    const Roughness fine = roughness(kind, 2'048);
    // Half the step: half the difference, a quarter of the second, an eighth of the third.
    EXPECT_NEAR(fine.value / coarse.value, 1.0 / 2, 0.06);
    EXPECT_NEAR(fine.slope / coarse.slope, 1.0 / 4, 0.06);
    EXPECT_LT(fine.bend / coarse.bend, 1.0 / 5);
  }
}

TEST(NoiseTest, perlin_phases_keep_the_swarm_from_meeting_on_the_lattice) {
  // Without a phase gradient noise is zero at every whole cell, for every missile at once.
  int near_zero = 0;
  for (std::uint32_t missile = 0; missile < 255; ++missile) {
    const Noise2 n = Noise(NoiseKind::perlin, 7, missile).at(5 * 65'536);
    near_zero += square(n) < (k_noise_one / 50) * (k_noise_one / 50) ? 1 : 0;
  }
  EXPECT_LT(near_zero, 25);
}

TEST(NoiseTest, control_gradient_noise_is_zero_where_its_phase_puts_the_lattice) {
  const std::uint32_t own = key(7, Stream::perlin_x, 0);
  const std::int64_t phase = draw(own, 0) >> 16;
  for (std::int64_t cell = 1; cell < 100; ++cell) {
    ASSERT_EQ(perlin_noise(own, cell * 65'536 - phase), 0);
  }
}

TEST(NoiseTest, missiles_of_one_salvo_weave_differently) {
  for (const NoiseKind kind : k_kinds) {
    const Noise a(kind, 1, 0);
    const Noise b(kind, 1, 1);
    int equal = 0;
    for (std::int64_t i = 0; i < 1'000; ++i) {
      equal += a.at(i * 10'000) == b.at(i * 10'000) ? 1 : 0;
    }
    EXPECT_LT(equal, 2);
  }
}

/// The golden table: 16 values of both noises for eight session seeds.
std::string golden_text() {
  const std::array<std::uint64_t, 8> seeds{0,
                                           1,
                                           42,
                                           std::uint64_t{1} << 31,
                                           0xFFFF'FFFFU,
                                           (std::uint64_t{1} << 53) + 1,
                                           std::uint64_t{1} << 63,
                                           ~std::uint64_t{0}};
  std::ostringstream text;
  text << "# noise kind, session seed, argument (Q16 cells), x, y of missile 0 of launch 0\n";
  for (const NoiseKind kind : k_kinds) {
    for (const std::uint64_t seed : seeds) {
      const Noise noise(kind, launch_seed(seed, 0), 0);
      for (std::int64_t j = 0; j < 16; ++j) {
        const Noise2 n = noise.at(j * 21'845);
        text << (kind == NoiseKind::bspline ? "bspline " : "perlin ") << seed << ' ' << j * 21'845
             << ' ' << n.x << ' ' << n.y << '\n';
      }
    }
  }
  return text.str();
}

TEST(NoiseTest, case_06_the_golden_table_is_reproduced) {
  const std::string computed = golden_text();
  if (std::getenv("CONTRAIL_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(CONTRAIL_GOLDEN_DIR "/noise.txt") << computed;
  }
  std::ifstream file(CONTRAIL_GOLDEN_DIR "/noise.txt");
  ASSERT_TRUE(file) << "golden/noise.txt is missing";
  std::ostringstream committed;
  committed << file.rdbuf();
  EXPECT_EQ(computed, committed.str());
}

}  // namespace
}  // namespace contrail::sim
