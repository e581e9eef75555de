// The 53-bit rule, watched in the simulation's own sources: they are compiled here a second time,
// in a namespace of their own, with std::int64_t replaced by an integer that checks every result.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checked53.hpp"
#include "golden_fingerprint.hpp"
#include "test_numbers.hpp"

// The sources say std::int64_t. Every standard header they use is included above.
namespace std {
using Checked53 = contrail::range::Checked53;
}
#define int64_t Checked53
#define contrail contrail_checked
#include "../../../protocol/sim/arith.cpp"
#include "../../../protocol/sim/assert.cpp"
#include "../../../protocol/sim/base_curve.cpp"
#include "../../../protocol/sim/basis.cpp"
#include "../../../protocol/sim/curve.cpp"
#include "../../../protocol/sim/fingerprint.cpp"
#include "../../../protocol/sim/fingerprint_turrets.cpp"
#include "../../../protocol/sim/flight.cpp"
#include "../../../protocol/sim/flight_knots.cpp"
#include "../../../protocol/sim/flight_model.cpp"
#include "../../../protocol/sim/frame.cpp"
#include "../../../protocol/sim/hit.cpp"
#include "../../../protocol/sim/homing.cpp"
#include "../../../protocol/sim/intercept.cpp"
#include "../../../protocol/sim/noise.cpp"
#include "../../../protocol/sim/shot.cpp"
#include "../../../protocol/sim/track.cpp"
#include "../../../protocol/sim/trig.cpp"
#include "../../../protocol/sim/turret.cpp"
#include "../../../protocol/sim/turret_aim.cpp"
#undef contrail
#undef int64_t

namespace {

namespace sim = contrail_checked::sim;
using contrail::range::Checked53;
using contrail::range::watch;
using contrail::test::Numbers;
using contrail::test::repeats;
using contrail::test::seed_or;

class RangeTest : public testing::Test {
 protected:
  RangeTest() { watch = {}; }
  ~RangeTest() override {
    RecordProperty("largest", std::to_string(watch.largest));
    EXPECT_EQ(watch.broken, expected_broken_) << "largest " << watch.largest;
    EXPECT_EQ(watch.truncated, 0);
    EXPECT_LT(watch.largest_numerator, 1LL << 52);
    EXPECT_LT(watch.largest_divisor, divisor_limit_);
  }
  Numbers numbers_{seed_or(20'260'101)};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_or(20'260'101))};
  long long expected_broken_ = 0;
  long long divisor_limit_ = 1LL << 27;
};

