// Flights compiled side by side against flights compiled one by one.

#include <gtest/gtest.h>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/batch/batch_self_check.hpp>
#include <contrail/sim/batch/compile_flights.hpp>
#include <contrail/sim/batch/kernels.hpp>

#include "batch_targets.hpp"
#include "flight_samples.hpp"

namespace contrail::sim {
namespace {

using test::FlightSample;
using test::Numbers;

/// Lanes of the widest vector times two and some: every tail of every target.
constexpr std::size_t k_most = 2 * 8 + 1;

/// The first control point that differs, of all flights; -1: none. Flights one after the other.
long long first_difference(const FlightSample& s, const std::vector<Flight>& flights) {
  long long number = 0;
  for (std::size_t i = 0; i < flights.size(); ++i) {
    FlightSource source = s.source();
    const FlightSource own{source.launch, source.anchor, source.weapon, source.target_type,
                           static_cast<std::uint8_t>(s.index + i)};
    const Flight alone(own);
    EXPECT_EQ(flights[i].pieces(), alone.pieces());
    for (std::size_t p = 0; p < alone.points().size(); ++p, ++number) {
      if (flights[i].points()[p] != alone.points()[p]) {
        return number;
      }
    }
  }
  return -1;
}

/// Any flight, some with tangents, chords or everything degenerate.
FlightSample any_flight(Numbers& numbers, int number) {
  FlightSample s = test::random_flight(numbers, 1LL << numbers.between(1, 30));
  s.index = static_cast<std::uint8_t>(numbers.between(0, 255 - static_cast<long long>(k_most)));
  s.weapon.muzzle_handle = static_cast<std::int32_t>(numbers.between(0, 65'536));
  s.weapon.approach_handle = static_cast<std::int32_t>(numbers.between(0, 65'536));
  if (number % 3 == 0) {
    s.launch.pieces = static_cast<std::uint16_t>(numbers.between(1, 5));
  }
  if (number % 5 == 0) {
    s.weapon.muzzle_handle = 0;
  }
  if (number % 7 == 0) {
    s.weapon.approach_handle = 0;
  }
  if (number % 11 == 0) {
    // In a straight line, or everything in one point.
    s.weapon.muzzle_cone = s.weapon.approach_cone = {16'384, 0};
    s.anchor.launcher_velocity = s.anchor.target_velocity = Vec3(0);
    s.type.hull.assign(1, {Vec3(0), Vec3(0), 0});
    s.anchor.target_position = s.anchor.muzzle;
    if (number % 2 == 0) {
      s.anchor.target_position.z += static_cast<std::int32_t>(numbers.between(-(1 << 26), 1 << 26));
      s.anchor.muzzle_basis = {};
    }
  }
  return s;
}

class BatchFlights : public testing::TestWithParam<BatchTarget> {
 protected:
  std::uint64_t seed_ = test::seed_or(3);
  Numbers numbers_{seed_};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

TEST_P(BatchFlights, equal_flights_made_one_by_one_at_every_count) {
  for (int i = 0; i < test::repeats(180); ++i) {
    const FlightSample s = any_flight(numbers_, i);
    const auto count = static_cast<std::size_t>(i) % (k_most + 1);
    const std::vector<Flight> flights = compile_flights(GetParam(), s.source(), count);
    ASSERT_EQ(flights.size(), count);
    ASSERT_EQ(first_difference(s, flights), -1) << "case " << i;
  }
}

TEST_P(BatchFlights, equal_the_longest_flight_there_is) {
  FlightSample s = any_flight(numbers_, 1);
  s.launch.pieces = k_max_flight_pieces;
  EXPECT_EQ(first_difference(s, compile_flights(GetParam(), s.source(), 3)), -1);
}

TEST(NarrowFlights, keep_every_control_point_below_2_to_the_30) {
  const std::uint64_t seed = test::seed_or(4);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  std::int64_t largest_narrow = 0;
  int wide = 0;
  for (int i = 0; i < test::repeats(2'000); ++i) {
    FlightSample s = any_flight(numbers, i);
    const int bits = 25 + i % 6;
    s.anchor.muzzle = numbers.extreme_vector<Vec3>(1LL << bits);
    s.anchor.target_position = numbers.extreme_vector<Vec3>(1LL << bits);
    batch::FlightBlock flights{};
    batch::PieceBlock pieces{};
    batch::scalar_kernels().start(s.source(), flights, pieces);
    const bool narrow = batch::is_narrow(flights);
    wide += narrow ? 0 : 1;
    for (std::size_t lane = 0; narrow && lane < batch::k_lanes; ++lane) {
      FlightSample own = s;
      own.index = static_cast<std::uint8_t>(s.index + lane);
      const Flight flight(own.source());
      for (const Vec3& p : flight.points()) {
        largest_narrow = std::max(largest_narrow, max_abs(WideVec3(p)));
      }
    }
  }
  EXPECT_LT(largest_narrow, std::int64_t{1} << 30);
  // Controls: the bound is neither so low that nothing comes near it nor always kept.
  EXPECT_GT(largest_narrow, std::int64_t{1} << 28);
  EXPECT_GT(wide, 100);
}

TEST_P(BatchFlights, a_fault_of_one_unit_in_one_lane_is_found) {
  const FlightSample s = any_flight(numbers_, 1);
  std::vector<Flight> flights = compile_flights(GetParam(), s.source(), 5);
  const auto points = static_cast<long long>(flights[0].points().size());
  flights[3].displace_point(1, Vec3(0, 0, 1));
  EXPECT_EQ(first_difference(s, flights), 3 * points + 1);
}

TEST_P(BatchFlights, have_the_fingerprint_of_scalar_code) {
  EXPECT_EQ(batch_fingerprint(GetParam()).hex(), batch_fingerprint(BatchTarget::scalar).hex());
}

INSTANTIATE_TEST_SUITE_P(Targets, BatchFlights, testing::ValuesIn(batch_targets()),
                         test::target_test_name);

TEST(BatchTargets, begin_with_scalar_and_ascend) {
  const std::vector<BatchTarget> targets = batch_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), BatchTarget::scalar);
  EXPECT_TRUE(std::is_sorted(targets.begin(), targets.end()));
}

TEST(BatchTargets, the_start_up_check_passes_on_the_fastest) {
  const BatchChoice choice = choose_batch_target();
  EXPECT_TRUE(choice.refused.empty());
  BatchTarget fastest = batch_targets().back();
  fastest = fastest == BatchTarget::emulated ? BatchTarget::scalar : fastest;
  EXPECT_EQ(choice.target, fastest);
}

TEST(BatchTargets, the_start_up_check_refuses_a_target_that_is_off_by_one) {
  const BatchChoice sound = choose_batch_target();
  if (sound.target == BatchTarget::scalar) {
    GTEST_SKIP() << "no lanes on this machine";
  }
  const BatchChoice choice = choose_batch_target(sound.target);
  EXPECT_EQ(choice.refused, std::vector<BatchTarget>{sound.target});
  EXPECT_LT(choice.target, sound.target);
}

TEST(LazyFlight, compiles_no_more_than_it_is_asked_for) {
  Numbers numbers(9);
  FlightSample s = test::random_flight(numbers, 1 << 24);
  s.launch.pieces = 59;
  const Flight flight(s.source());
  EXPECT_EQ(flight.compiled_pieces(), 0);
  (void)flight.position(0);
  EXPECT_EQ(flight.compiled_pieces(), 1);
  (void)flight.position(Subtick{10} << s.launch.log2_piece);
  EXPECT_EQ(flight.compiled_pieces(), 11);
  (void)flight.position(0);
  EXPECT_EQ(flight.compiled_pieces(), 11);
  EXPECT_EQ(flight.points().size(), 178U);
  EXPECT_EQ(flight.compiled_pieces(), 59);
}

TEST(LazyFlight, is_the_same_in_whatever_order_it_is_asked) {
  Numbers numbers(test::seed_or(10));
  for (int i = 0; i < test::repeats(200); ++i) {
    const FlightSample s = any_flight(numbers, i);
    const Flight whole(s.source());
    const Flight asked(s.source());
    const std::vector<Vec3>& points = whole.points();
    for (int j = 0; j < 6; ++j) {
      const auto k = static_cast<int>(numbers.between(0, s.launch.pieces - 1));
      const Vec3* piece = asked.piece(k);
      for (int p = 0; p < 4; ++p) {
        ASSERT_EQ(piece[p], points[static_cast<std::size_t>(3 * k + p)]);
      }
    }
    ASSERT_EQ(asked.end(), points.back());
  }
}

TEST(LazyFlight, cannot_be_made_of_an_impossible_number_of_points) {
  EXPECT_THROW(Flight(std::vector<Vec3>(6), 10), AssertionFailure);
}

}  // namespace
}  // namespace contrail::sim
