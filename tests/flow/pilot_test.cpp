// A pilot at the end of a network: what he sees of his own ship at once, and what comes of it.

#include "whole_stack.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>

#include <contrail/sim/arith.hpp>
#include <contrail/support/small_scenario.hpp>

namespace contrail::flow_test {
namespace {

using client::EventKind;
using sim::WideVec3;
using support::metres;
using wire::k_millisecond;
using wire::k_second;

constexpr std::uint64_t k_seed = 20'261'202;
constexpr std::uint16_t k_own = 0;

std::shared_ptr<const sim::Scenario> two_ships() {
  sim::Scenario s = support::small_scenario();
  support::add_ball(s, 1, {0, metres(2000), 0});
  support::add_ball(s, 2, {metres(300), metres(2000), 0});
  return support::share(std::move(s));
}

client::ClientConfig pilot() {
  client::ClientConfig config;
  config.role = client::Role::pilot;
  config.entity = k_own;
  return config;
}

struct Compared {
  std::size_t frames = 0;
  std::size_t exact = 0;
  std::int64_t worst = 0;            // length units
  std::int64_t worst_unsteered = 0;  // the same for a track that knows no commands under way
};

/// Steers at random for 20 s, and compares what was predicted for the server's present, frame by
/// frame, with the track as it became.
Compared fly(const support::LinkConditions& conditions, int commands_per_second) {
  WholeStack stack(two_ships(), k_seed);
  stack.network.set_conditions(conditions);
  stack.run(k_second / 2);
  Watcher& watcher = stack.join(pilot());
  stack.run(3 * k_second);
  EXPECT_EQ(watcher.core.state(), client::State::live);
  support::Dice dice(k_seed);
  struct Shown {
    sim::Subtick time = 0;
    sim::Vec3 predicted{0};
    sim::Vec3 folded{0};
  };
  std::vector<Shown> waiting;
  Compared out;
  constexpr int k_frames = 60 * 20;
  int sent = 0;
  for (int frame = 0; frame < k_frames; ++frame) {
    if (sent * 60 < frame * commands_per_second) {
      ++sent;
      const auto axis = [&] {
        return static_cast<std::int32_t>(dice.between(-metres(60), metres(60)));
      };
      std::uint32_t id = 0;
      EXPECT_EQ(watcher.core.steer({sim::SteerKind::accelerate, {axis(), axis(), axis()}}, id),
                client::Status::ok);
    }
    stack.run(16 * k_millisecond);
    const sim::Subtick time = watcher.core.server_time();
    sim::Pose predicted;
    sim::Pose folded;
    EXPECT_EQ(watcher.core.predicted_pose(time, predicted), client::Status::ok);
    EXPECT_EQ(watcher.core.entity_pose(k_own, time, folded), client::Status::ok);
    waiting.push_back({time, predicted.position, folded.position});
    client::EntityView view;
    EXPECT_EQ(watcher.core.own_ship({0, 0, 0}, view), client::Status::ok);
    EXPECT_EQ(view.id, k_own);
  }
  stack.run(k_second);
  const sim::Track& truth = stack.match.world().find_entity(k_own)->track;
  for (const Shown& shown : waiting) {
    if (shown.time < stack.match.world().time() - 6 * sim::k_subticks_per_second) continue;
    const WideVec3 real(truth.position(shown.time));
    ++out.frames;
    const std::int64_t off = sim::length(WideVec3(shown.predicted) - real);
    out.exact += off == 0 ? 1 : 0;
    out.worst = std::max(out.worst, off);
    out.worst_unsteered = std::max(out.worst_unsteered, sim::length(WideVec3(shown.folded) - real));
  }
  const client::Statistics statistics = watcher.core.statistics();
  EXPECT_GT(statistics.log.hash_checks, 20U);
  EXPECT_EQ(statistics.log.hash_mismatches, 0U) << "a prediction reached the world";
  return out;
}

void tell(const char* what, const Compared& c) {
  std::printf("%s: %zu frames, %zu exact, at most %.2f m off; without prediction %.2f m\n", what,
              c.frames, c.exact, static_cast<double>(c.worst) / 4096.0,
              static_cast<double>(c.worst_unsteered) / 4096.0);
}

TEST(Pilot, the_own_ship_is_predicted_exactly_where_commands_arrive_in_their_tick) {
  support::LinkConditions steady;
  steady.delay = 40 * k_millisecond;
  const Compared c = fly(steady, 4);
  tell("40 ms each way", c);
  EXPECT_GT(c.frames, 200U);
  EXPECT_GE(c.exact * 10, c.frames * 8);
  // A command taken one tick off changes the velocity by 2 a L for the time until its answer comes.
  constexpr double k_tick = 1.0 / 32.0;
  constexpr double k_step = 2.0 * 104.0 * k_tick;  // a: 60 m/s^2 on each axis
  EXPECT_LE(static_cast<double>(c.worst) / 4096.0, k_step * (0.08 + 4 * k_tick));
  EXPECT_LT(c.worst, c.worst_unsteered) << "the control: without prediction it is further off";
}

TEST(Pilot, loss_and_jitter_are_survived_and_no_prediction_reaches_a_hash) {
  support::LinkConditions bad;
  bad.delay = 40 * k_millisecond;
  bad.jitter = 20 * k_millisecond;
  bad.loss = 50;
  const Compared c = fly(bad, 4);
  tell("40..60 ms, 5 % lost", c);
  EXPECT_GT(c.frames, 200U);
  EXPECT_GT(c.exact, 0U);
}

TEST(Pilot, a_shot_is_pending_at_once_and_then_launched_or_refused) {
  WholeStack stack(two_ships(), k_seed);
  support::LinkConditions steady;
  steady.delay = 40 * k_millisecond;
  stack.network.set_conditions(steady);
  stack.run(k_second / 2);
  Watcher& watcher = stack.join(pilot());
  stack.run(3 * k_second);
  client::Event event;
  while (watcher.core.next_event(event)) {
  }
  std::uint32_t good = 0;
  std::uint32_t bad = 0;
  ASSERT_EQ(watcher.core.fire({k_own, 1, 0, {}}, good), client::Status::ok);
  ASSERT_EQ(watcher.core.fire({k_own, 99, 0, {}}, bad), client::Status::ok);
  for (const std::uint32_t id : {good, bad}) {
    ASSERT_TRUE(watcher.core.next_event(event)) << "at once";
    EXPECT_EQ(event.kind, EventKind::fire_pending);
    EXPECT_EQ(event.command, id);
  }
  // The watcher's frames would take the events: run it by hand from here on.
  watcher.asleep = false;
  std::map<std::uint32_t, EventKind> came;
  for (int i = 0; i < 500; ++i) {
    watcher.next_frame = stack.now + k_second;  // no frames of the stack's own
    stack.run(4 * k_millisecond);
    const Nanoseconds own = stack.now + watcher.clock_offset;
    watcher.core.update(own);
    wire::Datagram datagram;
    while (watcher.core.next_datagram(own, datagram)) {
      stack.network.send(watcher.address, wire::ipv4_address(10, 0, 0, 1, 7777), datagram.view(),
                         stack.now);
    }
    while (watcher.core.next_event(event)) {
      if (event.command != 0) came[event.command] = event.kind;
      if (event.kind == EventKind::fire_refused) {
        EXPECT_EQ(event.status, wire::CommandStatus::refused_target);
      }
    }
  }
  ASSERT_EQ(came.size(), 2U);
  EXPECT_EQ(came[good], EventKind::launch);
  EXPECT_EQ(came[bad], EventKind::fire_refused);
}

}  // namespace
}  // namespace contrail::flow_test
