// The built-in scenarios: that they load, and that the circus is one.

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <contrail/edge/scenario_file.hpp>
#include <contrail/flow/match.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/base_curve.hpp>

namespace contrail::server {
namespace {

TEST(BuiltinScenarios, AllLoad) {
  ASSERT_GE(builtin_scenario_names().size(), 2U);
  for (const std::string& name : builtin_scenario_names()) {
    const LoadedScenario loaded = load_scenario(name);
    EXPECT_EQ(loaded.problems, "");
    EXPECT_EQ(loaded.source, "built-in " + name);
  }
}

TEST(BuiltinScenarios, AreTheFilesOfTheFolder) {
  for (const std::string& name : builtin_scenario_names()) {
    std::ifstream in(std::string(CONTRAIL_SCENARIO_DIR) + "/" + name + ".toml");
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(text, builtin_scenario_text(name));
  }
  EXPECT_EQ(builtin_scenario_text("nothing"), "");
}

TEST(Circus, HasTwoFleetsOfAtLeastSixShipsOnClosedRoutes) {
  const LoadedScenario loaded = load_scenario("circus");
  ASSERT_TRUE(loaded.scenario);
  std::map<int, int> fleet;
  for (const sim::EntityPlan& plan : loaded.scenario->entities) {
    ++fleet[plan.team];
    ASSERT_NE(plan.route, sim::k_no_route);
    EXPECT_TRUE(loaded.scenario->routes[plan.route].closed);
    EXPECT_GT(plan.respawn_ticks, 0U);
  }
  EXPECT_EQ(fleet.size(), 2U);
  for (const auto& [team, ships] : fleet) EXPECT_GE(ships, 6) << team;
  EXPECT_EQ(loaded.scenario->end_tick, 0U);
  EXPECT_FALSE(loaded.scenario->end_when_one_team_left);
}

/// Two minutes of it: every weapon is fired, salvos from 8 to 64, in all directions, most missiles
/// arrive, ships are destroyed and come back, and the crowd stays within what one core flies
/// easily.
TEST(Circus, IsLively) {
  const LoadedScenario loaded = load_scenario("circus");
  ASSERT_TRUE(loaded.scenario);
  const sim::Scenario& scenario = *loaded.scenario;
  Match match(loaded.scenario);
  std::set<int> weapons, triggers, sizes;
  std::set<std::string> mounts;
  std::uint32_t most_live = 0;
  std::size_t living = 0;
  constexpr int k_ticks = 120 * 32;
  for (int i = 0; i < k_ticks; ++i) {
    for (const sim::Launch& launch : match.step().entry.record.launches) {
      const sim::Entity* from = match.world().find_entity(launch.launcher);
      ASSERT_NE(from, nullptr);
      weapons.insert(launch.weapon);
      sizes.insert(launch.count);
      mounts.insert(scenario.types[from->type].mounts[launch.mount].name);
      EXPECT_GE(launch.count, 8);
      EXPECT_LE(launch.count, 64);
    }
    most_live = std::max(most_live, match.world().live_missiles());
    for (const sim::Entity& entity : match.world().entities()) {
      living += entity.gone || scenario.types[entity.type].is_decoy() ? 0 : 1;
    }
  }
  const MatchCounters& counters = match.counters();
  EXPECT_FALSE(match.ended());
  EXPECT_EQ(weapons.size(), scenario.weapons.size());
  EXPECT_GE(sizes.size(), 4U);
  EXPECT_EQ(*sizes.begin(), 8);
  EXPECT_EQ(*sizes.rbegin(), 64);
  for (const char* mount : {"bow", "stern", "port", "starboard", "spine", "belly"}) {
    EXPECT_TRUE(mounts.contains(mount)) << mount;
  }
  EXPECT_GE(counters.salvos, 120U * 3);
  EXPECT_LE(counters.salvos, 120U * 6);
  EXPECT_GE(counters.missiles, counters.salvos * 12);
  EXPECT_LE(most_live, 800U);
  EXPECT_GE(counters.impacts * 2, counters.missiles) << "most missiles arrive";
  EXPECT_GT(counters.intercepted, 50U) << "and some are shot down";
  EXPECT_LE(counters.other_hits * 50, counters.missiles) << "and few hit anything else";
  EXPECT_GE(counters.destroyed, 4U);
  // Guidance is part of the show: locks are lost, other targets taken, flares thrown and followed.
  EXPECT_GT(counters.locks_lost, 100U);
  EXPECT_GT(counters.retargets, 50U);
  EXPECT_GT(counters.decoys, 20U);
  EXPECT_GT(counters.decoyed, 20U);
  EXPECT_GT(counters.self_destructs, 20U);
  EXPECT_GT(counters.proximity, 0U);
  EXPECT_GT(counters.spawned, scenario.entities.size());
  EXPECT_GE(living * 100, k_ticks * scenario.entities.size() * 75) << "three in four ships fly";
}

/// The scripted duel: the straight flyer is hit at the announced instant, the late hard dodge loses
/// every lock, the salvo misses clean, and each missile ends once.
TEST(Dodge, StraightFlightIsHitOnTimeAndALateHardDodgeIsACleanMiss) {
  const LoadedScenario loaded = load_scenario("dodge");
  ASSERT_TRUE(loaded.scenario);
  Match match(loaded.scenario);
  std::map<std::uint32_t, sim::Launch> launches;  // by salvo
  std::map<std::pair<std::uint32_t, int>, sim::WorldEvent> ends;
  std::map<std::uint32_t, std::set<sim::Subtick>> losses;  // by salvo
  constexpr std::uint16_t k_runner = 1;
  constexpr std::uint16_t k_dodger = 3;
  std::int64_t nearest = sim::k_world_limit;
  while (!match.ended() && match.tick() < 100 * 32) {
    const StepResult step = match.step();
    EXPECT_TRUE(step.entry.record.outcomes.empty());
    for (const sim::WorldEvent& e : step.entry.events) {
      if (e.kind == sim::WorldEvent::Kind::launch) {
        launches[e.salvo] = match.world().find_salvo(e.salvo)->launch;
      } else if (e.kind == sim::WorldEvent::Kind::lock_lost) {
        losses[e.salvo].insert(e.time);
      } else if (e.kind == sim::WorldEvent::Kind::missile_end) {
        EXPECT_TRUE(ends.insert({{e.salvo, e.index}, e}).second) << "ended twice";
      }
    }
    for (const sim::Salvo& salvo : match.world().salvos()) {
      for (std::uint8_t i = 0; salvo.launch.target == k_dodger && i < salvo.launch.count; ++i) {
        if (match.world().missile_flies(salvo, i, match.world().time())) {
          const auto at = match.world().missile_position(salvo, i, match.world().time());
          const auto target =
              match.world().find_entity(k_dodger)->track.position(match.world().time());
          nearest = std::min(nearest, sim::length(sim::WideVec3(at) - sim::WideVec3(target)));
        }
      }
    }
  }
  ASSERT_EQ(launches.size(), 2U);
  ASSERT_EQ(ends.size(), 16U);
  for (const auto& [missile, e] : ends) {
    const sim::Launch& l = launches.at(missile.first);
    EXPECT_EQ(e.time, sim::end_time(l, loaded.scenario->weapons[0], e.index));
    EXPECT_EQ(e.end, l.target == k_runner ? sim::EndKind::impact : sim::EndKind::expired);
  }
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_EQ(launches.at(losses.begin()->first).target, k_dodger);
  EXPECT_EQ(losses.begin()->second.size(), 1U) << "all at one lock test";
  EXPECT_GT(nearest, 15 * sim::k_units_per_metre) << "a clean miss: the hull is 11 m long each way";
  EXPECT_EQ(match.world().find_entity(k_dodger)->health, 200);
  EXPECT_EQ(match.world().find_entity(k_runner)->health, 200 - 8 * 10);
}

TEST(Duel, IsOneSalvoThatArrivesAndEnds) {
  const LoadedScenario loaded = load_scenario("duel");
  ASSERT_TRUE(loaded.scenario);
  Match match(loaded.scenario);
  while (!match.ended() && match.tick() < 100 * 32) match.step();
  EXPECT_EQ(match.tick(), 20U * 32);
  EXPECT_EQ(match.counters().salvos, 1U);
  EXPECT_EQ(match.counters().missiles, 8U);
  EXPECT_EQ(match.counters().impacts, 8U);
  EXPECT_EQ(match.world().live_missiles(), 0U);
}

}  // namespace
}  // namespace contrail::server
