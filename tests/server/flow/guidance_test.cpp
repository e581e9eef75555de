// Guidance: when a lock ends, what takes its place, and what becomes of the missile.

#include <gtest/gtest.h>

#include <contrail/sim/arith.hpp>

#include "hunt.hpp"

namespace contrail::server {
namespace {

using namespace hunting;

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

}  // namespace
}  // namespace contrail::server
