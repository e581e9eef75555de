// Whatever happens in one tick fits a record; what is asked beyond its share is refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include <contrail/flow/hosted_match.hpp>
#include <contrail/flow/record_budget.hpp>
#include <contrail/support/small_scenario.hpp>
#include <contrail/wire/byte_account.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {
namespace {

using support::add_ball;
using support::metres;
using support::share;
using wire::CommandStatus;
using wire::RecordKind;

TEST(RecordBudget, ItsSizesAreThoseOfTheWire) {
  EXPECT_EQ(RecordSizes::launch, wire::element_bytes(RecordKind::launch));
  EXPECT_EQ(RecordSizes::outcome, wire::element_bytes(RecordKind::outcome));
  EXPECT_EQ(RecordSizes::guidance, wire::element_bytes(RecordKind::guidance));
  EXPECT_EQ(RecordSizes::health, wire::element_bytes(RecordKind::health));
  EXPECT_EQ(RecordSizes::despawn, wire::element_bytes(RecordKind::despawn));
  EXPECT_EQ(RecordSizes::spawn, wire::element_bytes(RecordKind::spawn));
  EXPECT_EQ(RecordSizes::turret_mode, wire::element_bytes(RecordKind::turret_mode));
  EXPECT_EQ(RecordSizes::shot, wire::element_bytes(RecordKind::shot));
  EXPECT_EQ(RecordSizes::key, wire::element_bytes(RecordKind::track_key));
  EXPECT_EQ(RecordSizes::custom, wire::element_bytes(RecordKind::custom));
}

/// More missiles than any record of 64 KiB could name end in one tick: all of them are told.
TEST(RecordBudget, SixteenThousandMissilesThatEndInOneTickAreOneRecord) {
  sim::Scenario s = support::small_scenario();
  s.types[0].hit_points = 60'000;
  s.types[0].launchers[1].salvo = 255;
  s.weapons[0].speed = 0;
  s.weapons[0].flight_time = 8 * sim::k_subticks_per_second;
  constexpr int k_ships = 64;
  for (int i = 0; i < k_ships; ++i) add_ball(s, 1, {metres(40 * i), metres(400), 0});
  add_ball(s, 2, {metres(1000), metres(400), metres(100'000)});
  HostedMatch match(share(s));
  (void)match.step();
  for (std::uint16_t ship = 0; ship < k_ships; ++ship) match.fire(ship, 1, k_ships);
  std::size_t most = 0;
  std::size_t ended = 0;
  for (int i = 0; i < 40; ++i) {
    if (i == 20) {  // all at once, by order
      for (std::uint32_t launch = 0; launch < k_ships; ++launch) match.self_destruct(launch);
    }
    const HostedStep step = match.step();
    most = std::max(most, step.record.outcomes.size());
    ended += step.record.outcomes.size();
    if (step.bytes.empty()) continue;
    sim::TickRecord back;
    ASSERT_TRUE(wire::decode_record(step.bytes, s.log2_tick, back));
    ASSERT_EQ(back, step.record);
  }
  EXPECT_EQ(ended, 64U * 255);
  EXPECT_GT(most * RecordSizes::outcome, 65'536U) << "in one tick";
}

TEST(RecordBudget, WhatAHostAsksBeyondATicksShareIsRefusedWithItsReason) {
  sim::Scenario s = support::small_scenario();
  add_ball(s, 1, {0, 0, 0});
  HostedMatch match(share(s));
  (void)match.step();
  std::vector<std::uint8_t> bytes(200, 7);
  for (int i = 0; i < 1500; ++i) {
    sim::Spawn spawn;
    spawn.team = 1;
    spawn.position = {metres(3 * i), metres(50), 0};
    match.spawn(spawn);
  }
  for (int i = 0; i < 1000; ++i) match.custom(1, bytes);
  const HostedStep step = match.step();
  std::map<CommandStatus, int> answers;
  for (const wire::CommandResult& answer : step.answers) ++answers[answer.status];
  EXPECT_EQ(step.answers.size(), 2500U);
  EXPECT_EQ(step.record.spawns.size(), 1500U);
  EXPECT_EQ(step.record.customs.size(), k_most_custom_bytes / (200 + RecordSizes::custom));
  EXPECT_EQ(answers[CommandStatus::refused_limit],
            1000 - static_cast<int>(step.record.customs.size()));
  sim::TickRecord back;
  ASSERT_TRUE(wire::decode_record(step.bytes, s.log2_tick, back));
  EXPECT_EQ(back, step.record);
}

TEST(RecordBudget, APlayerMayAskSixteenThingsATick) {
  sim::Scenario s = support::small_scenario();
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  Match match(share(s));
  match.step();
  for (std::uint32_t id = 1; id <= 40; ++id) {
    wire::Command c;
    c.id = id;
    c.fire = {0, 1, 0, match.world().time() + 1};
    match.submit(3, c);
  }
  const StepResult step = match.step();
  const auto busy = std::count_if(
      step.results.begin(), step.results.end(),
      [](const InputResult& r) { return r.result.status == CommandStatus::refused_busy; });
  EXPECT_EQ(busy, 24);
}

}  // namespace
}  // namespace contrail::server
