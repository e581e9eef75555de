// Every missile ends exactly once, in every way there is, and only the exceptions travel.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include <contrail/flow/match.hpp>
#include <contrail/support/small_scenario.hpp>

#include "staged_match.hpp"

namespace contrail::server {
namespace {

using sim::EndKind;
using sim::Subtick;
using support::add_ball;
using support::metres;
using support::share;
using support::small_scenario;
using Kind = sim::WorldEvent::Kind;

constexpr Subtick k_second = sim::k_subticks_per_second;
constexpr std::size_t k_kinds = static_cast<std::size_t>(sim::k_last_end_kind) + 1;

/// Two fleets among rocks, with one weapon of each habit.
std::shared_ptr<const sim::Scenario> melee(support::Dice& dice) {
  sim::Scenario s = small_scenario();
  s.seed = dice.next();
  s.ground = metres(-220);
  sim::Weapon& dart = s.weapons[0];
  dart.name = "dart";
  dart.amplitude = metres(15);
  dart.frequency = 40'000;
  dart.muzzle_cone = {16384, 9000};
  dart.approach_cone = {16384, 12000};
  dart.speed = 0;
  dart.flight_time = 3 * k_second;
  dart.damage = 3;
  dart.max_range = metres(600);
  dart.ripple_interval = 2500;
  sim::Weapon burst = dart;
  burst.name = "burst";
  burst.fuse_radius = metres(12);
  burst.blast_radius = metres(40);
  burst.max_extra_acceleration = metres(60);
  burst.retarget = true;
  sim::Weapon quitter = dart;
  quitter.name = "quitter";
  quitter.max_extra_speed = metres(30);
  quitter.self_destruct = 30'000;
  quitter.seeker_range = metres(260);
  s.weapons.push_back(burst);
  s.weapons.push_back(quitter);
  s.obstacles = {{{metres(-40), 0, 0}, {metres(80), 0, 0}, metres(10)},
                 {{0, metres(60), metres(30)}, {0, 0, 0}, metres(20)}};

  sim::EntityType flare = s.types[0];
  flare.name = "flare";
  flare.hit_points = 1;
  flare.launchers.clear();
  flare.decoy_chance = 30'000;
  flare.decoy_range = metres(120);
  flare.lifetime = 2 * k_second;
  sim::EntityType& ship = s.types[0];
  ship.hit_points = 40;
  ship.hull = {{{0, 0, metres(-6)}, {0, 0, metres(12)}, metres(3)}};
  ship.launchers.clear();
  for (std::uint8_t w = 0; w < 3; ++w) {
    sim::Launcher l;
    l.name = "tube";
    l.weapon = w;
    l.salvo = 6;
    l.ammunition = 60;
    l.trigger = sim::Trigger::nearest_enemy;
    l.first = k_second / 2 * w;
    l.reload = k_second;
    ship.launchers.push_back(l);
  }
  ship.dispenser = {1,
                    2,
                    20,
                    2 * k_second,
                    {metres(20), metres(15), 0},
                    sim::DispenserTrigger::threatened,
                    2 * k_second};
  s.types.push_back(flare);
  for (int i = 0; i < 8; ++i) {
    add_ball(s, static_cast<std::uint8_t>(1 + i % 2), dice.vector(metres(200)),
             dice.vector(metres(25)));
  }
  return share(s);
}

struct Tally {
  std::array<std::size_t, k_kinds> ends{};
  std::size_t missiles = 0;
  std::size_t outcomes = 0;
  std::size_t twice = 0;
  std::size_t guided = 0;
};

void play(std::uint64_t seed, Tally& tally) {
  support::Dice dice(seed);
  StagedMatch match(melee(dice));
  std::set<std::pair<std::uint32_t, std::uint8_t>> ended;
  sim::World reader(match.world().shared_scenario());
  for (int n = 0; n < 32 * 24 || (match.world().live_missiles() != 0 && n < 32 * 90); ++n) {
    const LogEntry& entry = match.step([&](sim::TickRecord& record) {
      for (const sim::Entity& e : match.world().entities()) {
        const bool leaves = std::any_of(record.despawns.begin(), record.despawns.end(),
                                        [&](const sim::Despawn& d) { return d.entity == e.id; });
        if (!e.gone && !leaves && dice.chance(3)) {
          const bool jump = dice.chance(5);
          record.track_keys.push_back(
              {e.id, jump ? std::uint8_t{0} : static_cast<std::uint8_t>(dice.between(3, 6)), jump,
               dice.vector(metres(200)), dice.vector(metres(40))});
        }
      }
    });
    for (const sim::Launch& l : entry.record.launches) tally.missiles += l.count;
    tally.outcomes += entry.record.outcomes.size();
    tally.guided += entry.record.guidance.size();
    for (const sim::WorldEvent& e : entry.events) {
      if (e.kind == Kind::missile_end) {
        ++tally.ends[static_cast<std::size_t>(e.end)];
        tally.twice += ended.insert({e.salvo, e.index}).second ? 0U : 1U;
      }
    }
    ASSERT_EQ(reader.fold(entry.record).error, sim::FoldError::none);
  }
  EXPECT_EQ(match.world().live_missiles(), 0U);
  EXPECT_EQ(reader.snapshot(), match.world().snapshot());
}

TEST(Ends, EveryMissileEndsOnceInEveryWayThereIsAndOnlyExceptionsTravel) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    play(seed, tally);
  }
  std::size_t sum = 0;
  for (const std::size_t n : tally.ends) sum += n;
  EXPECT_EQ(sum, tally.missiles);
  EXPECT_EQ(tally.twice, 0U);
  std::size_t exceptions = 0;
  for (std::size_t k = static_cast<std::size_t>(EndKind::hull); k < k_kinds; ++k) {
    exceptions += tally.ends[k];
  }
  EXPECT_EQ(tally.outcomes, exceptions);
  EXPECT_GT(tally.guided, 0U);
  constexpr std::array<const char*, k_kinds> k_names{"alive",     "impact",      "expired",
                                                     "aborted",   "hull",        "obstacle",
                                                     "proximity", "intercepted", "self-destruct"};
  std::printf("%zu missiles:", tally.missiles);
  for (std::size_t k = 1; k < k_kinds; ++k) {
    std::printf(" %zu %s", tally.ends[k], k_names[k]);
    if (k != static_cast<std::size_t>(EndKind::intercepted)) {  // nothing shoots yet
      EXPECT_GT(tally.ends[k], 0U) << k_names[k];
    }
  }
  std::printf("\n");
}

