#include <contrail/core/turret_sample.hpp>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/core/render_edge.hpp>
#include <contrail/sim/shot.hpp>

#include "log_author.hpp"

namespace contrail::client {
namespace {

using test::k_metre;
using test::LogAuthor;

constexpr sim::Subtick k_tick = 2048;

/// Ship 1 with a turret that has followed ship 2 for `ticks` ticks.
LogAuthor gunner(std::uint32_t ticks) {
  sim::Scenario scenario = *test::small_scenario();
  sim::Turret turret;
  turret.name = "gun";
  turret.mount.muzzles = {{0, 0, k_metre}};
  turret.mount.yaw.max_speed = sim::k_turret_turn / 4;
  turret.mount.yaw.max_acceleration = sim::k_turret_turn / 2;
  turret.mount.pitch = turret.mount.yaw;
  turret.mount.pitch.full_turn = false;
  turret.mount.pitch.low = -sim::k_turret_turn / 4;
  turret.mount.pitch.high = sim::k_turret_turn / 4;
  turret.gun.speed = 800 * k_metre;
  turret.gun.life = 2 * sim::k_subticks_per_second;
  turret.gun.burst = 4;
  turret.gun.interval = 3000;
  scenario.types.at(0).turrets = {turret};
  LogAuthor author(std::make_shared<const sim::Scenario>(scenario));
  author.spawn(1, {0, 0, 0}, {0, 0, 0});
  author.spawn(2, {200 * k_metre, 50 * k_metre, -300 * k_metre}, {0, 0, 60 * k_metre}, 1);
  author.step();
  author.next.turret_modes.push_back({1, 0, sim::TurretOrder::entity, 2, 0, 0});
  author.step();
  author.run_to(ticks);
  return author;
}

TEST(SampleTurret, turns_evenly_from_one_tick_to_the_next) {
  LogAuthor author = gunner(20);
  TurretView before;
  ASSERT_EQ(sample_turret(author.world(), 1, 0, 20 * k_tick, {0, 0, 0}, before), Status::ok);
  author.run_to(21);
  TurretView first;
  TurretView middle;
  TurretView last;
  const sim::World& world = author.world();
  ASSERT_EQ(sample_turret(world, 1, 0, 20 * k_tick + 1, {0, 0, 0}, first), Status::ok);
  ASSERT_EQ(sample_turret(world, 1, 0, 20 * k_tick + 1024, {0, 0, 0}, middle), Status::ok);
  ASSERT_EQ(sample_turret(world, 1, 0, 21 * k_tick, {0, 0, 0}, last), Status::ok);
  EXPECT_GT(last.yaw - before.yaw, 0.02F);
  EXPECT_NEAR(first.yaw, before.yaw, 0.001F);
  EXPECT_NEAR(middle.yaw, (before.yaw + last.yaw) / 2, 0.0001F);
  EXPECT_EQ(last.target, 2);
  EXPECT_EQ(last.order, sim::TurretOrder::entity);
}

TEST(SampleTurret, refuses_other_times_entities_and_turrets) {
  const LogAuthor author = gunner(20);
  const sim::World& world = author.world();
  TurretView out;
  EXPECT_EQ(sample_turret(world, 1, 0, 19 * k_tick, {0, 0, 0}, out), Status::outside_window);
  EXPECT_EQ(sample_turret(world, 9, 0, 20 * k_tick, {0, 0, 0}, out), Status::unknown_entity);
  EXPECT_EQ(sample_turret(world, 1, 1, 20 * k_tick, {0, 0, 0}, out), Status::out_of_range);
}

TEST(SampleLead, marks_where_the_bore_of_a_turret_on_target_points) {
  const LogAuthor early = gunner(10);
  LeadView lead;
  ASSERT_EQ(sample_lead(early.world(), 1, 0, 2, {0, 0, 0}, lead), Status::ok);
  EXPECT_TRUE(lead.meets);
  EXPECT_FALSE(lead.on_target);
  const LogAuthor author = gunner(100);
  ASSERT_EQ(sample_lead(author.world(), 1, 0, 2, {0, 0, 0}, lead), Status::ok);
  EXPECT_TRUE(lead.on_target);
  EXPECT_GT(lead.flight, 0.1F);
  TurretView turret;
  ASSERT_EQ(sample_turret(author.world(), 1, 0, 100 * k_tick, {0, 0, 0}, turret), Status::ok);
  const glm::vec3 bore = turret.orientation * glm::vec3(0, 0, 1);
  EXPECT_GT(glm::dot(bore, glm::normalize(lead.mark - turret.position)), 0.99999F);
  EXPECT_EQ(sample_lead(author.world(), 1, 0, 1, {0, 0, 0}, lead), Status::unknown_entity);
  EXPECT_EQ(sample_lead(author.world(), 1, 0, 7, {0, 0, 0}, lead), Status::unknown_entity);
  EXPECT_EQ(sample_lead(author.world(), 1, 3, 2, {0, 0, 0}, lead), Status::out_of_range);
}

TEST(SampleRounds, are_those_in_flight_and_stand_where_the_burst_says) {
  LogAuthor author = gunner(100);
  author.next.shots.push_back({1, 0, 4, 100 * k_tick + 1, 5});
  author.step();
  author.run_to(140);
  const sim::World& world = author.world();
  std::vector<RoundView> out(8);
  const auto count = [&](sim::Subtick time) {
    return sample_rounds(world, time, {0, 0, 0}, out).written;
  };
  const sim::Subtick fired = 100 * k_tick + 1;
  EXPECT_EQ(count(fired - 1), 0U);
  EXPECT_EQ(count(fired), 1U);
  EXPECT_EQ(count(fired + 3000), 2U);
  EXPECT_EQ(count(fired + 9000), 4U);
  const sim::Turret& turret = world.scenario().types[0].turrets[0];
  const sim::Round round = sim::round_of(world.bursts().at(0), turret, 3);
  EXPECT_EQ(out[3].position, metres_from(round.position(fired + 9000), {0, 0, 0}));
  EXPECT_EQ(out[3].entity, 1);
  std::vector<RoundView> small(2);
  const Filled filled = sample_rounds(world, fired + 9000, {0, 0, 0}, small);
  EXPECT_EQ(filled.status, Status::array_too_small);
  EXPECT_EQ(filled.needed, 4U);
  EXPECT_EQ(count(round.end + 1), 0U);
}

}  // namespace
}  // namespace contrail::client
