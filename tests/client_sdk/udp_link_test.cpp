#include <contrail/client/udp_link.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

#include <contrail/client/client.hpp>
#include <contrail/wire/handshake.hpp>

namespace contrail::client {
namespace {

using Udp = asio::ip::udp;

/// A bare socket in the server's place.
class Peer {
 public:
  explicit Peer(const char* address = "127.0.0.1", std::uint16_t port = 0)
      : socket_(context_, Udp::endpoint(asio::ip::make_address(address), port)) {
    socket_.non_blocking(true);
  }
  [[nodiscard]] std::uint16_t port() const { return socket_.local_endpoint().port(); }
  std::optional<std::vector<std::uint8_t>> receive() {
    std::array<std::uint8_t, 2048> buffer{};
    asio::error_code failed;
    const std::size_t size = socket_.receive_from(asio::buffer(buffer), last_, 0, failed);
    if (failed) return std::nullopt;
    return std::vector<std::uint8_t>(buffer.begin(),
                                     buffer.begin() + static_cast<std::ptrdiff_t>(size));
  }
  void answer(const std::vector<std::uint8_t>& bytes) {
    socket_.send_to(asio::buffer(bytes), last_);
  }

 private:
  asio::io_context context_;
  Udp::socket socket_;
  Udp::endpoint last_;
};

/// Runs `attempt` until it is true; false after a time that no loaded machine needs.
template <typename Attempt>
bool eventually(Attempt&& attempt) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!attempt()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// A port at which nobody listens.
std::uint16_t free_port() {
  return Peer().port();
}

TEST(ServerAddress, takes_host_and_port_apart) {
  EXPECT_EQ(parse_server_address("127.0.0.1:7777"), (ServerAddress{"127.0.0.1", 7777}));
  EXPECT_EQ(parse_server_address("example.org:1"), (ServerAddress{"example.org", 1}));
  EXPECT_EQ(parse_server_address("[::1]:65535"), (ServerAddress{"::1", 65535}));
  for (const char* wrong : {"", ":", ":7777", "host", "host:", "host:0", "host:65536", "host:-1",
                            "host:77x", "host: 77", "::1:7777", "[::1]", "[]:1", "[::1:7777"}) {
    EXPECT_FALSE(parse_server_address(wrong).has_value()) << wrong;
  }
}

TEST(UdpLink, carries_datagrams_both_ways_over_both_address_families) {
  for (const char* address : {"127.0.0.1", "::1"}) {
    std::optional<Peer> peer;
    try {
      peer.emplace(address);
    } catch (const std::exception&) {
      continue;  // a machine without IPv6
    }
    UdpLink link;
    ASSERT_TRUE(link.open(address, peer->port())) << link.error_text();
    EXPECT_TRUE(link.is_open());
    EXPECT_NE(link.remote_text().find(std::to_string(peer->port())), std::string::npos);
    const std::vector<std::uint8_t> hello{1, 2, 3};
    link.send(hello);
    ASSERT_TRUE(eventually([&] { return peer->receive() == hello; }));
    peer->answer({});
    peer->answer({9, 8});
    std::array<std::uint8_t, 16> buffer{};
    std::optional<std::size_t> size;
    ASSERT_TRUE(eventually([&] { return (size = link.receive(buffer)).has_value(); }));
    EXPECT_EQ(*size, 0U);
    ASSERT_TRUE(eventually([&] { return (size = link.receive(buffer)).has_value(); }));
    EXPECT_EQ(*size, 2U);
    EXPECT_EQ(buffer[0], 9);
  }
}

TEST(UdpLink, drops_and_counts_datagrams_that_fill_the_buffer) {
  Peer peer;
  UdpLink link;
  ASSERT_TRUE(link.open("127.0.0.1", peer.port()));
  link.send(std::vector<std::uint8_t>{1});
  ASSERT_TRUE(eventually([&] { return peer.receive().has_value(); }));
  peer.answer(std::vector<std::uint8_t>(16));
  peer.answer(std::vector<std::uint8_t>(17));
  peer.answer(std::vector<std::uint8_t>(15));
  std::array<std::uint8_t, 16> buffer{};
  std::optional<std::size_t> size;
  ASSERT_TRUE(eventually([&] { return (size = link.receive(buffer)).has_value(); }));
  EXPECT_EQ(*size, 15U);
  EXPECT_EQ(link.counts().oversized, 2U);
}

// On Linux a connected UDP socket reports the refusals of a port at which nobody listens.
TEST(UdpLink, case_36_survives_refused_connections_and_goes_on_when_the_server_comes) {
  const std::uint16_t port = free_port();
  UdpLink link;
  ASSERT_TRUE(link.open("127.0.0.1", port));
  std::array<std::uint8_t, 16> buffer{};
  for (int i = 0; i < 1000; ++i) {
    link.send(std::vector<std::uint8_t>{7});
    EXPECT_FALSE(link.receive(buffer).has_value());
  }
  EXPECT_GT(link.counts().receive_errors + link.counts().send_errors, 0U);
  Peer peer("127.0.0.1", port);
  EXPECT_TRUE(eventually([&] {
    link.send(std::vector<std::uint8_t>{7});
    return peer.receive().has_value();
  }));
}

TEST(UdpLink, says_what_is_wrong_with_a_host_that_does_not_exist) {
  UdpLink link;
  EXPECT_FALSE(link.open("no-such-host.invalid", 7777));
  EXPECT_NE(link.error_text().find("no-such-host.invalid"), std::string::npos);
  EXPECT_FALSE(link.is_open());
  std::array<std::uint8_t, 16> buffer{};
  EXPECT_FALSE(link.receive(buffer).has_value());
  link.send(std::vector<std::uint8_t>{1});
  EXPECT_FALSE(link.try_next_address());
}

TEST(Client, refuses_to_connect_to_a_host_that_does_not_exist) {
  Client client;
  EXPECT_EQ(client.connect("no-such-host.invalid", 7777), Status::unreachable);
  EXPECT_EQ(client.state(), State::disconnected);
  EXPECT_EQ(client.end_reason(), EndReason::unreachable);
  LogLine line;
  ASSERT_TRUE(client.next_log_line(line));
  EXPECT_EQ(line.text, client.describe_state());
  EXPECT_NE(line.text.find("no-such-host.invalid"), std::string::npos);
  client.update();
  client.disconnect();
}

TEST(Client, keeps_knocking_until_the_server_is_there) {
  const std::uint16_t port = free_port();
  Client client;
  ASSERT_EQ(client.connect("127.0.0.1", port), Status::ok);
  EXPECT_EQ(client.connect("127.0.0.1", port), Status::wrong_state);
  for (int i = 0; i < 10; ++i) client.update();
  EXPECT_EQ(client.state(), State::connecting);
  Peer peer("127.0.0.1", port);
  std::optional<std::vector<std::uint8_t>> hello;
  ASSERT_TRUE(eventually([&] {
    client.update();
    return (hello = peer.receive()).has_value();
  }));
  wire::Hello read;
  EXPECT_EQ(wire::decode_hello(*hello, read), wire::PacketError::none);
  peer.answer(std::vector<std::uint8_t>(100, 0xEE));
  EXPECT_TRUE(eventually([&] {
    client.update();
    return client.statistics().packets_dropped == 1;
  }));
  client.disconnect();
  EXPECT_EQ(client.state(), State::disconnected);
  EXPECT_EQ(client.remote_text(), "");
}

TEST(Client, two_clients_of_one_configuration_are_told_apart) {
  Peer peer;
  std::vector<std::uint64_t> nonces;
  for (int i = 0; i < 2; ++i) {
    Client client;
    ASSERT_EQ(client.connect("127.0.0.1", peer.port()), Status::ok);
    std::optional<std::vector<std::uint8_t>> hello;
    ASSERT_TRUE(eventually([&] { return (hello = peer.receive()).has_value(); }));
    wire::Hello read;
    ASSERT_EQ(wire::decode_hello(*hello, read), wire::PacketError::none);
    nonces.push_back(read.nonce);
  }
  EXPECT_NE(nonces[0], nonces[1]);
}

TEST(Client, a_moved_client_goes_on_and_the_old_one_can_be_destroyed) {
  Peer peer;
  Client first;
  ASSERT_EQ(first.connect("127.0.0.1", peer.port()), Status::ok);
  Client second(std::move(first));
  second.update();
  EXPECT_EQ(second.state(), State::connecting);
  Client third;
  third = std::move(second);
  third.update();
  EXPECT_EQ(third.state(), State::connecting);
}

}  // namespace
}  // namespace contrail::client
