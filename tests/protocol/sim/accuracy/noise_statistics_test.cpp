#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include <contrail/sim/noise.hpp>

#include "launches.hpp"

namespace contrail::sim {
namespace {

constexpr std::array<NoiseKind, 2> k_kinds{NoiseKind::bspline, NoiseKind::perlin};
constexpr double k_one_noise = static_cast<double>(k_noise_one);

const char* name_of(NoiseKind kind) {
  return kind == NoiseKind::bspline ? "B-spline" : "gradient";
}

/// Pearson's correlation of pairs, as they come.
class Correlation {
 public:
  void add(double a, double b) {
    ++count_;
    a_ += a;
    b_ += b;
    aa_ += a * a;
    bb_ += b * b;
    ab_ += a * b;
  }
  /// In standard deviations of what independent pairs would give.
  [[nodiscard]] double sigmas() const {
    const double n = count_;
    const double covariance = ab_ / n - a_ / n * (b_ / n);
    const double variance = (aa_ / n - a_ / n * (a_ / n)) * (bb_ / n - b_ / n * (b_ / n));
    return covariance / std::sqrt(variance) * std::sqrt(n);
  }
  [[nodiscard]] double mean_sigmas() const {
    const double n = count_;
    return a_ / n / std::sqrt((aa_ / n - a_ / n * (a_ / n)) / n);
  }

