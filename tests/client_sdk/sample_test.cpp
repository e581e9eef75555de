#include <contrail/core/sample.hpp>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/core/render_edge.hpp>

#include "log_author.hpp"

namespace contrail::client {
namespace {

using test::k_metre;
using test::LogAuthor;

constexpr sim::Subtick k_tick = 2048;
constexpr sim::Vec3 k_origin{0, 0, 0};

/// Two ships, one weaving salvo of 12 launched in tick 5, missiles flying for 3 s.
LogAuthor battle(std::uint32_t until) {
  LogAuthor author(test::small_scenario());
  author.spawn(1, {0, 0, 0}, {0, 0, 50 * k_metre});
  author.spawn(2, {300 * k_metre, 40 * k_metre, 2000 * k_metre}, {60 * k_metre, 0, 0}, 1);
  author.run_to(4);
  author.launch(1, 2, 1, 12, 96, 700);
  author.run_to(until);
  return author;
}

TEST(SampleMissiles, are_exactly_those_in_flight_at_that_time) {
  const LogAuthor author = battle(120);
  const sim::Salvo& salvo = author.world().salvos().front();
  std::vector<MissileView> out(32);
  for (const std::uint8_t index : std::initializer_list<std::uint8_t>{0, 5, 11}) {
    const sim::Subtick launched = author.world().missile_launch_time(salvo, index);
    const sim::Subtick ended = author.world().missile_end_time(salvo, index);
    const auto flies = [&](sim::Subtick time) {
      const Filled filled = sample_missiles(author.world(), time, k_origin, out);
      EXPECT_EQ(filled.status, Status::ok);
      return std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(filled.written),
                         [&](const MissileView& view) {
                           return view.id == MissileId{0, index};
                         });
    };
    EXPECT_FALSE(flies(launched - 1));
    EXPECT_TRUE(flies(launched));
    EXPECT_TRUE(flies(ended - 1));
    EXPECT_FALSE(flies(ended));
  }
}

TEST(SampleMissiles, stand_where_the_world_says_and_look_where_they_fly) {
  const LogAuthor author = battle(120);
  const sim::World& world = author.world();
  const sim::Vec3 origin{100 * k_metre, 0, -3};
  std::vector<MissileView> out(32);
  for (sim::Subtick time = 5 * k_tick; time < 100 * k_tick; time += 1777) {
    const Filled filled = sample_missiles(world, time, origin, out);
    for (std::size_t i = 0; i < filled.written; ++i) {
      const MissileView& view = out[i];
      const sim::Salvo& salvo = *world.find_salvo(view.id.launch);
      const sim::Vec3 exact = world.missile_position(salvo, view.id.index, time);
      EXPECT_EQ(view.position, metres_from(exact, origin));
      const glm::vec3 forward = view.orientation * glm::vec3(0, 0, 1);
      EXPECT_GT(glm::dot(forward, glm::normalize(view.velocity)), 0.9999F);
      EXPECT_GT(glm::length(view.velocity), 1.0F);
      EXPECT_EQ(view.weapon, 1);
      EXPECT_EQ(view.launcher, 1);
      EXPECT_EQ(view.target, 2);
    }
  }
}

// Velocity is drawn from where the missile was, so it does not depend on how much log has arrived.
TEST(SampleMissiles, do_not_change_when_more_of_the_log_arrives) {
  LogAuthor author = battle(50);
  const sim::Subtick time = author.world().time();
  std::vector<MissileView> early(32);
  std::vector<MissileView> late(32);
  const std::size_t count = sample_missiles(author.world(), time, k_origin, early).written;
  ASSERT_EQ(count, 12U);
  author.next.track_keys.push_back({2, 0, true, {-900 * k_metre, 0, 0}, {0, 0, 0}});
  author.run_to(60);
  ASSERT_EQ(sample_missiles(author.world(), time, k_origin, late).written, count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(early[i].position, late[i].position);
    EXPECT_EQ(early[i].velocity, late[i].velocity);
    EXPECT_EQ(early[i].orientation, late[i].orientation);
  }
}

TEST(SampleMissiles, a_small_array_gets_the_first_and_the_whole_number) {
  const LogAuthor author = battle(50);
  const sim::Subtick time = author.world().time();
  std::vector<MissileView> all(12);
  ASSERT_EQ(sample_missiles(author.world(), time, k_origin, all).status, Status::ok);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{11}}) {
    std::vector<MissileView> some(size);
    const Filled filled = sample_missiles(author.world(), time, k_origin, some);
    EXPECT_EQ(filled.status, Status::array_too_small);
    EXPECT_EQ(filled.written, size);
    EXPECT_EQ(filled.needed, 12U);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(some[i].id, all[i].id);
  }
}

