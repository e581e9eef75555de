// A client that loses its connection: what it tries, with what, and when.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include <contrail/core/reconnect_schedule.hpp>
#include <contrail/edge/scenario_file.hpp>
#include <contrail/wire/connect_token.hpp>

#include "whole_stack.hpp"

namespace contrail::flow_test {
namespace {

using client::EndReason;
using client::State;
using wire::k_second;

std::shared_ptr<const sim::Scenario> circus() {
  const server::LoadedScenario loaded = server::load_scenario("circus");
  EXPECT_NE(loaded.scenario, nullptr) << loaded.problems;
  return loaded.scenario;
}

/// Nothing gets through, either way, for a time.
void cut(WholeStack& stack, Nanoseconds duration) {
  stack.network.set_conditions({1000, 0, 0, 0, 0});
  stack.run(duration);
  stack.network.set_conditions({});
}

constexpr wire::UnixMilliseconds k_unix = 1'800'000'000'000;

wire::TokenKey operator_key() {
  return {7, wire::Key({1, 2, 3})};
}

server::AdmissionConfig with_tokens() {
  server::AdmissionConfig admission;
  admission.token_keys = {operator_key()};
  admission.started = k_unix;
  return admission;
}

wire::Bytes token(std::uint8_t number) {
  wire::LongNonce nonce{number};
  return wire::issue_token({7, k_unix, k_unix + 3'600'000, 0, {}},
                           {77, wire::Role::pilot, {1}, {}, wire::Key({number})}, operator_key(),
                           nonce);
}

TEST(Reconnect, a_client_comes_back_by_ticket_from_a_new_port_after_an_outage) {
  WholeStack stack(circus(), 1, with_tokens());
  stack.broadcaster.set_wall_clock(k_unix, 0);
  client::ClientConfig config;
  config.role = wire::Role::pilot;
  config.token = token(1);
  config.reconnect = true;
  Watcher& watcher = stack.join(config);
  stack.run(5 * k_second);
  ASSERT_EQ(watcher.core.state(), State::live);
  EXPECT_FALSE(watcher.core.needs_token());
  cut(stack, 12 * k_second);
  EXPECT_EQ(watcher.core.end_reason(), EndReason::none);  // connecting again
  stack.run(20 * k_second);
  EXPECT_EQ(watcher.core.state(), State::live);
  EXPECT_EQ(watcher.core.role(), wire::Role::pilot);
  EXPECT_EQ(watcher.core.own_entity(), 1);
  EXPECT_GE(watcher.ports, 2U);
  EXPECT_EQ(stack.broadcaster.statistics().returned, 1U);
  EXPECT_EQ(stack.broadcaster.clients(), 1U);
  EXPECT_EQ(watcher.core.statistics().log.hash_mismatches, 0U);
}

TEST(Reconnect, after_its_ticket_has_expired_a_client_asks_for_a_token) {
  WholeStack stack(circus(), 2, with_tokens());
  stack.broadcaster.set_wall_clock(k_unix, 0);
  client::ClientConfig config;
  config.role = wire::Role::pilot;
  config.token = token(1);
  config.reconnect = true;
  Watcher& watcher = stack.join(config);
  stack.run(5 * k_second);
  ASSERT_EQ(watcher.core.state(), State::live);
  cut(stack, 180 * k_second);
  stack.run(30 * k_second);
  EXPECT_EQ(watcher.core.state(), State::waiting);
  EXPECT_TRUE(watcher.core.needs_token());
  EXPECT_EQ(watcher.core.give_token(wire::Bytes(1000)), client::Status::out_of_range);
  EXPECT_EQ(watcher.core.give_token(token(2)), client::Status::ok);
  stack.run(5 * k_second);
  EXPECT_EQ(watcher.core.state(), State::live);
  EXPECT_FALSE(watcher.core.needs_token());
  EXPECT_EQ(stack.broadcaster.statistics().returned, 0U);
  EXPECT_EQ(stack.broadcaster.statistics().joined, 2U);
}

TEST(Reconnect, a_refused_token_is_told_from_a_good_one) {
  WholeStack stack(circus(), 3, with_tokens());
  stack.broadcaster.set_wall_clock(k_unix + 4'000'000, 0);
  client::ClientConfig config;
  config.token = token(1);  // has expired
  Watcher& watcher = stack.join(config);
  Watcher& without = stack.join();
  stack.run(2 * k_second);
  EXPECT_EQ(watcher.core.state(), State::refused);
  EXPECT_EQ(watcher.core.end_reason(), EndReason::token_expired);
  EXPECT_TRUE(watcher.core.needs_token());
  EXPECT_EQ(without.core.end_reason(), EndReason::token_required);
  EXPECT_TRUE(without.core.needs_token());
}

TEST(Reconnect, who_does_not_want_it_is_not_brought_back) {
  WholeStack stack(circus(), 4);
  Watcher& watcher = stack.join();
  stack.run(3 * k_second);
  ASSERT_EQ(watcher.core.state(), State::live);
  cut(stack, 12 * k_second);
  stack.run(20 * k_second);
  EXPECT_EQ(watcher.core.state(), State::disconnected);
  EXPECT_EQ(watcher.core.end_reason(), EndReason::silence);
  EXPECT_EQ(watcher.ports, 1U);
}

TEST(Reconnect, case_41_the_clients_of_a_restarted_server_do_not_come_in_waves) {
  std::map<Nanoseconds, int> arrivals;  // in 100 ms
  constexpr int k_clients = 1000;
  int all = 0;
  for (std::uint64_t seed = 1; seed <= k_clients; ++seed) {
    client::ReconnectSchedule schedule(seed);
    Nanoseconds time = 0;
    Nanoseconds span = client::ReconnectSchedule::k_first;
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Nanoseconds wait = schedule.next_wait();
      EXPECT_GE(wait, span / 2);
      EXPECT_LE(wait, span);
      span = std::min(span * 2, client::ReconnectSchedule::k_longest);
      time += wait;
      ++arrivals[time / (k_second / 10)];
      ++all;
    }
    schedule.reset();
    EXPECT_LE(schedule.next_wait(), client::ReconnectSchedule::k_first);
  }
  // From the second attempt on no 100 ms see more than a quarter of the clients.
  for (const auto& [when, count] : arrivals) {
    if (when >= 6) {
      EXPECT_LE(count, k_clients / 4) << when;
    }
  }
  EXPECT_EQ(all, 8 * k_clients);
}

}  // namespace
}  // namespace contrail::flow_test
