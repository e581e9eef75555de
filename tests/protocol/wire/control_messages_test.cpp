#include <contrail/wire/control_messages.hpp>

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace contrail::wire {
namespace {

template <class Message>
std::vector<std::uint8_t> written(const Message& message) {
  PlainText plain;
  plain.size = k_ack_block_bytes;
  append(message, plain);
  const auto content = plain.content();
  return {content.begin(), content.end()};
}

/// Reads back what was written; refuses every prefix and one byte more without touching the output.
template <class Message>
void expect_exact(const Message& message, std::size_t size) {
  std::vector<std::uint8_t> bytes = written(message);
  ASSERT_EQ(bytes.size(), size);
  Message out;
  ASSERT_EQ(read(bytes, out), PacketError::none);
  EXPECT_EQ(out, message);
  Message untouched;
  for (std::size_t cut = 0; cut < size; ++cut) {
    EXPECT_EQ(read(std::span(bytes).first(cut), untouched), PacketError::too_short) << cut;
  }
  bytes.push_back(0);
  EXPECT_EQ(read(bytes, untouched), PacketError::too_long);
  EXPECT_EQ(untouched, Message{});
}

TEST(ControlMessages, round_trip_at_their_exact_sizes) {
  expect_exact(Ping{-5}, 8);
  expect_exact(Pong{1, 0x7FFF'FFFF'FFFF'FFFF, -3, 0xFFFF'FFFF}, 28);
  expect_exact(Disconnect{DisconnectReason::closing}, 1);
  expect_exact(CommandResult{0xFFFF'FFFF, CommandStatus::refused_ended, 7}, 9);
  expect_exact(PathChallenge{0x0123'4567'89AB'CDEF}, 8);
  expect_exact(PathResponse{0x0123'4567'89AB'CDEF}, 8);
}

TEST(ControlMessages, fields_are_little_endian) {
  EXPECT_EQ(written(TickBlock{0x04030201, 0x08070605}),
            (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(written(CommandResult{0x04030201, CommandStatus::refused_role, 0x08070605}),
            (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 1}));
}

TEST(ControlMessages, a_tick_block_is_followed_by_its_body) {
  const std::vector<std::uint8_t> content{1, 0, 0, 0, 2, 0, 0, 0, 9, 8};
  TickBlock block;
  std::span<const std::uint8_t> body;
  ASSERT_EQ(read(content, block, body), PacketError::none);
  EXPECT_EQ(block, (TickBlock{1, 2}));
  EXPECT_EQ(std::vector<std::uint8_t>(body.begin(), body.end()), (std::vector<std::uint8_t>{9, 8}));
  for (std::size_t cut = 0; cut < 8; ++cut) {
    EXPECT_EQ(read(std::span(content).first(cut), block, body), PacketError::too_short);
  }
}

TEST(ControlMessages, values_without_a_meaning_are_refused) {
  int taken = 0;
  for (int value = 0; value < 256; ++value) {
    Disconnect disconnect;
    const std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(value)};
    taken += read(bytes, disconnect) == PacketError::none;
  }
  EXPECT_EQ(taken, static_cast<int>(k_last_disconnect_reason));
  taken = 0;
  for (int value = 0; value < 256; ++value) {
    CommandResult result;
    const std::vector<std::uint8_t> bytes{1, 0, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(value)};
    taken += read(bytes, result) == PacketError::none;
  }
  EXPECT_EQ(taken, static_cast<int>(k_last_command_status) + 1);
}

TEST(ControlMessages, every_reason_has_words_of_its_own) {
  std::set<std::string> words;
  for (int i = 1; i <= static_cast<int>(k_last_disconnect_reason); ++i) {
    words.insert(describe(static_cast<DisconnectReason>(i)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(k_last_disconnect_reason));
}

}  // namespace
}  // namespace contrail::wire