// ---- damage
// ----------------------------------------------------------------------------------------

/// A target 300 m ahead and bystanders beside it at the given distances between surfaces.
sim::Scenario blast_scene(std::int32_t blast) {
  sim::Scenario s = small_scenario();
  s.weapons[0].radius = 0;
  s.weapons[0].damage = 100;
  s.weapons[0].blast_radius = blast;
  s.types[0].hit_points = 1000;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  add_ball(s, 2, {metres(11), 0, metres(300)});
  add_ball(s, 2, {metres(41), 0, metres(300)});
  add_ball(s, 1, {0, metres(-21), metres(300)});  // friend or foe
  return s;
}

std::vector<std::uint16_t> healths_after_one_dart(const sim::Scenario& s) {
  StagedMatch match(share(s));
  match.step();
  match.fire(0, 1);
  for (int i = 0; i < 120; ++i) match.step();
  EXPECT_EQ(match.of(Kind::missile_end).size(), 1U);
  EXPECT_EQ(match.of(Kind::missile_end).at(0).end, EndKind::impact);
  std::vector<std::uint16_t> out;
  for (const sim::Entity& e : match.world().entities()) out.push_back(e.health);
  return out;
}

TEST(Damage, WithoutABlastOnlyWhoWasTouchedIsHurt) {
  EXPECT_EQ(healths_after_one_dart(blast_scene(0)),
            (std::vector<std::uint16_t>{1000, 900, 1000, 1000, 1000}));
}

