#include <contrail/wire/slices.hpp>

#include <gtest/gtest.h>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;
using samples::test_seed;

std::shared_ptr<const Bytes> random_bytes(Dice& dice, std::size_t size) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
  return std::make_shared<const Bytes>(std::move(bytes));
}

/// Runs a transfer, 4 slices a network tick, over a link that loses slices and acks alike.
struct Transfer {
  int network_ticks = 0;
  std::uint64_t sent = 0;
  std::uint64_t copies = 0;
  Bytes received;
};
Transfer transfer(Dice& dice, std::shared_ptr<const Bytes> bytes, int loss_percent) {
  Transfer out;
  SliceSender sender({StreamKind::snapshot, 77}, std::move(bytes));
  std::optional<SliceReceiver> receiver;
  std::uint64_t counter = 0;
  std::uint64_t newest_acked = 0;
  for (std::uint32_t now = 1; !sender.complete() && now < 100'000; ++now) {
    ++out.network_ticks;
    std::uint64_t newest_arrived = 0;
    for (int i = 0; i < 4; ++i) {
      const auto index = sender.next(now, 3, newest_acked);
      if (!index) break;
      sender.sent(*index, now, ++counter);
      ++out.sent;
      PlainText plain;
      plain.size = k_ack_block_bytes;
      sender.write(*index, plain);
      EXPECT_LE(plain.size, k_max_plain_bytes);
      if (dice.chance(loss_percent)) continue;
      newest_arrived = counter;
      SliceHeader header;
      std::span<const std::uint8_t> content;
      EXPECT_EQ(read(plain.content(), header, content), PacketError::none);
      if (!receiver) receiver.emplace(header);
      EXPECT_NE(receiver->add(header, content), SliceReceiver::Result::contradiction);
    }
    if (!receiver || dice.chance(loss_percent)) continue;
    newest_acked = std::max(newest_acked, newest_arrived);
    PlainText plain;
    plain.size = k_ack_block_bytes;
    append(receiver->ack(), plain);
    SliceAck ack;
    EXPECT_EQ(read(plain.content(), ack), PacketError::none);
    EXPECT_EQ(sender.acknowledge(ack), PacketError::none);
  }
  out.copies = sender.copies();
  if (receiver && receiver->complete()) out.received = receiver->take();
  return out;
}

