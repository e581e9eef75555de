#include <contrail/wire/resend_schedule.hpp>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/support/random_log.hpp>
#include <contrail/wire/tick_ledger.hpp>

namespace contrail::wire {
namespace {

/// Network ticks in which a record rides that is never acknowledged.
std::vector<std::uint32_t> rides(std::uint32_t first, int resend_ticks, std::size_t count) {
  std::vector<std::uint32_t> out{first};
  while (out.size() < count) {
    out.push_back(next_sending(first, out.back(), static_cast<int>(out.size()), resend_ticks));
  }
  return out;
}

TEST(ResendSchedule, rides_at_0_1_R_and_then_every_half_R_but_at_least_2) {
  EXPECT_EQ(rides(0, 3, 6), (std::vector<std::uint32_t>{0, 1, 3, 5, 7, 9}));
  EXPECT_EQ(rides(100, 5, 6), (std::vector<std::uint32_t>{100, 101, 105, 107, 109, 111}));
  EXPECT_EQ(rides(0, 8, 6), (std::vector<std::uint32_t>{0, 1, 8, 12, 16, 20}));
  EXPECT_EQ(rides(0xFFFF'FFF0, 8, 3),
            (std::vector<std::uint32_t>{0xFFFF'FFF0, 0xFFFF'FFF1, 0xFFFF'FFF8}));
}

TEST(ResendSchedule, a_network_tick_is_a_tick_but_at_least_1_32_s) {
  const Nanoseconds third = 31'250'000;
  EXPECT_EQ(network_tick_nanoseconds(13), 4 * third);  // 8 Hz
  EXPECT_EQ(network_tick_nanoseconds(11), third);      // 32 Hz
  EXPECT_EQ(network_tick_nanoseconds(10), third);      // 64 Hz
  EXPECT_EQ(network_tick_nanoseconds(9), third);       // 128 Hz
  EXPECT_EQ(ticks_per_network_tick(9), 4);
}

TEST(ResendSchedule, R_covers_the_measured_time_to_an_ack_and_3_deviations) {
  const Nanoseconds tick = 31'250'000;
  AckTimer timer;
  EXPECT_EQ(timer.resend_ticks(tick), 6);  // ceil((100 + 3 * 25) / 31.25)
  timer.add(64 * k_millisecond);           // mean 64, deviation 8: ceil(88 / 31.25)
  EXPECT_EQ(timer.mean(), 64 * k_millisecond);
  EXPECT_EQ(timer.deviation(), 8 * k_millisecond);
  EXPECT_EQ(timer.resend_ticks(tick), 3);
  timer.add(80 * k_millisecond);  // mean 65, deviation 8.5
  EXPECT_EQ(timer.mean(), 65 * k_millisecond);
  EXPECT_EQ(timer.deviation(), 8'500'000);
  AckTimer near;
  near.add(1 * k_millisecond);
  EXPECT_EQ(near.resend_ticks(tick), 3);  // never below 3
  AckTimer far;
  far.add(200 * k_millisecond);  // ceil((200 + 75) / 31.25)
  EXPECT_EQ(far.resend_ticks(tick), 9);
  far.add(1'000'000 * k_second);  // nobody waits longer than the backlog lasts
  EXPECT_LE(far.resend_ticks(tick), 64);
}

class Ledger : public ::testing::Test {
 protected:
  /// Sends what is due in the window of the newest tick; gives its complete bits.
  std::uint32_t send(std::uint32_t network_tick) {
    const std::uint32_t last = ledger.newest();
    std::uint32_t complete = ledger.empty_bits(last);
    for (std::uint32_t tick = ledger.window_start(last); tick <= last && tick != 0; ++tick) {
      if (ledger.due(tick, network_tick)) complete |= 1U << (last - tick);
    }
    ledger.sent(last, complete, network_tick, 4);
    return complete;
  }
  TickLedger ledger{11};
};

TEST_F(Ledger, the_bits_of_a_window_are_its_ticks_one_by_one) {
  support::Dice dice(1);
  ledger.start(100);
  std::vector<TickContent> contents(101);
  std::uint64_t due_seen = 0;
  for (std::uint32_t tick = 101; tick < 2000; ++tick) {
    contents.push_back(static_cast<TickContent>(dice.next() % 4));
    ledger.add(contents.back());
    for (int i = 0; i < 3; ++i) {
      // Windows up to 100 ticks back, further than what is kept at a glance.
      const std::uint32_t last =
          tick - std::min(tick - 101, static_cast<std::uint32_t>(dice.next() % 100));
      std::uint32_t empty = 0;
      std::uint32_t due = 0;
      for (std::uint32_t age = 0; age < 32 && age < last; ++age) {
        const TickContent content = contents[last - age];
        empty |= (last - age > 100 && content == TickContent::empty ? 1U : 0U) << age;
        const bool record = content == TickContent::record || content == TickContent::quiet;
        due |= (record && ledger.due(last - age, tick) ? 1U : 0U) << age;
      }
      ASSERT_EQ(ledger.empty_bits(last), empty) << tick << " " << last;
      ASSERT_EQ(ledger.due_bits(last, tick), due) << tick << " " << last;
      due_seen += due != 0;
      if (dice.chance(50)) ledger.sent(last, empty | due, tick, 4);
      if (dice.chance(30)) ledger.acked(last, empty | due);
      if (dice.chance(5)) ledger.acked_slices(last);
    }
  }
  EXPECT_GT(due_seen, 500U);
}

TEST_F(Ledger, empty_ticks_are_always_complete_and_records_when_they_ride) {
  ledger.start(100);
  ledger.add(TickContent::record);  // 101
  ledger.add(TickContent::empty);   // 102
  ledger.add(TickContent::record);  // 103
  EXPECT_EQ(send(103), 0b111U);
  EXPECT_EQ(send(104), 0b111U);  // again one network tick later
  EXPECT_EQ(send(105), 0b010U);  // waits for R = 4
  EXPECT_EQ(send(106), 0b010U);
  EXPECT_EQ(send(107), 0b111U);
  EXPECT_EQ(send(108), 0b010U);
  EXPECT_EQ(send(109), 0b111U);  // every max(2, R / 2)
  ledger.acked(103, 0b100);
  EXPECT_EQ(ledger.known(), 101U);
  EXPECT_EQ(send(111), 0b011U);
  ledger.acked(103, 0b011);
  EXPECT_EQ(ledger.known(), 103U);
  EXPECT_EQ(send(113), 0b010U);  // empty ticks stay marked
}

TEST_F(Ledger, a_tick_that_leaves_the_window_unacknowledged_is_named) {
  ledger.start(0);
  ledger.add(TickContent::record);
  for (std::uint32_t tick = 1; tick <= 32; ++tick) {
    EXPECT_EQ(ledger.oldest_due_before_window(tick), 0U);
    send(tick);
    ledger.add(TickContent::empty);
  }
  EXPECT_EQ(ledger.newest(), 33U);
  EXPECT_EQ(ledger.window_start(33), 2U);
  EXPECT_EQ(ledger.oldest_due_before_window(33), 1U);
  EXPECT_EQ(ledger.window_end(1), 32U);
  ledger.sent(32, 1U << 31, 33, 4);
  EXPECT_EQ(ledger.oldest_due_before_window(33), 0U);
  EXPECT_EQ(ledger.oldest_due_before_window(35), 1U);
  // Empty ticks past the window wait for R after they were last told.
  ledger.acked(32, 1U << 31);
  ledger.add(TickContent::empty);  // 34: now 2 is outside as well
  EXPECT_EQ(ledger.oldest_due_before_window(34), 0U);
  EXPECT_EQ(ledger.oldest_due_before_window(36), 2U);
}

TEST_F(Ledger, a_backlog_of_more_than_2_s_is_overdue) {
  ledger.start(1000);
  for (int i = 0; i < 64; ++i) ledger.add(TickContent::empty);
  EXPECT_FALSE(ledger.overdue());
  ledger.add(TickContent::empty);
  EXPECT_TRUE(ledger.overdue());
  ledger.acked(1001, 1);
  EXPECT_FALSE(ledger.overdue());
  for (int i = 0; i < 2000; ++i) ledger.add(TickContent::record);  // far beyond the ring
  EXPECT_TRUE(ledger.overdue());
  EXPECT_TRUE(ledger.record_due(5000));
  EXPECT_NE(ledger.oldest_due_before_window(5000), 0U);
  ledger.start(3065);
  EXPECT_FALSE(ledger.overdue());
  EXPECT_EQ(ledger.known(), 3065U);
}

TEST_F(Ledger, a_quiet_tick_rides_but_is_no_reason_to_send) {
  ledger.start(0);
  ledger.add(TickContent::quiet);
  EXPECT_FALSE(ledger.record_due(1));
  EXPECT_TRUE(ledger.due(1, 1));
  ledger.add(TickContent::record);
  EXPECT_TRUE(ledger.record_due(2));
}

TEST_F(Ledger, a_sliced_tick_is_known_when_its_stream_is) {
  ledger.start(0);
  ledger.add(TickContent::sliced);
  ledger.add(TickContent::empty);
  EXPECT_EQ(send(2), 0b01U);
  ledger.acked(2, 0b01);
  EXPECT_EQ(ledger.known(), 0U);
  ledger.acked_slices(1);
  EXPECT_EQ(ledger.known(), 2U);
}

TEST_F(Ledger, case_32_works_up_to_the_last_tick) {
  ledger.start(0xFFFF'FFFF - 40);
  for (int i = 0; i < 40; ++i) {
    ledger.add(i % 3 == 0 ? TickContent::record : TickContent::empty);
    const std::uint32_t complete = send(ledger.newest());
    ledger.acked(ledger.newest(), complete);
    ASSERT_EQ(ledger.known(), ledger.newest());
  }
  EXPECT_EQ(ledger.newest(), 0xFFFF'FFFFU);
}

}  // namespace
}  // namespace contrail::wire
