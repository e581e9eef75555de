// The rules as a seam: the standard ones refuse by reason, a host's own take their place.

#include <gtest/gtest.h>

#include <contrail/flow/match.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/support/small_scenario.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using support::add_ball;
using support::metres;
using support::share;
using support::small_scenario;
using wire::CommandStatus;

constexpr Subtick k_second = sim::k_subticks_per_second;

wire::Command fire(std::uint32_t id, std::uint16_t target, Subtick at, std::uint8_t launcher = 0) {
  wire::Command c;
  c.id = id;
  c.fire = {0, target, launcher, at};
  return c;
}

CommandStatus try_fire(Match& match, std::uint32_t id, std::uint16_t target,
                       std::uint8_t launcher = 0) {
  match.submit(1, fire(id, target, match.world().time() + 1, launcher));
  return match.step().results.front().result.status;
}

TEST(Rules, TargetsOfTheOwnTeamOutsideTheArcOrNotLockedOnAreRefusedAndNothingChanges) {
  sim::Scenario s = small_scenario();
  s.types[0].launchers[0].arc = sim::k_one / 2;  // 60 degrees
  s.weapons.push_back(s.weapons[0]);
  s.weapons[1].lock_time = k_second;
  s.weapons[1].seeker_range = metres(400);
  s.types[0].launchers[1].weapon = 1;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(300)});
  add_ball(s, 2, {metres(300), 0, 0});
  add_ball(s, 1, {0, 0, metres(100)});
  add_ball(s, 0, {0, 0, metres(200)});
  add_ball(s, 2, {0, 0, metres(500)});
  Match match(share(s));
  Match untouched(share(s));
  match.step();
  untouched.step();
  EXPECT_EQ(try_fire(match, 1, 3), CommandStatus::refused_team);
  EXPECT_EQ(try_fire(match, 2, 2), CommandStatus::refused_arc);
  EXPECT_EQ(try_fire(match, 3, 1, 1), CommandStatus::refused_lock);  // not there for a second yet
  for (int i = 0; i < 3; ++i) untouched.step();
  EXPECT_EQ(match.log().hash(), untouched.log().hash());
  EXPECT_EQ(match.world().state_hash(), untouched.world().state_hash());
  EXPECT_EQ(try_fire(match, 4, 1), CommandStatus::launched);
  EXPECT_EQ(try_fire(match, 5, 4), CommandStatus::launched);  // nobody's
  for (int i = 0; i < 32; ++i) match.step();
  EXPECT_EQ(try_fire(match, 6, 1, 1), CommandStatus::launched);
  EXPECT_EQ(try_fire(match, 7, 5, 1), CommandStatus::refused_lock);  // beyond the seeker's range
}

TEST(Rules, ALockNeedsTheTargetInSightAllTheTime) {
  // The target comes into the seeker's range while the hunter waits: 400 m at t = 1 s.
  sim::Scenario s = small_scenario();
  s.weapons[0].lock_time = k_second;
  s.weapons[0].seeker_range = metres(400);
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {0, 0, metres(500)}, {0, 0, metres(-100)});
  s.types[0].launchers[0].trigger = sim::Trigger::nearest_enemy;
  Match match(share(s));
  while (match.world().salvos().empty() && match.tick() < 200) match.step();
  ASSERT_EQ(match.world().salvos().size(), 2U);  // each sees the other
  // The muzzle is 2 m ahead: in sight from 0.98 s after the spawn on, and a second more.
  const Subtick t0 = match.world().salvos().front().launch.t0;
  EXPECT_GT(t0, 2048 + k_second * 198 / 100);
  EXPECT_LT(t0, 2048 + k_second * 198 / 100 + 2 * 4096);
}

/// A game without ammunition, ranges or death.
class GentleRules final : public Rules {
 public:
  [[nodiscard]] std::string_view name() const override { return "gentle"; }
  [[nodiscard]] CommandStatus may_fire(const FireRequest& request) const override {
    return request.target.id == 2 ? CommandStatus::refused_rules : CommandStatus::launched;
  }
  [[nodiscard]] bool is_enemy(const sim::Entity&, const sim::Entity&) const override {
    return false;
  }
  [[nodiscard]] std::uint16_t damage(const DamageRequest& request) const override {
    EXPECT_EQ(request.distance, 0);
    return 9;
  }
  [[nodiscard]] bool is_destroyed(const sim::World&, const sim::Entity&) const override {
    return false;
  }
};

TEST(Rules, AHostsRulesDecideWhoFiresWhatAHitCostsAndWhoDies) {
  sim::Scenario s = small_scenario();
  s.rules = "gentle";
  s.types[0].launchers[0].ammunition = 0;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 1, {0, 0, metres(100)});
  add_ball(s, 2, {0, metres(100), 0});
  Match match(share(s), std::make_shared<const GentleRules>());
  EXPECT_EQ(match.rules().name(), "gentle");
  match.step();
  EXPECT_EQ(try_fire(match, 1, 2), CommandStatus::refused_rules);
  EXPECT_EQ(try_fire(match, 2, 1), CommandStatus::launched);
  EXPECT_EQ(try_fire(match, 3, 1), CommandStatus::launched);
  for (int i = 0; i < 100; ++i) match.step();
  EXPECT_EQ(match.counters().impacts, 2U);
  EXPECT_EQ(match.counters().destroyed, 0U);
  EXPECT_EQ(match.world().find_entity(1)->health, 0);
  EXPECT_FALSE(match.world().find_entity(1)->gone);
}

TEST(Rules, AMatchIsPlayedByTheRulesItsScenarioNames) {
  sim::Scenario s = small_scenario();
  add_ball(s, 1, {0, 0, 0});
  EXPECT_THROW(Match(share(s), std::make_shared<const GentleRules>()), sim::AssertionFailure);
  s.rules = "gentle";
  EXPECT_THROW(Match{share(s)}, sim::AssertionFailure);
}

}  // namespace
}  // namespace contrail::server
