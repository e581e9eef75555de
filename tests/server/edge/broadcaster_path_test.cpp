// What happens to a connection between a client and its server: other addresses, copies, changes.

#include <algorithm>

#include <gtest/gtest.h>

#include <contrail/wire/transport_limits.hpp>

#include "raw_client.hpp"

namespace contrail::server {
namespace {

const wire::Bytes k_ping(8, 1);

class PathTest : public ::testing::Test {
 protected:
  static void bring_in(RawClient& client) {
    client.join();
    ASSERT_TRUE(client.welcome.has_value());
    ASSERT_EQ(client.send(PacketType::ack), PacketError::none);
  }
  /// Datagrams among `all` that go to an address.
  static std::size_t to(const std::vector<Outgoing>& all, const wire::Address& address) {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const Outgoing& o) { return o.to == address; }));
  }
  /// The proof that a client is asked for in what it was sent last.
  static std::uint64_t proof(const RawClient& client) {
    wire::PathChallenge challenge;
    for (const wire::Bytes& bytes : client.received) {
      wire::PlainText plain;
      if (static_cast<PacketType>(bytes[0]) == PacketType::path_challenge &&
          client.open(bytes, plain) == PacketError::none) {
        EXPECT_EQ(wire::read(plain.content(), challenge), PacketError::none);
      }
    }
    return challenge.proof;
  }
  static wire::Bytes response(std::uint64_t proof) {
    wire::Bytes out;
    for (int i = 0; i < 8; ++i) out.push_back(static_cast<std::uint8_t>(proof >> (8 * i)));
    return out;
  }
  /// The client is somewhere else and answers what it is asked there.
  void move(RawClient& client, const wire::Address& address) {
    client.move_to(address);
    client.received.clear();
    EXPECT_EQ(client.send(PacketType::ping, k_ping), PacketError::none);
    client.listen(stage.poll());
    EXPECT_EQ(client.count(PacketType::path_challenge), 1);
    EXPECT_EQ(client.send(PacketType::path_response, response(proof(client))), PacketError::none);
  }

  Stage stage;
};

TEST_F(PathTest, case_35_a_client_moves_when_it_proves_its_new_address) {
  RawClient client(stage, address(1));
  bring_in(client);
  client.move_to(address(2));
  EXPECT_EQ(client.send(PacketType::ping, k_ping), PacketError::none);
  auto sent = stage.poll();
  // Asked at the new address; everything else still goes to the old one.
  ASSERT_EQ(to(sent, address(2)), 1U);
  EXPECT_EQ(to(sent, address(1)), 1U);
  client.listen(sent);
  ASSERT_EQ(client.count(PacketType::path_challenge), 1);
  EXPECT_EQ(client.send(PacketType::path_response, response(proof(client))), PacketError::none);
  EXPECT_EQ(stage.broadcaster->statistics().moved, 1U);
  for (int i = 0; i < 64; ++i, stage.now += k_second / 32) {
    stage.tick();
    ASSERT_EQ(client.send(PacketType::ping, k_ping), PacketError::none);
    sent = stage.poll();
    EXPECT_EQ(to(sent, address(1)), 0U);
    EXPECT_GE(to(sent, address(2)), 1U);
  }
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  EXPECT_EQ(stage.broadcaster->statistics().joined, 1U);
}

TEST_F(PathTest, case_35_two_clients_that_swap_ports_are_not_mixed_up) {
  RawClient one(stage, address(1));
  RawClient two(stage, address(2));
  bring_in(one);
  bring_in(two);
  move(one, address(2));
  move(two, address(1));
  EXPECT_EQ(stage.broadcaster->clients(), 2U);
  EXPECT_EQ(stage.broadcaster->statistics().moved, 2U);
  for (RawClient* client : {&one, &two}) {
    client->received.clear();
    EXPECT_EQ(client->send(PacketType::ping, k_ping), PacketError::none);
  }
  const auto sent = stage.poll();
  one.listen(sent);
  two.listen(sent);
  for (RawClient* client : {&one, &two}) {
    ASSERT_EQ(client->count(PacketType::pong), 1);
    wire::PlainText plain;
    EXPECT_EQ(client->open(client->received.at(0), plain), PacketError::none);
  }
}

TEST_F(PathTest, case_35_a_replay_from_a_third_address_moves_nothing) {
  RawClient client(stage, address(1));
  bring_in(client);
  std::vector<wire::Bytes> sniffed;
  for (int i = 0; i < 20; ++i) {
    sniffed.push_back(client.seal(PacketType::ping, k_ping));
    EXPECT_EQ(stage.give(address(1), sniffed.back()), PacketError::none);
  }
  stage.poll();
  for (const wire::Bytes& copy : sniffed) {
    EXPECT_EQ(stage.give(address(3), copy), PacketError::replayed);
  }
  EXPECT_TRUE(stage.poll().empty());
  EXPECT_EQ(stage.broadcaster->statistics().path_challenges, 0U);
  EXPECT_EQ(client.send(PacketType::ping, k_ping), PacketError::none);
  EXPECT_EQ(to(stage.poll(), address(1)), 1U);
}

