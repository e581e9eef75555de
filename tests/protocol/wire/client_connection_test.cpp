#include <contrail/wire/client_connection.hpp>

#include <map>

#include <gtest/gtest.h>

#include <contrail/wire/codec.hpp>
#include <contrail/wire/key_schedule.hpp>
#include <contrail/wire/packet_seal.hpp>
#include <contrail/wire/slices.hpp>
#include <contrail/wire/transport_limits.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;
using samples::repetitions;
using samples::test_seed;

constexpr Nanoseconds k_start = 50 * k_second;
constexpr std::uint32_t k_connection = 0xC0FFEE;

/// A client and a server made of hand-written packets.
class ClientConnectionTest : public ::testing::Test {
 protected:
  explicit ClientConnectionTest(Role role = Role::pilot) : role_(role) {
    ClientConfig config;
    config.role = role;
    config.seed = 9;
    client_.emplace(config, now_);
  }

  std::vector<Datagram> outgoing() {
    std::vector<Datagram> all;
    Datagram datagram;
    while (client_->poll_outgoing(now_, datagram)) all.push_back(datagram);
    return all;
  }
  static PacketType type_of(const Datagram& datagram) {
    ClearHeader header;
    EXPECT_EQ(read_clear_header(datagram.view(), header), PacketError::none);
    return header.type;
  }
  Hello take_hello() {
    Hello hello;
    const auto sent = outgoing();
    EXPECT_EQ(sent.size(), 1U);
    if (!sent.empty()) {
      EXPECT_EQ(decode_hello(sent[0].view(), hello), PacketError::none);
    }
    return hello;
  }
  PacketError give(const Datagram& datagram) { return client_->receive(datagram.view(), now_); }
  template <class Message>
  Datagram sealed(PacketType type, const Message& message, AckBlock block = {}) {
    PlainText plain;
    write_ack_block(block, plain);
    append(message, plain);
    return sealed(type, plain);
  }
  Datagram sealed(PacketType type, const PlainText& plain) {
    Datagram out;
    const std::uint64_t counter = ++counter_;
    seal({keys_.server_to_client}, {type, 0, k_connection, static_cast<std::uint16_t>(counter)},
         counter, plain, out);
    return out;
  }
  Welcome welcome_for(const Hello& hello) {
    Welcome welcome;
    welcome.nonce = hello.nonce;
    welcome.connection = k_connection;
    welcome.role = role_;
    welcome.header_bytes = 10;
    welcome.tick = 100;
    return welcome;
  }
  /// The server's side of the exchange for this hello.
  Datagram welcome_datagram(const Hello& hello) {
    Welcome welcome = welcome_for(hello);
    welcome.public_key = public_key_of(private_key_);
    Datagram said;
    encode_hello(hello, said);
    Key shared;
    Datagram datagram;
    if (shared_secret(private_key_, hello.public_key, shared)) {
      keys_ =
          derive_connection_keys(shared, secret_, transcript_hash(said.view(), welcome.public_key));
    }
    encode_welcome(welcome, keys_.welcome, datagram);
    return datagram;
  }
  Datagram slice(StreamKind kind, std::uint32_t id) {
    PlainText plain;
    write_ack_block({}, plain);
    const Bytes bytes(10, 0x77);
    append(SliceHeader{{kind, id}, 0, 10}, bytes, plain);
    return sealed(PacketType::slice, plain);
  }
  void join() {
    const Hello hello = take_hello();
    ASSERT_EQ(give(welcome_datagram(hello)), PacketError::none);
    ASSERT_EQ(client_->state(), ConnectionState::joining);
    ASSERT_EQ(give(slice(StreamKind::session_header, 0)), PacketError::none);
    ASSERT_EQ(give(slice(StreamKind::snapshot, 100)), PacketError::none);
    ASSERT_EQ(client_->state(), ConnectionState::live);
    outgoing();
  }

  Role role_;
  Key private_key_{{1, 2, 3}};
  Key secret_;
  ConnectionKeys keys_;
  Nanoseconds now_ = k_start;
  std::uint64_t counter_ = 0;
  std::optional<ClientConnection> client_;
};

TEST_F(ClientConnectionTest, a_challenge_is_answered_at_once_and_once) {
  const Hello first = take_hello();
  EXPECT_FALSE(first.has_cookie);
  EXPECT_EQ(first.role, Role::pilot);
  Datagram challenge;
  Cookie cookie;
  cookie.code.fill(5);
  encode_challenge({first.nonce, cookie}, challenge);
  EXPECT_EQ(give(challenge), PacketError::none);
  const Hello second = take_hello();
  EXPECT_TRUE(second.has_cookie);
  EXPECT_EQ(second.cookie, cookie);
  EXPECT_EQ(second.nonce, first.nonce);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(give(challenge), PacketError::none);
  EXPECT_TRUE(outgoing().empty());
}

