// What the broadcaster is sent that no client sends.

#include <malloc.h>

#include <gtest/gtest.h>

#include <contrail/wire/transport_limits.hpp>

#include "../../protocol/wire/codec_samples.hpp"
#include "raw_client.hpp"

namespace contrail::server {
namespace {

using wire::samples::Dice;
using wire::samples::repetitions;
using wire::samples::test_seed;

std::uint64_t all_dropped(const Stage& stage) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : stage.broadcaster->statistics().dropped) sum += count;
  return sum;
}

wire::Bytes garbage(Dice& dice, std::size_t size) {
  wire::Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
  return bytes;
}

TEST(BroadcasterAbuse, case_37_garbage_of_every_length_is_counted_and_answered_by_nothing) {
  const std::uint64_t seed = test_seed(91);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  Stage stage;
  std::uint64_t given = 0;
  for (int repeat = 0; repeat < repetitions(10); ++repeat) {
    for (std::size_t size = 0; size <= 1300; ++size) {
      stage.give(address(static_cast<std::uint16_t>(dice.next())), garbage(dice, size));
      ++given;
    }
    EXPECT_TRUE(stage.poll().empty());
  }
  EXPECT_EQ(all_dropped(stage), given);
  EXPECT_EQ(stage.broadcaster->statistics().datagrams_received, given);
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
  EXPECT_TRUE(stage.broadcaster->take_events().empty());
}

TEST(BroadcasterAbuse, case_37_garbage_in_good_form_never_gets_more_bytes_than_it_brought) {
  const std::uint64_t seed = test_seed(92);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  client.send(PacketType::ack);
  std::uint64_t answered = 0;
  for (int repeat = 0; repeat < repetitions(20); ++repeat) {
    for (std::size_t size = 8; size <= 1200; ++size) {
      wire::Bytes bytes = garbage(dice, size);
      // Any type; of the client's connection, or none; half of them sealed by the client itself.
      const auto type = static_cast<PacketType>(dice.between(1, wire::k_last_packet_type - 1));
      const bool handshake = type <= PacketType::refuse;
      wire::write_clear_header(
          {type, 0, handshake ? 0 : client.welcome->connection,
           handshake ? std::uint16_t{0} : static_cast<std::uint16_t>(dice.next())},
          bytes);
      if (!handshake && dice.chance(50) && size >= 16 && size <= wire::k_max_plain_bytes - 8) {
        bytes = client.seal(type, std::span(bytes).subspan(8));
      }
      stage.give(address(1), bytes);
      std::size_t reply = 0;
      for (const Outgoing& out : stage.poll()) reply += out.bytes.size();
      // A pong is 20 bytes longer than its ping: its sender has proven its address.
      ASSERT_LE(reply, bytes.size() + 20);
      answered += reply > 0;
    }
  }
  EXPECT_LE(answered, 20U);
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  EXPECT_TRUE(stage.broadcaster->take_commands().empty());
  EXPECT_GT(stage.dropped(PacketError::unexpected), 0U);
}

TEST(BroadcasterAbuse, case_37_every_prefix_and_every_bit_flip_of_good_packets) {
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  client.send(PacketType::ack);
  stage.tick();
  client.listen(stage.poll());
  const std::vector<wire::Command> commands{{1, {}, {1, 2, 0, 3}}, {2, {}, {4, 5, 0, 6}}};
  const wire::Bytes ack{0, 0, 0, 0, 0, 0, 0, 0};
  wire::Datagram hello;
  wire::encode_hello(client.hello, hello);
  const std::vector<wire::Bytes> packets{
      client.seal(PacketType::slice_ack, ack), client.seal(PacketType::ping, wire::Bytes(8)),
      client.seal(PacketType::command, wire::encode_commands(commands)),
      wire::Bytes(hello.view().begin(), hello.view().end())};
  for (const wire::Bytes& good : packets) {
    for (std::size_t size = 0; size < good.size(); ++size) {
      stage.give(address(1), std::span(good).first(size));
    }
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      wire::Bytes bytes = good;
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      stage.give(address(1), bytes);
      if (bit % 256 == 0) stage.poll();
    }
  }
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  EXPECT_LE(stage.broadcaster->take_commands().size(), 16U);
}

TEST(BroadcasterAbuse, case_G10_spoofed_hellos_leave_nothing_behind_and_gain_nothing) {
  Stage stage;
  RawClient client(stage, address(1));
  client.say_hello();
  stage.poll();
  wire::Datagram datagram;
  wire::encode_hello(client.hello, datagram);
  wire::Bytes reply;
  reply.reserve(100);
  class CountingSink final : public DatagramSink {
   public:
    void send(const wire::Address&, std::span<const std::uint8_t> sent) override {
      ++datagrams;
      bytes += sent.size();
      longest = std::max(longest, sent.size());
    }
    std::uint64_t datagrams = 0;
    std::uint64_t bytes = 0;
    std::size_t longest = 0;
  } sink;
  const auto flood = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      const auto byte = [&](int shift) { return static_cast<std::uint8_t>(i >> shift); };
      stage.give(wire::ipv4_address(byte(24), byte(16), byte(8), byte(0), 4000), datagram.view());
      if (i % 256 == 0) stage.broadcaster->poll_outgoing(stage.now, sink);
    }
    stage.broadcaster->poll_outgoing(stage.now, sink);
  };
  flood(0, 1000);
  const std::size_t before = mallinfo2().uordblks;
  flood(1000, 1'001'000);
  EXPECT_EQ(mallinfo2().uordblks, before);
  EXPECT_EQ(sink.datagrams, 1'001'000U);
  EXPECT_LE(sink.longest, 1200U);
  EXPECT_EQ(sink.bytes, 1'001'000U * 36);
  EXPECT_EQ(stage.broadcaster->clients(), 0U);
  // One client that proves its address does take memory (where the allocator tells).
  client.join();
  EXPECT_EQ(stage.broadcaster->clients(), 1U);
  if (before > 0) {
    EXPECT_GT(mallinfo2().uordblks, before);
  }
}

TEST(BroadcasterAbuse, answers_between_two_polls_are_bounded) {
  Stage stage;
  RawClient client(stage, address(1));
  for (int i = 0; i < 10'000; ++i) client.say_hello();
  EXPECT_EQ(stage.poll().size(), wire::k_max_pending_replies);
  EXPECT_EQ(stage.broadcaster->statistics().replies_dropped, 10'000 - wire::k_max_pending_replies);
}

TEST(BroadcasterAbuse, a_good_client_is_not_disturbed_by_a_flood) {
  const std::uint64_t seed = test_seed(93);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  Stage stage;
  RawClient client(stage, address(1));
  client.join();
  for (int i = 0; i < 64; ++i, stage.now += k_second / 32) {
    for (int j = 0; j < 200; ++j) {
      // Also with the client's connection id, from other addresses.
      wire::Bytes bytes = garbage(dice, 64);
      wire::write_clear_header(
          {PacketType::ack, 0, client.welcome->connection, static_cast<std::uint16_t>(dice.next())},
          bytes);
      stage.give(address(static_cast<std::uint16_t>(2 + j)), bytes);
    }
    ASSERT_EQ(client.send(PacketType::ping, wire::Bytes(8)), PacketError::none);
    stage.tick();
    client.listen(stage.poll());
  }
  EXPECT_EQ(client.count(PacketType::pong), 64);
  EXPECT_EQ(stage.dropped(PacketError::bad_tag), 64U * 200);
}

}  // namespace
}  // namespace contrail::server
