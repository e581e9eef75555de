// Turrets of a folded world: what they follow costs the log one order, and everything they are and
// fire is in snapshots and state hashes.

#include <gtest/gtest.h>

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/shot.hpp>
#include <contrail/sim/world.hpp>
#include <contrail/support/small_scenario.hpp>

namespace contrail::sim {
namespace {

using support::metres;

Turret gun_turret() {
  Turret t;
  t.name = "gun";
  t.mount.muzzles = {{0, 0, metres(2)}};
  t.mount.yaw.max_speed = k_turret_turn / 4;
  t.mount.yaw.max_acceleration = k_turret_turn / 2;
  t.mount.pitch = t.mount.yaw;
  t.mount.pitch.full_turn = false;
  t.mount.pitch.low = -k_turret_turn / 4;
  t.mount.pitch.high = k_turret_turn / 4;
  t.gun.speed = metres(800);
  t.gun.life = 3 * k_subticks_per_second;
  t.gun.burst = 4;
  t.gun.interval = 1000;
  t.gun.reload = k_subticks_per_second;
  return t;
}

/// Entity 1 with a turret; entity 2 flies past it, 200 m off, at 60 m/s.
World passing(Fault fault = Fault::none) {
  auto s = support::small_scenario();
  s.types[0].turrets = {gun_turret()};
  s.types[0].max_speed = metres(100);
  World world(support::share(s));
  world.plant_fault(fault);
  TickRecord record;
  record.tick = 1;
  record.spawns.push_back({1, 0, 1, 0, {0, 0, 0}, {0, 0, 0}, {}});
  record.spawns.push_back(
      {2, 0, 2, 0, {metres(200), metres(50), metres(-300)}, {0, 0, metres(60)}, {}});
  EXPECT_EQ(world.fold(record).error, FoldError::none);
  return world;
}

TickRecord record_after(const World& world) {
  TickRecord record;
  record.tick = world.tick() + 1;
  return record;
}

TickRecord follow_2(const World& world) {
  TickRecord record = record_after(world);
  record.turret_modes.push_back({1, 0, TurretOrder::entity, 2, 0, 0});
  return record;
}

bool on_target_2(const World& world) {
  const Entity& entity = *world.find_entity(1);
  const EntityTurret& unit = entity.turrets.at(0);
  const TurretSight sight = world.turret_sight(entity, unit.mode);
  EXPECT_TRUE(sight.target);
  EXPECT_TRUE(sight.meeting.has_value());
  return on_target(world.scenario().types[0].turrets[0].mount, unit.state, sight.aim);
}

TEST(WorldTurret, FollowsAMovingEntityForTenSecondsWithoutABitOfLog) {
  World world = passing();
  ASSERT_EQ(world.fold(follow_2(world)).error, FoldError::none);
  int off = 0;
  int slewing = 0;
  for (int n = 1; n <= 320; ++n) {
    const TickRecord record = record_after(world);
    ASSERT_TRUE(record.empty());
    ASSERT_EQ(world.fold(record).error, FoldError::none);
    const bool on = on_target_2(world);
    slewing += n <= 80 && !on ? 1 : 0;
    off += n > 80 && !on ? 1 : 0;
  }
  EXPECT_GT(slewing, 8) << "the turret had a way to go first";
  EXPECT_EQ(off, 0);
}

TEST(WorldTurret, ATurretThatForgetsItsTargetsMotionIsOffTarget) {
  World world = passing(Fault::turret_lag);
  ASSERT_EQ(world.fold(follow_2(world)).error, FoldError::none);
  int off = 0;
  for (int n = 1; n <= 320; ++n) {
    ASSERT_EQ(world.fold(record_after(world)).error, FoldError::none);
    off += n > 80 && !on_target_2(world) ? 1 : 0;
  }
  EXPECT_GT(off, 0);
}

TEST(WorldTurret, ALaggingTurretIsSeenInTheTurretsAndNowhereElse) {
  World world = passing();
  World other = passing(Fault::turret_lag);
  unsigned differing = 0;
  TickRecord record = follow_2(world);
  for (int n = 1; n <= 100; ++n) {
    ASSERT_EQ(world.fold(record).error, FoldError::none);
    record.state_hashes = {world.take_state_hash()};
    const FoldResult result = other.fold(record);
    ASSERT_EQ(result.error, FoldError::none);
    differing |= result.hash.differing;
    record = record_after(world);
  }
  EXPECT_EQ(differing, 1U << static_cast<unsigned>(Subsystem::turrets));
}

TEST(WorldTurret, ABurstFliesFromTheMuzzleAndIsForgottenASecondAfterItsLastRound) {
  World world = passing();
  ASSERT_EQ(world.fold(follow_2(world)).error, FoldError::none);
  for (int n = 1; n <= 80; ++n) {
    ASSERT_EQ(world.fold(record_after(world)).error, FoldError::none);
  }
  TickRecord record = record_after(world);
  record.shots.push_back({1, 0, 4, world.time() + 1, 77});
  const Burst expected = world.prepare_burst(record.shots[0]);
  ASSERT_EQ(world.fold(record).error, FoldError::none);
  ASSERT_EQ(world.bursts().size(), 1U);
  EXPECT_EQ(world.bursts()[0], expected);
  EXPECT_EQ(world.first_burst(), 0U);

  // Without a gunner's error the first round meets a target that flies straight on.
  const Round round = round_of(expected, world.scenario().types[0].turrets[0], 0);
  const Entity& target = *world.find_entity(2);
  std::int64_t nearest = metres(1000);
  for (Subtick t = round.begin; t <= round.end; t += 16) {
    const WideVec3 gap = WideVec3(round.position(t)) - WideVec3(target.track.position(t));
    nearest = std::min(nearest, length(gap));
  }
  EXPECT_LT(nearest, metres(1));

  const Subtick forgotten = burst_end(expected.shot, world.gun_of(expected)) + k_burst_memory;
  while (world.time() < forgotten) {
    ASSERT_EQ(world.bursts().size(), 1U);
    ASSERT_EQ(world.fold(record_after(world)).error, FoldError::none);
  }
  ASSERT_EQ(world.fold(record_after(world)).error, FoldError::none);
  EXPECT_TRUE(world.bursts().empty());
  EXPECT_EQ(world.first_burst(), 1U);
}

TEST(WorldTurret, OrdersAndShotsThatDoNotFitAreRefused) {
  World world = passing();
  const auto order = [&](const TurretMode& mode) {
    TickRecord record = record_after(world);
    record.turret_modes.push_back(mode);
    return world.fold(record).error;
  };
  const auto shot = [&](const Shot& s) {
    TickRecord record = record_after(world);
    record.shots.push_back(s);
    return world.fold(record).error;
  };
  const Subtick begin = world.time() + 1;
  EXPECT_EQ(order({1, 1, TurretOrder::hold, k_no_entity, 0, 0}), FoldError::bad_value);
  EXPECT_EQ(order({1, 0, TurretOrder::hold, 2, 0, 0}), FoldError::bad_value);
  EXPECT_EQ(order({1, 0, TurretOrder::hold, k_no_entity, 1, 0}), FoldError::bad_value);
  EXPECT_EQ(order({1, 0, TurretOrder::hold, k_no_entity, 0, 1}), FoldError::bad_value);
  EXPECT_EQ(order({1, 0, TurretOrder::entity, 1, 0, 0}), FoldError::unknown_entity);
  EXPECT_EQ(order({1, 0, TurretOrder::entity, 3, 0, 0}), FoldError::unknown_entity);
  EXPECT_EQ(order({1, 0, TurretOrder::missile, 0, 0, 0}), FoldError::unknown_salvo);
  EXPECT_EQ(shot({1, 0, 4, begin + 1, 0}), FoldError::time_out_of_tick);
  EXPECT_EQ(shot({1, 0, 5, begin, 0}), FoldError::bad_value);
  EXPECT_EQ(shot({1, 1, 4, begin, 0}), FoldError::bad_value);
  EXPECT_EQ(shot({3, 0, 4, begin, 0}), FoldError::unknown_entity);
  EXPECT_EQ(shot({1, 0, 4, begin, 0}), FoldError::none);
}

}  // namespace
}  // namespace contrail::sim
