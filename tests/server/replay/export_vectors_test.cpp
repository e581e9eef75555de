#include <gtest/gtest.h>

#include <algorithm>
#include <contrail/replay/export_vectors.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/support/random_log.hpp>
#include <fstream>
#include <sstream>

namespace contrail::server {
namespace {

using sim::TickRecord;

constexpr std::uint32_t k_ticks = 1200;

sim::TurretAxis random_axis(support::Dice& dice, std::int32_t limit) {
  sim::TurretAxis axis;
  axis.full_turn = false;
  axis.low = static_cast<std::int32_t>(dice.between(-limit, 0));
  axis.high = static_cast<std::int32_t>(dice.between(0, limit));
  axis.rest = static_cast<std::int32_t>(dice.between(axis.low, axis.high));
  axis.max_speed = static_cast<std::int32_t>(dice.between(2'000'000, 200'000'000));
  axis.max_acceleration = static_cast<std::int32_t>(dice.between(20'000'000, 400'000'000));
  return axis;
}

/// Three turrets a type: a free one with a gun, one between stops with a gun, one that only looks.
std::vector<sim::Turret> random_turrets(support::Dice& dice) {
  std::vector<sim::Turret> turrets(3);
  for (std::size_t i = 0; i < turrets.size(); ++i) {
    sim::TurretMount& mount = turrets[i].mount;
    turrets[i].name = "turret";
    mount.pivot = dice.vector(60'000);
    const auto yaw = static_cast<std::int32_t>(dice.next());
    mount.orientation =
        sim::basis_of_angles(yaw, static_cast<std::int32_t>(dice.between(-1 << 28, 1 << 28)), 0);
    mount.muzzles = {sim::Vec3(-900, 0, 8'000), sim::Vec3(900, 0, 8'000)};
    mount.yaw = random_axis(dice, sim::k_turret_turn / 3);
    mount.yaw.full_turn = i == 0;
    mount.pitch = random_axis(dice, sim::k_turret_turn / 4);
    mount.controller =
        dice.chance(30) ? sim::TurretController::align : sim::TurretController::optimal;
    if (i == 2) {
      continue;
    }
    sim::Gun& gun = turrets[i].gun;
    gun.speed = static_cast<std::int32_t>(dice.between(400'000, 8'000'000));
    gun.life = dice.between(20'000, 200'000);
    gun.burst = static_cast<std::uint8_t>(dice.between(1, 9));
    gun.interval = static_cast<std::int32_t>(dice.between(0, 3'000));
    gun.reload = 30'000;
    gun.inherits = i == 0;
    gun.error = i == 0 ? static_cast<std::int32_t>(dice.between(1, 200'000)) : 0;
  }
  return turrets;
}

std::shared_ptr<const sim::Scenario> scenario_with_turrets(support::Dice& dice) {
  auto scenario = std::make_shared<sim::Scenario>(*support::random_scenario(dice));
  for (sim::EntityType& type : scenario->types) {
    type.turrets = random_turrets(dice);
  }
  for (sim::Weapon& weapon : scenario->weapons) {
    weapon.max_extra_speed = static_cast<std::int32_t>(dice.between(0, 4'000'000));
  }
  return scenario;
}

bool leaves(const TickRecord& record, std::uint16_t entity) {
  return std::any_of(record.despawns.begin(), record.despawns.end(),
                     [&](const auto& d) { return d.entity == entity; });
}

/// An order for a turret of an entity that stays: every kind in turn.
sim::TurretMode random_order(const sim::World& world, support::Dice& dice, std::uint16_t entity,
                             std::uint8_t turret) {
  sim::TurretMode mode;
  mode.entity = entity;
  mode.turret = turret;
  mode.order = static_cast<sim::TurretOrder>(dice.between(0, 4));
  if (mode.order == sim::TurretOrder::bearing) {
    mode.bearing = static_cast<std::uint32_t>(dice.next());
  }
  if (mode.order == sim::TurretOrder::entity) {
    for (const sim::Entity& other : world.entities()) {
      if (!other.gone && other.id != entity &&
          (mode.target == sim::k_no_entity || dice.chance(50))) {
        mode.target = other.id;
      }
    }
  }
  if (mode.order == sim::TurretOrder::missile && !world.salvos().empty()) {
    const sim::Salvo& salvo = world.salvos().back();
    mode.target = static_cast<std::uint16_t>(salvo.id);
    mode.index = static_cast<std::uint8_t>(
        dice.between(0, static_cast<std::int64_t>(salvo.missiles.size()) - 1));
  } else if (mode.order == sim::TurretOrder::missile || mode.target == mode.entity) {
    mode.order = sim::TurretOrder::hold;
  }
  if (mode.order == sim::TurretOrder::entity && mode.target == sim::k_no_entity) {
    mode.order = sim::TurretOrder::hold;
  }
  return mode;
}

/// Orders and bursts of the turrets of those that live.
void add_turrets(const sim::World& world, support::Dice& dice, TickRecord& record) {
  record.turret_modes.clear();
  record.shots.clear();
  for (const sim::Entity& entity : world.entities()) {
    for (std::size_t i = 0; !entity.gone && i < entity.turrets.size(); ++i) {
      const auto turret = static_cast<std::uint8_t>(i);
      const sim::Gun& gun = world.scenario().types[entity.type].turrets[i].gun;
      if (dice.chance(6) && !leaves(record, entity.id)) {
        record.turret_modes.push_back(random_order(world, dice, entity.id, turret));
      }
      if (gun.speed > 0 && dice.chance(3)) {
        record.shots.push_back({entity.id, turret,
                                static_cast<std::uint8_t>(dice.between(1, gun.burst)),
                                world.time() + 1, static_cast<std::uint32_t>(dice.next())});
      }
    }
  }
}

/// A log of everything that changes the state, with a state hash in every eighth record.
std::vector<TickRecord> random_log(const std::shared_ptr<const sim::Scenario>& scenario,
                                   support::Dice& dice) {
  std::vector<TickRecord> log;
  sim::World world(scenario);
  while (world.tick() < k_ticks) {
    TickRecord record = support::random_record(world, dice);
    add_turrets(world, dice, record);
    EXPECT_EQ(world.fold(record).error, sim::FoldError::none);
    if (record.tick % 8 == 0) {
      record.state_hashes = {world.take_state_hash()};
    }
    log.push_back(std::move(record));
  }
  return log;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ExportVectors, the_committed_random_log_is_what_they_say) {
  support::Dice dice(20'260'301);
  const auto scenario = scenario_with_turrets(dice);
  std::ostringstream out;
  VectorWriter writer(scenario, random_times(500, 1, k_ticks * scenario->tick_length()), out);
  for (const TickRecord& record : random_log(scenario, dice)) {
    ASSERT_TRUE(writer.record(record)) << writer.error();
  }
  EXPECT_GT(writer.positions(), 1000U);

  const std::string computed = testing::TempDir() + "random_log.jsonl";
  std::ofstream(computed, std::ios::binary) << out.str();
  const std::string golden = std::string(CONTRAIL_GOLDEN_DIR) + "/random_log.jsonl";
  EXPECT_TRUE(out.str() == read(golden)) << computed << " differs from " << golden;
}

TEST(ExportVectors, end_where_a_recorded_state_hash_is_not_that_of_the_fold) {
  support::Dice dice(7);
  const auto scenario = scenario_with_turrets(dice);
  std::ostringstream out;
  VectorWriter writer(scenario, {}, out);
  bool refused = false;
  for (TickRecord record : random_log(scenario, dice)) {
    const bool altered = !record.state_hashes.empty();
    if (altered) {
      record.state_hashes[0].lanes[2] ^= 1U;
    }
    refused = !writer.record(record);
    ASSERT_EQ(refused, altered) << writer.error();
    if (refused) {
      break;
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_NE(writer.error().find("state hash"), std::string::npos) << writer.error();
}

TEST(ExportVectors, times_ascend_within_the_session_and_follow_from_the_seed) {
  const std::vector<sim::Subtick> times = random_times(1000, 5, 77);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(times.front(), 1);
  EXPECT_EQ(times.back(), 77);
  EXPECT_EQ(times, random_times(1000, 5, 77));
  EXPECT_NE(times, random_times(1000, 6, 77));
}

}  // namespace
}  // namespace contrail::server
