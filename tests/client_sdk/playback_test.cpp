#include <contrail/core/playback.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <contrail/core/render_edge.hpp>
#include <contrail/core/sample.hpp>

#include "log_author.hpp"

namespace contrail::client {
namespace {

using test::k_metre;
using test::LogAuthor;
using test::small_scenario;

constexpr sim::Subtick k_tick = 2048;
constexpr sim::Subtick k_for_ever = sim::Subtick{1} << 60;

/// Two ships 2 km apart on crossing courses and one salvo of each weapon.
struct Battle {
  explicit Battle(std::uint32_t first_tick = 0)
      : scenario(small_scenario()), author(scenario, first_tick), playback(scenario) {
    if (first_tick != 0) {
      EXPECT_EQ(playback.restore(author.world().snapshot()), sim::FoldError::none);
    }
    author.spawn(1, {0, 0, 0}, {0, 0, 50 * k_metre});
    author.spawn(2, {300 * k_metre, 40 * k_metre, 2000 * k_metre}, {60 * k_metre, 0, 0}, 1);
    feed();
    for (int i = 0; i < 3; ++i) feed();
    author.launch(1, 2, 0, 1, 64, 100);
    author.launch(1, 2, 1, 12, 96, 700);
    feed();
    // The target turns away: homing has something to do.
    author.next.track_keys.push_back({2,
                                      5,
                                      false,
                                      {450 * k_metre, 60 * k_metre, 2100 * k_metre},
                                      {80 * k_metre, 10 * k_metre, 90 * k_metre}});
    feed();
  }
  void feed() {
    const sim::TickRecord record = author.step();
    if (record.empty()) {
      playback.advance(record.tick);
    } else {
      ASSERT_EQ(playback.fold(record), sim::FoldError::none);
    }
  }
  void feed_to(std::uint32_t tick) {
    while (author.world().tick() < tick) feed();
  }
  std::vector<Event> events(sim::Subtick until = k_for_ever) {
    std::vector<Event> all;
    Event event;
    while (playback.next_event(until, event)) all.push_back(event);
    return all;
  }

  std::shared_ptr<const sim::Scenario> scenario;
  LogAuthor author;
  Playback playback;
};

TEST(Playback, agrees_with_the_author_by_every_state_hash) {
  Battle battle;
  battle.feed_to(8 * 32);
  EXPECT_EQ(battle.playback.counts().hash_checks, 16U);
  EXPECT_EQ(battle.playback.counts().hash_mismatches, 0U);
  EXPECT_FALSE(battle.playback.counts().first_divergent.has_value());
  EXPECT_EQ(battle.playback.world().snapshot(), battle.author.world().snapshot());
}

// A hash evaluates one missile in 256, the next ones in the next hash. With a hash every tick and
// 100 missiles some are in flight when their turn comes.
TEST(Playback, names_the_flights_when_their_knots_differ) {
  for (const sim::Fault fault : {sim::Fault::none, sim::Fault::flight_knot}) {
    Battle battle;
    battle.playback.plant_fault(fault);
    battle.author.hash_every = 1;
    battle.author.launch(1, 2, 1, 100, 64);
    battle.feed_to(3 * 32);
    const LogCounts& counts = battle.playback.counts();
    EXPECT_EQ(counts.hash_checks, 90U);
    if (fault == sim::Fault::none) {
      EXPECT_EQ(counts.hash_mismatches, 0U);
      continue;
    }
    EXPECT_GT(counts.hash_mismatches, 0U);
    ASSERT_TRUE(counts.first_divergent.has_value());
    EXPECT_EQ(*counts.first_divergent, sim::Subsystem::flights);
    EXPECT_STREQ(subsystem_name(*counts.first_divergent), "flights");
    EXPECT_GT(counts.first_divergent_tick, 6U);
  }
}

TEST(Playback, delivers_every_event_once_in_the_order_of_time) {
  Battle battle;
  battle.feed_to(6 * 32);
  const auto all = battle.events();
  EXPECT_TRUE(battle.events().empty());
  ASSERT_FALSE(all.empty());
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].time, all[i].time) << i;
  int launches = 0;
  int impacts = 0;
  for (const Event& event : all) {
    launches += event.kind == EventKind::launch ? 1 : 0;
    impacts += event.kind == EventKind::impact ? 1 : 0;
  }
  EXPECT_EQ(launches, 2);
  EXPECT_EQ(impacts, 13);
  EXPECT_EQ(battle.playback.counts().impacts, 13U);
  EXPECT_EQ(battle.playback.counts().missiles, 13U);
}

