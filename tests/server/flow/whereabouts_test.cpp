// The ball that spares guidance most flights holds every missile, always.

#include <gtest/gtest.h>

#include <contrail/flow/lock_test.hpp>
#include <contrail/flow/whereabouts.hpp>
#include <contrail/support/small_scenario.hpp>

#include "staged_match.hpp"

namespace contrail::server {
namespace {

using support::metres;

/// Weaving missiles of wide cones at turning ships.
std::shared_ptr<const sim::Scenario> weaving(support::Dice& dice, int log2_tick) {
  sim::Scenario s = support::small_scenario();
  s.seed = dice.next();
  s.log2_tick = static_cast<std::uint8_t>(log2_tick);
  sim::Weapon& w = s.weapons[0];
  const auto some = [&](int low, int high) {
    return static_cast<std::int32_t>(dice.between(low, high));
  };
  w.amplitude = metres(some(0, 60));
  w.frequency = some(1, 120'000);
  w.speed = metres(some(40, 900));
  w.muzzle_cone = {16384, some(0, 16000)};
  w.approach_cone = {16384, some(0, 16000)};
  w.ripple_interval = 700;
  s.types[0].hit_points = 60'000;
  s.types[0].launchers[1].trigger = sim::Trigger::nearest_enemy;
  s.types[0].launchers[1].reload = 30'000;
  for (int i = 0; i < 6; ++i) {
    support::add_ball(s, static_cast<std::uint8_t>(1 + i % 2), dice.vector(metres(600)),
                      dice.vector(metres(120)));
  }
  return support::share(s);
}

struct Tally {
  std::size_t looked_at = 0;
  std::size_t outside = 0;     // of the ball
  std::size_t off_centre = 0;  // the control: of a ball without a radius
  std::size_t wrongly_beyond = 0;
};

void look(const sim::World& world, support::Dice& dice, Tally& tally) {
  for (const sim::Salvo& salvo : world.salvos()) {
    for (int i = 0; i < salvo.launch.count; ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      const sim::Missile& missile = salvo.missiles[index];
      const sim::Subtick at = world.time();
      if (!world.missile_flies(salvo, index, at) || !missile.locked || missile.events != 0)
        continue;
      const HomingSample sample = lock_sample(world, salvo, index, at);
      const auto roughly = whereabouts(world, salvo, index, sample.term[0], at);
      if (!roughly) continue;
      ++tally.looked_at;
      const sim::Vec3 position = world.missile_position(salvo, index, at);
      const std::int64_t off = sim::length(sim::WideVec3(position) - roughly->centre);
      tally.outside += off > roughly->radius ? 1U : 0U;
      tally.off_centre += off > 0 ? 1U : 0U;
      const sim::Vec3 point = position + dice.vector(metres(40));
      const std::int64_t distance = sim::length(sim::WideVec3(point) - sim::WideVec3(position));
      tally.wrongly_beyond += roughly->beyond(distance, point) ? 1U : 0U;
    }
  }
}

TEST(Whereabouts, HoldEveryMissileAtEveryTick) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    support::Dice dice(seed);
    StagedMatch match(weaving(dice, 9 + static_cast<int>(seed % 5)));
    const int ticks = 10 << (16 - match.world().scenario().log2_tick);
    for (int n = 0; n < ticks; ++n) {
      match.step([&](sim::TickRecord& record) {
        for (const sim::Entity& e : match.world().entities()) {
          if (!dice.chance(2)) continue;
          record.track_keys.push_back({e.id, static_cast<std::uint8_t>(dice.between(1, 4)), false,
                                       dice.vector(metres(600)), dice.vector(metres(120))});
        }
      });
      if (n % 3 == 0) look(match.world(), dice, tally);
    }
  }
  std::printf("%zu looked at, %zu outside, %zu off the centre\n", tally.looked_at, tally.outside,
              tally.off_centre);
  EXPECT_GT(tally.looked_at, 10'000U);
  EXPECT_EQ(tally.outside, 0U);
  EXPECT_EQ(tally.wrongly_beyond, 0U);
  EXPECT_GT(tally.off_centre, tally.looked_at / 2);
}

}  // namespace
}  // namespace contrail::server
