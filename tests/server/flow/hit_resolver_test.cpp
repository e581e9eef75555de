// The resolver against its definition: a loop over every subtick.

#include <gtest/gtest.h>

#include <algorithm>
#include <contrail/flow/hit_resolver.hpp>
#include <contrail/flow/match.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/support/random_log.hpp>
#include <contrail/support/small_scenario.hpp>

#include "hit_oracle.hpp"

namespace contrail::server {
namespace {

using support::Dice;
using support::metres;

/// A crowded, fast scene at 128 Hz: long thin hulls, turning ships, weaving missiles.
std::shared_ptr<const sim::Scenario> crowded(Dice& dice, bool own_attitude) {
  sim::Scenario s = support::small_scenario();
  s.seed = dice.next();
  s.log2_tick = 9;
  s.ground = metres(-120);
  sim::Weapon& w = s.weapons[0];
  w.amplitude = metres(20);
  w.frequency = 60'000;
  w.speed = metres(300);
  w.radius = metres(1);
  w.muzzle_cone = {16384, 12000};
  w.approach_cone = {16384, 14000};
  w.damage = 1;
  sim::EntityType& type = s.types[0];
  type.own_attitude = own_attitude;
  type.hit_points = 1000;
  type.hull = {{{0, 0, metres(-40)}, {0, 0, metres(80)}, metres(2)},
               {{metres(-15), 0, 0}, {metres(30), 0, 0}, metres(1)}};
  type.mounts[0].offset = {0, metres(2), 0};
  for (sim::Launcher& launcher : type.launchers) {
    launcher.salvo = 4;
    launcher.trigger = sim::Trigger::nearest_enemy;
    launcher.reload = 20'000;
  }
  for (int i = 0; i < 5; ++i) {
    support::add_ball(s, static_cast<std::uint8_t>(1 + i % 2), dice.vector(metres(150)),
                      dice.vector(metres(60)));
    s.entities.back().attitude = sim::quaternion_of_angles(
        static_cast<std::int32_t>(dice.next()), static_cast<std::int32_t>(dice.next()), 0);
  }
  return support::share(s);
}

/// Random manoeuvres and attitudes on top of what a match decided.
void add_manoeuvres(const sim::World& world, Dice& dice, sim::TickRecord& record) {
  for (const sim::Entity& e : world.entities()) {
    if (e.gone || !dice.chance(10)) {
      continue;
    }
    const auto k = static_cast<std::uint8_t>(dice.between(2, 6));
    const auto at = [&](std::int64_t limit) { return dice.vector(limit); };
    record.track_keys.push_back({e.id, k, false, at(metres(150)), at(metres(60))});
    if (e.track.own_attitude()) {
      record.attitude_keys.push_back(
          {e.id, k,
           sim::quaternion_of_angles(static_cast<std::int32_t>(dice.next()),
                                     static_cast<std::int32_t>(dice.next()),
                                     static_cast<std::int32_t>(dice.next()))});
    }
  }
}

struct Comparison {
  std::size_t contacts = 0;
  std::size_t missed = 0;
  std::size_t invented = 0;
};

Comparison compare(std::uint64_t seed, bool own_attitude, int ticks) {
  Dice dice(seed);
  EventLog log(crowded(dice, own_attitude));
  FireControl fire_control(seed);
  Population population(log.world().scenario());
  HitResolver fast;
  HitOracle slow;
  Comparison result;
  for (int n = 0; n < ticks; ++n) {
    sim::TickRecord record;
    record.tick = log.world().tick() + 1;
    std::vector<InputResult> results;
    fire_control.step(log.world(), {}, record.launches, results);
    std::vector<sim::Salvo> staged;
    for (const sim::Launch& l : record.launches) {
      staged.push_back(log.world().prepare_salvo(
          l, log.world().next_launch() + static_cast<std::uint32_t>(staged.size()), record.tick));
    }
    std::vector<Contact> found;
    std::vector<Contact> truth;
    fast.find(log.world(), staged, found);
    slow.find(log.world(), staged, truth);
    std::vector<Contact> difference;
    std::set_difference(truth.begin(), truth.end(), found.begin(), found.end(),
                        std::back_inserter(difference));
    result.missed += difference.size();
    difference.clear();
    std::set_difference(found.begin(), found.end(), truth.begin(), truth.end(),
                        std::back_inserter(difference));
    result.invented += difference.size();
    result.contacts += truth.size();
    population.step(log.world(), record);
    add_manoeuvres(log.world(), dice, record);
    // Contacts end nothing here: missiles fly on and touch more.
    fast.follow(log.world(), log.append(record, false).events);
  }
  return result;
}

TEST(HitResolver, FindsExactlyWhatALoopOverEverySubtickFinds) {
  Comparison sum;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Comparison one = compare(seed, seed % 2 == 0, 70);
    EXPECT_EQ(one.missed, 0U) << "seed " << seed;
    EXPECT_EQ(one.invented, 0U) << "seed " << seed;
    sum.contacts += one.contacts;
  }
  std::printf("%zu contacts, 0 missed, 0 invented\n", sum.contacts);
  EXPECT_GT(sum.contacts, 100U);
}

/// A sampler that looks at the end of each tick only: the control that must miss.
TEST(HitResolver, ASamplerOncePerTickMissesWhatTheResolverFinds) {
  sim::Scenario s = support::small_scenario();
  s.log2_tick = 12;
  s.weapons[0].speed = metres(900);
  support::add_ball(s, 1, {0, 0, 0});
  support::add_ball(s, 2, {0, 0, metres(900)});
  for (int i = 1; i <= 12; ++i) {
    support::add_ball(s, 2, {0, 0, metres(60 * i + 7)});
  }
  const auto scenario = support::share(s);
  EventLog log(scenario);
  Population population(*scenario);
  sim::TickRecord record;
  record.tick = 1;
  population.step(log.world(), record);
  log.append(record, false);
  sim::Launch launch;
  launch.launcher = 0;
  launch.target = 1;
  launch.t0 = log.world().time() + 1;
  launch.count = 1;
  launch.log2_piece = 12;
  launch.pieces = 16;
  HitResolver resolver;
  std::size_t exact = 0;
  std::size_t sampled = 0;
  for (std::uint32_t n = 2; n < 20; ++n) {
    record = {};
    record.tick = n;
    std::vector<sim::Salvo> staged;
    if (n == 2) {
      record.launches.push_back(launch);
      staged.push_back(log.world().prepare_salvo(launch, 0, n));
    }
    std::vector<Contact> found;
    resolver.find(log.world(), staged, found);
    exact += found.size();
    resolver.follow(log.world(), log.append(record, false).events);
    const sim::Salvo& salvo = log.world().salvos().front();
    if (!log.world().missile_flies(salvo, 0, log.world().time())) {
      continue;
    }
    const auto at = log.world().missile_position(salvo, 0, log.world().time());
    for (const sim::Entity& e : log.world().entities()) {
      const auto gap = sim::WideVec3(at) - sim::WideVec3(e.track.position(log.world().time()));
      sampled += e.id > 1 && sim::length(gap) <= metres(1) ? 1 : 0;
    }
  }
  EXPECT_EQ(exact, 12U);
  EXPECT_LT(sampled, exact);
}

}  // namespace
}  // namespace contrail::server
