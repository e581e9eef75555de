// The whole transport: a broadcaster and its clients over a network that misbehaves.

#include <algorithm>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include <contrail/wire/transport_limits.hpp>

#include "transport_rig.hpp"

namespace contrail::server {
namespace {

using rig::busy_world;
using rig::difference;
using rig::k_millisecond;
using rig::k_second;
using rig::Rig;
using rig::test_seed;

std::uint64_t dropped(const std::array<std::uint64_t, wire::k_packet_errors>& counts,
                      std::initializer_list<wire::PacketError> but) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto error = static_cast<wire::PacketError>(i);
    if (std::find(but.begin(), but.end(), error) == but.end()) sum += counts[i];
  }
  return sum;
}

class TransportOverNetwork : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(TransportOverNetwork, every_record_arrives_once_in_order_and_byte_for_byte) {
  const auto [loss, log2_tick] = GetParam();
  const std::uint64_t seed = test_seed(71);
  SCOPED_TRACE("seed " + std::to_string(seed));
  rig::RigOptions options;
  options.seed = seed;
  options.log2_tick = log2_tick;
  Rig rig(options);
  rig.network.set_conditions({loss, 20, 20, 25 * k_millisecond, 8 * k_millisecond});
  rig.source = busy_world(seed, log2_tick);
  rig.add_client(rig.config(wire::Role::spectator));
  rig.add_client(rig.config(wire::Role::pilot));
  rig.run(5 * k_second);
  rig.add_client(rig.config(wire::Role::pilot));  // late
  rig.run(5 * k_second);
  EXPECT_LE(rig.most_log_datagrams, wire::k_max_datagrams_per_joining_tick);
  rig.most_log_datagrams = 0;  // all are live
  rig.run(10 * k_second);
  for (const auto& view : rig.clients) {
    ASSERT_EQ(view->connection.state(), wire::ConnectionState::live);
    EXPECT_EQ(view->header, rig.header);
    ASSERT_EQ(view->segments.size(), 1U);
    EXPECT_EQ(difference(rig, view->segments[0]), "");
    EXPECT_GE(view->segments[0].ticks.size(), 30U);
    EXPECT_GE(view->connection.complete_tick() + 2 * wire::tick_rate(log2_tick), rig.tick);
    // Nothing but copies was dropped.
    EXPECT_EQ(dropped(view->connection.statistics().dropped, {wire::PacketError::replayed}), 0U);
  }
  const BroadcasterStatistics statistics = rig.broadcaster->statistics();
  EXPECT_EQ(dropped(statistics.dropped, {wire::PacketError::replayed}), 0U);
  EXPECT_EQ(statistics.resyncs, 0U);
  EXPECT_LE(rig.most_log_datagrams, wire::k_max_datagrams_per_tick);
  EXPECT_LE(rig.network.largest(), wire::k_max_datagram_bytes);
  EXPECT_EQ(statistics.packets_lost > 0, loss > 0);
  EXPECT_GT(rig.network.duplicated(), 0U);
  EXPECT_GT(rig.network.reordered(), 0U);
}

INSTANTIATE_TEST_SUITE_P(LossPerThousandAndTick, TransportOverNetwork,
                         ::testing::Combine(::testing::Values(0, 50, 200),
                                            ::testing::Values(9, 10, 11, 13)),
                         [](const auto& tested) {
                           return "loss" + std::to_string(std::get<0>(tested.param)) + "_tick" +
                                  std::to_string(1 << (16 - std::get<1>(tested.param))) + "Hz";
                         });

}  // namespace
}  // namespace contrail::server
