// Guidance: when a lock ends, what takes its place, and what becomes of the missile.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>

#include <contrail/flow/match.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/homing.hpp>
#include <contrail/support/small_scenario.hpp>

#include "staged_match.hpp"

namespace contrail::server {
namespace {

using sim::EndKind;
using sim::Subtick;
using sim::WideVec3;
using support::add_ball;
using support::metres;
using support::share;
using support::small_scenario;
using Kind = sim::WorldEvent::Kind;

constexpr Subtick k_second = sim::k_subticks_per_second;

/// A hunter at the origin that fires eight darts at a ball 600 m ahead: 6 s of flight.
sim::Scenario hunt() {
  sim::Scenario s = small_scenario();
  s.types[0].hit_points = 1000;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(600)}, {metres(30), 0, 0});
  return s;
}

/// Fires at once and plays until every missile has ended. `at` adds to the record of a tick.
void play_out(StagedMatch& match, const std::map<std::uint32_t, sim::TrackKey>& keys = {},
              int ticks = 300) {
  match.step();
  match.fire(0, 1, 1);
  for (int i = 0; i < ticks; ++i) {
    match.step([&](sim::TickRecord& record) {
      if (const auto key = keys.find(record.tick); key != keys.end()) {
        record.track_keys.push_back(key->second);
      }
    });
  }
}

std::vector<sim::WorldEvent> ends_of(const StagedMatch& match) {
  return match.of(Kind::missile_end);
}

sim::TrackKey key_for_target(std::uint8_t log2_ticks, sim::Vec3 position, sim::Vec3 velocity,
                             bool jump = false) {
  return {1, log2_ticks, jump, position, velocity};
}

TEST(Guidance, LocksOnATargetThatFliesStraightHoldWhateverTheLimits) {
  sim::Scenario s = hunt();
  s.weapons[0].max_extra_speed = metres(1);
  s.weapons[0].max_extra_acceleration = metres(20);
  s.weapons[0].max_displacement = metres(1);
  StagedMatch match(share(s));
  play_out(match);
  EXPECT_TRUE(match.of(Kind::lock_lost).empty());
  const auto ends = ends_of(match);
  ASSERT_EQ(ends.size(), 8U);
  const sim::Launch& l = match.records[1].launches.at(0);
  for (const sim::WorldEvent& e : ends) {
    EXPECT_EQ(e.end, EndKind::impact);
    EXPECT_EQ(e.time, l.t0 + (Subtick{l.pieces} << l.log2_piece));
  }
}

struct Manoeuvre {
  const char* name;
  std::map<std::uint32_t, sim::TrackKey> keys;
};

/// Where the target stands at tick 96, coasting since tick 1: 2.97 s at 30 m/s.
constexpr std::int32_t k_x96 = 30 * 4096 * 95 / 32;

std::vector<Manoeuvre> manoeuvres() {
  return {
      {"stops", {{96, key_for_target(3, {k_x96 + metres(3), 0, metres(600)}, {0, 0, 0})}}},
      {"reverses", {{96, key_for_target(3, {k_x96, 0, metres(600)}, {metres(-30), 0, 0})}}},
      {"climbs",
       {{96, key_for_target(5, {k_x96 + metres(30), metres(40), metres(600)},
                            {metres(30), metres(80), 0})}}},
  };
}

TEST(Guidance, ATargetThatStopsReversesOrClimbsIsFollowedToTheAnnouncedEnd) {
  for (const Manoeuvre& m : manoeuvres()) {
    SCOPED_TRACE(m.name);
    StagedMatch match(share(hunt()));
    play_out(match, m.keys);
    EXPECT_TRUE(match.of(Kind::lock_lost).empty());
    const auto ends = ends_of(match);
    ASSERT_EQ(ends.size(), 8U);
    const sim::Launch& l = match.records[1].launches.at(0);
    for (const sim::WorldEvent& e : ends) {
      EXPECT_EQ(e.end, EndKind::impact);
      EXPECT_EQ(e.time, l.t0 + (Subtick{l.pieces} << l.log2_piece));
    }
  }
}