TEST(Damage, FallsOffInAStraightLineFromTheHullToTheBlastRadius) {
  const auto healths = healths_after_one_dart(blast_scene(metres(40)));
  EXPECT_EQ(healths[0], 1000);
  EXPECT_EQ(healths[1], 900);
  // The aim point is within 7/8 m of the target's centre, so 10 m and 20 m off +- 1 m.
  EXPECT_GE(healths[2], 1000 - 78);
  EXPECT_LE(healths[2], 1000 - 72);
  EXPECT_GE(healths[3], 1000 - 3);
  EXPECT_LE(healths[3], 1000);
  EXPECT_GE(healths[4], 1000 - 53);
  EXPECT_LE(healths[4], 1000 - 47);
}

TEST(Damage, AFuseBurstsAtItsRadiusAndHurtsByDistance) {
  sim::Scenario s = small_scenario();
  s.weapons[0].radius = 0;
  s.weapons[0].damage = 100;
  s.weapons[0].fuse_radius = metres(10);
  s.weapons[0].blast_radius = metres(20);
  s.types[0].hit_points = 1000;
  s.types[0].mounts[0].offset = {0, 0, metres(20)};
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(400)});
  add_ball(s, 2, {metres(8), 0, metres(200)});  // the way passes it at 8 m
  StagedMatch match(share(s));
  match.step();
  match.fire(0, 1);
  for (int i = 0; i < 160; ++i) match.step();
  const auto ends = match.of(Kind::missile_end);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].end, EndKind::proximity);
  EXPECT_EQ(ends[0].entity, 2);
  const std::int64_t distance =
      sim::length(sim::WideVec3(ends[0].position) - sim::WideVec3(metres(8), 0, metres(200)));
  EXPECT_LE(distance, metres(11));
  EXPECT_GT(distance, metres(11) - 16);
  EXPECT_EQ(match.world().find_entity(2)->health, 1000 - 50);  // half way out
  EXPECT_EQ(match.world().find_entity(1)->health, 1000);
}

TEST(Damage, OneBlastThatKillsTwoDestroysBothOnceByAscendingId) {
  sim::Scenario s = blast_scene(metres(40));
  s.types[0].hit_points = 70;
  StagedMatch match(share(s));
  match.step();
  match.fire(0, 1, 1);  // eight at the same subtick
  for (int i = 0; i < 120; ++i) match.step();
  const auto destroyed = match.of(Kind::destroyed);
  ASSERT_GE(destroyed.size(), 3U);
  EXPECT_EQ(destroyed[0].entity, 1);
  EXPECT_EQ(destroyed[1].entity, 2);
  std::map<std::uint16_t, int> times;
  for (const sim::WorldEvent& e : destroyed) {
    EXPECT_EQ(e.time, destroyed[0].time);
    EXPECT_EQ(++times[e.entity], 1);
  }
  // All eight arrive: who dies at a subtick is still hit at it.
  for (const sim::WorldEvent& e : match.of(Kind::missile_end)) {
    EXPECT_EQ(e.end, EndKind::impact);
  }
}

/// Case 26 with blasts: each one's missile reaches the other at the same subtick.
TEST(Damage, Case26TwoWhoseBlastsKillEachOtherAtOneSubtickBothDie) {
  for (const bool swapped : {false, true}) {
    sim::Scenario s = small_scenario();
    s.weapons[0].damage = 10;
    s.weapons[0].blast_radius = metres(30);
    add_ball(s, 1, {0, 0, metres(swapped ? 300 : 0)});
    add_ball(s, 2, {0, 0, metres(swapped ? 0 : 300)});
    Match match(share(s));
    match.step();
    const Subtick at = match.world().time() + 5;
    for (std::uint16_t e = 0; e < 2; ++e) {
      wire::Command c;
      c.id = 1;
      c.fire = {e, static_cast<std::uint16_t>(1 - e), 0, at};
      match.submit(e, c);
    }
    for (int i = 0; i < 150; ++i) match.step();
    EXPECT_EQ(match.counters().impacts, 2U);
    EXPECT_EQ(match.counters().destroyed, 2U);
  }
}

}  // namespace
}  // namespace contrail::server
