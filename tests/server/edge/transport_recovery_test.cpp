// Gaps, vanished and slow clients, repeated commands, turns of counters, the end.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include <contrail/wire/transport_limits.hpp>

#include "transport_rig.hpp"

namespace contrail::server {
namespace {

using rig::busy_world;
using rig::ClientView;
using rig::difference;
using rig::k_millisecond;
using rig::k_second;
using rig::launches_every;
using rig::Rig;
using rig::test_seed;
using wire::Nanoseconds;

TEST(TransportRecovery, a_gap_of_more_than_2_s_is_bridged_by_a_snapshot) {
  const std::uint64_t seed = test_seed(81);
  Rig rig({});
  rig.network.set_conditions({0, 0, 0, 25 * k_millisecond, 0});
  rig.source = busy_world(seed, 11);
  ClientView& view = rig.add_client();
  rig.run(5 * k_second);
  rig.network.set_conditions({1000, 0, 0, 0, 0});
  rig.run(4 * k_second);
  rig.network.set_conditions({0, 0, 0, 25 * k_millisecond, 0});
  rig.run(5 * k_second);
  EXPECT_EQ(rig.broadcaster->statistics().resyncs, 1U);
  EXPECT_EQ(view.connection.statistics().resyncs, 1U);
  ASSERT_EQ(view.segments.size(), 2U);
  EXPECT_EQ(difference(rig, view.segments[0]), "");
  EXPECT_EQ(difference(rig, view.segments[1]), "");
  EXPECT_GE(view.segments[1].ticks.size(), 50U);
}

TEST(TransportRecovery, a_gap_of_1_s_needs_none) {
  Rig rig({});
  rig.network.set_conditions({0, 0, 0, 25 * k_millisecond, 0});
  rig.source = busy_world(5, 11);
  ClientView& view = rig.add_client();
  rig.run(5 * k_second);
  rig.network.set_conditions({1000, 0, 0, 0, 0});
  rig.run(k_second);
  rig.network.set_conditions({0, 0, 0, 25 * k_millisecond, 0});
  rig.run(5 * k_second);
  EXPECT_EQ(rig.broadcaster->statistics().resyncs, 0U);
  ASSERT_EQ(view.segments.size(), 1U);
  EXPECT_EQ(difference(rig, view.segments[0]), "");
  EXPECT_GE(view.segments[0].complete + 8, rig.tick);
}

TEST(TransportRecovery, a_client_that_vanishes_costs_keep_alives_for_10_s_and_is_gone) {
  Rig rig({});
  rig.network.set_conditions({0, 0, 0, 5 * k_millisecond, 0});
  rig.source = launches_every(2);
  rig.add_client();
  ClientView& other = rig.add_client();
  rig.run(5 * k_second);
  rig.clients[0]->stopped = true;
  int to_vanished = 0;
  rig.tamper = [&](const wire::Address& to, wire::Bytes&) {
    to_vanished += to == rig::client_address(0);
    return true;
  };
  rig.run(12 * k_second);
  // A second as before, then 4 a second, and the good-byes.
  EXPECT_LE(to_vanished, 35 + 4 * 9 + 1 + wire::k_disconnect_repeats);
  EXPECT_EQ(rig.broadcaster->clients(), 1U);
  const auto statistics = rig.broadcaster->statistics();
  EXPECT_EQ(statistics.left[static_cast<std::size_t>(wire::DisconnectReason::silent)], 1U);
  EXPECT_EQ(difference(rig, other.segments[0]), "");
  EXPECT_GE(other.segments[0].complete + 4, rig.tick);
}

TEST(TransportRecovery, case_31_a_thousand_commands_act_once_each_in_order) {
  Rig rig({});
  rig.network.set_conditions(rig::client_address(0), rig::k_server,
                             {100, 1000, 50, 20 * k_millisecond, 5 * k_millisecond});
  rig.network.set_conditions(rig::k_server, rig::client_address(0),
                             {300, 1000, 50, 20 * k_millisecond, 5 * k_millisecond});
  ClientView& view = rig.add_client(rig.config(wire::Role::pilot));
  rig.run(3 * k_second);
  ASSERT_EQ(view.connection.state(), wire::ConnectionState::live);
  std::uint32_t asked = 0;
  for (int i = 0; i < 20'000 && view.results.size() < 1000; ++i) {
    while (asked < 1000 && view.connection.send_fire({7, 8, 0, asked})) ++asked;
    rig.run(5 * k_millisecond);
  }
  ASSERT_EQ(view.results.size(), 1000U);
  ASSERT_EQ(rig.commands.size(), 1000U);
  std::map<std::uint32_t, std::uint32_t> launch_of;
  for (const auto& result : view.results) launch_of[result.id] = result.launch;
  ASSERT_EQ(launch_of.size(), 1000U);
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < rig.commands.size(); ++i) {
    ids.push_back(rig.commands[i].command.id);
    EXPECT_EQ(launch_of[rig.commands[i].command.id], i + 1);
    EXPECT_EQ(rig.commands[i].command.fire.at, rig.commands[i].command.id - 1);
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids.front(), 1U);
  EXPECT_EQ(ids.back(), 1000U);
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  const auto statistics = rig.broadcaster->statistics();
  EXPECT_EQ(statistics.commands, 1000U);
  EXPECT_GT(statistics.repeated_commands, 100U);  // the network did what it was told
}

TEST(TransportRecovery, case_32_ticks_and_clocks_pass_their_turns) {
  const std::uint32_t ticks[] = {0, 0x7FFF'FFF6, 0xFFFF'FFFF - 300};
  const Nanoseconds starts[] = {0, (Nanoseconds{1} << 31) * k_millisecond - 500 * k_millisecond,
                                (Nanoseconds{1} << 32) * k_millisecond - 500 * k_millisecond,
                                (Nanoseconds{1} << 31) * 1000 - 500'000,
                                (Nanoseconds{1} << 32) * 1000 - 500'000};
  std::vector<std::uint64_t> bytes;
  for (const std::uint32_t first : ticks) {
    for (const Nanoseconds start : starts) {
      rig::RigOptions options;
      options.first_tick = first;
      options.start = start;
      Rig rig(options);
      rig.network.set_conditions({50, 20, 20, 25 * k_millisecond, 4 * k_millisecond});
      rig.source = [first](std::uint32_t tick) {
        sim::TickRecord record;
        if ((tick - first) % 3 == 0) {
          record.health.push_back({1, static_cast<std::uint16_t>(tick - first)});
        }
        return record;
      };
      ClientView& view = rig.add_client();
      rig.run(9 * k_second);
      ASSERT_EQ(view.connection.state(), wire::ConnectionState::live);
      EXPECT_EQ(difference(rig, view.segments[0]), "");
      EXPECT_GE(view.segments[0].ticks.size(), 80U);
      const Nanoseconds session = Nanoseconds{first} * wire::tick_nanoseconds(11) + 9 * k_second;
      EXPECT_LE(std::abs(view.connection.session_time(rig.now) - session), 5 * k_millisecond);
      EXPECT_GE(view.connection.round_trip(), 50 * k_millisecond);
      bytes.push_back(rig.broadcaster->statistics().bytes_sent);
    }
  }
  // Wherever the clock starts, the same packets are sent.
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], bytes[i / 5 * 5]) << i;
}