TEST(Playback, holds_events_back_until_their_time) {
  Battle battle;
  battle.feed_to(6 * 32);
  const sim::Subtick launch_time = 4 * k_tick + 100;
  for (const Event& event : battle.events(launch_time - 1)) {
    EXPECT_EQ(event.kind, EventKind::spawn);
  }
  const auto at_launch = battle.events(launch_time);
  ASSERT_EQ(at_launch.size(), 1U);
  EXPECT_EQ(at_launch[0].kind, EventKind::launch);
  EXPECT_EQ(at_launch[0].time, launch_time);
  EXPECT_EQ(at_launch[0].missile, (MissileId{0, 0}));
  EXPECT_EQ(at_launch[0].count, 1);
  EXPECT_EQ(at_launch[0].entity, 1);
  EXPECT_EQ(at_launch[0].target, 2);
}

// The blast stands where the missile is, not ahead of it.
TEST(Playback, case_g13_a_missile_is_at_the_announced_point_when_its_impact_is_shown) {
  Battle battle;
  battle.feed_to(6 * 32);
  int impacts = 0;
  for (const Event& event : battle.events()) {
    if (event.kind != EventKind::impact) continue;
    ++impacts;
    sim::Vec3 at{0};
    ASSERT_EQ(exact_missile_position(battle.playback.world(), event.missile, event.time, at),
              Status::ok);
    EXPECT_EQ(at, event.position);
    EXPECT_EQ(event.entity, 2);
    sim::Vec3 after{0};
    EXPECT_EQ(exact_missile_position(battle.playback.world(), event.missile, event.time + 1, after),
              Status::unknown_missile);
  }
  EXPECT_EQ(impacts, 13);
}

TEST(Playback, shows_hit_points_as_of_the_events_delivered) {
  Battle battle;
  const std::uint32_t hit_tick = battle.author.next_tick();
  battle.author.next.health.push_back({2, 60});
  battle.feed();
  battle.events(sim::Subtick{hit_tick} * k_tick - 1);
  EXPECT_EQ(battle.playback.shown_health(2), 100);
  battle.events(sim::Subtick{hit_tick} * k_tick);
  EXPECT_EQ(battle.playback.shown_health(2), 60);
  EXPECT_EQ(battle.playback.shown_health(77), 0);
}

