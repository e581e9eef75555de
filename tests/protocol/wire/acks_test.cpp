#include <contrail/wire/acks.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/support/random_log.hpp>

namespace contrail::wire {
namespace {

TEST(Acks, the_nearest_number_with_the_given_low_bits_is_meant) {
  EXPECT_EQ(expand_counter(1, 0), 1U);
  EXPECT_EQ(expand_counter(0xFFFF, 0), 0xFFFFU);  // nothing lies below zero
  EXPECT_EQ(expand_counter(5, 65'530), 65'541U);
  EXPECT_EQ(expand_counter(65'530, 65'541), 65'530U);
  EXPECT_EQ(expand_counter(0, 65'535), 65'536U);
  EXPECT_EQ(expand_counter(0x7FFF, 0x1'0000'0000), 0x1'0000'7FFFU);
  EXPECT_EQ(expand_counter(0x8001, 0x1'0000'0000), 0x0'FFFF'8001U);
}

TEST(Acks, case_32_counters_pass_the_16_bit_turn) {
  ReceiveWindow receiver;
  SentWindow sender;
  for (int i = 0; i < 140'000; ++i) {
    const std::uint64_t counter = sender.add(i);
    const std::uint64_t expanded = receiver.expand(static_cast<std::uint16_t>(counter));
    ASSERT_EQ(expanded, counter);
    ASSERT_TRUE(receiver.fresh(expanded));
    receiver.accept(expanded, i);
    const Acked acked = sender.acknowledge(receiver.ack_block(i));
    ASSERT_EQ(acked.error, PacketError::none);
    ASSERT_EQ(acked.count, 1U);
    ASSERT_EQ(acked.packets[0]->counter, counter);
  }
  EXPECT_EQ(sender.acked(), 140'000U);
  EXPECT_EQ(sender.lost(), 0U);
}

TEST(Acks, a_counter_is_taken_once_and_not_when_older_than_the_window) {
  ReceiveWindow window;
  EXPECT_FALSE(window.fresh(0));
  window.accept(2000, 0);
  EXPECT_FALSE(window.fresh(2000));
  EXPECT_TRUE(window.fresh(1999));
  EXPECT_TRUE(window.fresh(2000 - k_replay_window + 1));
  EXPECT_FALSE(window.fresh(2000 - k_replay_window));
  window.accept(1999, 0);
  EXPECT_FALSE(window.fresh(1999));
  // A jump forgets everything before the new window, and nothing in it was seen.
  window.accept(10'000, 0);
  EXPECT_FALSE(window.fresh(2001));
  EXPECT_TRUE(window.fresh(9999));
  EXPECT_EQ(window.missing(), 10'000U - 3);
}

TEST(Acks, the_block_tells_the_newest_its_age_and_32_before_it) {
  ReceiveWindow window;
  EXPECT_EQ(window.ack_block(123), (AckBlock{0, 0, 0}));
  for (const std::uint64_t counter : {1, 2, 4, 33, 34}) window.accept(counter, 1000);
  // 33 -> bit 0, 4 -> bit 29, 2 -> bit 31; 1 is out of sight.
  EXPECT_EQ(window.ack_block(1000 + (10 << k_ack_delay_shift)),
            (AckBlock{34, 10, 0x8000'0000U | 0x2000'0000U | 1U}));
  EXPECT_EQ(window.ack_block(1000 + 100 * k_second).delay, 0xFFFF);
  EXPECT_EQ(window.ack_block(0).delay, 0);  // a clock that went back
}

TEST(Acks, packets_out_of_sight_of_the_bits_are_lost) {
  SentWindow sender;
  for (int i = 0; i < 100; ++i) sender.add(i);
  // 10, 9 and 1 arrived.
  const Acked first = sender.acknowledge({10, 0, 1U | 1U << 8});
  EXPECT_EQ(first.count, 3U);
  EXPECT_EQ(first.packets[0]->counter, 10U);
  EXPECT_EQ(first.packets[2]->counter, 1U);
  EXPECT_EQ(sender.lost(), 0U);
  const Acked second = sender.acknowledge({50, 0, 0});
  EXPECT_EQ(second.count, 1U);
  EXPECT_EQ(sender.acked(), 4U);
  EXPECT_EQ(sender.lost(), 14U);  // 2..8 and 11..17
  // An old block that was overtaken tells nothing new.
  EXPECT_EQ(sender.acknowledge({10, 0, 1U | 1U << 8}).count, 0U);
}

TEST(Acks, every_packet_is_told_of_once_whatever_the_blocks_repeat_and_however_late_they_are) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    support::Dice dice(seed);
    SentWindow sender;
    ReceiveWindow receiver;
    std::vector<AckBlock> blocks;
    std::vector<int> told(2001);
    std::set<std::uint64_t> said;  // by the blocks that were handed over
    for (std::uint64_t i = 1; i <= 2000; ++i) {
      sender.add(static_cast<Nanoseconds>(i));
      if (dice.chance(80)) {
        receiver.accept(i, 0);
        blocks.push_back(receiver.ack_block(0));
      }
      if (blocks.empty() || !dice.chance(60)) continue;
      // The newest block, or one from up to 200 packets ago.
      const std::size_t back =
          dice.chance(70) ? 0 : dice.next() % std::min<std::size_t>(200, blocks.size());
      const AckBlock& block = blocks[blocks.size() - 1 - back];
      const std::uint64_t newest = block.ack;
      said.insert(newest);
      for (std::uint64_t bit = 0; bit < 32; ++bit) {
        if ((block.bits >> bit & 1) != 0) said.insert(newest - 1 - bit);
      }
      const Acked acked = sender.acknowledge(block);
      ASSERT_EQ(acked.error, PacketError::none);
      for (std::size_t n = 0; n < acked.count; ++n) ++told[acked.packets[n]->counter];
    }
    for (std::uint64_t i = 1; i <= 2000; ++i) ASSERT_EQ(told[i], said.count(i)) << i;
    EXPECT_EQ(sender.acked(), said.size());
  }
}

TEST(Acks, what_was_never_sent_cannot_be_acknowledged) {
  SentWindow sender;
  EXPECT_EQ(sender.acknowledge({0, 0, 0}).error, PacketError::none);  // nothing received yet
  EXPECT_EQ(sender.acknowledge({0, 0, 1}).error, PacketError::bad_ack);
  EXPECT_EQ(sender.acknowledge({1, 0, 0}).error, PacketError::bad_ack);
  sender.add(0);
  EXPECT_EQ(sender.acknowledge({1, 0, 0}).error, PacketError::none);
  EXPECT_EQ(sender.acknowledge({2, 0, 0}).error, PacketError::bad_ack);
  EXPECT_EQ(sender.acknowledge({0xFFFF, 0, 0}).error, PacketError::bad_ack);
}

TEST(Acks, a_silent_peer_does_not_break_the_ring) {
  SentWindow sender;
  for (std::uint64_t i = 0; i < 5 * k_sent_window; ++i)
    sender.add(0, PacketContent::of_ticks(7, 1));
  const Acked acked = sender.acknowledge({static_cast<std::uint16_t>(5 * k_sent_window), 0, ~0U});
  EXPECT_EQ(acked.count, 33U);
  EXPECT_EQ(acked.packets[0]->content.id, 7U);
  EXPECT_EQ(sender.acknowledge({10, 0, ~0U}).count, 0U);  // left the ring long ago
  EXPECT_EQ(sender.lost(), 5 * k_sent_window - 33);
}

}  // namespace
}  // namespace contrail::wire