TEST(Sample, times_ahead_of_the_log_are_provisional_and_far_ones_refused) {
  const LogAuthor author = battle(400);
  const sim::World& world = author.world();
  std::vector<EntityView> out(4);
  EXPECT_FALSE(sample_entities(world, world.time(), k_origin, out).provisional);
  EXPECT_TRUE(sample_entities(world, world.time() + 1, k_origin, out).provisional);
  EXPECT_EQ(sample_entities(world, world.time() - sim::k_history, k_origin, out).status,
            Status::ok);
  EXPECT_EQ(sample_entities(world, world.time() - sim::k_history - 1, k_origin, out).status,
            Status::outside_window);
  EXPECT_EQ(sample_entities(world, world.time() + sim::k_history + 1, k_origin, out).status,
            Status::outside_window);
}

TEST(Sample, before_the_session_began_there_was_nothing) {
  const LogAuthor author = battle(50);
  EXPECT_EQ(sample_missiles(author.world(), -1, k_origin, {}).status, Status::ok);
  EXPECT_EQ(sample_entities(author.world(), -1, k_origin, {}).needed, 0U);
  std::vector<TrailPoint> whole(512);
  std::vector<TrailPoint> flown(512);
  const sim::Subtick now = author.world().time();
  const std::size_t points =
      sample_trail(author.world(), {0, 0}, {-9 * 65'536, now, 512}, k_origin, whole).written;
  EXPECT_GT(points, 100U);
  EXPECT_EQ(sample_trail(author.world(), {0, 0}, {0, now, 512}, k_origin, flown).written, points);
}

TEST(SampleEntities, exist_from_spawn_to_destruction) {
  LogAuthor author = battle(20);
  sim::Despawn despawn;
  despawn.entity = 2;
  despawn.kind = sim::DespawnKind::destroyed;
  despawn.time = 20 * k_tick + 500;
  author.next.despawns.push_back(despawn);
  author.run_to(40);
  std::vector<EntityView> out(4);
  EXPECT_EQ(sample_entities(author.world(), 1 * k_tick, k_origin, out).written, 0U);
  EXPECT_EQ(sample_entities(author.world(), 1 * k_tick + 1, k_origin, out).written, 2U);
  EXPECT_EQ(out[1].id, 2);
  EXPECT_EQ(out[1].user_tag, 1002U);
  EXPECT_EQ(out[1].team, 1);
  EXPECT_EQ(out[1].velocity, glm::vec3(60.0F, 0.0F, 0.0F));
  EXPECT_EQ(out[1].position.y, 40.0F);
  EXPECT_EQ(sample_entities(author.world(), despawn.time, k_origin, out).written, 2U);
  EXPECT_EQ(sample_entities(author.world(), despawn.time + 1, k_origin, out).written, 1U);
  sim::Pose pose;
  EXPECT_EQ(exact_entity_pose(author.world(), 2, despawn.time, pose), Status::ok);
  EXPECT_EQ(exact_entity_pose(author.world(), 2, despawn.time + 1, pose), Status::unknown_entity);
  EXPECT_EQ(exact_entity_pose(author.world(), 3, despawn.time, pose), Status::unknown_entity);
}

TEST(SampleTrail, is_evaluated_point_by_point_on_a_grid_that_stands_still) {
  const LogAuthor author = battle(80);
  const sim::World& world = author.world();
  const sim::Salvo& salvo = world.salvos().front();
  const MissileId missile{0, 7};
  const sim::Subtick launched = world.missile_launch_time(salvo, 7);
  constexpr sim::Subtick k_step = 1500;
  std::vector<TrailPoint> out(512);
  for (sim::Subtick to = launched; to < 80 * k_tick; to += 997) {
    const TrailRange range{std::max<sim::Subtick>(0, to - 65'536), to, k_step};
    const Filled filled = sample_trail(world, missile, range, k_origin, out);
    ASSERT_EQ(filled.status, Status::ok);
    std::vector<sim::Subtick> wanted{to};
    const sim::Subtick tail = std::max(range.from, launched);
    for (sim::Subtick t = to - 1; t > tail; --t) {
      if (t % k_step == 0) wanted.push_back(t);
    }
    if (to > tail && (tail == launched || tail % k_step == 0)) wanted.push_back(tail);
    ASSERT_EQ(filled.written, wanted.size()) << "to " << to;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(out[i].position,
                metres_from(world.missile_position(salvo, 7, wanted[i]), k_origin));
      EXPECT_EQ(out[i].age, static_cast<float>(to - wanted[i]) / 65'536.0F);
    }
  }
}

TEST(SampleTrail, outlives_its_missile_and_ends_where_it_ended) {
  const LogAuthor author = battle(160);
  const sim::World& world = author.world();
  const sim::Salvo& salvo = world.salvos().front();
  const sim::Subtick ended = world.missile_end_time(salvo, 3);
  const sim::Subtick to = world.time();
  ASSERT_LT(ended, to);
  std::vector<TrailPoint> out(512);
  const Filled filled = sample_trail(world, {0, 3}, {to - 4 * 65'536, to, 1024}, k_origin, out);
  ASSERT_GT(filled.written, 10U);
  EXPECT_EQ(out[0].position, metres_from(world.missile_position(salvo, 3, ended), k_origin));
  EXPECT_EQ(out[0].age, static_cast<float>(to - ended) / 65'536.0F);
  std::vector<MissileId> ids(32);
  EXPECT_EQ(sample_trail_ids(world, to - 4 * 65'536, to, ids).written, 12U);
  EXPECT_EQ(ids[3], (MissileId{0, 3}));
  EXPECT_EQ(sample_trail_ids(world, 0, 5 * k_tick - 2000, ids).written, 0U);
  EXPECT_EQ(sample_trail(world, {0, 3}, {ended + 1, to, 1024}, k_origin, out).written, 0U);
}

TEST(SampleTrail, refuses_what_makes_no_sense) {
  const LogAuthor author = battle(50);
  const sim::World& world = author.world();
  std::vector<TrailPoint> out(8);
  const sim::Subtick now = world.time();
  EXPECT_EQ(sample_trail(world, {9, 0}, {0, now, 64}, k_origin, out).status,
            Status::unknown_missile);
  EXPECT_EQ(sample_trail(world, {0, 12}, {0, now, 64}, k_origin, out).status,
            Status::unknown_missile);
  EXPECT_EQ(sample_trail(world, {0, 0}, {0, now, 0}, k_origin, out).status, Status::out_of_range);
  EXPECT_EQ(sample_trail(world, {0, 0}, {now, now - 1, 64}, k_origin, out).status,
            Status::out_of_range);
  EXPECT_EQ(sample_trail(world, {0, 0}, {0, now, 64}, k_origin, out).status,
            Status::array_too_small);
  EXPECT_EQ(sample_trail_ids(world, now, now - 1, {}).status, Status::out_of_range);
}

// A ripple that its launcher's death cuts short: what never left is nowhere.
TEST(Sample, missiles_that_never_left_have_no_place_and_no_trail) {
  LogAuthor author(test::small_scenario());
  author.spawn(1, {0, 0, 0}, {0, 0, 50 * k_metre});
  author.spawn(2, {300 * k_metre, 40 * k_metre, 2000 * k_metre}, {60 * k_metre, 0, 0}, 1);
  author.run_to(4);
  author.launch(1, 2, 1, 12, 96, 1);
  sim::Despawn despawn;
  despawn.entity = 1;
  despawn.kind = sim::DespawnKind::destroyed;
  despawn.time = author.world().time() + 1000;
  author.next.despawns.push_back(despawn);
  author.run_to(40);
  const std::uint32_t launch = author.world().next_launch() - 1;
  std::vector<MissileView> out(32);
  const Filled filled = sample_missiles(author.world(), author.world().time(), k_origin, out);
  EXPECT_EQ(filled.written, 4U);  // launched at 1, 301, 601, 901 of the tick
  std::vector<MissileId> ids(32);
  EXPECT_EQ(sample_trail_ids(author.world(), 0, author.world().time(), ids).written, 4U);
  sim::Vec3 at{0};
  EXPECT_EQ(exact_missile_position(author.world(), {launch, 11}, 30 * k_tick, at),
            Status::unknown_missile);
  std::vector<TrailPoint> trail(8);
  EXPECT_EQ(
      sample_trail(author.world(), {launch, 11}, {0, 30 * k_tick, 64}, k_origin, trail).written,
      0U);
}

}  // namespace
}  // namespace contrail::client
