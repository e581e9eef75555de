// Joining and moving over networks that reorder, repeat, lose and remember.

#include <algorithm>

#include <gtest/gtest.h>

#include <contrail/wire/connect_token.hpp>

#include "transport_rig.hpp"

namespace contrail::server::rig {
namespace {

constexpr wire::UnixMilliseconds k_unix = 1'800'000'000'000;

RigOptions with_tokens() {
  RigOptions options;
  options.insecure = false;
  options.admission.token_keys = {{7, wire::Key({1, 2, 3})}};
  options.admission.started = k_unix;
  return options;
}

wire::ClientConfig with_token(Rig& rig, std::uint8_t number) {
  wire::ClientConfig config = rig.config(wire::Role::pilot);
  const wire::Bytes token =
      wire::issue_token({7, k_unix, k_unix + 600'000, 0, {}},
                        {number, wire::Role::pilot, {1}, {}, wire::Key({number})},
                        rig.options.admission.token_keys.front(), wire::LongNonce{number});
  const auto split = wire::split_token(token).value();
  config.token = split.pass;
  config.secret = split.secret;
  return config;
}

TEST(TransportHandshake, joins_whatever_the_network_does_and_never_twice) {
  const std::uint64_t seed = test_seed(31);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (std::uint64_t run = 0; run < 20; ++run) {
    RigOptions options = with_tokens();
    options.seed = seed + run;
    Rig rig(options);
    rig.broadcaster->set_wall_clock(k_unix, rig.now);
    // A fifth lost, half repeated, half late by up to 0.4 s.
    rig.network.set_conditions({200, 500, 500, 30 * k_millisecond, 100 * k_millisecond});
    for (std::uint8_t i = 1; i <= 5; ++i) rig.add_client(with_token(rig, i));
    rig.run(20 * k_second);
    EXPECT_EQ(rig.broadcaster->clients(), 5U);
    EXPECT_EQ(rig.broadcaster->remembered_tokens(), 5U);
    for (const auto& client : rig.clients) {
      EXPECT_EQ(client->connection.state(), wire::ConnectionState::live);
      ASSERT_FALSE(client->segments.empty());
      EXPECT_EQ(difference(rig, client->segments.back()), "");
    }
  }
}

TEST(TransportHandshake, everything_ever_said_repeated_from_everywhere_opens_nothing) {
  Rig rig(with_tokens());
  rig.broadcaster->set_wall_clock(k_unix, rig.now);
  rig.network.set_conditions({0, 0, 0, 10 * k_millisecond, 0});
  rig.source = launches_every(4);
  std::vector<wire::Bytes> up;
  std::vector<wire::Bytes> down;
  rig.sniff = [&](const wire::Address&, wire::ByteView bytes) {
    up.emplace_back(bytes.begin(), bytes.end());
  };
  rig.tamper = [&](const wire::Address&, wire::Bytes& bytes) {
    down.push_back(bytes);
    return true;
  };
  ClientView& client = rig.add_client(with_token(rig, 1));
  rig.run(3 * k_second);
  ASSERT_EQ(client.connection.state(), wire::ConnectionState::live);
  ASSERT_TRUE(client.connection.send_fire({1, 2, 0, 3}).has_value());
  rig.run(k_second);
  ASSERT_EQ(rig.commands.size(), 1U);
  ASSERT_GT(up.size(), 50U);
  const auto sealed = [](const wire::Bytes& bytes) {
    return static_cast<wire::PacketType>(bytes[0]) > wire::PacketType::refuse;
  };

  const std::uint64_t taken = client.connection.statistics().packets_received;
  for (const wire::Bytes& copy : down) client.connection.receive(copy, rig.now);
  // A repeated welcome or challenge is known; nothing that is sealed passes again.
  EXPECT_LE(client.connection.statistics().packets_received - taken,
            static_cast<std::uint64_t>(std::count_if(down.begin(), down.end(),
                                                     [&](const auto& b) { return !sealed(b); })));
  const std::vector<wire::Bytes> said = up;
  for (const wire::Address& from :
       {client.address, wire::ipv4_address(198, 51, 100, 1, 999), client_address(9)}) {
    for (const wire::Bytes& copy : said) {
      const wire::PacketError error = rig.broadcaster->receive(from, copy, rig.now);
      if (sealed(copy)) {
        EXPECT_EQ(error, wire::PacketError::replayed);
      }
    }
    rig.run(k_second / 2);
    EXPECT_EQ(rig.broadcaster->clients(), 1U);
  }
  EXPECT_EQ(rig.commands.size(), 1U);
  EXPECT_EQ(rig.broadcaster->statistics().moved, 0U);
  EXPECT_EQ(client.connection.state(), wire::ConnectionState::live);
  EXPECT_EQ(difference(rig, client.segments.back()), "");

  // When the client has left, its words are worth nothing either.
  client.connection.close(rig.now);
  rig.run(k_second);
  EXPECT_EQ(rig.broadcaster->clients(), 0U);
  for (const wire::Bytes& copy : said) rig.broadcaster->receive(client.address, copy, rig.now);
  rig.run(6 * k_second);
  EXPECT_EQ(rig.broadcaster->clients(), 0U);
  EXPECT_EQ(rig.broadcaster->remembered_tokens(), 1U);
  EXPECT_EQ(rig.commands.size(), 1U);
}

TEST(TransportHandshake, case_35_a_port_change_and_an_address_change_lose_nothing) {
  Rig rig(with_tokens());
  rig.broadcaster->set_wall_clock(k_unix, rig.now);
  constexpr Nanoseconds k_delay = 25 * k_millisecond;
  rig.network.set_conditions({0, 0, 0, k_delay, 0});
  rig.source = launches_every(2);
  ClientView& client = rig.add_client(with_token(rig, 1));
  rig.run(5 * k_second);
  ASSERT_EQ(client.connection.state(), wire::ConnectionState::live);
  const wire::Address first = client.address;
  client.address.port = 40'001;
  rig.run(5 * k_second);
  const wire::Address second = client.address;
  client.address = wire::ipv4_address(127, 0, 0, 2, 40'002);
  rig.run(k_second);
  std::size_t to_old = 0;
  rig.tamper = [&](const wire::Address& to, wire::Bytes&) {
    to_old += to == first || to == second;
    return true;
  };
  rig.run(5 * k_second);
  EXPECT_EQ(to_old, 0U);
  EXPECT_EQ(rig.broadcaster->statistics().moved, 2U);
  EXPECT_EQ(rig.broadcaster->statistics().joined, 1U);
  EXPECT_EQ(rig.broadcaster->clients(), 1U);
  EXPECT_EQ(client.segments.size(), 1U);
  EXPECT_EQ(difference(rig, client.segments.back()), "");
  // The server hears of a move with the next ping; then one round trip for the proof, and the next
  // sending of what went to the old address.
  const Nanoseconds worst = *std::max_element(client.delays.begin(), client.delays.end());
  const Nanoseconds late = k_second / 4 + 4 * k_delay + k_second / 8;
  EXPECT_LE(worst, late);
  EXPECT_GT(worst, 2 * k_delay);  // a move does cost something
}

}  // namespace
}  // namespace contrail::server::rig