TEST_F(ClientConnectionTest, answers_to_another_nonce_are_ignored) {
  Hello other = take_hello();
  ++other.nonce;
  Datagram datagram;
  encode_challenge({other.nonce, {}}, datagram);
  EXPECT_EQ(give(datagram), PacketError::unexpected);
  EXPECT_EQ(give(welcome_datagram(other)), PacketError::unexpected);
  encode_refuse({other.nonce, RefuseReason::full, {}, 1}, datagram);
  EXPECT_EQ(give(datagram), PacketError::unexpected);
  EXPECT_EQ(client_->state(), ConnectionState::connecting);
}

TEST_F(ClientConnectionTest, hellos_are_repeated_with_growing_and_scattered_pauses_until_10_s) {
  std::map<std::uint64_t, std::vector<Nanoseconds>> sent;
  for (const std::uint64_t seed : {1, 2, 3}) {
    ClientConfig config;
    config.seed = seed;
    ClientConnection client(config, k_start);
    Datagram datagram;
    for (Nanoseconds t = 0; t < 12 * k_second; t += k_millisecond) {
      while (client.poll_outgoing(k_start + t, datagram)) sent[seed].push_back(t);
    }
    EXPECT_EQ(client.state(), ConnectionState::timed_out);
    EXPECT_EQ(client.describe_state(), "no answer from the server within 10 s");
    EXPECT_GE(sent[seed].size(), 10U);
    EXPECT_LE(sent[seed].size(), 18U);
    EXPECT_LT(sent[seed].back(), 10 * k_second);
    EXPECT_GE(sent[seed][1], 150 * k_millisecond);
    EXPECT_LE(sent[seed][1], 250 * k_millisecond);
  }
  EXPECT_NE(sent[1], sent[2]);
  EXPECT_NE(sent[2], sent[3]);
}

TEST_F(ClientConnectionTest, a_refusal_is_final_and_says_why) {
  const Hello hello = take_hello();
  Datagram datagram;
  ProtocolVersion server;
  server.fingerprint = {1, 2};
  encode_refuse({hello.nonce, RefuseReason::fingerprint, server, 0}, datagram);
  EXPECT_EQ(give(datagram), PacketError::none);
  EXPECT_EQ(client_->state(), ConnectionState::refused);
  EXPECT_EQ(client_->refusal()->reason, RefuseReason::fingerprint);
  EXPECT_NE(client_->describe_state().find("0000000100000002"), std::string::npos);
  EXPECT_EQ(give(welcome_datagram(hello)), PacketError::unexpected);
  now_ += k_second;
  EXPECT_TRUE(outgoing().empty());
}

TEST_F(ClientConnectionTest, joins_and_hands_out_header_and_snapshot_once) {
  join();
  ASSERT_TRUE(client_->take_session_header().has_value());
  EXPECT_FALSE(client_->take_session_header().has_value());
  const auto snapshot = client_->take_snapshot();
  ASSERT_TRUE(snapshot.has_value());
  EXPECT_EQ(snapshot->tick, 100U);
  EXPECT_EQ(client_->complete_tick(), 100U);
}

TEST_F(ClientConnectionTest, packets_that_overtake_the_welcome_are_not_acknowledged) {
  const Hello hello = take_hello();
  const Datagram welcome = welcome_datagram(hello);
  const Datagram early = slice(StreamKind::session_header, 0);
  EXPECT_EQ(give(early), PacketError::unexpected);
  ASSERT_EQ(give(welcome), PacketError::none);
  EXPECT_EQ(give(early), PacketError::none);
  EXPECT_TRUE(client_->take_session_header().has_value());
}

TEST_F(ClientConnectionTest, case_31_a_datagram_acts_once) {
  join();
  PlainText plain;
  write_ack_block({}, plain);
  append(TickBlock{101, 1}, plain);
  const Datagram packet = sealed(PacketType::tick, plain);
  EXPECT_EQ(give(packet), PacketError::none);
  EXPECT_EQ(give(packet), PacketError::replayed);
  now_ += k_second;
  EXPECT_EQ(give(packet), PacketError::replayed);
  EXPECT_EQ(client_->statistics().dropped[static_cast<std::size_t>(PacketError::replayed)], 2U);
}

TEST_F(ClientConnectionTest, acknowledges_on_receipt_but_at_most_32_times_a_second) {
  join();
  client_->take_snapshot();
  int acks = 0;
  std::uint32_t tick = 100;
  for (int i = 0; i < 1024; ++i) {
    now_ += k_second / 512;
    if (i % 4 == 0) {
      PlainText plain;
      write_ack_block({}, plain);
      append(TickBlock{++tick, 1}, plain);
      ASSERT_EQ(give(sealed(PacketType::tick, plain)), PacketError::none);
    }
    for (const Datagram& sent : outgoing()) {
      if (type_of(sent) != PacketType::ack) continue;
      ++acks;
      EXPECT_EQ(sent.size + k_udp_ip_bytes, 60U);
    }
  }
  // 2 s; pings carry acknowledgements as well and stand in for some.
  EXPECT_LE(acks, 64);
  EXPECT_GE(acks, 44);
}

