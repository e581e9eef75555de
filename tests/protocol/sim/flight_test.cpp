#include <gtest/gtest.h>

#include <cmath>
#include <contrail/sim/assert.hpp>
#include <contrail/sim/flight.hpp>
#include <contrail/sim/frame.hpp>

#include "flight_samples.hpp"

namespace contrail::sim {
namespace {

using test::FlightSample;
using test::Numbers;
using test::random_flight;

class FlightTest : public testing::Test {
 protected:
  std::uint64_t seed_ = test::seed_or(12);
  Numbers numbers_{seed_};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

double length_of(const WideVec3& v) {
  return std::hypot(static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z));
}

/// Angle between two vectors, degrees.
double degrees_between(const WideVec3& a, const WideVec3& b) {
  const double dot = static_cast<double>(a.x) * static_cast<double>(b.x) +
                     static_cast<double>(a.y) * static_cast<double>(b.y) +
                     static_cast<double>(a.z) * static_cast<double>(b.z);
  const double cosine = dot / (length_of(a) * length_of(b));
  return std::acos(std::clamp(cosine, -1.0, 1.0)) * 57.29577951308232;
}

/// Largest jump of position, first and second difference over the joints of a flight, in length
/// units of control points: the pieces have one duration, so the differences compare directly.
struct JointErrors {
  std::int64_t slope = 0;
  std::int64_t bend = 0;
};

JointErrors joint_errors(const Flight& flight) {
  JointErrors worst;
  const std::vector<Vec3>& p = flight.points();
  for (std::size_t j = 3; j + 3 < p.size(); j += 3) {
    const auto at = [&](std::size_t i) { return WideVec3(p[i]); };
    const WideVec3 left = at(j) - at(j - 1);
    const WideVec3 right = at(j + 1) - at(j);
    const WideVec3 bend_left = at(j) - at(j - 1) * std::int64_t{2} + at(j - 2);
    const WideVec3 bend_right = at(j + 2) - at(j + 1) * std::int64_t{2} + at(j);
    worst.slope = std::max(worst.slope, max_abs(left - right));
    worst.bend = std::max(worst.bend, max_abs(bend_left - bend_right));
  }
  return worst;
}

TEST_F(FlightTest, a_flight_begins_at_the_muzzle_and_ends_at_the_predicted_aim_point) {
  for (int i = 0; i < test::repeats(3'000); ++i) {
    const FlightSample s = random_flight(numbers_, std::int64_t{1} << numbers_.between(10, 30));
    const Flight flight(s.source());
    const BaseCurve base = base_curve(s.source());
    ASSERT_EQ(flight.position(0), base.p[0]);
    ASSERT_EQ(flight.position(flight.duration()), base.p[3]);
    const Vec3 offset = aim_offset(s.launch.seed, s.index, 0, s.type);
    const Subtick end = end_time(s.launch, s.weapon, s.index);
    ASSERT_EQ(WideVec3(base.p[3]), predicted_aim(s.source(), offset, end));
    ASSERT_EQ(flight.duration(), end - launch_time(s.launch, s.weapon, s.index));
    // Before and after it stands still.
    ASSERT_EQ(flight.position(-5), base.p[0]);
    ASSERT_EQ(flight.position(flight.duration() + 5), base.p[3]);
  }
}

TEST_F(FlightTest, pieces_join_with_two_derivatives_within_two_units) {
  for (int i = 0; i < test::repeats(3'000); ++i) {
    const FlightSample s = random_flight(numbers_, std::int64_t{1} << numbers_.between(10, 28));
    const Flight flight(s.source());
    const JointErrors errors = joint_errors(flight);
    ASSERT_LE(errors.slope, 2) << "flight " << i;
    ASSERT_LE(errors.bend, 4) << "flight " << i;  // twice two rounded thirds
  }
}

TEST_F(FlightTest, control_a_displaced_knot_breaks_the_join) {
  const FlightSample s = random_flight(numbers_, 1 << 24);
  Flight flight(s.source());
  while (flight.pieces() < 3) {
    flight = Flight(random_flight(numbers_, 1 << 24).source());
  }
  const Vec3 before = flight.position(flight.duration() / 2);
  flight.displace_point(3, Vec3(8, 0, 0));
  EXPECT_GT(joint_errors(flight).slope, 2);
  flight.displace_point(3 * static_cast<std::size_t>(flight.pieces()) / 2, Vec3(0, 40'960, 0));
  EXPECT_NE(flight.position(flight.duration() / 2), before);
  EXPECT_THROW(flight.displace_point(flight.points().size(), Vec3(1)), AssertionFailure);
}

TEST_F(FlightTest, position_is_continuous_across_every_joint) {
  for (int i = 0; i < test::repeats(200); ++i) {
    FlightSample s = random_flight(numbers_, 1 << 24);
    s.launch.log2_piece = 13;
    const Flight flight(s.source());
    for (int piece = 1; piece < flight.pieces(); ++piece) {
      const Subtick t = Subtick{piece} << flight.log2_piece();
      const std::int64_t before =
          max_abs(WideVec3(flight.position(t)) - WideVec3(flight.position(t - 1)));
      const std::int64_t after =
          max_abs(WideVec3(flight.position(t + 1)) - WideVec3(flight.position(t)));
      ASSERT_LE(std::abs(before - after), 8) << "flight " << i << " piece " << piece;
    }
  }
}

TEST_F(FlightTest, case_05_the_wobble_leaves_muzzle_impact_and_both_end_directions_alone) {
  for (int i = 0; i < test::repeats(10'000); ++i) {
    FlightSample s = random_flight(numbers_, 1 << 24);
    s.weapon.amplitude = 5 * k_units_per_metre;
    const BaseCurve base = base_curve(s.source());
    const Flight flight(s.source());
    ASSERT_EQ(flight.position(0), base.p[0]);
    ASSERT_EQ(flight.position(flight.duration()), base.p[3]);
    const std::vector<Vec3>& p = flight.points();
    // Rounding of a short end row is all that may turn it.
    const WideVec3 last = WideVec3(p.back()) - WideVec3(p[p.size() - 2]);
    const WideVec3 first = WideVec3(p[1]) - WideVec3(p[0]);
    const double last_slack = 0.01 + 115.0 / std::max(1.0, length_of(last));
    const double first_slack = 0.01 + 115.0 / std::max(1.0, length_of(first));
    ASSERT_LT(degrees_between(last, WideVec3(base.p[3]) - WideVec3(base.p[2])), last_slack);
    ASSERT_LT(degrees_between(first, WideVec3(base.p[1]) - WideVec3(base.p[0])), first_slack);
  }
}

TEST_F(FlightTest, case_05_amplitude_zero_flies_the_base_curve_as_a_spline) {
  for (int i = 0; i < test::repeats(200); ++i) {
    FlightSample s = random_flight(numbers_, 1 << 24);
    s.weapon.amplitude = 0;
    s.launch.pieces = 59;
    const BaseCurve base = base_curve(s.source());
    const Flight flight(s.source());
    const double scale = static_cast<double>(length(WideVec3(base.p[3]) - WideVec3(base.p[0])));
    for (Subtick t = 0; t <= flight.duration(); t += flight.duration() / 64) {
      const std::int64_t u = floor_div(t << 20, flight.duration());
      const WideVec3 off = WideVec3(flight.position(t)) - WideVec3(cubic_point(base.p, u, 20));
      // A uniform B-spline over points of a cubic is off by a sixth of their second difference.
      ASSERT_LT(length_of(off), 40 + scale / 200) << "flight " << i << " t " << t;
    }
  }
}

TEST_F(FlightTest, case_05_the_amplitude_is_at_most_an_eighth_of_the_chord) {
  FlightSample s = random_flight(numbers_, 1 << 24);
  s.anchor.launcher_velocity = s.anchor.target_velocity = Vec3(0);
  s.anchor.muzzle = Vec3(0);
  s.anchor.target_position = Vec3(k_units_per_metre, 0, 0);
  s.type.hull = {{Vec3(0), Vec3(0), 0}};
  s.weapon.amplitude = 5 * k_units_per_metre;
  const BaseCurve base = base_curve(s.source());
  EXPECT_EQ(base.amplitude, k_units_per_metre / 8);
  s.weapon.amplitude = 100;
  EXPECT_EQ(base_curve(s.source()).amplitude, 100);
}

TEST_F(FlightTest, the_wobble_moves_the_missile_off_its_base_curve) {
  FlightSample s = random_flight(numbers_, 1 << 24);
  s.launch.pieces = 59;
  s.launch.log2_piece = 13;
  s.weapon.frequency = 60'000;
  s.weapon.amplitude = 100'000;
  const Flight wild(s.source());
  s.weapon.amplitude = 0;
  const Flight calm(s.source());
  std::int64_t largest = 0;
  for (Subtick t = 0; t <= wild.duration(); t += 4'096) {
    largest = std::max(largest, max_abs(WideVec3(wild.position(t)) - WideVec3(calm.position(t))));
  }
  EXPECT_GT(largest, 20'000);
  EXPECT_LT(largest, 105'000);
}

TEST_F(FlightTest, launch_directions_stay_inside_their_cone) {
  for (int i = 0; i < test::repeats(20'000); ++i) {
    FlightSample s = random_flight(numbers_, 1 << 24);
    const double angle = 0.1 + 0.01 * static_cast<double>(numbers_.between(0, 8'900));
    const double sine = std::sin(angle / 57.29577951308232);
    s.weapon.muzzle_cone = {16'384, static_cast<std::int32_t>(std::floor(16'384 * sine))};
    const BaseCurve base = base_curve(s.source());
    const WideVec3 start = WideVec3(base.p[1]) - WideVec3(base.p[0]);
    const double row = length_of(start);
    if (row < 100'000) {
      continue;  // too short to measure an angle
    }
    const WideVec3 forward(thaw(s.anchor.muzzle_basis.forward));
    ASSERT_LE(degrees_between(start, forward), angle + 0.004 + 115.0 / row) << "angle " << angle;
  }
}

TEST_F(FlightTest, control_a_cone_wider_than_promised_is_noticed) {
  int outside = 0;
  for (int i = 0; i < 2'000; ++i) {
    FlightSample s = random_flight(numbers_, 1 << 24);
    s.weapon.muzzle_cone = {16'384, 8'192};  // 30 degrees
    const BaseCurve base = base_curve(s.source());
    const WideVec3 start = WideVec3(base.p[1]) - WideVec3(base.p[0]);
    const WideVec3 forward(thaw(s.anchor.muzzle_basis.forward));
    outside += degrees_between(start, forward) > 20.0 ? 1 : 0;
  }
  EXPECT_GT(outside, 100);
}

TEST_F(FlightTest, an_open_cone_gives_every_direction) {
  int behind = 0;
  for (int i = 0; i < 2'000; ++i) {
    FlightSample s = random_flight(numbers_, 1 << 24);
    s.weapon.muzzle_cone = {0, 16'384};
    const BaseCurve base = base_curve(s.source());
    const WideVec3 start = WideVec3(base.p[1]) - WideVec3(base.p[0]);
    behind += dot(start, WideVec3(thaw(s.anchor.muzzle_basis.forward))) < 0 ? 1 : 0;
  }
  EXPECT_NEAR(behind, 1'000, 120);
}

TEST_F(FlightTest, a_launch_away_from_the_target_does_not_stall_on_its_way_round) {
  double slowest = 1;
  for (int i = 0; i < test::repeats(20'000); ++i) {
    FlightSample s = random_flight(numbers_, 1 << 24);
    s.weapon.muzzle_handle = 26'214;
    s.weapon.approach_handle = 26'214;
    s.weapon.muzzle_cone = {16'384, 0};
    s.weapon.approach_cone = {16'384, 0};
    const BaseCurve base = base_curve(s.source());
    const Hodograph h = hodograph(base.p);
    double shortest = 1e300;
    double sum = 0;
    for (std::int64_t u = 0; u <= 1 << 20; u += 1 << 14) {
      const double speed = length_of(blossom(h, u, u, 20));
      shortest = std::min(shortest, speed);
      sum += speed / 65;
    }
    if (length_of(WideVec3(base.p[3]) - WideVec3(base.p[0])) > 10'000) {
      slowest = std::min(slowest, shortest / sum);
    }
  }
  EXPECT_GT(slowest, 0.2);
}

TEST_F(FlightTest, aim_offsets_lie_within_seven_eighths_of_a_part_around_its_axis) {
  for (int i = 0; i < test::repeats(20'000); ++i) {
    const FlightSample s = random_flight(numbers_, 1 << 20);
    const HullPart& part = s.type.hull[0];  // all parts are alike
    const auto lock = static_cast<std::uint32_t>(numbers_.between(0, 3));
    const WideVec3 o(aim_offset(s.launch.seed, s.index, lock, s.type));
    const WideVec3 from_a = o - WideVec3(part.a);
    const WideVec3 d(part.d);
    const double along_axis =
        std::clamp(static_cast<double>(dot(from_a, d)) /
                       static_cast<double>(std::max<std::int64_t>(dot(d, d), 1)),
                   0.0, 1.0);
    const double x = static_cast<double>(from_a.x) - along_axis * static_cast<double>(d.x);
    const double y = static_cast<double>(from_a.y) - along_axis * static_cast<double>(d.y);
    const double z = static_cast<double>(from_a.z) - along_axis * static_cast<double>(d.z);
    ASSERT_LE(std::hypot(x, y, z), part.radius * 0.875 + 3);
  }
}

TEST_F(FlightTest, aim_offsets_use_every_hull_part_and_change_with_the_lock) {
  EntityType type;
  for (int i = 0; i < 8; ++i) {
    type.hull.push_back({Vec3(i * 1'000, 0, 0), Vec3(0), 8});
  }
  std::array<int, 8> hits{};
  int same = 0;
  for (std::uint32_t seed = 0; seed < 800; ++seed) {
    const Vec3 o = aim_offset(seed, 0, 0, type);
    ++hits[static_cast<std::size_t>((o.x + 500) / 1'000)];
    same += o == aim_offset(seed, 0, 1, type) ? 1 : 0;
  }
  for (const int count : hits) {
    EXPECT_GT(count, 60);
  }
  EXPECT_LT(same, 10);
}

TEST_F(FlightTest, case_02_a_launch_at_its_own_position_is_defined) {
  for (const std::uint32_t seed : {0U, 0xFFFF'FFFFU}) {
    for (const int pieces : {1, 2, 960}) {
      FlightSample s = random_flight(numbers_, 1 << 20);
      s.launch.seed = seed;
      s.launch.pieces = static_cast<std::uint16_t>(pieces);
      s.anchor.muzzle = s.anchor.target_position = Vec3(10, 5, 3) * k_units_per_metre;
      s.anchor.launcher_velocity = s.anchor.target_velocity = Vec3(0);
      s.type.hull = {{Vec3(0), Vec3(0), 0}};
      const Flight flight(s.source());
      EXPECT_EQ(base_curve(s.source()).amplitude, 0);
      for (const Vec3& p : flight.points()) {
        ASSERT_LE(max_abs(WideVec3(p) - WideVec3(s.anchor.muzzle)), 1);
      }
      // One unit away, the smallest distance there is.
      s.anchor.target_position += Vec3(0, 1, 0);
      const Flight near(s.source());
      EXPECT_EQ(near.position(near.duration()), s.anchor.target_position);
    }
  }
}

TEST_F(FlightTest, evaluation_order_and_copies_do_not_matter) {
  const FlightSample s = random_flight(numbers_, 1 << 26);
  const Flight flight(s.source());
  const Flight again(s.source());
  EXPECT_EQ(flight.points(), again.points());
  for (Subtick t = flight.duration(); t >= 0; t -= 777) {
    ASSERT_EQ(flight.position(t), again.position(t));
  }
}

TEST_F(FlightTest, velocity_is_the_slope_of_position) {
  for (int i = 0; i < test::repeats(500); ++i) {
    FlightSample s = random_flight(numbers_, 1 << 24);
    s.launch.log2_piece = 13;
    const Flight flight(s.source());
    const Subtick t = numbers_.between(64, flight.duration() - 64);
    const WideVec3 way = WideVec3(flight.position(t + 64)) - WideVec3(flight.position(t - 64));
    const WideVec3 measured = way * std::int64_t{65'536 / 128};
    // Two positions, each rounded by at most three units, and the bend over 128 subticks.
    const double slack = 6 * 512.0 + length_of(measured) / 16;
    ASSERT_LT(length_of(measured - WideVec3(flight.velocity(t))), slack);
  }
}

TEST_F(FlightTest, the_piece_length_follows_the_duration) {
  EXPECT_EQ(log2_piece_for(1), 8);
  EXPECT_EQ(log2_piece_for(8'191), 8);
  EXPECT_EQ(log2_piece_for(8'192), 9);
  EXPECT_EQ(log2_piece_for(8 * k_subticks_per_second), 13);
  EXPECT_EQ(log2_piece_for(120 * k_subticks_per_second), 13);
  EXPECT_THROW((void)log2_piece_for(0), AssertionFailure);
}

TEST_F(FlightTest, pieces_and_piece_lengths_beyond_the_limits_are_broken_contracts) {
  FlightSample s = random_flight(numbers_, 1 << 20);
  s.launch.pieces = 0;
  EXPECT_THROW(Flight{s.source()}, AssertionFailure);
  s.launch.pieces = 961;
  EXPECT_THROW(Flight{s.source()}, AssertionFailure);
  s.launch.pieces = 1;
  s.launch.log2_piece = 14;
  EXPECT_THROW(Flight{s.source()}, AssertionFailure);
  EXPECT_THROW((void)Flight().position(0), AssertionFailure);
}

}  // namespace
}  // namespace contrail::sim
