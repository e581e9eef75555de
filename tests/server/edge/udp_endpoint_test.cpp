#include <contrail/edge/udp_endpoint.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>
#include <asio/ip/udp.hpp>

#include <contrail/edge/udp_bind.hpp>
#include <contrail/edge/udp_drain.hpp>

namespace contrail::server {
namespace {

using asio::ip::udp;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t k_buffer = 1 << 18;

/// What a mock socket gives: an error or a datagram.
struct Reading {
  asio::error_code error;
  std::size_t size = 0;
};

/// A socket that gives the readings in order, then would_block.
struct MockSocket {
  std::vector<Reading> readings;
  std::size_t next = 0;

  std::size_t receive_from(const asio::mutable_buffer& buffer, udp::endpoint& from, int,
                           asio::error_code& error) {
    if (next == readings.size()) {
      error = asio::error::would_block;
      return 0;
    }
    const Reading reading = readings[next++];
    error = reading.error;
    from = {asio::ip::address_v4::loopback(), 7};
    return std::min(reading.size, buffer.size());
  }
};

/// Drains as often as the socket becomes readable; sizes received.
std::vector<std::size_t> drain_all(MockSocket& socket, UdpStatistics& statistics) {
  std::vector<std::size_t> sizes;
  ReceiveBuffer buffer{};
  while (socket.next < socket.readings.size()) {
    drain_socket(socket, buffer, 512, statistics,
                 [&](const udp::endpoint&, std::span<const std::uint8_t> datagram) {
                   sizes.push_back(datagram.size());
                 });
  }
  return sizes;
}

TEST(UdpDrain, case_36_no_error_of_single_datagrams_stops_the_reading) {
  const asio::error_code errors[] = {asio::error::connection_refused, asio::error::connection_reset,
                                     asio::error::network_reset,      asio::error::message_size,
                                     asio::error::host_unreachable,   asio::error::no_memory,
                                     asio::error::network_down,       asio::error::interrupted};
  MockSocket socket;
  for (const asio::error_code& error : errors) {
    for (int i = 0; i < 1000; ++i) socket.readings.push_back({error, 0});
    socket.readings.push_back({{}, 100});
  }
  UdpStatistics statistics;
  EXPECT_EQ(drain_all(socket, statistics), std::vector<std::size_t>(std::size(errors), 100));
  EXPECT_EQ(statistics.receive_errors, 1000 * std::size(errors));
  EXPECT_EQ(statistics.received, std::size(errors));
}

TEST(UdpDrain, a_round_ends_at_its_cap) {
  MockSocket socket;
  socket.readings.assign(1000, {{}, 10});
  UdpStatistics statistics;
  ReceiveBuffer buffer{};
  const auto ignore = [](const udp::endpoint&, std::span<const std::uint8_t>) {};
  drain_socket(socket, buffer, 512, statistics, ignore);
  EXPECT_EQ(statistics.received, 512U);
  EXPECT_EQ(statistics.drains_capped, 1U);
  drain_socket(socket, buffer, 512, statistics, ignore);
  EXPECT_EQ(statistics.received, 1000U);
  EXPECT_EQ(statistics.drains_capped, 1U);
}

TEST(UdpDrain, case_37_datagrams_that_are_too_long_are_seen_to_be) {
  MockSocket socket;
  socket.readings = {{{}, 0}, {{}, 1}, {{}, 1200}, {{}, 1201}, {{}, 3000}, {{}, 65'507}};
  UdpStatistics statistics;
  EXPECT_EQ(drain_all(socket, statistics),
            (std::vector<std::size_t>{0, 1, 1200, 1201, 1201, 1201}));
}

class UdpEndpointTest : public ::testing::Test {
 protected:
  /// Runs handlers until the condition holds; gives up after many rounds.
  template <class Condition>
  bool run_until(const Condition& condition) {
    for (int i = 0; i < 5000 && !condition(); ++i) {
      context.run_one_for(std::chrono::milliseconds(2));
      context.restart();
    }
    return condition();
  }
  UdpEndpoint::OpenResult open(const std::string& host, std::uint16_t port = 0) {
    const auto result = endpoint.open(host, port, k_buffer);
    if (result.ok) {
      endpoint.start(
          [this](const wire::Address& from, std::span<const std::uint8_t> datagram) {
            senders.push_back(from);
            received.emplace_back(datagram.begin(), datagram.end());
          },
          [this] { ++rounds; });
    }
    return result;
  }

  asio::io_context context;
  UdpEndpoint endpoint{context};
  std::vector<wire::Address> senders;
  std::vector<Bytes> received;
  int rounds = 0;
};

TEST_F(UdpEndpointTest, talks_to_both_families_on_one_port) {
  const auto opened = open("::");
  ASSERT_TRUE(opened.ok) << opened.error;
  EXPECT_NE(opened.port, 0);
  EXPECT_GT(opened.receive_buffer, 0U);
  std::vector<asio::ip::address> hosts{asio::ip::address_v4::loopback()};
  if (opened.dual_stack) hosts.push_back(asio::ip::address_v6::loopback());
  for (const auto& host : hosts) {
    udp::socket client(context, udp::endpoint(host, 0));
    const Bytes hello{1, 2, 3};
    asio::error_code error;
    client.send_to(asio::buffer(hello), {host, opened.port}, 0, error);
    if (error && host.is_v6()) continue;  // a machine without ::1
    const std::size_t before = received.size();
    ASSERT_TRUE(run_until([&] { return received.size() > before; }));
    EXPECT_EQ(received.back(), hello);
    EXPECT_EQ(to_string(senders.back()), (host.is_v6() ? "[::1]:" : "127.0.0.1:") +
                                             std::to_string(client.local_endpoint().port()));
    endpoint.send(senders.back(), Bytes{9, 8});
    endpoint.flush();
    Bytes answer(10);
    udp::endpoint from;
    EXPECT_EQ(client.receive_from(asio::buffer(answer), from), 2U);
    EXPECT_EQ(answer[0], 9);
  }
  EXPECT_GE(rounds, 1);
  EXPECT_EQ(endpoint.statistics().send_errors, 0U);
}

TEST(UdpBind, a_machine_without_ipv6_listens_on_ipv4_alone) {
  for (const auto missing : {std::errc::address_family_not_supported,
                             std::errc::address_not_available, std::errc::protocol_not_supported}) {
    std::vector<std::string> asked;
    const auto open_at = [&](const asio::ip::address& host, bool dual) {
      asked.push_back(host.to_string() + (dual ? " dual" : ""));
      return host.is_v6() ? asio::error_code(std::make_error_code(missing)) : asio::error_code();
    };
    const Bound any = bind_families(asio::ip::make_address("::"), open_at);
    EXPECT_FALSE(any.error);
    EXPECT_FALSE(any.dual_stack);
    EXPECT_EQ(asked, (std::vector<std::string>{":: dual", "0.0.0.0"}));
    // Who asks for one address of a family that isn't there is told so.
    EXPECT_TRUE(bind_families(asio::ip::make_address("::1"), open_at).error);
    EXPECT_EQ(asked.size(), 3U);
  }
}

TEST(UdpBind, a_port_in_use_is_no_reason_to_do_without_ipv6) {
  int asked = 0;
  const Bound bound = bind_families(asio::ip::make_address("::"), [&](const auto&, bool) {
    ++asked;
    return asio::error_code(asio::error::address_in_use);
  });
  EXPECT_EQ(bound.error, asio::error::address_in_use);
  EXPECT_EQ(asked, 1);
}

TEST_F(UdpEndpointTest,
       every_datagram_of_a_round_arrives_whole_and_in_order_in_batches_and_singly) {
  for (const bool singly : {false, true}) {
    UdpEndpoint sender(context);
    ASSERT_TRUE(sender.open(singly ? "127.0.0.1" : "::", 0, k_buffer).ok);
    if (singly) sender.send_singly();
    udp::socket client(context, udp::endpoint(asio::ip::address_v4::loopback(), 0));
    client.non_blocking(true);  // what doesn't come fails the test and does not hang it
    client.set_option(asio::socket_base::receive_buffer_size(1 << 20));
    const wire::Address to = wire::ipv4_address(127, 0, 0, 1, client.local_endpoint().port());
    for (std::size_t i = 0; i < 150; ++i) {  // more than a batch
      sender.send(to, Bytes(i, static_cast<std::uint8_t>(i)));
      // What the system refuses takes no neighbour with it: nothing sends to port 0.
      if (i % 50 == 7) sender.send(wire::ipv4_address(127, 0, 0, 1, 0), Bytes(9));
    }
    sender.flush();
    EXPECT_EQ(sender.statistics().sent, 150U);
    EXPECT_EQ(sender.statistics().send_errors, 3U);
    for (std::size_t i = 0; i < 150; ++i) {
      Bytes got(1201);
      udp::endpoint from;
      asio::error_code error;
      got.resize(client.receive_from(asio::buffer(got), from, 0, error));
      ASSERT_FALSE(error) << i << ": " << error.message();
      ASSERT_EQ(got, Bytes(i, static_cast<std::uint8_t>(i)));
    }
  }
}

#ifdef __linux__
TEST_F(UdpEndpointTest, what_finds_no_room_in_the_receive_buffer_is_counted) {
  UdpEndpoint slow(context);
  const auto opened = slow.open("127.0.0.1", 0, 4096);
  ASSERT_TRUE(opened.ok);
  EXPECT_EQ(slow.statistics().kernel_drops, 0U);
  udp::socket client(context, udp::endpoint(asio::ip::address_v4::loopback(), 0));
  for (int i = 0; i < 200; ++i) {
    client.send_to(asio::buffer(Bytes(1000)), {asio::ip::address_v4::loopback(), opened.port});
  }
  const std::uint64_t dropped = slow.statistics().kernel_drops;
  EXPECT_GE(dropped, 150U);
  EXPECT_LT(dropped, 200U);
  slow.close();
  EXPECT_EQ(slow.statistics().kernel_drops, dropped);
}
#endif

TEST_F(UdpEndpointTest, listens_on_one_numeric_address) {
  const auto opened = open("127.0.0.1");
  ASSERT_TRUE(opened.ok) << opened.error;
  EXPECT_FALSE(opened.dual_stack);
  udp::socket client(context, udp::endpoint(asio::ip::address_v4::loopback(), 0));
  client.send_to(asio::buffer(Bytes{5}), {asio::ip::address_v4::loopback(), opened.port});
  ASSERT_TRUE(run_until([&] { return !received.empty(); }));
  EXPECT_EQ(senders[0], wire::ipv4_address(127, 0, 0, 1, client.local_endpoint().port()));
}

TEST_F(UdpEndpointTest, case_39_a_port_in_use_is_an_error_that_names_it) {
  for (const char* host : {"::", "127.0.0.1"}) {
    UdpEndpoint first(context);
    const auto opened = first.open(host, 0, k_buffer);
    ASSERT_TRUE(opened.ok) << opened.error;
    UdpEndpoint second(context);
    const auto refused = second.open(host, opened.port, k_buffer);
    EXPECT_FALSE(refused.ok);
    EXPECT_NE(refused.error.find(":" + std::to_string(opened.port) + ": "), std::string::npos)
        << refused.error;
    EXPECT_NE(refused.error.find("in use"), std::string::npos) << refused.error;
    first.close();
    EXPECT_TRUE(second.open(host, opened.port, k_buffer).ok);  // free again at once
  }
}

TEST_F(UdpEndpointTest, a_host_that_is_not_numeric_is_refused) {
  for (const char* host : {"localhost", "", "1.2.3", "::x"}) {
    const auto opened = endpoint.open(host, 0, k_buffer);
    EXPECT_FALSE(opened.ok);
    EXPECT_NE(opened.error.find("numeric"), std::string::npos) << opened.error;
  }
}

TEST_F(UdpEndpointTest, case_37_every_length_arrives_and_longer_ones_with_1201_bytes) {
  const auto opened = open("127.0.0.1");
  ASSERT_TRUE(opened.ok);
  udp::socket client(context, udp::endpoint(asio::ip::address_v4::loopback(), 0));
  for (const std::size_t size : {0, 1, 7, 8, 9, 1200, 1201, 3000, 65'507}) {
    const std::size_t before = received.size();
    client.send_to(asio::buffer(Bytes(size, 1)), {asio::ip::address_v4::loopback(), opened.port});
    ASSERT_TRUE(run_until([&] { return received.size() > before; })) << size;
    EXPECT_EQ(received.back().size(), std::min<std::size_t>(size, 1201));
  }
}

TEST_F(UdpEndpointTest, case_36_a_client_that_is_gone_disturbs_nobody) {
  const auto opened = open("127.0.0.1");
  ASSERT_TRUE(opened.ok);
  std::optional<udp::socket> gone(std::in_place, context,
                                  udp::endpoint(asio::ip::address_v4::loopback(), 0));
  const wire::Address dead = wire::ipv4_address(127, 0, 0, 1, gone->local_endpoint().port());
  gone.reset();
  for (int i = 0; i < 100; ++i) endpoint.send(dead, Bytes(100));
  endpoint.flush();
  udp::socket client(context, udp::endpoint(asio::ip::address_v4::loopback(), 0));
  client.send_to(asio::buffer(Bytes{5}), {asio::ip::address_v4::loopback(), opened.port});
  EXPECT_TRUE(run_until([&] { return !received.empty(); }));
}

TEST_F(UdpEndpointTest, a_datagram_too_long_to_send_is_counted) {
  ASSERT_TRUE(open("127.0.0.1").ok);
  endpoint.send(wire::ipv4_address(127, 0, 0, 1, 9), Bytes(70'000));
  EXPECT_EQ(endpoint.statistics().send_errors, 1U);
  EXPECT_EQ(endpoint.statistics().sent, 0U);
}

TEST_F(UdpEndpointTest, can_be_closed_while_it_hands_out_a_datagram) {
  const auto opened = endpoint.open("127.0.0.1", 0, k_buffer);
  ASSERT_TRUE(opened.ok);
  int calls = 0;
  endpoint.start([&](const wire::Address&, std::span<const std::uint8_t>) {
    ++calls;
    endpoint.close();
  });
  udp::socket client(context, udp::endpoint(asio::ip::address_v4::loopback(), 0));
  for (int i = 0; i < 3; ++i) {
    client.send_to(asio::buffer(Bytes{5}), {asio::ip::address_v4::loopback(), opened.port});
  }
  ASSERT_TRUE(run_until([&] { return calls > 0; }));
  EXPECT_EQ(calls, 1);
  for (int i = 0; i < 20; ++i) {
    context.run_one_for(std::chrono::milliseconds(1));
    context.restart();
  }
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace contrail::server