class SpectatorConnectionTest : public ClientConnectionTest {
 protected:
  SpectatorConnectionTest() : ClientConnectionTest(Role::spectator) {}
};

TEST_F(SpectatorConnectionTest, acknowledges_at_most_16_times_a_second_and_cannot_command) {
  join();
  EXPECT_EQ(client_->send_fire({}), std::nullopt);
  int acks = 0;
  std::uint32_t tick = 100;
  for (int i = 0; i < 1024; ++i) {
    now_ += k_second / 512;
    PlainText plain;
    write_ack_block({}, plain);
    append(TickBlock{++tick, 1}, plain);
    ASSERT_EQ(give(sealed(PacketType::tick, plain)), PacketError::none);
    for (const Datagram& sent : outgoing()) acks += type_of(sent) == PacketType::ack;
  }
  // Pings carry acknowledgements as well and stand in for some.
  EXPECT_LE(acks, 32);
  EXPECT_GE(acks, 16);
}

TEST_F(ClientConnectionTest, a_command_is_repeated_until_its_answer_comes) {
  join();
  const auto id = client_->send_fire({1, 2, 3, 4});
  ASSERT_EQ(id, 1U);
  int sent = 0;
  for (int i = 0; i < 100; ++i) {
    for (const Datagram& datagram : outgoing()) sent += type_of(datagram) == PacketType::command;
    now_ += 10 * k_millisecond;
  }
  EXPECT_GE(sent, 5);
  EXPECT_LE(sent, 10);
  const CommandResult result{1, CommandStatus::launched, 77};
  EXPECT_EQ(give(sealed(PacketType::command_result, result)), PacketError::none);
  EXPECT_EQ(give(sealed(PacketType::command_result, result)), PacketError::none);
  EXPECT_EQ(client_->take_command_result(), result);
  EXPECT_EQ(client_->take_command_result(), std::nullopt);
  now_ += k_second;
  for (const Datagram& datagram : outgoing()) EXPECT_NE(type_of(datagram), PacketType::command);
}

TEST_F(ClientConnectionTest, a_bounded_number_of_commands_is_open) {
  EXPECT_EQ(client_->send_fire({}), std::nullopt);  // not live
  join();
  for (std::size_t i = 0; i < k_max_open_commands; ++i) {
    EXPECT_TRUE(client_->send_fire({}).has_value());
  }
  EXPECT_EQ(client_->send_fire({}), std::nullopt);
  give(sealed(PacketType::command_result, CommandResult{5, CommandStatus::refused_range, 0}));
  EXPECT_EQ(client_->send_fire({}), k_max_open_commands + 1);
}

TEST_F(ClientConnectionTest, a_server_that_falls_silent_is_gone_after_10_s) {
  join();
  now_ += k_silence_timeout - 1;
  outgoing();
  EXPECT_EQ(client_->state(), ConnectionState::live);
  ++now_;
  outgoing();
  EXPECT_EQ(client_->state(), ConnectionState::timed_out);
  EXPECT_EQ(client_->describe_state(), "nothing heard from the server for 10 s");
}

TEST_F(ClientConnectionTest, good_bye_is_said_three_times) {
  join();
  client_->close(now_);
  EXPECT_EQ(client_->state(), ConnectionState::closed);
  int sent = 0;
  for (int i = 0; i < 100; ++i, now_ += k_millisecond) {
    for (const Datagram& datagram : outgoing()) {
      EXPECT_EQ(type_of(datagram), PacketType::disconnect);
      ++sent;
    }
  }
  EXPECT_EQ(sent, 3);
}

TEST_F(ClientConnectionTest, the_servers_good_bye_is_final) {
  join();
  give(sealed(PacketType::disconnect, Disconnect{DisconnectReason::closing}));
  EXPECT_EQ(client_->state(), ConnectionState::disconnected);
  EXPECT_EQ(client_->disconnect_reason(), DisconnectReason::closing);
  EXPECT_EQ(client_->describe_state(), "disconnected by the server: the server stops");
}