TEST(Guidance, TheSameTargetIsLostWhereItTurnsHarderThanTheWeapon) {
  for (const Manoeuvre& m : manoeuvres()) {
    SCOPED_TRACE(m.name);
    sim::Scenario s = hunt();
    s.weapons[0].max_extra_acceleration = metres(30);
    StagedMatch match(share(s));
    play_out(match, m.keys);
    EXPECT_EQ(match.of(Kind::lock_lost).size(), 8U);
    const auto ends = ends_of(match);
    ASSERT_EQ(ends.size(), 8U);
    for (const sim::WorldEvent& e : ends) {
      EXPECT_EQ(e.end, EndKind::expired);
      EXPECT_EQ(e.entity, sim::k_no_entity);
    }
    for (const sim::TickRecord& r : match.records) {
      EXPECT_TRUE(r.outcomes.empty());
      for (const sim::Guidance& g : r.guidance) {
        EXPECT_EQ(g.kind, sim::GuidanceKind::lock_lost);
        EXPECT_EQ(g.mask, 0xFFU);  // one event for the salvo
        EXPECT_EQ(Subtick{r.tick} * 2048 % 4096, 0);
      }
    }
  }
}

TEST(Guidance, AfterALossTheMissileGoesOnWithoutAJump) {
  sim::Scenario s = hunt();
  s.weapons[0].max_extra_acceleration = metres(30);
  StagedMatch match(share(s));
  play_out(match, manoeuvres()[2].keys, 170);
  const auto lost = match.of(Kind::lock_lost);
  ASSERT_EQ(lost.size(), 8U);
  const sim::Salvo& salvo = match.world().salvos().front();
  const Subtick at = lost.front().time;
  for (std::uint8_t i = 0; i < 8; ++i) {
    const WideVec3 before(match.world().missile_position(salvo, i, at));
    const WideVec3 after(match.world().missile_position(salvo, i, at + 1));
    // 100 m/s along and what homing gave on top: below 1/8 m a subtick 1/65536 s.
    EXPECT_LE(sim::max_abs(after - before), 16) << int{i};
  }
}

