// Known faults of hit tests elsewhere, with their right values: what a missile on a straight way
// touches, and at which subtick. Missiles fly along +Z from a muzzle 2 m ahead of their launcher.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

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
using Kind = sim::WorldEvent::Kind;

constexpr std::int32_t k_muzzle = metres(2);
constexpr int k_flight_seconds = 6;

/// One missile of a steady `speed` (m/s) and radius 0, fired by entity 0 at entity 1, which stands
/// 6 s ahead. Further entities are of type 1, spheres of `radius` length units.
struct Range {
  sim::Scenario scenario = support::small_scenario();
  std::optional<StagedMatch> match;
  Subtick launched = 0;

  Range(int speed, std::int32_t radius, int log2_tick = 11) {
    scenario.log2_tick = static_cast<std::uint8_t>(log2_tick);
    scenario.weapons[0].speed = 0;
    scenario.weapons[0].flight_time = k_flight_seconds * sim::k_subticks_per_second;
    scenario.types.assign(3, scenario.types[0]);
    scenario.types[1].hull[0].radius = radius;
    scenario.types[1].hit_points = 100;
    scenario.types[2].hull[0].radius = 0;  // a point leaves no room for aim offsets
    add_ball(scenario, 1, {0, 0, 0});
    add_ball(scenario, 2, {0, 0, k_muzzle + metres(k_flight_seconds * speed)});
    scenario.entities[1].type = 2;
  }
  /// A body that stands at `position` from the muzzle when the missile leaves it.
  std::uint16_t add(const sim::Vec3& position, const sim::Vec3& velocity = {0, 0, 0}) {
    const sim::Vec3 step = velocity / static_cast<std::int32_t>(sim::k_subticks_per_second);
    const auto id = add_ball(scenario, 2, position + sim::Vec3{0, 0, k_muzzle} - step, velocity);
    scenario.entities[id].type = 1;
    return id;
  }
  /// Fires, and plays `ticks` more. `more` adds to the record of the n-th tick after the launch's.
  void play(int ticks, const std::function<void(int, sim::TickRecord&)>& more = {}) {
    match.emplace(share(scenario));
    match->step();
    launched = match->world().time() + 1;
    match->fire(0, 1);
    for (int n = 0; n <= ticks; ++n) {
      match->step([&](sim::TickRecord& record) {
        if (more) more(n, record);
      });
    }
  }
  [[nodiscard]] std::vector<sim::WorldEvent> ends() const { return match->of(Kind::missile_end); }
  /// Moves a body to `position` from the muzzle, where it stays.
  static sim::TrackKey jump(std::uint16_t id, const sim::Vec3& position) {
    return {id, 0, true, position + sim::Vec3{0, 0, k_muzzle}, {0, 0, 0}};
  }
};

/// Subticks after the launch, to the nearest.
Subtick subticks(double seconds) {
  return std::llround(seconds * static_cast<double>(sim::k_subticks_per_second));
}

/// The definition asks for the first subtick of contact: `seconds` rounded up, and the lattice may
/// move that by one.
void expect_hit(const Range& range, std::uint16_t victim, double seconds) {
  const auto ends = range.ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].end, EndKind::hull);
  EXPECT_EQ(ends[0].entity, victim);
  EXPECT_NEAR(static_cast<double>(ends[0].time - range.launched),
              seconds * static_cast<double>(sim::k_subticks_per_second) + 0.5, 1.5);
}

// ---- case 19: a fast missile against a crossing target

TEST(HitCases, case_19_missile_and_target_both_move_within_the_interval_at_any_tick_rate) {
  for (int log2_tick = 9; log2_tick <= 13; ++log2_tick) {
    SCOPED_TRACE("tick of 2^" + std::to_string(log2_tick) + " subticks");
    Range range(1000, metres(1) / 2, log2_tick);
    const auto target = range.add({0, metres(-27), metres(90)}, {0, metres(300), 0});
    range.play(20);
    expect_hit(range, target, 0.0895211);
  }
}

/// What the usual shortcuts see of it at 60 Hz: nothing.
TEST(HitCases, case_19_samples_and_sweeps_of_one_body_alone_miss_it) {
  Range range(1000, metres(1) / 2);
  const auto target = range.add({0, metres(-27), metres(90)}, {0, metres(300), 0});
  range.play(2);  // 0.094 s: still known
  const sim::World& world = range.match->world();
  const sim::Salvo& salvo = world.salvos().front();
  const auto gap = [&](Subtick missile, Subtick entity) {
    return WideVec3(world.missile_position(salvo, 0, range.launched + missile)) -
           WideVec3(world.find_entity(target)->track.position(range.launched + entity));
  };
  const Subtick five = subticks(5.0 / 60);
  const Subtick six = subticks(6.0 / 60);
  const auto in_metres = [](const WideVec3& v) {
    return static_cast<double>(sim::length(v)) / sim::k_units_per_metre;
  };
  EXPECT_NEAR(in_metres(gap(five, five)), 6.96, 0.05);  // the corners of both bodies' ways
  // Swept against the target frozen at either end: as near as its line comes to the missile's.
  EXPECT_NEAR(std::abs(static_cast<double>(gap(five, five).y)) / sim::k_units_per_metre, 2.0, 0.02);
  EXPECT_NEAR(std::abs(static_cast<double>(gap(five, six).y)) / sim::k_units_per_metre, 3.0, 0.02);
}

