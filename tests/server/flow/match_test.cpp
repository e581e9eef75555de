#include <gtest/gtest.h>

#include <algorithm>

#include <contrail/flow/match.hpp>
#include <contrail/support/small_scenario.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using support::add_ball;
using support::metres;
using support::share;
using support::small_scenario;
using wire::CommandStatus;

wire::Command fire(std::uint32_t id, std::uint16_t entity, std::uint16_t target,
                   std::uint8_t launcher = 0, Subtick at = 0) {
  wire::Command c;
  c.id = id;
  c.fire = {entity, target, launcher, at};
  return c;
}

/// Submits at the present time and steps; the status of the one result.
CommandStatus try_fire(Match& match, wire::Command c) {
  if (c.fire.at == 0) {
    c.fire.at = match.world().time() + 1;
  }
  match.submit(1, c);
  return match.step().results.front().result.status;
}

/// Steps until `count` missiles have ended; all events on the way.
std::vector<sim::WorldEvent> play_until_ended(Match& match, std::size_t count) {
  std::vector<sim::WorldEvent> events;
  std::size_t ended = 0;
  for (int i = 0; i < 4000 && ended < count; ++i) {
    for (const sim::WorldEvent& e : match.step().entry.events) {
      events.push_back(e);
      ended += e.kind == sim::WorldEvent::Kind::missile_end ? 1 : 0;
    }
  }
  return events;
}

std::vector<sim::WorldEvent> of_kind(const std::vector<sim::WorldEvent>& events,
                                     sim::WorldEvent::Kind kind) {
  std::vector<sim::WorldEvent> out;
  std::copy_if(events.begin(), events.end(), std::back_inserter(out),
               [kind](const sim::WorldEvent& e) { return e.kind == kind; });
  return out;
}

TEST(Match, PlannedEntitiesSpawnAtTheirTickAndRespawnUnderANewId) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  s.entities[1].spawn_tick = 5;
  s.entities[1].respawn_ticks = 16;
  Match match(share(s));
  for (int i = 0; i < 4; ++i) match.step();
  EXPECT_EQ(match.world().entities().size(), 1U);
  match.step();
  ASSERT_EQ(match.world().entities().size(), 2U);
  ASSERT_EQ(try_fire(match, fire(1, 0, 1)), CommandStatus::launched);
  const auto events = play_until_ended(match, 1);
  ASSERT_EQ(of_kind(events, sim::WorldEvent::Kind::destroyed).size(), 1U);
  for (int i = 0; i < 17; ++i) match.step();
  ASSERT_NE(match.world().find_entity(2), nullptr);
  EXPECT_FALSE(match.world().find_entity(2)->gone);
}

TEST(Match, ALockedMissileImpactsItsTargetExactlyAtItsAnnouncedEnd) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {metres(50), 0, metres(400)}, {0, metres(20), 0});
  Match match(share(s));
  match.step();
  ASSERT_EQ(try_fire(match, fire(1, 0, 1)), CommandStatus::launched);
  const sim::Launch launch = match.world().salvos().front().launch;
  const Subtick expected = launch.t0 + (Subtick{launch.pieces} << launch.log2_piece);
  const auto ends = of_kind(play_until_ended(match, 1), sim::WorldEvent::Kind::missile_end);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].end, sim::EndKind::impact);
  EXPECT_EQ(ends[0].time, expected);
  EXPECT_EQ(ends[0].entity, 1);
  // The aim point lies inside the target's hull, wherever it flew meanwhile.
  const auto target = match.world().find_entity(1)->track.position(expected);
  EXPECT_LE(sim::length(sim::WideVec3(ends[0].position) - sim::WideVec3(target)), metres(1));
  EXPECT_EQ(match.counters().destroyed, 1U);
}

TEST(Match, AMissileHitsAHullInItsWayAndSendsAnOutcome) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(400)});
  add_ball(s, 2, {0, 0, metres(200)});
  Match match(share(s));
  match.step();
  ASSERT_EQ(try_fire(match, fire(1, 0, 1)), CommandStatus::launched);
  const auto events = play_until_ended(match, 1);
  const auto ends = of_kind(events, sim::WorldEvent::Kind::missile_end);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].end, sim::EndKind::hull);
  EXPECT_EQ(ends[0].entity, 2);
  EXPECT_EQ(match.log().counters().outcomes, 1U);
  EXPECT_EQ(of_kind(events, sim::WorldEvent::Kind::destroyed).at(0).entity, 2);
}

TEST(Match, Case25TheNearerOfTwoTargetsIsHitWhateverTheirIds) {
  for (const bool swapped : {false, true}) {
    auto s = small_scenario();
    add_ball(s, 1, {0, 0, 0});
    add_ball(s, 2, {0, 0, metres(800)});
    add_ball(s, 2, {0, 0, metres(swapped ? 104 : 100)});
    add_ball(s, 2, {0, 0, metres(swapped ? 100 : 104)});
    Match match(share(s));
    match.step();
    ASSERT_EQ(try_fire(match, fire(1, 0, 1)), CommandStatus::launched);
    const auto ends = of_kind(play_until_ended(match, 1), sim::WorldEvent::Kind::missile_end);
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].entity, swapped ? 3 : 2);
    EXPECT_EQ(match.world().find_entity(swapped ? 2 : 3)->health, 10);
  }
}

