// The 53-bit rule of turrets and lead: their sources, compiled over an integer that watches it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "checked53.hpp"
#include "test_numbers.hpp"

// The sources say std::int64_t. Every standard header they use is included above.
namespace std {
using Checked53 = contrail::range::Checked53;
}
#define int64_t Checked53
#define contrail contrail_checked
#include "../../../protocol/sim/arith.cpp"
#include "../../../protocol/sim/assert.cpp"
#include "../../../protocol/sim/basis.cpp"
#include "../../../protocol/sim/intercept.cpp"
#include "../../../protocol/sim/trig.cpp"
#include "../../../protocol/sim/turret.cpp"
#include "../../../protocol/sim/turret_aim.cpp"
#undef contrail
#undef int64_t

namespace {

namespace sim = contrail_checked::sim;
using contrail::range::watch;
using contrail::test::Numbers;
using contrail::test::repeats;
using contrail::test::seed_or;

class TurretRangeTest : public testing::Test {
 protected:
  TurretRangeTest() { watch = {}; }
  ~TurretRangeTest() override {
    RecordProperty("largest", std::to_string(watch.largest));
    EXPECT_EQ(watch.broken, 0) << "largest " << watch.largest;
    EXPECT_EQ(watch.truncated, 0);
    EXPECT_LT(watch.largest_numerator, 1LL << 52);
    EXPECT_LT(watch.largest_divisor, 1LL << 27);
  }
  Numbers numbers_{seed_or(71)};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_or(71))};
};

int any_limit(Numbers& numbers) {
  const long long value = numbers.between(1, 0x7FFF'FFFF);
  return static_cast<int>(numbers.chance(30) ? (numbers.chance(50) ? 0x7FFF'FFFF : 1)
                                             : std::max(value >> (numbers.next() % 31), 1LL));
}

TEST_F(TurretRangeTest, steps_of_any_mount_stay_below_2_to_the_53) {
  for (int i = 0; i < repeats(20'000); ++i) {
    sim::TurretMount mount;
    sim::TurretAxis& axis = mount.yaw;
    axis.max_speed = any_limit(numbers_);
    axis.max_acceleration = any_limit(numbers_);
    if (numbers_.chance(50)) {
      axis.full_turn = false;
      axis.low = static_cast<int>(numbers_.between(-sim::k_turret_turn, 0));
      axis.high = static_cast<int>(axis.low + numbers_.between(0, sim::k_turret_turn));
    }
    mount.controller =
        numbers_.chance(30) ? sim::TurretController::align : sim::TurretController::optimal;
    mount.align.slow_radius = static_cast<int>(numbers_.between(1, sim::k_max_slow_radius));
    mount.align.time_to_target = numbers_.between(0, 10 * 65'536);
    const int log2_tick = static_cast<int>(numbers_.between(9, 13));
    const auto speed = static_cast<long long>(sim::axis_motion(axis, log2_tick).speed);
    sim::AxisState state;
    state.angle = axis.full_turn ? 0 : axis.low;
    if (axis.full_turn) state.rate = static_cast<int>(numbers_.extreme(speed));
    for (int tick = 0; tick < 10; ++tick) {
      const sim::AxisDemand demand{static_cast<int>(numbers_.extreme(0x7FFF'FFFF)),
                                   static_cast<int>(numbers_.extreme(0x7FFF'FFFF)), false};
      state = sim::axis_step(axis, state, demand, mount, log2_tick);
      (void)sim::slew_ticks(sim::axis_distance(axis, state, demand.angle),
                            sim::axis_motion(axis, log2_tick));
    }
  }
  EXPECT_GT(watch.largest, 1LL << 51);  // the limits were reached
}

TEST_F(TurretRangeTest, aims_from_anywhere_at_anything_stay_below_2_to_the_53) {
  const auto angle = [this] { return static_cast<int>(numbers_.next() & 0xFFFF'FFFFU); };
  for (int i = 0; i < repeats(20'000); ++i) {
    sim::TurretMount mount;
    mount.pivot = numbers_.extreme_vector<sim::Vec3>(sim::k_max_hull_offset);
    mount.orientation = sim::basis_of_angles(angle(), angle(), angle());
    mount.muzzles = {numbers_.extreme_vector<sim::Vec3>(sim::k_max_hull_offset)};
    const sim::TurretPlatform platform{numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit),
                                       sim::basis_of_angles(angle(), angle(), angle())};
    const sim::WideVec3 point(numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit));
    const sim::TurretAim aim = sim::aim_at(mount, platform, point);
    const sim::TurretState state{{aim.yaw, 0}, {aim.pitch, 0}};
    (void)sim::on_target(mount, state, aim);
    (void)sim::muzzle_position(mount, state, platform, 0);
    (void)sim::follow(aim, sim::aim_at(mount, platform, sim::WideVec3(0)));
  }
  EXPECT_GT(watch.largest, 1LL << 50);
}

TEST_F(TurretRangeTest, lead_at_the_limits_stays_below_2_to_the_53) {
  int met = 0;
  for (int i = 0; i < repeats(5'000); ++i) {
    sim::ShotBallistics shot;
    shot.pivot = numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit);
    shot.inherited = numbers_.extreme_vector<sim::Vec3>(sim::k_max_speed);
    shot.speed = numbers_.chance(50) ? sim::k_max_speed
                                     : static_cast<int>(numbers_.between(1, sim::k_max_speed));
    shot.muzzle = static_cast<int>(numbers_.between(0, sim::k_max_hull_offset));
    shot.max_flight_time = (1LL << 31) >> (numbers_.next() % 31);
    const auto position = numbers_.extreme_vector<sim::Vec3>(sim::k_world_limit);
    const auto velocity = numbers_.extreme_vector<sim::Vec3>(sim::k_max_speed);
    met += sim::intercept(shot, position, velocity) ? 1 : 0;
    shot.max_flight_time =
        std::min<long long>(static_cast<long long>(shot.max_flight_time), 1 << 22);
    const auto at = [&](sim::Subtick t) {
      return sim::clamp(sim::WideVec3(position) + sim::drift(velocity, t), sim::k_world_limit);
    };
    (void)sim::intercept(shot, 0, sim::PathView(at), sim::k_max_speed);
  }
  EXPECT_GT(met, 100);
  EXPECT_GT(watch.largest, 1LL << 50);
}

}  // namespace