/// Case G15: the target is moved 10 km; every path stays what it was up to then, goes on, and ends
/// where the salvo's record says.
TEST(Guidance, CaseG15ATeleportedTargetIsNotFollowedAcrossTheMap) {
  StagedMatch moved(share(hunt()));
  StagedMatch calm(share(hunt()));
  const std::map<std::uint32_t, sim::TrackKey> jump{
      {96, key_for_target(0, {metres(10'000), 0, 0}, {0, 0, 0}, true)}};
  play_out(moved, jump, 160);
  play_out(calm, {}, 160);
  EXPECT_EQ(moved.of(Kind::lock_lost).size(), 8U);
  for (const sim::TickRecord& r : moved.records) {
    EXPECT_TRUE(r.guidance.empty());  // a jump takes the lock without a record
  }
  const sim::Salvo& a = moved.world().salvos().front();
  const sim::Salvo& b = calm.world().salvos().front();
  for (Subtick t = a.launch.t0; t <= moved.world().time(); t += 1000) {
    for (std::uint8_t i = 0; i < 8; ++i) {
      const WideVec3 p(moved.world().missile_position(a, i, t));
      const WideVec3 q(calm.world().missile_position(b, i, t));
      EXPECT_LE(sim::max_abs(p - q), metres(1)) << "missile " << int{i} << " at " << t;
    }
  }
  for (int i = 0; i < 140; ++i) {
    moved.step();
    calm.step();
  }
  const auto ends = ends_of(moved);
  const auto calm_ends = ends_of(calm);
  ASSERT_EQ(ends.size(), 8U);
  ASSERT_EQ(calm_ends.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(ends[i].end, EndKind::expired);
    EXPECT_EQ(ends[i].time, calm_ends[i].time);
    EXPECT_LE(sim::max_abs(WideVec3(ends[i].position) - WideVec3(calm_ends[i].position)),
              metres(1));
  }
}

TEST(Guidance, ATargetThatIsRemovedTakesItsLocksWithoutARecord) {
  sim::Scenario s = hunt();
  s.types.push_back(s.types[0]);
  s.types[1].lifetime = 4 * k_second;
  s.entities[1].type = 1;
  StagedMatch match(share(s));
  play_out(match);
  const auto gone = match.of(Kind::despawn);
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].time, 2048 + 4 * k_second);
  EXPECT_EQ(match.of(Kind::lock_lost).size(), 8U);
  const auto ends = ends_of(match);
  ASSERT_EQ(ends.size(), 8U);
  for (const sim::WorldEvent& e : ends) EXPECT_EQ(e.end, EndKind::expired);
  for (const sim::TickRecord& r : match.records) {
    EXPECT_TRUE(r.outcomes.empty());
    EXPECT_TRUE(r.guidance.empty());
  }
}

TEST(Guidance, WhatTheSeekerDoesNotSeeAtLaunchIsLostAtTheNextLockTest) {
  struct Case {
    std::int32_t range;
    std::int32_t cone;
    bool seen;
  };
  const std::int32_t half = sim::k_one / 2;  // 60 degrees
  for (const Case& c : {Case{metres(700), -sim::k_one, true}, Case{metres(500), -sim::k_one, false},
                        Case{0, half, true}, Case{metres(500), half, false}}) {
    sim::Scenario s = hunt();
    s.weapons[0].seeker_range = c.range;
    s.weapons[0].seeker_cone = c.cone;
    StagedMatch match(share(s));
    play_out(match);
    EXPECT_EQ(match.of(Kind::lock_lost).size(), c.seen ? 0U : 8U) << c.range << " " << c.cone;
  }
  // Behind the launcher.
  sim::Scenario s = hunt();
  s.entities[1].position.z = metres(-600);
  s.weapons[0].seeker_cone = half;
  StagedMatch match(share(s));
  play_out(match);
  const auto lost = match.of(Kind::lock_lost);
  ASSERT_EQ(lost.size(), 8U);
  EXPECT_EQ(lost[0].time, 4096);  // launched at 2049
  // It flies blind to where the target was expected, and that is where it is: a hull like any
  // other.
  for (const sim::WorldEvent& e : ends_of(match)) {
    const WideVec3 expected(metres(30) * ((e.time - 2048) / 16) / 4096, 0, metres(-600));
    EXPECT_LE(sim::max_abs(WideVec3(e.position) - expected), metres(2));
    EXPECT_EQ(e.end, EndKind::hull);
    EXPECT_EQ(e.entity, 1);
  }
}

TEST(Guidance, MissilesOfARippleAreLookedAtWhenTheyLeave) {
  sim::Scenario s = hunt();
  s.weapons[0].ripple_interval = 4000;
  s.weapons[0].seeker_range = metres(500);
  StagedMatch match(share(s));
  play_out(match);
  const sim::Launch& l = match.records[1].launches.at(0);
  std::size_t events = 0;
  for (const sim::WorldEvent& e : match.of(Kind::lock_lost)) {
    const Subtick launched = l.t0 + 4000 * e.index;
    EXPECT_EQ(e.time, (launched + 4095) / 4096 * 4096) << int{e.index};
    ++events;
  }
  EXPECT_EQ(events, 8U);
}

/// The target and a decoy of its team that hangs 40 m beside its way.
sim::Scenario decoyed(std::int32_t chance, std::int32_t range) {
  sim::Scenario s = hunt();
  sim::EntityType flare = s.types[0];
  flare.name = "flare";
  flare.launchers.clear();
  flare.decoy_chance = chance;
  flare.decoy_range = range;
  s.types.push_back(flare);
  add_ball(s, 2, {metres(100), 0, metres(560)});
  s.entities.back().type = 1;
  s.types[0].launchers[1].salvo = 255;
  return s;
}

TEST(Guidance, ADecoyWinsWhatItsSeededRollSays) {
  for (const std::int32_t chance : {1, 20'000, 65'536}) {
    StagedMatch match(share(decoyed(chance, metres(300))));
    play_out(match);
    const sim::Launch& l = match.records[1].launches.at(0);
    std::size_t expected = 0;
    for (std::uint32_t i = 0; i < 255; ++i) {
      const std::uint32_t roll = sim::draw(sim::key(l.seed, sim::Stream::decoy_roll, i), 2) >> 16;
      expected += roll < static_cast<std::uint32_t>(chance) ? 1U : 0U;
    }
    std::size_t won = 0;
    for (const sim::TickRecord& r : match.records) {
      for (const sim::Guidance& g : r.guidance) {
        EXPECT_EQ(g.kind, sim::GuidanceKind::decoy);
        EXPECT_EQ(g.target, 2);
        won += static_cast<std::size_t>(std::popcount(g.mask));
      }
    }
    EXPECT_EQ(won, expected) << chance;
    // Every one arrives at its announced time, at the ship or at the decoy.
    std::size_t on_decoy = 0;
    const auto ends = ends_of(match);
    ASSERT_EQ(ends.size(), 255U);
    for (const sim::WorldEvent& e : ends) {
      on_decoy += e.entity == 2 && e.end == EndKind::impact ? 1U : 0U;
      EXPECT_EQ(e.time, l.t0 + (Subtick{l.pieces} << l.log2_piece));
    }
    EXPECT_EQ(on_decoy, expected) << chance;
  }
}

TEST(Guidance, ADecoyDrawsOnlyWhatComesNearAndOnlyForItsOwnTeam) {
  StagedMatch far(share(decoyed(65'536, metres(10))));
  play_out(far);
  EXPECT_TRUE(far.of(Kind::retarget).empty());
  sim::Scenario s = decoyed(65'536, metres(300));
  s.entities[2].team = 1;
  StagedMatch foreign(share(s));
  play_out(foreign);
  EXPECT_TRUE(foreign.of(Kind::retarget).empty());
}

TEST(Guidance, APlantedFaultInTheRollIsSeen) {
  StagedMatch match(share(decoyed(1, metres(300))));
  match.guidance.plant_fault(GuidanceFault::decoys_always_win);
  play_out(match);
  EXPECT_EQ(match.of(Kind::retarget).size(), 255U);
}

TEST(Guidance, AThreatenedShipThrowsDecoysThatVanishAgain) {
  sim::Scenario s = decoyed(20'000, metres(300));
  s.entities.pop_back();
  s.types[1].lifetime = k_second;
  s.types.push_back(s.types[0]);
  sim::Dispenser& d = s.types[2].dispenser;
  d.type = 1;
  d.count = 2;
  d.ammunition = 3;
  d.reload = k_second;
  d.velocity = {metres(20), metres(10), 0};
  d.trigger = sim::DispenserTrigger::threatened;
  d.warning = 3 * k_second;
  s.entities[1].type = 2;
  StagedMatch match(share(s));
  play_out(match);
  const auto spawns = match.of(Kind::spawn);
  ASSERT_EQ(spawns.size(), 5U);
  const sim::Launch& l = match.records[1].launches.at(0);
  const Subtick end = l.t0 + (Subtick{l.pieces} << l.log2_piece);
  EXPECT_GE(spawns[2].time, end - d.warning - 2048);
  EXPECT_LE(spawns[2].time, end - d.warning + 2048);
  EXPECT_EQ(spawns[3].time, spawns[2].time);
  EXPECT_EQ(spawns[4].time, spawns[2].time + k_second);  // the last one, after the reload
  EXPECT_EQ(match.of(Kind::despawn).size(), 3U);
  EXPECT_GT(match.of(Kind::retarget).size(), 0U);
  EXPECT_EQ(ends_of(match).size(), 255U);
}

TEST(Guidance, DecoysAreThrownOnCommandWhereThereAreAny) {
  sim::Scenario s = decoyed(65'536, metres(300));
  s.types[0].dispenser = {1, 1, 1, k_second, {0, metres(10), 0}, sim::DispenserTrigger::command, 0};
  Match match(share(s));
  EXPECT_FALSE(match.release_decoys(0));  // not there yet
  match.step();
  EXPECT_FALSE(match.release_decoys(2));  // a flare has no dispenser
  EXPECT_TRUE(match.release_decoys(0));
  match.step();
  EXPECT_EQ(match.counters().decoys, 1U);
  for (int i = 0; i < 40; ++i) match.step();
  EXPECT_FALSE(match.release_decoys(0));  // it is empty
  match.step();
  EXPECT_EQ(match.counters().decoys, 1U);
}

/// Two enemies: the announced one is removed after `life`, another stands 60 m beside it.
sim::Scenario two_enemies(Subtick life) {
  sim::Scenario s = hunt();
  s.weapons[0].retarget = true;
  s.types.push_back(s.types[0]);
  s.types[1].lifetime = life;
  s.entities[1].type = 1;
  s.entities[1].velocity = {0, 0, 0};
  add_ball(s, 2, {metres(60), 0, metres(600)});
  add_ball(s, 2, {metres(150), 0, metres(600)});
  add_ball(s, 0, {metres(-20), 0, metres(600)});  // nobody's enemy
  return s;
}

TEST(Guidance, AMissileWithoutALockTakesTheNearestEnemyAndArrivesAtTheAnnouncedTime) {
  StagedMatch match(share(two_enemies(3 * k_second)));
  play_out(match);
  const auto taken = match.of(Kind::retarget);
  ASSERT_EQ(taken.size(), 8U);
  const sim::Launch& l = match.records[1].launches.at(0);
  const auto ends = ends_of(match);
  ASSERT_EQ(ends.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(taken[i].entity, 2);
    EXPECT_LE(taken[i].time, 2048 + 3 * k_second + 5 * 4096);
    EXPECT_EQ(ends[i].end, EndKind::impact);
    EXPECT_EQ(ends[i].entity, 2);
    EXPECT_EQ(ends[i].time, l.t0 + (Subtick{l.pieces} << l.log2_piece));
  }
}

TEST(Guidance, NoNewTargetInTheLastHalfSecond) {
  StagedMatch match(share(two_enemies(0)));
  match.step();
  match.fire(0, 1, 1);
  match.step();
  const sim::Launch l = match.records[1].launches.at(0);
  const Subtick end = l.t0 + (Subtick{l.pieces} << l.log2_piece);
  // The same again, with a target that leaves just too late for another one.
  StagedMatch late(share(two_enemies(end - sim::k_retarget_lead - 2048)));
  play_out(late);
  EXPECT_EQ(late.of(Kind::lock_lost).size(), 8U);
  EXPECT_TRUE(late.of(Kind::retarget).empty());
  for (const sim::WorldEvent& e : ends_of(late)) EXPECT_EQ(e.end, EndKind::expired);
}

TEST(Guidance, SelfDestructionComesItsTimeAfterTheLossToTheSubtick) {
  sim::Scenario s = hunt();
  s.weapons[0].self_destruct = 10'001;
  s.weapons[0].max_extra_acceleration = metres(30);
  StagedMatch match(share(s));
  play_out(match, manoeuvres()[2].keys);
  const auto lost = match.of(Kind::lock_lost);
  const auto ends = ends_of(match);
  ASSERT_EQ(lost.size(), 8U);
  ASSERT_EQ(ends.size(), 8U);
  for (const sim::WorldEvent& e : ends) {
    EXPECT_EQ(e.end, EndKind::self_destruct);
    EXPECT_EQ(e.time, lost[0].time + 10'001);
  }
  // With more time than is left it ends as usual.
  s.weapons[0].self_destruct = 10 * k_second;
  StagedMatch patient(share(s));
  play_out(patient, manoeuvres()[2].keys);
  for (const sim::WorldEvent& e : ends_of(patient)) EXPECT_EQ(e.end, EndKind::expired);
}

// ---- the definition, missile by missile
// ----------------------------------------------------------

/// Ships that turn as they like under weapons with narrow limits.
std::shared_ptr<const sim::Scenario> brawl(support::Dice& dice, std::uint8_t log2_tick) {
  sim::Scenario s = small_scenario();
  s.seed = dice.next();
  s.log2_tick = log2_tick;
  sim::Weapon& w = s.weapons[0];
  w.amplitude = metres(10);
  w.frequency = 40'000;
  w.muzzle_cone = {16384, 8000};
  w.speed = metres(150);
  w.damage = 0;
  w.max_extra_speed = metres(90);
  w.max_extra_acceleration = metres(120);
  w.max_displacement = metres(150);
  w.retarget = true;
  s.weapons.push_back(w);
  s.weapons[1].max_extra_speed = metres(40);
  s.weapons[1].max_extra_acceleration = sim::k_max_speed;
  s.weapons[1].ripple_interval = 1500;
  s.types[0].hull = {{{0, 0, metres(-10)}, {0, 0, metres(20)}, metres(2)}};
  for (sim::Launcher& l : s.types[0].launchers) {
    l.trigger = sim::Trigger::nearest_enemy;
    l.reload = k_second;
    l.salvo = 6;
  }
  s.types[0].launchers[1].weapon = 1;
  for (int i = 0; i < 6; ++i) {
    add_ball(s, static_cast<std::uint8_t>(1 + i % 2), dice.vector(metres(400)),
             dice.vector(metres(40)));
  }
  return share(s);
}

struct LimitCount {
  std::size_t tests = 0;
  std::size_t losses = 0;
  std::size_t different = 0;
  std::uint64_t passed = 0;
};

/// Plays a brawl and holds every lock test against SPEC's formula.
LimitCount compare_with_definition(std::uint64_t seed, GuidanceFault fault,
                                   std::uint8_t log2_tick) {
  support::Dice dice(seed);
  StagedMatch match(brawl(dice, log2_tick));
  match.guidance.plant_fault(fault);
  LimitCount count;
  const Subtick interval = std::max<Subtick>(4096, Subtick{1} << log2_tick);
  const int ticks = static_cast<int>((12 * k_second) >> log2_tick);
  for (int n = 0; n < ticks; ++n) {
    const LogEntry& entry = match.step([&](sim::TickRecord& record) {
      for (const sim::Entity& e : match.world().entities()) {
        if (dice.chance(log2_tick > 10 ? 6 : 2)) {
          record.track_keys.push_back(
              {e.id, static_cast<std::uint8_t>(dice.between(2, 5)), false,
               e.track.position(match.world().time()) + dice.vector(metres(40)),
               dice.vector(metres(60))});
        }
      }
    });
    const sim::World& world = match.world();
    const Subtick at = world.time();
    if (at % interval != 0) {
      EXPECT_TRUE(entry.record.guidance.empty());
      continue;
    }
    for (const sim::Salvo& salvo : world.salvos()) {
      const sim::Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
      for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
        const auto index = static_cast<std::uint8_t>(i);
        const sim::LockInForce lock = world.lock_in_force(salvo, index, at);
        if (salvo.missiles[i].end != EndKind::alive || !lock.locked ||
            world.missile_launch_time(salvo, index) > at) {
          continue;
        }
        const Subtick duration = world.missile_end_time(salvo, index) - lock.begin;
        std::array<WideVec3, 3> h;
        for (std::size_t k = 0; k < 3; ++k) {
          const Subtick t = at - static_cast<Subtick>(k) * 1024;
          h[k] = t > lock.begin
                     ? sim::homing_term(world.homing_gap(salvo, index, t), t - lock.begin, duration)
                     : WideVec3(0);
        }
        const bool exceeds =
            sim::max_abs(h[0] - h[1]) * 64 > weapon.max_extra_speed ||
            sim::max_abs(h[0] - h[1] * std::int64_t{2} + h[2]) * 4096 >
                weapon.max_extra_acceleration ||
            sim::max_abs(world.homing_gap(salvo, index, at)) > weapon.max_displacement;
        const bool lost =
            std::any_of(salvo.events.begin(), salvo.events.end(), [&](const sim::SnapshotEvent& e) {
              return e.tick == world.tick() && e.group == i / 32 &&
                     ((e.mask >> (i % 32)) & 1U) != 0;
            });
        ++count.tests;
        count.losses += lost ? 1U : 0U;
        count.different += lost != exceeds ? 1U : 0U;
        EXPECT_LE(salvo.missiles[i].events, 3);
      }
    }
  }
  count.passed = match.guidance.counters().salvos_passed;
  return count;
}

TEST(Guidance, EveryLockTestIsTheDefinitionWhateverTheBoundPasses) {
  std::size_t tests = 0;
  std::size_t losses = 0;
  std::uint64_t passed = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const int log2_tick : {9, 11, 13}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", tick 2^" + std::to_string(log2_tick));
      const LimitCount c =
          compare_with_definition(seed, GuidanceFault::none, static_cast<std::uint8_t>(log2_tick));
      EXPECT_EQ(c.different, 0U);
      tests += c.tests;
      losses += c.losses;
      passed += c.passed;
    }
  }
  EXPECT_GT(tests, 20'000U);
  EXPECT_GT(losses, 300U);
  EXPECT_GT(passed, 1'000U);
  std::printf("%zu lock tests, %zu losses, %llu salvos passed whole, 0 different\n", tests, losses,
              static_cast<unsigned long long>(passed));
}

TEST(Guidance, TheDefinitionNoticesLocksThatAreKeptTooLong) {
  EXPECT_GT(compare_with_definition(1, GuidanceFault::never_loses, 11).different, 0U);
}

}  // namespace
}  // namespace contrail::server