TEST_F(PathTest, case_35_a_packet_that_a_thief_is_faster_with_moves_nothing_either) {
  RawClient client(stage, address(1));
  bring_in(client);
  // Held back and sent from elsewhere: it is fresh, so its sender is asked, and cannot answer.
  const wire::Bytes stolen = client.seal(PacketType::ping, k_ping);
  EXPECT_EQ(stage.give(address(3), stolen), PacketError::none);
  auto sent = stage.poll();
  ASSERT_EQ(to(sent, address(3)), 1U);
  EXPECT_LE(sent.back().bytes.size(), stolen.size());
  for (std::uint64_t guess = 0; guess < 1000; ++guess) {
    wire::Bytes forged(40, 0);
    wire::write_clear_header({PacketType::path_response, 0, client.welcome->connection,
                              static_cast<std::uint16_t>(client.counter + 1)},
                             forged);
    std::copy_n(response(guess).begin(), 8, forged.begin() + 16);
    EXPECT_EQ(stage.give(address(3), forged), PacketError::bad_tag);
  }
  // The answer counts from the asked address only, and only with the right proof.
  EXPECT_EQ(client.send(PacketType::path_response, response(1)), PacketError::none);
  client.move_to(address(3));
  EXPECT_EQ(client.send(PacketType::path_response, response(1)), PacketError::none);
  client.move_to(address(1));
  EXPECT_EQ(stage.broadcaster->statistics().moved, 0U);
  EXPECT_EQ(client.send(PacketType::ping, k_ping), PacketError::none);
  EXPECT_EQ(to(stage.poll(), address(1)), 1U);
}

TEST_F(PathTest, case_35_a_wrong_key_from_the_right_address_is_ignored) {
  RawClient client(stage, address(1));
  bring_in(client);
  RawClient liar(stage, address(1));
  liar.welcome = client.welcome;
  liar.counter = client.counter;
  EXPECT_EQ(liar.send(PacketType::ping, k_ping), PacketError::bad_tag);
  const std::uint8_t left[] = {1};
  EXPECT_EQ(liar.send(PacketType::disconnect, left), PacketError::bad_tag);
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
}

TEST_F(PathTest, small_packets_from_elsewhere_raise_no_question_larger_than_themselves) {
  RawClient client(stage, address(1));
  bring_in(client);
  client.move_to(address(2));
  EXPECT_EQ(client.send(PacketType::ack), PacketError::none);
  EXPECT_EQ(to(stage.poll(), address(2)), 0U);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.send(PacketType::ping, k_ping), PacketError::none);
  EXPECT_EQ(to(stage.poll(), address(2)), 1U);  // one question in 200 ms
}

TEST_F(PathTest, every_flipped_bit_of_a_sealed_packet_leaves_everything_as_it_was) {
  RawClient client(stage, address(1));
  bring_in(client);
  const std::vector<wire::Command> commands{{1, {}, {1, 2, 0, 3}}};
  const wire::Bytes good = client.seal(PacketType::command, wire::encode_commands(commands));
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    wire::Bytes changed = good;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    const PacketError error = stage.give(address(1), changed);
    if (bit >= 8 * wire::k_clear_header_bytes) {
      ASSERT_EQ(error, PacketError::bad_tag) << bit;
    } else {  // what the clear header says is looked at first
      ASSERT_NE(error, PacketError::none) << bit;
    }
  }
  EXPECT_TRUE(stage.poll().empty());
  EXPECT_TRUE(stage.broadcaster->take_commands().empty());
  EXPECT_EQ(stage.broadcaster->statistics().commands, 0U);
  EXPECT_EQ(stage.give(address(1), good), PacketError::none);  // not even its counter is taken
  EXPECT_EQ(stage.broadcaster->take_commands().size(), 1U);
}

TEST_F(PathTest, an_unauthentic_packet_does_not_keep_a_connection_alive) {
  RawClient client(stage, address(1));
  bring_in(client);
  for (int i = 0; i < 11 * 32; ++i, stage.now += k_second / 32) {
    wire::Bytes forged = client.seal(PacketType::ping, k_ping);
    forged.back() ^= 1;
    stage.give(address(1), forged);
    stage.tick();
    stage.poll();
  }
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
}

}  // namespace
}  // namespace contrail::server