// ---- case 21: each instant is tested once

TEST(HitCases, case_21_who_steps_into_the_trail_later_is_not_hit) {
  Range range(100, metres(1));
  const auto walker = range.add({metres(400), 0, metres(50)});
  range.play(70, [&](int n, sim::TickRecord& record) {
    if (n == 32) record.track_keys.push_back(Range::jump(walker, {0, 0, metres(50)}));
  });
  EXPECT_TRUE(range.ends().empty());
}

TEST(HitCases, case_21_who_is_there_when_the_missile_comes_is_hit_even_if_gone_soon_after) {
  Range range(100, metres(1));
  const auto walker = range.add({metres(400), 0, metres(50)});
  range.play(40, [&](int n, sim::TickRecord& record) {
    if (n == 12) record.track_keys.push_back(Range::jump(walker, {0, 0, metres(50)}));
    if (n == 19) record.track_keys.push_back(Range::jump(walker, {metres(400), 0, metres(50)}));
  });
  expect_hit(range, walker, 0.49);
}

// ---- case 22: overlapping at the start

TEST(HitCases, case_22_inside_or_on_the_surface_at_launch_is_a_hit_at_launch) {
  for (const std::int32_t distance : {0, metres(1), metres(2)}) {
    Range range(100, metres(2));
    const auto around = range.add({0, 0, distance});
    range.play(10);
    const auto ends = range.ends();
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0].entity, around);
    EXPECT_EQ(ends[0].time, range.launched) << distance;
  }
}

TEST(HitCases, case_22_one_unit_outside_is_hit_once_a_moment_later) {
  Range range(100, metres(2));
  const auto ahead = range.add({0, 0, metres(2) + 1});
  range.play(10);
  const auto ends = range.ends();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].entity, ahead);
  EXPECT_EQ(ends[0].time, range.launched + 1);  // 6.25 units a subtick
}

/// A point against a point would never touch on a lattice: contact is at 0.3 m or more.
TEST(HitCases, case_22_two_bodies_without_a_radius_touch_at_the_least_distance) {
  Range range(100, 0);
  const auto point = range.add({0, 0, metres(10)});
  range.play(10);
  expect_hit(range, point, (10 - 0.3) / 100);
}

// ---- case 23: at the muzzle

TEST(HitCases, case_23_the_own_launcher_is_never_hit_on_the_way_out_and_the_first_enemy_is) {
  Range range(100, metres(1), 12);                    // 16 Hz: contact within the first tick
  range.scenario.types[0].hull[0].radius = k_muzzle;  // the muzzle lies on the hull
  const auto enemy = range.add({0, 0, metres(2)});    // a gap of 1 m
  range.play(10);
  expect_hit(range, enemy, 0.01);
  EXPECT_EQ(range.match->world().find_entity(0)->health, 10);
}

TEST(HitCases, case_23_a_launcher_that_comes_in_the_way_later_is_hit_like_anybody) {
  Range range(100, metres(1));
  range.play(120, [&](int n, sim::TickRecord& record) {
    if (n == 31) record.track_keys.push_back(Range::jump(0, {0, 0, metres(200)}));
  });
  expect_hit(range, 0, 2 - 1.0 / 100);
}

// ---- case 25: the nearer of two

TEST(HitCases, case_25_the_nearer_of_two_in_one_tick_is_hit_and_the_farther_unharmed) {
  for (const bool swapped : {false, true}) {
    Range range(600, metres(1) / 2, 12);
    const auto first = range.add({0, 0, metres(swapped ? 12 : 10)});
    const auto second = range.add({0, 0, metres(swapped ? 10 : 12)});
    range.play(10);
    expect_hit(range, swapped ? second : first, 9.5 / 600);
    EXPECT_EQ(range.match->world().find_entity(swapped ? first : second)->health, 100);
  }
}

// ---- case 28: one long interval

TEST(HitCases, case_28_a_target_that_crossed_within_one_long_interval_is_hit_where_they_met) {
  Range range(400, metres(1), 13);  // 8 Hz: 0.125 s
  const auto target = range.add({0, metres(-15), metres(30)}, {0, metres(200), 0});
  range.play(0);
  expect_hit(range, target, 0.07276);
  // At the interval's end the target is well past the line of flight.
  EXPECT_GT(range.match->world().find_entity(target)->track.position(range.match->world().time()).y,
            metres(9));
}

}  // namespace
}  // namespace contrail::server