TEST(Match, Case26ATargetDiesOnceHoweverManyMissilesArriveAtOnce) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  Match match(share(s));
  match.step();
  ASSERT_EQ(try_fire(match, fire(1, 0, 1, 1)), CommandStatus::launched);  // 8 at the same subtick
  const auto events = play_until_ended(match, 8);
  EXPECT_EQ(of_kind(events, sim::WorldEvent::Kind::destroyed).size(), 1U);
  for (const auto& e : of_kind(events, sim::WorldEvent::Kind::missile_end)) {
    EXPECT_EQ(e.end, sim::EndKind::impact);  // at the subtick of its death it is still hit
  }
  EXPECT_EQ(match.world().find_entity(1)->health, 0);
}

TEST(Match, Case26TwoWhoKillEachOtherAtTheSameSubtickBothDie) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  s.entities[1].attitude = {0, 16384, 0, 0};  // faces back along -Z
  Match match(share(s));
  match.step();
  const Subtick at = match.world().time() + 5;
  match.submit(1, fire(1, 0, 1, 0, at));
  match.submit(2, fire(1, 1, 0, 0, at));
  match.step();
  const auto events = play_until_ended(match, 2);
  EXPECT_EQ(of_kind(events, sim::WorldEvent::Kind::destroyed).size(), 2U);
  EXPECT_EQ(match.counters().impacts, 2U);
}

TEST(Match, Case22OverlappingAtLaunchHitsAtTheLaunchTime) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(400)});
  add_ball(s, 2, {0, 0, metres(2)});  // around the muzzle
  Match match(share(s));
  match.step();
  ASSERT_EQ(try_fire(match, fire(1, 0, 1)), CommandStatus::launched);
  const auto ends = of_kind(match.log().last().events, sim::WorldEvent::Kind::missile_end);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].time, match.world().salvos().front().launch.t0);
  EXPECT_EQ(ends[0].entity, 2);
}

TEST(Match, Case23NoHitOnTheOwnLauncherOnTheWayOut) {
  auto s = small_scenario();
  s.types[0].mounts[0].offset = {0, 0, metres(1)};  // the muzzle lies on the hull
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(400)});
  Match match(share(s));
  match.step();
  ASSERT_EQ(try_fire(match, fire(1, 0, 1)), CommandStatus::launched);
  play_until_ended(match, 1);
  EXPECT_EQ(match.world().find_entity(0)->health, 10);
  EXPECT_EQ(match.counters().impacts, 1U);
  EXPECT_EQ(match.counters().other_hits, 0U);
}

TEST(Match, MissilesOfARippleStayInTheirTubesWhenTheLauncherDies) {
  auto s = small_scenario();
  s.weapons[0].ripple_interval = 4096;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(400)});
  add_ball(s, 3, {metres(15), 0, 0});
  Match match(share(s));
  match.step();
  const Subtick now = match.world().time();
  match.submit(1, fire(1, 0, 1, 1, now + 1));
  match.submit(2, fire(1, 2, 0, 0, now + 1));
  match.step();
  play_until_ended(match, 9);
  EXPECT_GT(match.counters().aborted, 0U);
  EXPECT_LT(match.counters().aborted, 8U);
  EXPECT_EQ(match.counters().missiles, 9U);
}

TEST(Match, MissilesExpireWhenTheirTargetIsAlreadyDestroyed) {
  auto s = small_scenario();
  s.weapons[0].ripple_interval = 2048;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  Match match(share(s));
  match.step();
  ASSERT_EQ(try_fire(match, fire(1, 0, 1, 1)), CommandStatus::launched);
  play_until_ended(match, 8);
  EXPECT_EQ(match.counters().impacts, 1U);
  EXPECT_EQ(match.counters().expired, 7U);
  EXPECT_EQ(match.log().counters().outcomes, 0U);  // all of it follows from the log
}

