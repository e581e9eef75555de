#include "whole_stack.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include <contrail/edge/scenario_file.hpp>

namespace contrail::flow_test {
namespace {

using client::EndReason;
using client::State;
using wire::k_millisecond;
using wire::k_second;

constexpr std::uint64_t k_seed = 20'261'130;

std::shared_ptr<const sim::Scenario> circus() {
  const server::LoadedScenario loaded = server::load_scenario("circus");
  EXPECT_EQ(loaded.problems, "");
  return loaded.scenario;
}

/// The same ships, firing at any range and only when told to.
std::shared_ptr<const sim::Scenario> commanded_circus() {
  auto scenario = std::make_shared<sim::Scenario>(*circus());
  for (sim::Weapon& weapon : scenario->weapons) {
    weapon.min_range = 0;
    weapon.max_range = sim::k_world_limit;
  }
  for (sim::EntityType& type : scenario->types) {
    for (sim::Launcher& launcher : type.launchers) {
      launcher.trigger = sim::Trigger::command;
      launcher.reload = sim::k_subticks_per_second / 8;
    }
  }
  return scenario;
}

support::LinkConditions bad_network(int loss_per_1000) {
  support::LinkConditions conditions;
  conditions.loss = loss_per_1000;
  conditions.duplicates = loss_per_1000 == 0 ? 0 : 30;
  conditions.reorders = loss_per_1000 == 0 ? 0 : 30;
  conditions.delay = 25 * k_millisecond;
  conditions.jitter = 15 * k_millisecond;
  return conditions;
}

/// Plays on over a perfect network until a moment at which every client has all there is.
void settle(WholeStack& stack) {
  stack.network.set_conditions({});
  stack.run(2 * k_second);
  const auto behind = [&stack](const std::unique_ptr<Watcher>& watcher) {
    return watcher->core.world()->tick() != stack.match.world().tick();
  };
  for (int i = 0; i < 100; ++i) {
    if (std::none_of(stack.watchers.begin(), stack.watchers.end(), behind)) return;
    stack.run(2 * k_millisecond);
  }
  ADD_FAILURE() << "the clients never caught up";
}

/// Every member of the state, every missile and entity over the kept 8 s.
void expect_same_world(const sim::World& server, const sim::World& mine) {
  ASSERT_EQ(mine.tick(), server.tick());
  EXPECT_EQ(mine.state_hash(), server.state_hash());
  EXPECT_EQ(mine.snapshot(), server.snapshot());
  std::size_t compared = 0;
  for (sim::Subtick back = 0; back < sim::k_history; back += 10'007) {
    const sim::Subtick time = server.time() - back;
    for (const sim::Salvo& salvo : server.salvos()) {
      const sim::Salvo* other = mine.find_salvo(salvo.id);
      ASSERT_NE(other, nullptr);
      for (std::size_t i = 0; i < salvo.missiles.size(); i += 3) {
        const auto index = static_cast<std::uint8_t>(i);
        if (!server.missile_flies(salvo, index, time)) continue;
        ++compared;
        ASSERT_EQ(mine.missile_position(*other, index, time),
                  server.missile_position(salvo, index, time))
            << "launch " << salvo.id << " missile " << i << " at " << time;
      }
    }
  }
  EXPECT_GT(compared, 100U);
}

class WholeStackOverLoss : public testing::TestWithParam<int> {};

TEST_P(WholeStackOverLoss, client_and_server_hold_the_same_world_to_the_bit) {
  SCOPED_TRACE("seed " + std::to_string(k_seed));
  WholeStack stack(circus(), k_seed);
  stack.network.set_conditions(bad_network(GetParam()));
  Watcher& first = stack.join();
  stack.run(9 * k_second);
  Watcher& late = stack.join();
  stack.run(11 * k_second);
  settle(stack);
  for (Watcher* watcher : {&first, &late}) {
    const client::Statistics statistics = watcher->core.statistics();
    ASSERT_EQ(watcher->core.state(), State::live) << watcher->core.describe_state();
    EXPECT_GE(statistics.log.hash_checks, watcher == &first ? 36U : 18U);
    EXPECT_EQ(statistics.log.hash_mismatches, 0U);
    EXPECT_FALSE(statistics.log.first_divergent.has_value());
    EXPECT_EQ(watcher->render_time_steps_back, 0U);
    EXPECT_EQ(statistics.events_dropped, 0U);
    expect_same_world(stack.match.world(), *watcher->core.world());
  }
  if (GetParam() > 0) {
    EXPECT_GT(stack.network.lost(), 0U);
  }
}

TEST_P(WholeStackOverLoss, every_event_is_shown_once_in_order_and_none_is_missing) {
  WholeStack stack(circus(), k_seed + 1);
  stack.network.set_conditions(bad_network(GetParam()));
  stack.run(4 * k_second);
  Watcher& watcher = stack.join();
  stack.run(2 * k_second);
  ASSERT_EQ(watcher.core.state(), State::live);
  ASSERT_EQ(watcher.resets, 1U);
  stack.run(12 * k_second);
  settle(stack);
  ASSERT_EQ(watcher.resets, 1U);
  const auto wanted = stack.happened(watcher.reset_time, watcher.last_render_time);
  for (std::size_t i = 0; i < std::min(wanted.size(), watcher.events.size()); ++i) {
    ASSERT_EQ(watcher.events[i], wanted[i]) << "event " << i << " at " << wanted[i].time;
  }
  EXPECT_EQ(watcher.events.size(), wanted.size());
  EXPECT_GT(wanted.size(), 200U);
  EXPECT_LT(watcher.reset_time, 7 * sim::k_subticks_per_second);
}

INSTANTIATE_TEST_SUITE_P(PerThousand, WholeStackOverLoss, testing::Values(0, 50, 200));

// The control of every "no mismatch" above: flights whose knots are off by 1/64 m.
TEST(WholeStack, displaced_knots_are_found_and_named) {
  WholeStack stack(circus(), k_seed);
  stack.network.set_conditions(bad_network(0));
  Watcher& honest = stack.join();
  Watcher& faulty = stack.join({}, client::TestFault::flight_knot);
  stack.run(20 * k_second);
  EXPECT_EQ(honest.core.statistics().log.hash_mismatches, 0U);
  const client::LogCounts counts = faulty.core.statistics().log;
  EXPECT_GT(counts.hash_mismatches, 0U);
  ASSERT_TRUE(counts.first_divergent.has_value());
  EXPECT_STREQ(client::subsystem_name(*counts.first_divergent), "flights");
  bool told = false;
  client::LogLine line;
  while (faulty.core.next_log_line(line)) {
    told = told || line.text.find("subsystem flights") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

TEST(WholeStack, another_arithmetic_or_protocol_is_refused_with_both_values) {
  WholeStack stack(circus(), k_seed);
  Watcher& arithmetic = stack.join({}, client::TestFault::fingerprint);
  Watcher& protocol = stack.join({}, client::TestFault::protocol_version);
  stack.run(k_second);
  EXPECT_EQ(arithmetic.core.state(), State::refused);
  EXPECT_EQ(arithmetic.core.end_reason(), EndReason::fingerprint);
  EXPECT_NE(arithmetic.core.describe_state().find(sim::compute_fingerprint().all.hex()),
            std::string::npos)
      << arithmetic.core.describe_state();
  EXPECT_EQ(protocol.core.state(), State::refused);
  EXPECT_EQ(protocol.core.end_reason(), EndReason::version);
  EXPECT_EQ(stack.broadcaster.clients(), 0U);
}

// The blast does not run ahead of the missile: it is shown in the very frame in which the missile
// gets there, at the point where the missile is.
TEST(WholeStack, case_g13_impacts_are_shown_when_the_missile_arrives_at_any_round_trip) {
  for (const Nanoseconds one_way : {Nanoseconds{0}, 50 * k_millisecond, 150 * k_millisecond}) {
    WholeStack stack(circus(), k_seed + 2);
    support::LinkConditions conditions;
    conditions.delay = one_way;
    conditions.jitter = 4 * k_millisecond;
    stack.network.set_conditions(conditions);
    Watcher& watcher = stack.join();
    stack.run(6 * k_second);
    watcher.events.clear();
    watcher.lateness.clear();
    stack.run(8 * k_second);
    ASSERT_GT(watcher.events.size(), 100U);
    const auto late = std::count_if(watcher.lateness.begin(), watcher.lateness.end(),
                                    [](sim::Subtick by) { return by > 0; });
    EXPECT_EQ(late, 0) << "one way " << one_way;
    const sim::World& world = *watcher.core.world();
    std::size_t impacts = 0;
    for (const SeenEvent& event : watcher.events) {
      if (event.kind != client::EventKind::impact) continue;
      sim::Vec3 at{0};
      if (watcher.core.missile_position({event.launch, event.index}, event.time, at) !=
          client::Status::ok) {
        continue;  // older than the kept history by now
      }
      ++impacts;
      EXPECT_EQ(at, stack.match.world().missile_position(*world.find_salvo(event.launch),
                                                         event.index, event.time));
    }
    EXPECT_GT(impacts, 20U);
  }
}

/// A pilot of the first ship, asking for a salvo at every other ship in turn.
struct Shooter {
  WholeStack& stack;
  Watcher& watcher;
  std::vector<std::uint32_t> ids;

  void ask() {
    std::vector<client::EntityView> entities(64);
    const client::Filled seen =
        watcher.core.entities(watcher.core.render_time(), {0, 0, 0}, entities);
    const std::uint16_t own = watcher.core.own_entity();
    for (std::size_t i = 0; i < seen.written; ++i) {
      const client::EntityView& target = entities[(i + ids.size()) % seen.written];
      if (target.id == own) continue;
      client::FireRequest request;
      request.entity = own;
      request.target = target.id;
      request.launcher = static_cast<std::uint8_t>(ids.size() % 2);
      std::uint32_t id = 0;
      if (watcher.core.fire(request, id) == client::Status::ok) ids.push_back(id);
      return;
    }
  }
};

// Every datagram may be lost, doubled or late; a request is still done once and answered once.
TEST(WholeStack, case_31_fire_requests_are_done_once_and_answered_once) {
  WholeStack stack(commanded_circus(), k_seed + 3);
  support::LinkConditions conditions = bad_network(300);
  conditions.duplicates = 500;
  stack.network.set_conditions(conditions);
  stack.run(k_second);
  client::ClientConfig pilot;
  pilot.role = client::Role::pilot;
  pilot.entity = stack.match.world().entities().front().id;
  Watcher& watcher = stack.join(pilot);
  stack.run(4 * k_second);
  ASSERT_EQ(watcher.core.state(), State::live) << watcher.core.describe_state();
  ASSERT_EQ(watcher.core.own_entity(), pilot.entity);
  Shooter shooter{stack, watcher, {}};
  for (int i = 0; i < 60; ++i) {
    shooter.ask();
    stack.run(250 * k_millisecond);
  }
  stack.run(3 * k_second);
  ASSERT_GT(shooter.ids.size(), 40U);
  std::set<std::uint32_t> answered;
  std::set<std::uint32_t> launches;
  for (const client::CommandResult& result : watcher.results) {
    EXPECT_TRUE(answered.insert(result.id).second) << "request " << result.id;
    if (result.status != client::CommandStatus::launched) continue;
    EXPECT_TRUE(launches.insert(result.launch).second) << "launch " << result.launch;
  }
  EXPECT_EQ(answered, std::set<std::uint32_t>(shooter.ids.begin(), shooter.ids.end()));
  EXPECT_GT(launches.size(), 20U);
  EXPECT_EQ(stack.match.counters().fires_accepted, launches.size());
  for (const std::uint32_t launch : launches) {
    EXPECT_EQ(std::count_if(watcher.events.begin(), watcher.events.end(),
                            [&](const SeenEvent& event) {
                              return event.kind == client::EventKind::launch &&
                                     event.launch == launch && event.entity == pilot.entity;
                            }),
              1)
        << "launch " << launch;
  }
}

TEST(WholeStack, a_spectator_may_not_fire_and_a_pilot_not_too_often_at_once) {
  WholeStack stack(circus(), k_seed);
  Watcher& spectator = stack.join();
  stack.run(k_second);
  client::ClientConfig config;
  config.role = client::Role::pilot;
  config.entity = stack.match.world().entities().front().id;
  Watcher& pilot = stack.join(config);
  stack.run(2 * k_second);
  std::uint32_t id = 0;
  EXPECT_EQ(spectator.core.fire({1, 2, 0, {}}, id), client::Status::not_allowed);
  int accepted = 0;
  while (pilot.core.fire({config.entity, 9999, 0, {}}, id) == client::Status::ok) ++accepted;
  EXPECT_EQ(accepted, static_cast<int>(wire::k_max_open_commands));
  EXPECT_EQ(pilot.core.fire({config.entity, 9999, 0, {}}, id), client::Status::too_many);
  stack.run(2 * k_second);
  EXPECT_EQ(pilot.results.size(), wire::k_max_open_commands);
  EXPECT_EQ(pilot.core.fire({config.entity, 9999, 0, {}}, id), client::Status::ok);
  const client::Statistics statistics = pilot.core.statistics();
  EXPECT_EQ(statistics.fire_requests, wire::k_max_open_commands + 1);
  EXPECT_EQ(
      statistics.fire_results[static_cast<std::size_t>(client::CommandStatus::refused_target)],
      wire::k_max_open_commands);
}

// A host that hangs for seconds comes back to the present, without a queue of old explosions.
TEST(WholeStack, case_g11_a_client_that_slept_is_brought_up_to_date_by_a_snapshot) {
  WholeStack stack(circus(), k_seed + 4);
  stack.network.set_conditions(bad_network(20));
  Watcher& watcher = stack.join();
  stack.run(4 * k_second);
  ASSERT_EQ(watcher.resets, 1U);
  watcher.asleep = true;
  stack.run(6 * k_second);
  watcher.asleep = false;
  stack.run(3 * k_second);
  ASSERT_EQ(watcher.core.state(), State::live) << watcher.core.describe_state();
  EXPECT_EQ(watcher.resets, 2U);
  EXPECT_EQ(watcher.core.statistics().resyncs, 1U);
  ASSERT_FALSE(watcher.events.empty());
  EXPECT_GT(watcher.events.front().time, 9 * sim::k_subticks_per_second);
  EXPECT_EQ(watcher.render_time_steps_back, 0U);
  settle(stack);
  EXPECT_EQ(watcher.core.statistics().log.hash_mismatches, 0U);
  expect_same_world(stack.match.world(), *watcher.core.world());
}

TEST(WholeStack, a_server_that_closes_says_so_and_the_last_picture_stays) {
  WholeStack stack(circus(), k_seed);
  Watcher& watcher = stack.join();
  stack.run(6 * k_second);
  ASSERT_EQ(watcher.core.state(), State::live);
  stack.broadcaster.close(wire::DisconnectReason::closing);
  stack.run(k_second);
  EXPECT_EQ(watcher.core.state(), State::disconnected);
  EXPECT_EQ(watcher.core.end_reason(), EndReason::server_closing);
  std::vector<client::MissileView> missiles(4096);
  EXPECT_GT(watcher.core.missiles(watcher.core.render_time(), {0, 0, 0}, missiles).written, 0U);
  std::uint32_t id = 0;
  EXPECT_EQ(watcher.core.fire({}, id), client::Status::not_live);
}

TEST(WholeStack, a_client_that_leaves_is_gone_at_once_and_may_come_back) {
  WholeStack stack(circus(), k_seed);
  Watcher& watcher = stack.join();
  stack.run(2 * k_second);
  ASSERT_EQ(stack.broadcaster.clients(), 1U);
  const std::uint64_t checks = watcher.core.statistics().log.hash_checks;
  EXPECT_GT(checks, 0U);
  watcher.core.disconnect(stack.now + watcher.clock_offset);
  stack.run(k_second / 2);
  EXPECT_EQ(stack.broadcaster.clients(), 0U);
  EXPECT_EQ(watcher.core.connect(stack.now + watcher.clock_offset), client::Status::ok);
  EXPECT_EQ(watcher.core.world(), nullptr);
  watcher.was_live = false;
  stack.run(3 * k_second);
  EXPECT_EQ(watcher.core.state(), State::live) << watcher.core.describe_state();
  EXPECT_GT(watcher.core.statistics().log.hash_checks, checks);
  EXPECT_EQ(watcher.core.statistics().log.hash_mismatches, 0U);
}

// Trails come out of the log alone: a late joiner draws the smoke of the time before it came.
TEST(WholeStack, a_late_joiner_draws_the_same_smoke_as_everybody_else) {
  WholeStack stack(circus(), k_seed + 5);
  stack.network.set_conditions(bad_network(50));
  Watcher& early = stack.join();
  stack.run(10 * k_second);
  Watcher& late = stack.join();
  stack.run(k_second);
  settle(stack);
  ASSERT_EQ(late.core.state(), State::live);
  const sim::Subtick to = stack.match.world().time();
  const sim::Subtick from = to - 6 * sim::k_subticks_per_second;
  std::vector<client::MissileId> ids(8192);
  const client::Filled listed = late.core.trail_ids(from, to, ids);
  ASSERT_EQ(listed.status, client::Status::ok);
  std::size_t points = 0;
  for (std::size_t i = 0; i < listed.written; i += 7) {
    std::vector<client::TrailPoint> mine(512);
    std::vector<client::TrailPoint> theirs(512);
    const client::TrailRange range{from, to, 3000};
    const client::Filled a = late.core.trail(ids[i], range, {0, 0, 0}, mine);
    const client::Filled b = early.core.trail(ids[i], range, {0, 0, 0}, theirs);
    ASSERT_EQ(a.written, b.written);
    for (std::size_t p = 0; p < a.written; ++p) {
      ASSERT_EQ(mine[p].position, theirs[p].position);
      ASSERT_EQ(mine[p].age, theirs[p].age);
    }
    points += a.written;
  }
  EXPECT_GT(points, 1000U);
}

}  // namespace
}  // namespace contrail::flow_test
