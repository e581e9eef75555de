// A host moves its ships as their types can fly, however long it was silent before.

#include <gtest/gtest.h>

#include <contrail/flow/hosted_match.hpp>
#include <contrail/support/small_scenario.hpp>

namespace contrail::server {
namespace {

using support::add_ball;
using support::metres;
using support::share;
using wire::CommandStatus;

/// A ship of at most 200 m/s and 50 m/s^2, driven once and then left alone for `pause` ticks.
struct Driver {
  explicit Driver(int pause) : scenario(make()), match(share(scenario)) {
    (void)match.step();
    (void)ask({0, 0, 0}, {0, 0, 0});
    for (int i = 0; i < pause; ++i) (void)match.step();
  }
  static sim::Scenario make() {
    sim::Scenario s = support::small_scenario();
    s.types[0].max_speed = metres(200);
    s.types[0].max_acceleration = metres(50);
    add_ball(s, 1, {0, 0, 0});
    return s;
  }
  CommandStatus ask(const sim::Vec3& position, const sim::Vec3& velocity) {
    match.drive(0, position, velocity);
    return match.step().answers.at(0).status;
  }
  [[nodiscard]] sim::Vec3 place() const {
    return match.world().find_entity(0)->track.position(match.world().time());
  }
  sim::Scenario scenario;
  HostedMatch match;
};

TEST(Drive, TwoHundredKilometresAfterAPauseAreRefusedAndNothingMoves) {
  Driver driver(320);  // 10 s: 2 km are the most the ship could have flown
  EXPECT_EQ(driver.ask({metres(200'000), 0, 0}, {0, 0, 0}), CommandStatus::refused_speed);
  EXPECT_EQ(driver.ask({metres(2'500), 0, 0}, {0, 0, 0}), CommandStatus::refused_speed);
  for (int i = 0; i < 64; ++i) (void)driver.match.step();
  EXPECT_EQ(driver.place(), (sim::Vec3{0, 0, 0}));
}

TEST(Drive, WhatIsTakenAfterAPauseIsCaughtUpWithoutAnImpossibleTrack) {
  Driver driver(64);  // 2 s
  ASSERT_EQ(driver.ask({metres(40), 0, 0}, {0, 0, 0}), CommandStatus::taken);
  sim::Vec3 before = driver.place();
  std::int64_t fastest = 0;
  for (int i = 0; i < 128; ++i) {
    (void)driver.match.step();
    const sim::Vec3 now = driver.place();
    fastest = std::max(fastest, sim::length(sim::WideVec3(now) - sim::WideVec3(before)) * 32);
    before = now;
  }
  EXPECT_LE(fastest, metres(210));
  EXPECT_LE(sim::length(sim::WideVec3(driver.place()) - sim::WideVec3(metres(40), 0, 0)),
            metres(1) / 20 + metres(50) / 1024);
}

TEST(Drive, AShipThatFliesSteadilyIsFollowedWithinFiveCentimetres) {
  Driver driver(0);
  sim::Vec3 wanted{0, 0, 0};
  std::int32_t speed = 0;
  for (int i = 0; i < 320; ++i) {
    const std::int32_t last = speed;
    if (i < 64) speed += metres(40) / 32;
    wanted.x += (last + speed) / 2 / 32;
    ASSERT_EQ(driver.ask(wanted, {speed, 0, 0}), CommandStatus::taken) << i;
    EXPECT_LE(sim::length(sim::WideVec3(driver.place()) - sim::WideVec3(wanted)),
              metres(1) / 20 + metres(50) / 1024 + 1)
        << i;
  }
}

}  // namespace
}  // namespace contrail::server