TEST(TransportRecovery, a_slow_link_is_served_within_its_rate_or_told_that_it_is_too_slow) {
  rig::RigOptions options;
  options.snapshot_bytes = 100'000;
  Rig rig(options);
  rig::LinkConditions slow{0, 0, 0, 25 * k_millisecond, 0};
  slow.bytes_per_second = 30'000;
  rig.network.set_conditions(rig::k_server, rig::client_address(0), slow);
  slow.bytes_per_second = 1500;
  rig.network.set_conditions(rig::k_server, rig::client_address(1), slow);
  rig.source = launches_every(2);
  ClientView& view = rig.add_client();
  ClientView& hopeless = rig.add_client();
  rig.run(80 * k_second);
  EXPECT_EQ(view.connection.state(), wire::ConnectionState::live);
  EXPECT_EQ(difference(rig, view.segments.back()), "");
  EXPECT_NE(hopeless.connection.state(), wire::ConnectionState::live);
  const auto statistics = rig.broadcaster->statistics();
  EXPECT_EQ(statistics.left[static_cast<std::size_t>(wire::DisconnectReason::too_slow)], 1U);
}

TEST(TransportRecovery, closing_tells_every_client_and_admits_nobody) {
  Rig rig({});
  rig.network.set_conditions({100, 0, 0, 5 * k_millisecond, 0});
  for (int i = 0; i < 20; ++i) rig.add_client();
  rig.run(8 * k_second);
  ASSERT_EQ(rig.broadcaster->live_clients(), 20U);
  rig.broadcaster->close(wire::DisconnectReason::closing);
  EXPECT_TRUE(rig.broadcaster->says_goodbye());
  rig.run(100 * k_millisecond);
  EXPECT_FALSE(rig.broadcaster->says_goodbye());
  int told = 0;
  for (const auto& view : rig.clients) {
    told += view->connection.state() == wire::ConnectionState::disconnected &&
            view->connection.disconnect_reason() == wire::DisconnectReason::closing;
  }
  EXPECT_GE(told, 19);  // 1 in 1,000 misses all three
  ClientView& late = rig.add_client();
  rig.run(5 * k_second);
  ASSERT_EQ(late.connection.state(), wire::ConnectionState::refused);
  EXPECT_EQ(late.connection.refusal()->reason, wire::RefuseReason::closing);
}

}  // namespace
}  // namespace contrail::server
