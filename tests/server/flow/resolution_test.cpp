// The total order inside a tick: whatever order contacts are found in, the same record.

#include <gtest/gtest.h>

#include <algorithm>

#include <contrail/flow/match.hpp>
#include <contrail/flow/resolution.hpp>
#include <contrail/support/random_log.hpp>
#include <contrail/support/small_scenario.hpp>

namespace contrail::server {
namespace {

using sim::EndKind;
using sim::Subtick;
using support::add_ball;
using support::metres;
using support::share;
using support::small_scenario;

/// Two hunters have fired 16 darts each at a far target; three ships stand by.
class Crowd : public testing::Test {
 protected:
  void SetUp() override {
    sim::Scenario s = small_scenario();
    s.weapons[0].damage = 100;
    s.types[0].hit_points = 100;
    s.types[0].launchers[1].salvo = 16;
    add_ball(s, 1, {0, 0, 0});
    add_ball(s, 1, {metres(50), 0, 0});
    for (int i = 0; i < 4; ++i) add_ball(s, 2, {metres(30 * i), 0, metres(2000)});
    match = std::make_unique<Match>(share(s));
    match->step();
    for (std::uint16_t hunter = 0; hunter < 2; ++hunter) {
      wire::Command c;
      c.id = 1;
      c.fire = {hunter, 2, 1, match->world().time() + 1};
      match->submit(hunter, c);
    }
    for (int i = 0; i < 40; ++i) match->step();
    ASSERT_EQ(match->world().live_missiles(), 32U);
    now = match->world().time();
  }
  [[nodiscard]] sim::TickRecord resolve(const std::vector<Contact>& contacts) const {
    const StandardRules rules;
    sim::TickRecord record;
    record.tick = match->tick() + 1;
    Resolution(match->world(), {}, rules).run(contacts, record);
    return record;
  }
  std::unique_ptr<Match> match;
  Subtick now = 0;
};

/// Case 26: missiles 7 and 9 at the same subtick: one destroy event, credit to 7, and 9 hits too.
TEST_F(Crowd, Case26TheLowerMissileGetsTheCreditInWhateverOrderTheyAreFound) {
  const Contact seven{now + 100, ContactClass::hull, 0, 7, 3};
  const Contact nine{now + 100, ContactClass::hull, 1, 9, 3};
  for (const auto& contacts : {std::vector{seven, nine}, std::vector{nine, seven}}) {
    const sim::TickRecord r = resolve(contacts);
    ASSERT_EQ(r.despawns.size(), 1U);
    EXPECT_EQ(r.despawns[0].entity, 3);
    EXPECT_EQ(r.despawns[0].by_salvo, 0);
    EXPECT_EQ(r.despawns[0].time, now + 100);
    ASSERT_EQ(r.health.size(), 1U);
    EXPECT_EQ(r.health[0].health, 0);
    ASSERT_EQ(r.outcomes.size(), 2U);
    EXPECT_EQ(r.outcomes[0].index, 7);
    EXPECT_EQ(r.outcomes[1].index, 9);
  }
}

TEST_F(Crowd, AMissileThatComesASubtickLaterFliesOn) {
  const Contact first{now + 100, ContactClass::hull, 1, 9, 3};
  const Contact late{now + 101, ContactClass::hull, 0, 7, 3};
  const sim::TickRecord r = resolve({late, first});
  ASSERT_EQ(r.outcomes.size(), 1U);
  EXPECT_EQ(r.outcomes[0].index, 9);
  EXPECT_EQ(r.despawns.at(0).by_salvo, 1);
}

TEST_F(Crowd, AtOneSubtickShotsGoBeforeObstaclesBeforeHulls) {
  const Subtick t = now + 5;
  for (const auto& [kind, end] : {std::pair(ContactClass::shot, EndKind::intercepted),
                                  std::pair(ContactClass::obstacle, EndKind::obstacle)}) {
    const sim::TickRecord r =
        resolve({{t, ContactClass::hull, 0, 2, 3}, {t, kind, 0, 2, sim::k_no_entity}});
    ASSERT_EQ(r.outcomes.size(), 1U);
    EXPECT_EQ(r.outcomes[0].kind, end);
    EXPECT_TRUE(r.health.empty());
  }
}

TEST_F(Crowd, OfTwoHullsAtOneSubtickTheLowerEntityIsHit) {
  const sim::TickRecord r =
      resolve({{now + 5, ContactClass::hull, 0, 2, 4}, {now + 5, ContactClass::hull, 0, 2, 3}});
  ASSERT_EQ(r.outcomes.size(), 1U);
  EXPECT_EQ(r.outcomes[0].victim, 3);
}

/// Case 25: 1,000 orders of finding, one list of events.
TEST_F(Crowd, Case25EveryOrderOfFindingGivesTheSameRecord) {
  constexpr std::uint64_t k_seed = 4;
  support::Dice dice(k_seed);
  SCOPED_TRACE("seed " + std::to_string(k_seed));
  std::vector<Contact> contacts;
  for (int i = 0; i < 60; ++i) {
    contacts.push_back({now + dice.between(1, 12), ContactClass::hull,
                        static_cast<std::uint32_t>(dice.between(0, 1)),
                        static_cast<std::uint8_t>(dice.between(0, 15)),
                        static_cast<std::uint16_t>(dice.between(3, 5))});
  }
  const sim::TickRecord first = resolve(contacts);
  EXPECT_GT(first.outcomes.size(), 2U);
  EXPECT_EQ(first.despawns.size(), 3U);
  for (int i = 0; i < 1000; ++i) {
    for (std::size_t k = contacts.size(); k > 1; --k) {
      std::swap(contacts[k - 1],
                contacts[static_cast<std::size_t>(dice.between(0, static_cast<int>(k) - 1))]);
    }
    ASSERT_EQ(resolve(contacts), first);
  }
}

}  // namespace
}  // namespace contrail::server