 private:
  double count_ = 0, a_ = 0, b_ = 0, aa_ = 0, bb_ = 0, ab_ = 0;
};

using NoiseOf = std::function<Noise(std::uint32_t seed, std::uint32_t index)>;

/// The largest correlation of missiles with their neighbours in seed, index and both, over both
/// channels, in standard deviations.
double neighbour_correlation(const NoiseOf& noise_of, int missiles, std::uint32_t base) {
  enum { next_index, next_seed, crossed, far_index, channels, k_pairs };
  std::array<std::array<Correlation, 2>, k_pairs> pairs;
  for (int i = 0; i < missiles; ++i) {
    const auto seed = base + static_cast<std::uint32_t>(i / 255);
    const auto index = static_cast<std::uint32_t>(i % 255);
    const std::int64_t cells = 4 * 65'536 + (i % 64) * 1'024;
    const Noise2 own = noise_of(seed, index).at(cells);
    const auto add = [&](int pair, const Noise2& other) {
      pairs[static_cast<std::size_t>(pair)][0].add(static_cast<double>(own.x),
                                                   static_cast<double>(other.x));
      pairs[static_cast<std::size_t>(pair)][1].add(static_cast<double>(own.y),
                                                   static_cast<double>(other.y));
    };
    add(next_index, noise_of(seed, index + 1).at(cells));
    add(next_seed, noise_of(seed + 1, index).at(cells));
    add(crossed, noise_of(seed - 1, index + 1).at(cells));
    add(far_index, noise_of(seed, index + 32).at(cells));
    add(channels, Noise2{own.y, own.x});
  }
  double worst = 0;
  for (const auto& pair : pairs) {
    for (const Correlation& c : pair) {
      worst = std::max({worst, std::abs(c.sigmas()), std::abs(c.mean_sigmas())});
    }
  }
  return worst;
}

TEST(NoiseStatistics, missiles_with_neighbouring_seeds_and_indices_do_not_correlate) {
  const auto seed = static_cast<std::uint32_t>(test::seed_or(2'026));
  SCOPED_TRACE("seed " + std::to_string(seed));
  const int missiles = test::repeats_up_to(200'000, 1'000'000);
  for (const NoiseKind kind : k_kinds) {
    const double worst = neighbour_correlation(
        [kind](std::uint32_t s, std::uint32_t i) { return Noise(kind, s, i); }, missiles, seed);
    std::printf("%s noise of %d missiles: correlation and mean within %.2f sigma\n", name_of(kind),
                missiles, worst);
    EXPECT_LT(worst, 4);
  }
}

TEST(NoiseStatistics, control_a_key_that_adds_seed_and_index_correlates) {
  const double worst = neighbour_correlation(
      [](std::uint32_t s, std::uint32_t i) {
        return Noise(NoiseKeys{NoiseKind::bspline, s + i, 0});
      },
      20'000, 5);
  EXPECT_GT(worst, 100);
}

/// Power over frequency (cycles a cell, in eighths), of windows of 64 cells, 8 samples a cell.
std::vector<double> spectrum(NoiseKind kind, int missiles) {
  constexpr int k_samples = 512;
  std::vector<double> power(k_samples / 2);
  for (int m = 0; m < missiles; ++m) {
    const Noise noise(kind, 77, static_cast<std::uint32_t>(m));
    std::array<double, k_samples> x{};
    for (int i = 0; i < k_samples; ++i) {
      const double window = 0.5 - 0.5 * std::cos(2 * M_PI * i / k_samples);
      x[static_cast<std::size_t>(i)] =
          window * static_cast<double>(noise.at(i * 8'192LL).x) / k_one_noise;
    }
    for (int f = 0; f < k_samples / 2; ++f) {
      double re = 0, im = 0;
      for (int i = 0; i < k_samples; ++i) {
        const double angle = 2 * M_PI * ((f * i) % k_samples) / k_samples;
        re += x[static_cast<std::size_t>(i)] * std::cos(angle);
        im += x[static_cast<std::size_t>(i)] * std::sin(angle);
      }
      power[static_cast<std::size_t>(f)] += re * re + im * im;
    }
  }
  return power;
}

/// Share of the power from one frequency on, cycles a cell.
double share_from(const std::vector<double>& power, double frequency) {
  double all = 0, high = 0;
  for (std::size_t f = 0; f < power.size(); ++f) {
    all += power[f];
    if (static_cast<double>(f) / 64 >= frequency) high += power[f];
  }
  return high / all;
}

TEST(NoiseStatistics, the_power_lies_below_one_cycle_a_cell) {
  const std::vector<double> spline = spectrum(NoiseKind::bspline, 40);
  // (sin pi f / pi f)^8: half of it below 0.13 cycles a cell, next to nothing from 0.75 on.
  EXPECT_NEAR(share_from(spline, 0.13), 0.5, 0.1);
  EXPECT_LT(share_from(spline, 0.75), 2e-3);
  EXPECT_LT(share_from(spline, 1.25), 1e-4);
  const std::vector<double> gradient = spectrum(NoiseKind::perlin, 40);
  std::printf(
      "power from 0.75 cycles a cell on: B-spline %.2e, gradient %.2e; from 1.25: %.2e, %.2e\n",
      share_from(spline, 0.75), share_from(gradient, 0.75), share_from(spline, 1.25),
      share_from(gradient, 1.25));
  EXPECT_GT(share_from(gradient, 0.25), 0.5) << "gradient noise has no low frequencies";
  EXPECT_LT(share_from(gradient, 1.25), 0.02);
}

TEST(NoiseStatistics, control_white_noise_has_its_power_everywhere) {
  std::vector<double> white(256, 1.0);
  EXPECT_GT(share_from(white, 1.25), 0.5);
}

/// Neighbouring knots of one missile share B-spline weights 1, 4, 1 over 6: correlation 8/18 at one
/// cell, 1/18 at two, none from three on.
TEST(NoiseStatistics, a_missile_forgets_its_wobble_in_three_cells) {
  std::array<Correlation, 5> lag;
  const int missiles = test::repeats(50'000);
  for (int i = 0; i < missiles; ++i) {
    const Noise noise(NoiseKind::bspline, 9, static_cast<std::uint32_t>(i));
    for (int k = 0; k < 5; ++k) {
      lag[static_cast<std::size_t>(k)].add(static_cast<double>(noise.at(0).x),
                                           static_cast<double>(noise.at(k * 65'536LL).x));
    }
  }
  const double n = std::sqrt(missiles);
  EXPECT_NEAR(lag[1].sigmas() / n, 8.0 / 18, 4 / n);
  EXPECT_NEAR(lag[2].sigmas() / n, 1.0 / 18, 4 / n);
  EXPECT_LT(std::abs(lag[3].sigmas()), 4);
  EXPECT_LT(std::abs(lag[4].sigmas()), 4);
}

/// Root mean square distance of a salvo of 255 from its centre line at one time, of 1.0.
double swarm_radius(const NoiseOf& noise_of, std::uint32_t seed, std::int64_t cells) {
  double sum = 0;
  for (std::uint32_t i = 0; i < 255; ++i) {
    const Noise2 n = noise_of(seed, i).at(cells);
    sum += static_cast<double>(n.x) * static_cast<double>(n.x) +
           static_cast<double>(n.y) * static_cast<double>(n.y);
  }
  return std::sqrt(sum / 255) / k_one_noise;
}

/// The smallest and the mean of 16 salvos over 16 cells, on the lattice and between.
std::pair<double, double> swarm(const NoiseOf& noise_of) {
  double smallest = 1, sum = 0;
  int count = 0;
  for (std::uint32_t seed = 0; seed < 16; ++seed) {
    for (std::int64_t cells = 0; cells < 16 * 65'536; cells += 8'192) {
      const double radius = swarm_radius(noise_of, seed, cells);
      smallest = std::min(smallest, radius);
      sum += radius;
      ++count;
    }
  }
  return {smallest, sum / count};
}

TEST(NoiseStatistics, the_radius_of_a_swarm_never_collapses) {
  for (const NoiseKind kind : k_kinds) {
    const auto [smallest, mean] =
        swarm([kind](std::uint32_t s, std::uint32_t i) { return Noise(kind, s, i); });
    std::printf("%s swarm: radius %.3f on average, %.3f at least\n", name_of(kind), mean, smallest);
    EXPECT_GT(smallest, mean * (kind == NoiseKind::bspline ? 0.6 : 0.7));
  }
}

TEST(NoiseStatistics, control_gradient_noise_without_phases_collapses) {
  double smallest = 1;
  for (std::int64_t cells = 65'536 * 4; cells < 65'536 * 5; cells += 8'192) {
    double sum = 0;
    for (std::uint32_t i = 0; i < 255; ++i) {
      const Noise noise(NoiseKind::perlin, 3, i);
      const auto bare = [&](std::uint32_t own) {
        const std::int64_t phase = draw(own, 0) >> 16;
        return static_cast<double>(perlin_noise(own, cells - phase));
      };
      sum +=
          bare(noise.keys().x) * bare(noise.keys().x) + bare(noise.keys().y) * bare(noise.keys().y);
    }
    smallest = std::min(smallest, std::sqrt(sum / 255) / k_one_noise);
  }
  EXPECT_LT(smallest, 1e-3);
}

TEST(NoiseStatistics, the_wobble_fills_its_disc_and_does_not_leave_it) {
  const int missiles = test::repeats_up_to(200'000, 1'000'000);
  for (const NoiseKind kind : k_kinds) {
    double largest = 0;
    for (int i = 0; i < missiles; ++i) {
      const Noise2 n =
          Noise(kind, static_cast<std::uint32_t>(i / 255), static_cast<std::uint32_t>(i % 255))
              .at((i % 97) * 5'003LL);
      largest = std::max(largest, std::hypot(static_cast<double>(n.x), static_cast<double>(n.y)));
    }
    std::printf("%s noise reaches %.4f\n", name_of(kind), largest / k_one_noise);
    EXPECT_LE(largest, k_one_noise + 2);
    EXPECT_GT(largest, 0.75 * k_one_noise);
  }
}

}  // namespace
}  // namespace contrail::sim