TEST(Match, EveryRefusalHasItsReasonAndChangesNothing) {
  auto s = small_scenario();
  s.types[0].launchers[0].reload = 65536;
  s.types[0].launchers[1].ammunition = 0;
  s.weapons[0].min_range = metres(50);
  s.weapons[0].max_range = metres(500);
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  add_ball(s, 2, {0, 0, metres(20)});
  add_ball(s, 2, {0, 0, metres(900)});
  Match match(share(s));
  Match untouched(share(s));
  for (int i = 0; i < 40; ++i) {  // long enough for something to be late
    match.step();
    untouched.step();
  }
  const Subtick now = match.world().time();
  EXPECT_EQ(try_fire(match, fire(1, 99, 1)), CommandStatus::refused_entity);
  EXPECT_EQ(try_fire(match, fire(2, 0, 1, 7)), CommandStatus::refused_launcher);
  EXPECT_EQ(try_fire(match, fire(3, 0, 99)), CommandStatus::refused_target);
  EXPECT_EQ(try_fire(match, fire(4, 0, 0)), CommandStatus::refused_target);
  EXPECT_EQ(try_fire(match, fire(5, 0, 2)), CommandStatus::refused_range);
  EXPECT_EQ(try_fire(match, fire(6, 0, 3)), CommandStatus::refused_range);
  EXPECT_EQ(try_fire(match, fire(7, 0, 1, 1)), CommandStatus::refused_ammunition);
  EXPECT_EQ(try_fire(match, fire(8, 0, 1, 0, now - 65536)), CommandStatus::refused_late);
  EXPECT_EQ(try_fire(match, fire(9, 0, 1, 0, now + 3600 * Subtick{65536})),
            CommandStatus::refused_early);
  for (int i = 0; i < 9; ++i) untouched.step();
  EXPECT_EQ(match.world().state_hash(), untouched.world().state_hash());
  EXPECT_EQ(match.log().hash(), untouched.log().hash());

  EXPECT_EQ(try_fire(match, fire(10, 0, 1)), CommandStatus::launched);
  EXPECT_EQ(try_fire(match, fire(11, 0, 1)), CommandStatus::refused_reloading);
  EXPECT_EQ(match.counters().fires_accepted, 1U);
  EXPECT_EQ(match.counters().fires_refused, 10U);
}

TEST(Match, Case28ALateCommandLaunchesNowNeverInThePast) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  Match match(share(s));
  for (int i = 0; i < 20; ++i) match.step();
  const Subtick now = match.world().time();
  ASSERT_EQ(try_fire(match, fire(1, 0, 1, 0, now - 9830)), CommandStatus::launched);  // 150 ms
  EXPECT_EQ(match.world().salvos().front().launch.t0, now + 1);
}

TEST(Match, TheSameInputsGiveTheSameLogInWhateverOrderTheyArrive) {
  auto s = small_scenario();
  for (int i = 0; i < 4; ++i) {
    add_ball(s, static_cast<std::uint8_t>(1 + i % 2), {metres(40 * i), 0, metres(100 * (i % 2))});
  }
  const auto scenario = share(s);
  Match forward(scenario);
  Match backward(scenario);
  forward.step();
  backward.step();
  const Subtick at = forward.world().time() + 100;
  for (std::uint32_t c = 0; c < 4; ++c) {
    const auto from = static_cast<std::uint16_t>(c);
    const auto to = static_cast<std::uint16_t>((c + 1) % 4);
    forward.submit(c, fire(1, from, to, 1, at));
    const auto from2 = static_cast<std::uint16_t>(3 - c);
    const auto to2 = static_cast<std::uint16_t>((4 - c) % 4);
    backward.submit(3 - c, fire(1, from2, to2, 1, at));
  }
  for (int i = 0; i < 300; ++i) {
    forward.step();
    backward.step();
  }
  EXPECT_EQ(forward.log().hash(), backward.log().hash());
  EXPECT_EQ(forward.counters().missiles, 32U);
}

TEST(Match, RunningTheAcceptedInputsAgainGivesTheSameLogBytes) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0}, {metres(10), 0, 0});
  add_ball(s, 2, {0, 0, metres(300)}, {0, metres(5), 0});
  s.types[0].hit_points = 1000;
  const auto scenario = share(s);
  Match first(scenario);
  std::vector<wire::Input> accepted;
  std::vector<wire::Bytes> bytes;
  for (std::uint32_t n = 1; n < 400; ++n) {
    if (n % 5 == 0) {
      first.submit(n % 3, fire(n, static_cast<std::uint16_t>(n % 4), 1, n % 2, n * 2048));
    }
    const auto step = first.step();
    accepted.insert(accepted.end(), step.accepted.begin(), step.accepted.end());
    bytes.push_back(step.entry.bytes);
  }
  ASSERT_GT(accepted.size(), 10U);
  Match again(scenario);
  std::size_t next = 0;
  for (std::uint32_t n = 1; n < 400; ++n) {
    while (next < accepted.size() && accepted[next].tick == n) {
      again.submit(accepted[next].client, accepted[next].command);
      ++next;
    }
    ASSERT_EQ(again.step().entry.bytes, bytes[n - 1]) << "tick " << n;
  }
  // Control: without one of the inputs the log differs.
  Match without(scenario);
  for (std::uint32_t n = 1; n < 400; ++n) without.step();
  EXPECT_NE(without.log().hash(), again.log().hash());
}

TEST(Match, EndsAtItsTickAndRefusesFireAfterwards) {
  auto s = small_scenario();
  s.end_tick = 10;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  Match match(share(s));
  for (int i = 0; i < 9; ++i) match.step();
  EXPECT_FALSE(match.ended());
  match.step();
  EXPECT_TRUE(match.ended());
  EXPECT_EQ(try_fire(match, fire(1, 0, 1)), CommandStatus::refused_ended);
}

TEST(Match, AStateHashTravelsEveryHalfSecond) {
  auto s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  Match match(share(s));
  int hashes = 0;
  for (int i = 0; i < 320; ++i) {
    hashes += static_cast<int>(match.step().entry.record.state_hashes.size());
  }
  EXPECT_EQ(hashes, 20);
}

}  // namespace
}  // namespace contrail::server
