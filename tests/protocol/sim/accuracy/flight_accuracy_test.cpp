#include <gtest/gtest.h>

#include <cstdio>

#include <contrail/sim/frame.hpp>
#include <contrail/sim/noise.hpp>

#include "launches.hpp"

namespace contrail::sim {
namespace {

using reference::Bezier;
using reference::Vector;
using test::FlightSample;
using test::Numbers;

long double largest_axis(const Vector& v) {
  return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
}

/// The wobble at a time in noise cells, from the hashed knots.
std::array<long double, 2> wobble(const Noise& noise, long double cells) {
  const auto cell = static_cast<std::uint32_t>(std::floor(cells));
  const long double t = cells - std::floor(cells);
  std::array<Noise2, 4> k;
  for (std::uint32_t i = 0; i < 4; ++i) k[i] = noise_knot(noise.keys().x, cell + i);
  const auto channel = [&](auto of) {
    return reference::b_spline(of(k[0]), of(k[1]), of(k[2]), of(k[3]), t) / 32'768;
  };
  return {channel([](const Noise2& n) { return static_cast<long double>(n.x); }),
          channel([](const Noise2& n) { return static_cast<long double>(n.y); })};
}

/// A whole flight in long double, from its base curve, amplitude and noise knots.
std::vector<Bezier> reference_flight(const FlightSample& s) {
  const BaseCurve base = base_curve(s.source());
  const Bezier curve = test::bezier(base.p);
  const reference::Axes first = reference::first_axes(reference::unit(curve.slope(0)));
  const Noise noise(s.weapon.noise, s.launch.seed, s.index);
  const int n = s.launch.pieces;
  std::vector<Vector> knots(static_cast<std::size_t>(n) + 1);
  for (int k = 1; k < n; ++k) {
    // The parameter and the argument of the noise are defined on their lattices.
    const long double u = std::floor(k * 1'048'576.0L / n) / 1'048'576;
    const std::int64_t argument =
        ((std::int64_t{k} << s.launch.log2_piece) * s.weapon.frequency) >> 16;
    const auto [x, y] = wobble(noise, static_cast<long double>(argument) / 65'536);
    const long double reach = base.amplitude * 16 * u * u * (1 - u) * (1 - u);
    const reference::Axes axes = reference::recursion(curve, first, u);
    knots[static_cast<std::size_t>(k)] = curve.at(u) + axes.r * (reach * x) + axes.s * (reach * y);
  }
  return reference::clamped_spline(knots, curve.p[0], (curve.p[1] - curve.p[0]) * (3.0L / n),
                                   curve.p[3], (curve.p[3] - curve.p[2]) * (3.0L / n));
}

TEST(FlightAccuracy, whole_flights_are_those_in_long_double_to_eight_units_and_their_envelope) {
  const std::uint64_t seed = test::seed_or(107);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  // The envelope has 16 bits, its steepest slope is 3.1: 1/20000 of the amplitude.
  long double worst = 0;
  for (int i = 0; i < test::repeats(500); ++i) {
    FlightSample s = test::missile_like(numbers, 120);
    s.weapon.amplitude = static_cast<std::int32_t>(numbers.between(0, 100 * k_units_per_metre));
    if (i % 5 == 0) s.launch.pieces = static_cast<std::uint16_t>(numbers.between(1, 5));
    const Flight flight(s.source());
    const std::vector<Bezier> exact = reference_flight(s);
    for (int j = 0; j < 20; ++j) {
      const Subtick t = numbers.between(0, flight.duration());
      const auto piece = std::min<Subtick>(t >> 13, flight.pieces() - 1);
      const long double u = static_cast<long double>(t - (piece << 13)) / 8'192;
      const Vector off =
          reference::from(flight.position(t)) - exact[static_cast<std::size_t>(piece)].at(u);
      worst = std::max(worst, largest_axis(off) - s.weapon.amplitude / 20'000.0L);
    }
  }
  std::printf("flights: off by %.3Lf units at most beside 1/20000 of the amplitude\n", worst);
  EXPECT_LE(worst, 8);
  EXPECT_GT(worst, 1);
}

TEST(FlightAccuracy, control_a_flight_with_one_wrong_knot_is_noticed) {
  Numbers numbers(108);
  FlightSample s = test::missile_like(numbers, 60);
  s.weapon.amplitude = 40'960;
  const std::vector<Bezier> exact = reference_flight(s);
  Flight flight(s.source());
  flight.displace_point(3 * static_cast<std::size_t>(flight.pieces() / 2) + 1, Vec3(0, 60, 0));
  long double worst = 0;
  for (Subtick t = 0; t <= flight.duration(); t += 512) {
    const auto piece = std::min<Subtick>(t >> 13, flight.pieces() - 1);
    const long double u = static_cast<long double>(t - (piece << 13)) / 8'192;
    worst = std::max(worst, largest_axis(reference::from(flight.position(t)) -
                                         exact[static_cast<std::size_t>(piece)].at(u)));
  }
  EXPECT_GT(worst, 8);
}

/// Jumps at the joints of a flight: of a piece's end point against the mean of its neighbours
/// (slope), and of the neighbours' far sides seen from the joint (second derivative): the two
/// pieces of a uniform B-spline have one point 2 b - a = 2 c - d on both sides of a joint.
struct Jumps {
  long double slope = 0;
  long double second = 0;
};

Jumps jumps(const Flight& flight) {
  Jumps worst;
  const std::vector<Vec3>& p = flight.points();
  for (std::size_t j = 3; j + 3 < p.size(); j += 3) {
    const auto at = [&](std::size_t i) { return reference::from(p[i]); };
    worst.slope = std::max(worst.slope, largest_axis(at(j) * 2 - at(j - 1) - at(j + 1)));
    const Vector left = at(j - 1) * 2 - at(j - 2);
    const Vector right = at(j + 1) * 2 - at(j + 2);
    worst.second = std::max(worst.second, largest_axis(left - right));
  }
  return worst;
}

TEST(FlightAccuracy, joints_have_two_derivatives_within_two_units) {
  const std::uint64_t seed = test::seed_or(109);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  Jumps worst;
  for (int i = 0; i < test::repeats(3'000); ++i) {
    const Flight flight(test::random_flight(numbers, 1LL << numbers.between(10, 28)).source());
    const Jumps seen = jumps(flight);
    worst.slope = std::max(worst.slope, seen.slope);
    worst.second = std::max(worst.second, seen.second);
  }
  std::printf("joints: slope within %.0Lf, second derivative within %.0Lf units\n", worst.slope,
              worst.second);
  EXPECT_LE(worst.slope, 2);
  EXPECT_LE(worst.second, 2);
}

TEST(FlightAccuracy, control_a_point_three_units_off_is_a_jump) {
  Numbers numbers(110);
  Flight flight(test::missile_like(numbers, 60).source());
  flight.displace_point(4, Vec3(3, 0, 0));
  EXPECT_GT(jumps(flight).second, 2);
}

TEST(FlightAccuracy, muzzle_impact_and_both_directions_are_those_of_the_base_curve) {
  const std::uint64_t seed = test::seed_or(111);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  for (int i = 0; i < test::repeats(3'000); ++i) {
    FlightSample s = test::random_flight(numbers, 1 << 26);
    const Flight flight(s.source());
    const BaseCurve base = base_curve(s.source());
    ASSERT_EQ(flight.position(0), base.p[0]);
    ASSERT_EQ(flight.position(flight.duration()), base.p[3]);
    const std::vector<Vec3>& p = flight.points();
    const long double n = flight.pieces();
    const Vector first = (reference::from(p[1]) - reference::from(p[0])) * n;
    const Vector last = (reference::from(p[p.size() - 1]) - reference::from(p[p.size() - 2])) * n;
    // A row of the first piece is an n-th of the curve's; both divisions floor.
    ASSERT_LE(largest_axis(first - (reference::from(base.p[1]) - reference::from(base.p[0]))),
              n * 4 / 3 + 1);
    ASSERT_LE(largest_axis(last - (reference::from(base.p[3]) - reference::from(base.p[2]))),
              n * 4 / 3 + 1);
  }
}

}  // namespace
}  // namespace contrail::sim