sim::Quaternion attitude(Numbers& numbers) {
  std::array<int, 3> angle{};
  for (int& a : angle) {
    a = static_cast<int>(numbers.next() & 0xFFFF'FFFFU);
  }
  return sim::quaternion_of_angles(angle[0], angle[1], angle[2]);
}

sim::PackedBasis packed_basis(Numbers& numbers) {
  return sim::freeze(sim::basis_of(attitude(numbers)));
}

sim::Weapon extreme_weapon(Numbers& numbers, int log2_piece) {
  sim::Weapon weapon;
  weapon.noise = numbers.chance(50) ? sim::NoiseKind::bspline : sim::NoiseKind::perlin;
  const std::array<sim::Cone, 4> cones{{{16'384, 0}, {16'384, 16'384}, {0, 16'384}, {16'384, 99}}};
  weapon.muzzle_cone = cones[numbers.next() % 4];
  weapon.approach_cone = cones[numbers.next() % 4];
  weapon.muzzle_handle = numbers.chance(70) ? 65'536 : 0;
  weapon.approach_handle = numbers.chance(70) ? 65'536 : 0;
  weapon.amplitude = numbers.chance(70) ? 0x7FFF'FFFF : 40'960;
  // Half a cell a piece is the most a weapon may have.
  weapon.frequency = static_cast<int>((1LL << 31) - 1) >> log2_piece;
  weapon.ripple_interval = static_cast<int>(numbers.between(0, 128));
  return weapon;
}

sim::EntityType extreme_type(Numbers& numbers) {
  sim::EntityType type;
  for (int i = 0; i < 8; ++i) {
    sim::HullPart part;
    part.a = numbers.extreme_vector<sim::Vec3>(sim::k_max_hull_offset);
    part.d = numbers.extreme_vector<sim::Vec3>(sim::k_max_hull_offset) - part.a;
    part.radius = static_cast<int>(numbers.between(0, 1)) * sim::k_max_hull_radius;
    type.hull.push_back(part);
  }
  return type;
}

TEST_F(RangeTest, the_fingerprint_battery_stays_below_2_to_the_53_and_gives_the_same_hash) {
  divisor_limit_ = 1LL << 36;  // of a contact's quotient, which is at most 65,536
  const sim::Fingerprint checked = sim::compute_fingerprint();
  EXPECT_GT(watch.largest, 1LL << 50);
  EXPECT_EQ(checked.all.hex(), std::string(contrail::test::k_golden_fingerprint));
}

TEST_F(RangeTest, flights_at_the_limits_stay_below_2_to_the_53) {
  for (int i = 0; i < repeats(1'500); ++i) {
    sim::Launch launch;
    launch.seed = static_cast<std::uint32_t>(numbers_.next());
    launch.t0 = numbers_.between(0, 1LL << 45);
    launch.log2_piece = static_cast<std::uint8_t>(numbers_.between(8, 13));
    launch.pieces = static_cast<std::uint16_t>(numbers_.chance(20) ? numbers_.between(1, 960)
                                                                   : numbers_.between(1, 6));
    const sim::Weapon weapon = extreme_weapon(numbers_, launch.log2_piece);
    const sim::EntityType type = extreme_type(numbers_);
    sim::Anchor anchor;
    anchor.muzzle = numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit);
    anchor.launcher_velocity = numbers_.extreme_vector<sim::Vec3>(sim::k_max_speed);
    anchor.target_position = numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit);
    anchor.target_velocity = numbers_.extreme_vector<sim::Vec3>(sim::k_max_speed);
    anchor.muzzle_basis = packed_basis(numbers_);
    anchor.target_basis = packed_basis(numbers_);
    const sim::Flight flight(
        {launch, anchor, weapon, type, static_cast<std::uint8_t>(numbers_.between(0, 254))});
    for (int j = 0; j < 4; ++j) {
      const sim::Subtick t = numbers_.between(0, static_cast<long long>(flight.duration()));
      (void)flight.position(t);
      (void)flight.velocity(t);
    }
  }
  EXPECT_GT(watch.largest, 1LL << 52);  // the limits were reached
}

TEST_F(RangeTest, frames_of_curves_at_the_limits_stay_below_2_to_the_53) {
  for (int i = 0; i < repeats(2'000); ++i) {
    sim::Cubic curve;
    for (sim::Vec3& p : curve) {
      p = numbers_.extreme_vector<sim::Vec3>(0x7FFF'FFFF);
    }
    const sim::CurveFrames frames(curve);
    for (int j = 0; j < 4; ++j) {
      (void)frames.at(numbers_.between(0, 1 << 20));
      (void)sim::cubic_point(curve, numbers_.between(0, 1 << 20), 20);
    }
  }
}

TEST_F(RangeTest, tracks_at_the_limits_stay_below_2_to_the_53) {
  for (int i = 0; i < repeats(2'000); ++i) {
    sim::Subtick start = numbers_.between(0, 1LL << 45);
    const sim::Quaternion first = attitude(numbers_);
    sim::Track track(start, true, numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit),
                     sim::Vec3(sim::k_max_speed), first);
    for (int j = 0; j < 8; ++j) {
      start += numbers_.between(1, 1 << 21);
      const int k = static_cast<int>(numbers_.between(9, 20));
      const auto velocity = numbers_.extreme_vector<sim::Vec3>(sim::k_max_speed);
      if (numbers_.chance(30)) {
        sim::RelativeKey key;
        key.scale = 15;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          key.d[axis] = static_cast<std::int16_t>(numbers_.extreme(32'767));
          key.dv[axis] = static_cast<std::int16_t>(numbers_.extreme(32'767));
        }
        track.start_relative_piece(start, k, key);
      } else if (numbers_.chance(10)) {
        track.jump(start, numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit), velocity);
      } else {
        track.start_piece(start, k, numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit),
                          velocity);
      }
      track.start_attitude(start, k, attitude(numbers_));
      const sim::Subtick t = start + numbers_.between(1, 1LL << 21);
      (void)track.pose(t);
      (void)track.velocity(t);
      (void)sim::face_basis(track.facing(t));
    }
    // Long coasting saturates at the limit of the world.
    (void)track.position(start + (sim::Subtick{1} << 26));
  }
}

TEST_F(RangeTest, homing_and_steering_at_the_limits_stay_below_2_to_the_53) {
  for (int i = 0; i < repeats(20'000); ++i) {
    const sim::Subtick duration = numbers_.between(1, 960 * 8'192);
    const sim::Subtick t = numbers_.between(0, 960 * 8'192);
    const sim::WideVec3 gap(numbers_.extreme_vector<sim::Vec3>(0x7FFF'FFFF));
    const sim::WideVec3 now = sim::homing_term(gap, t, duration);
    (void)sim::kept_velocity(now, -now);

    sim::MotionLimits limits;
    limits.max_speed = numbers_.chance(50) ? sim::k_max_speed : 4'096;
    limits.max_acceleration = numbers_.chance(50) ? (1 << 26) - 1 : 1;
    sim::Motion motion;
    motion.position = numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit);
    motion.velocity = numbers_.extreme_vector<sim::Vec3>(sim::k_max_speed);
    const auto kind = static_cast<sim::SteerKind>(numbers_.between(0, 3));
    const sim::Steer command{kind, numbers_.extreme_vector<sim::Vec3>(0x7FFF'FFFF)};
    const int log2_ticks = static_cast<int>(numbers_.between(0, 9));
    const sim::Motion end = sim::steer(motion, command, limits, log2_ticks + 11);
    (void)sim::relative_key(0, log2_ticks, 11, motion, end);
  }
}

TEST_F(RangeTest, angles_stay_below_2_to_the_53) {
  for (int i = 0; i < repeats(20'000); ++i) {
    (void)sim::sin_angle(static_cast<int>(numbers_.extreme(0x7FFF'FFFF)));
    (void)sim::atan2_angle(numbers_.extreme((1LL << 52) - 1), numbers_.extreme((1LL << 52) - 1));
    (void)attitude(numbers_);
  }
}

// The control: control points beyond the limits break the rule, and the watch sees it.
TEST_F(RangeTest, control_values_beyond_the_limits_are_noticed) {
  const sim::Hodograph beyond{sim::WideVec3(1LL << 33), sim::WideVec3(-(1LL << 33)),
                              sim::WideVec3(0)};
  (void)sim::blossom(beyond, 1 << 20, 1 << 20, 20);
  EXPECT_GT(watch.broken, 0);
  expected_broken_ = watch.broken;
}

}  // namespace
