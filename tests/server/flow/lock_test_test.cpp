// Every lock test against its definition, missile by missile.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/homing.hpp>

#include "hunt.hpp"

namespace contrail::server {
namespace {

using namespace hunting;

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

TEST(LockTest, EveryLockTestIsTheDefinitionWhateverTheBoundPasses) {
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

TEST(LockTest, TheDefinitionNoticesLocksThatAreKeptTooLong) {
  EXPECT_GT(compare_with_definition(1, GuidanceFault::never_loses, 11).different, 0U);
}

}  // namespace
}  // namespace contrail::server