TEST(Slices, arrive_whole_at_any_size_and_loss) {
  const std::uint64_t seed = test_seed(21);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (const int loss : {0, 5, 20, 60}) {
    for (const std::size_t size : {1U, 1155U, 1156U, 1157U, 2312U, 50'000U, 200'000U, 700'000U}) {
      const auto bytes = random_bytes(dice, size);
      const Transfer got = transfer(dice, bytes, loss);
      EXPECT_EQ(got.received, *bytes) << size << " bytes at " << loss << " %";
      if (loss == 0) {
        EXPECT_EQ(got.sent, slice_count(size));
        EXPECT_EQ(got.copies, 0U);
        EXPECT_EQ(got.network_ticks, static_cast<int>((slice_count(size) + 3) / 4));
      } else if (size == 700'000U) {
        EXPECT_GT(got.copies, 0U);
      }
    }
  }
}

/// Sends what next() names; nothing when it names none.
std::optional<std::uint16_t> send_next(SliceSender& sender, std::uint32_t network_tick,
                                       std::uint64_t counter, std::uint64_t newest_acked = 0) {
  const auto index = sender.next(network_tick, 3, newest_acked);
  if (index) sender.sent(*index, network_tick, counter);
  return index;
}

TEST(Slices, a_slice_waits_for_its_ack_before_it_is_sent_again) {
  Dice dice(1);
  SliceSender sender({StreamKind::snapshot, 1}, random_bytes(dice, 2 * k_slice_bytes));
  EXPECT_EQ(send_next(sender, 10, 1), 0);
  EXPECT_FALSE(sender.all_sent());
  EXPECT_EQ(send_next(sender, 10, 2), 1);
  EXPECT_TRUE(sender.all_sent());
  EXPECT_EQ(send_next(sender, 11, 3), std::nullopt);
  EXPECT_EQ(send_next(sender, 12, 3), 0);  // nothing else to do: one early copy each
  EXPECT_EQ(send_next(sender, 12, 4), 1);
  EXPECT_EQ(send_next(sender, 14, 5), std::nullopt);
  EXPECT_EQ(send_next(sender, 15, 5), 0);  // 3 = resend_ticks later
  EXPECT_EQ(send_next(sender, 15, 6), 1);
  EXPECT_EQ(sender.copies(), 4U);
}

TEST(Slices, a_slice_overtaken_by_acknowledged_packets_is_sent_again_at_once) {
  Dice dice(1);
  SliceSender sender({StreamKind::snapshot, 1}, random_bytes(dice, 9 * k_slice_bytes));
  for (std::uint64_t counter = 1; counter <= 8; ++counter) send_next(sender, 10, counter);
  sender.acknowledge(std::uint16_t{3});       // counter 4
  EXPECT_EQ(sender.next(10, 3, 4), 8);        // 1..3 may still arrive: new ones go first
  sender.acknowledge(std::uint16_t{4});       // counter 5
  EXPECT_EQ(send_next(sender, 10, 9, 5), 0);  // 1 won't
  EXPECT_EQ(send_next(sender, 10, 10, 5), 8);
  sender.acknowledge(std::uint16_t{6});  // counter 7
  EXPECT_EQ(send_next(sender, 10, 11, 7), 1);
  EXPECT_EQ(send_next(sender, 10, 12, 7), 2);
  EXPECT_EQ(send_next(sender, 10, 13, 7), std::nullopt);
  EXPECT_EQ(sender.copies(), 3U);
}

TEST(Slices, never_more_than_a_window_is_under_way) {
  Dice dice(1);
  SliceSender sender({StreamKind::snapshot, 1}, random_bytes(dice, 1000 * k_slice_bytes));
  std::size_t sent = 0;
  while (send_next(sender, 1, sent + 1)) ++sent;
  EXPECT_EQ(sent, k_slice_window);
  SliceAck ack;
  ack.stream = {StreamKind::snapshot, 1};
  ack.first_missing = 10;
  ASSERT_EQ(sender.acknowledge(ack), PacketError::none);
  while (send_next(sender, 2, sent + 1)) ++sent;
  EXPECT_EQ(sent, k_slice_window + 10);
}

TEST(Slices, acks_of_what_was_not_sent_are_refused) {
  Dice dice(1);
  SliceSender sender({StreamKind::snapshot, 5}, random_bytes(dice, 4 * k_slice_bytes));
  ASSERT_EQ(send_next(sender, 1, 1), 0);
  SliceAck ack;
  ack.stream = {StreamKind::snapshot, 5};
  ack.first_missing = 2;
  EXPECT_EQ(sender.acknowledge(ack), PacketError::bad_ack);
  ack.first_missing = SliceAck::k_all;
  EXPECT_EQ(sender.acknowledge(ack), PacketError::bad_ack);
  ack.first_missing = 0;
  ack.bits[15] = 0x8000'0000U;
  EXPECT_EQ(sender.acknowledge(ack), PacketError::bad_ack);
  ack.stream.id = 4;  // of a stream given up: nobody's fault
  EXPECT_EQ(sender.acknowledge(ack), PacketError::none);
  EXPECT_FALSE(sender.complete());
}

TEST(Slices, slices_that_contradict_their_stream_are_refused) {
  const Bytes bytes(k_slice_bytes, 1);
  SliceReceiver receiver(SliceHeader{{StreamKind::snapshot, 9}, 0, 3000});
  EXPECT_EQ(receiver.add({{StreamKind::snapshot, 9}, 0, 3001}, bytes),
            SliceReceiver::Result::contradiction);
  EXPECT_EQ(receiver.add({{StreamKind::snapshot, 8}, 0, 3000}, bytes),
            SliceReceiver::Result::contradiction);
  EXPECT_EQ(receiver.add({{StreamKind::snapshot, 9}, 0, 3000}, bytes),
            SliceReceiver::Result::added);
  EXPECT_EQ(receiver.add({{StreamKind::snapshot, 9}, 0, 3000}, bytes),
            SliceReceiver::Result::duplicate);
}

/// A slice's content with these fields, `size` bytes of payload.
PacketError read_slice(std::uint8_t kind, std::uint8_t reserved, std::uint16_t index,
                       std::uint32_t id, std::uint32_t total, std::size_t size) {
  Bytes content{kind, reserved, static_cast<std::uint8_t>(index),
                static_cast<std::uint8_t>(index >> 8)};
  for (const std::uint32_t word : {id, total}) {
    for (int i = 0; i < 4; ++i) content.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  }
  content.resize(content.size() + size);
  SliceHeader header;
  std::span<const std::uint8_t> bytes;
  return read(content, header, bytes);
}

TEST(Slices, case_37_inner_lengths_are_checked) {
  EXPECT_EQ(read_slice(1, 0, 0, 5, 10, 10), PacketError::none);
  EXPECT_EQ(read_slice(1, 0, 1, 5, 1166, 10), PacketError::none);
  EXPECT_EQ(read_slice(1, 0, 0, 5, 0, 0), PacketError::bad_value);
  EXPECT_EQ(read_slice(1, 0, 0, 5, 0xFFFF'FFFF, 1156), PacketError::bad_value);
  EXPECT_EQ(read_slice(1, 0, 0, 5, 0x7FFF'FFFF, 1156), PacketError::bad_value);
  EXPECT_EQ(read_slice(2, 0, 0, 5, sim::k_max_record_bytes + 1, 1156), PacketError::bad_value);
  EXPECT_EQ(read_slice(0, 0, 0, 0, (1 << 20) + 1, 1156), PacketError::bad_value);
  EXPECT_EQ(read_slice(0, 0, 0, 1, 10, 10), PacketError::bad_value);  // one session header
  EXPECT_EQ(read_slice(3, 0, 0, 5, 10, 10), PacketError::bad_value);
  EXPECT_EQ(read_slice(1, 1, 0, 5, 10, 10), PacketError::bad_value);
  EXPECT_EQ(read_slice(1, 0, 1, 5, 10, 10), PacketError::bad_slice);
  EXPECT_EQ(read_slice(1, 0, 0xFFFF, 5, 10, 10), PacketError::bad_slice);
  EXPECT_EQ(read_slice(1, 0, 0, 5, 10, 9), PacketError::bad_slice);
  EXPECT_EQ(read_slice(1, 0, 0, 5, 10, 11), PacketError::bad_slice);
  SliceHeader header;
  SliceAck ack;
  std::span<const std::uint8_t> bytes;
  const Bytes zeros(100);
  for (std::size_t size = 0; size < k_slice_header_bytes; ++size) {
    EXPECT_EQ(read(std::span(zeros).first(size), header, bytes), PacketError::too_short);
  }
  for (std::size_t size = 0; size < 8; ++size) {
    EXPECT_EQ(read(std::span(zeros).first(size), ack), PacketError::too_short);
  }
  EXPECT_EQ(read(std::span(zeros).first(8), ack), PacketError::none);
  EXPECT_EQ(read(std::span(zeros).first(12), ack), PacketError::too_long);
  const Bytes too_many_words{1, 17, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(read(too_many_words, ack), PacketError::bad_value);
  const Bytes missing_word{1, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3};
  EXPECT_EQ(read(missing_word, ack), PacketError::too_short);
}

}  // namespace
}  // namespace contrail::wire