TEST(Playback, credits_a_destruction_to_its_salvo) {
  Battle battle;
  sim::Despawn despawn;
  despawn.entity = 2;
  despawn.kind = sim::DespawnKind::destroyed;
  despawn.by_salvo = 1;
  despawn.time = battle.author.world().time() + 77;
  battle.author.next.despawns.push_back(despawn);
  battle.feed();
  battle.feed_to(6 * 32);
  bool seen = false;
  int lost = 0;
  for (const Event& event : battle.events()) {
    lost += event.kind == EventKind::lock_lost ? 1 : 0;
    if (event.kind != EventKind::destroyed) continue;
    seen = true;
    EXPECT_TRUE(event.credited);
    EXPECT_EQ(event.missile.launch, 1U);
    EXPECT_EQ(event.time, despawn.time);
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(lost, 13);
  EXPECT_EQ(battle.playback.counts().destroyed, 1U);
  EXPECT_EQ(battle.playback.counts().other_ends, 13U);
}

TEST(Playback, gives_the_hosts_own_bytes_back) {
  Battle battle;
  battle.author.next.customs.push_back({7, {1, 2, 3}});
  battle.author.next.customs.push_back({8, {}});
  battle.feed();
  std::vector<Event> customs;
  for (Event& event : battle.events()) {
    if (event.kind == EventKind::custom) customs.push_back(event);
  }
  ASSERT_EQ(customs.size(), 2U);
  EXPECT_EQ(customs[0].custom_kind, 7);
  EXPECT_EQ(customs[0].custom_bytes, (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(customs[1].custom_kind, 8);
}

TEST(Playback, restores_a_snapshot_and_says_so) {
  Battle battle;
  battle.feed_to(2 * 32);
  const sim::Snapshot snapshot = battle.author.world().snapshot();
  Playback joined(battle.scenario);
  ASSERT_EQ(joined.restore(snapshot), sim::FoldError::none);
  Event event;
  ASSERT_TRUE(joined.next_event(k_for_ever, event));
  EXPECT_EQ(event.kind, EventKind::world_reset);
  EXPECT_EQ(event.time, battle.author.world().time());
  EXPECT_FALSE(joined.next_event(k_for_ever, event));
  EXPECT_EQ(joined.shown_health(2), 100);
  while (battle.author.world().tick() < 6 * 32) {
    const sim::TickRecord record = battle.author.step();
    if (record.empty()) continue;
    ASSERT_EQ(joined.fold(record), sim::FoldError::none);
  }
  joined.advance(6 * 32);
  EXPECT_EQ(joined.counts().hash_checks, 8U);
  EXPECT_EQ(joined.counts().hash_mismatches, 0U);
  EXPECT_EQ(joined.counts().impacts, 13U);
}

TEST(Playback, refuses_a_record_that_does_not_fit_and_keeps_its_world) {
  Battle battle;
  const sim::Snapshot before = battle.playback.world().snapshot();
  sim::TickRecord alien;
  alien.tick = battle.author.next_tick();
  alien.health.push_back({99, 1});
  EXPECT_EQ(battle.playback.fold(alien), sim::FoldError::unknown_entity);
  EXPECT_EQ(battle.playback.world().snapshot(), before);
  alien.tick = 1;
  EXPECT_EQ(battle.playback.fold(alien), sim::FoldError::tick_out_of_order);
}

TEST(EventQueue, drops_the_oldest_beyond_its_capacity_and_counts_them) {
  EventQueue queue;
  std::vector<Event> batch(EventQueue::k_capacity + 3);
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i].time = static_cast<sim::Subtick>(i);
  queue.push(std::move(batch));
  EXPECT_EQ(queue.size(), EventQueue::k_capacity);
  EXPECT_EQ(queue.dropped(), 3U);
  Event event;
  ASSERT_TRUE(queue.pop(k_for_ever, event));
  EXPECT_EQ(event.time, 3);
}

// Positions near the camera are the same bits however long the session has been running.
TEST(Playback, case_33_session_age_does_not_change_what_is_drawn) {
  std::vector<std::vector<MissileView>> runs;
  std::vector<std::vector<TrailPoint>> trails;
  for (const std::uint32_t first_tick : {0U, 7U * 86'400U * 32U, 60U * 86'400U * 32U}) {
    Battle battle(first_tick);
    battle.feed_to(first_tick + 2 * 32);
    const sim::Subtick time = battle.playback.world().time() - 333;
    std::vector<MissileView> missiles(64);
    const Filled filled =
        sample_missiles(battle.playback.world(), time, {k_metre, 0, k_metre}, missiles);
    ASSERT_EQ(filled.written, 13U);
    missiles.resize(filled.written);
    runs.push_back(missiles);
    std::vector<TrailPoint> trail(256);
    const Filled points =
        sample_trail(battle.playback.world(), {1, 5},
                     {std::max<sim::Subtick>(0, time - 5 * 65536), time, 1024}, {0, 0, 0}, trail);
    ASSERT_GT(points.written, 10U);
    trail.resize(points.written);
    trails.push_back(trail);
  }
  for (std::size_t run = 1; run < runs.size(); ++run) {
    for (std::size_t i = 0; i < runs[0].size(); ++i) {
      EXPECT_EQ(runs[run][i].position, runs[0][i].position) << i;
      EXPECT_EQ(runs[run][i].velocity, runs[0][i].velocity) << i;
      EXPECT_EQ(runs[run][i].orientation, runs[0][i].orientation) << i;
    }
    ASSERT_EQ(trails[run].size(), trails[0].size());
    for (std::size_t i = 0; i < trails[0].size(); ++i) {
      EXPECT_EQ(trails[run][i].position, trails[0][i].position) << i;
      EXPECT_EQ(trails[run][i].age, trails[0][i].age) << i;
    }
  }
}

}  // namespace
}  // namespace contrail::client