TEST_F(ClientConnectionTest, case_32_nothing_depends_on_where_the_callers_clock_stands) {
  for (const Nanoseconds start :
       {(Nanoseconds{1} << 31) * k_millisecond - 500 * k_millisecond,
        (Nanoseconds{1} << 32) * k_millisecond - 500 * k_millisecond,
        (Nanoseconds{1} << 31) * 1000 - 500'000, (Nanoseconds{1} << 32) * 1000 - 500'000}) {
    now_ = start;
    counter_ = 0;
    ClientConfig config;
    config.seed = 9;
    client_.emplace(config, now_);
    join();
    std::uint32_t tick = 100;
    for (int i = 0; i < 64; ++i, now_ += k_second / 32) {
      PlainText plain;
      write_ack_block({}, plain);
      append(TickBlock{++tick, 1}, plain);
      ASSERT_EQ(give(sealed(PacketType::tick, plain)), PacketError::none);
      for (const Datagram& sent : outgoing()) {
        if (type_of(sent) != PacketType::ping) continue;
        PlainText opened;
        Ping ping;
        ClearHeader header;
        ASSERT_EQ(read_clear_header(sent.view(), header), PacketError::none);
        ASSERT_EQ(open({keys_.client_to_server}, header.counter, sent.view(), opened),
                  PacketError::none);
        ASSERT_EQ(read(opened.content(), ping), PacketError::none);
        const Nanoseconds session = now_ - start;
        ASSERT_EQ(give(sealed(PacketType::pong, Pong{ping.client_sent, session, session, 0})),
                  PacketError::none);
      }
    }
    EXPECT_EQ(client_->state(), ConnectionState::live);
    EXPECT_EQ(client_->round_trip(), 0);
    EXPECT_EQ(client_->session_time(now_), now_ - start);
  }
}

TEST_F(ClientConnectionTest, case_37_garbage_of_every_length_is_counted_and_harmless) {
  const std::uint64_t seed = test_seed(61);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (const bool joined : {false, true}) {
    if (joined) join();
    const ConnectionState state = client_->state();
    const std::uint64_t taken = client_->statistics().packets_received;
    for (int repeat = 0; repeat < repetitions(20); ++repeat) {
      for (std::size_t size = 0; size <= 1300; ++size) {
        Bytes bytes(size);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
        // Half of them look like packets of this connection up to the content.
        if (repeat % 2 == 1 && size >= 32 && size <= 1200) {
          write_clear_header(
              {static_cast<PacketType>(joined ? dice.between(5, 12) : dice.between(1, 12)), 0,
               k_connection, static_cast<std::uint16_t>(dice.next())},
              bytes);
          if (size <= k_max_plain_bytes && dice.chance(50)) {
            PlainText plain;
            write_ack_block({}, plain);
            append(std::span<const std::uint8_t>(bytes).subspan(16, size - 16), plain);
            const Datagram good = sealed(static_cast<PacketType>(bytes[0]), plain);
            bytes.assign(good.view().begin(), good.view().end());
          }
        }
        client_->receive(bytes, now_);
      }
    }
    // By chance a slice header may hold, never more than a few of thousands.
    EXPECT_EQ(client_->state(), state);
    EXPECT_LE(client_->statistics().packets_received - taken, 5U);
    EXPECT_TRUE(client_->take_records().empty());
  }
  std::uint64_t dropped = 0;
  for (const std::uint64_t count : client_->statistics().dropped) dropped += count;
  EXPECT_GE(dropped, 2 * 20 * 1301U - 5);
}

TEST_F(ClientConnectionTest, case_37_every_prefix_and_every_bit_flip_of_good_packets_is_harmless) {
  join();
  client_->take_snapshot();
  sim::TickRecord record;
  record.tick = 101;
  record.health.push_back({3, 4});
  const sim::TickRecord* records[] = {&record};
  PlainText plain;
  write_ack_block({}, plain);
  append(TickBlock{101, 1}, plain);
  append(encode_packet_body(records, 101, 11), plain);
  const std::vector<Datagram> packets{sealed(PacketType::tick, plain),
                                      slice(StreamKind::record, 102),
                                      sealed(PacketType::pong, Pong{1, 2, 3, 4}),
                                      sealed(PacketType::command_result, CommandResult{})};
  std::size_t taken = 0;
  for (const Datagram& good : packets) {
    for (std::size_t size = 0; size < good.size; ++size) {
      taken += client_->receive(good.view().first(size), now_) == PacketError::none;
    }
  }
  EXPECT_EQ(taken, 0U);
  for (const Datagram& good : packets) {
    for (std::size_t bit = 0; bit < 8 * good.size; ++bit) {
      Bytes bytes(good.view().begin(), good.view().end());
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      EXPECT_NE(client_->receive(bytes, now_), PacketError::none);
    }
  }
  EXPECT_EQ(client_->state(), ConnectionState::live);
  EXPECT_TRUE(client_->take_records().empty());
  // Nothing of all that has spoiled the packet itself.
  EXPECT_EQ(give(packets[0]), PacketError::none);
  EXPECT_EQ(client_->take_records(), (std::vector<sim::TickRecord>{record}));
}

}  // namespace
}  // namespace contrail::wire
