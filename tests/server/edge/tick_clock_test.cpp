#include <contrail/edge/tick_clock.hpp>

#include <gtest/gtest.h>

namespace contrail::server {
namespace {

using wire::k_second;
using wire::Nanoseconds;

constexpr Nanoseconds k_tick = 31'250'000;

/// Runs what is due; gives how many ticks that were.
int run_due(TickClock& clock, Nanoseconds now) {
  const int due = clock.ticks_due(now);
  for (int i = 0; i < due; ++i) clock.advance();
  return due;
}

TEST(TickClock, a_tick_is_due_after_every_tick_length) {
  TickClock clock(k_tick, 1000);
  EXPECT_EQ(clock.ticks_due(1000), 0);
  EXPECT_EQ(clock.ticks_due(1000 + k_tick - 1), 0);
  EXPECT_EQ(run_due(clock, 1000 + k_tick), 1);
  EXPECT_EQ(run_due(clock, 1000 + k_tick), 0);
  EXPECT_EQ(clock.next_due(), 1000 + 2 * k_tick);
  EXPECT_EQ(run_due(clock, 1000 + 5 * k_tick + 7), 4);
  EXPECT_EQ(clock.dropped_ticks(), 0U);
}

TEST(TickClock, does_not_drift_however_late_it_is_asked) {
  TickClock clock(k_tick, 0);
  Nanoseconds now = 0;
  int ticks = 0;
  for (int i = 0; i < 10'000; ++i) {
    now += 17'000'001 + i % 13 * 1'000'000;
    ticks += run_due(clock, now);
  }
  EXPECT_EQ(ticks, now / k_tick);
  EXPECT_EQ(clock.dropped_ticks(), 0U);
}

TEST(TickClock, case_G7_after_a_stall_4_ticks_run_and_the_rest_is_dropped_for_good) {
  TickClock clock(k_tick, 0);
  const Nanoseconds pause = 20 * 60 * k_second;
  EXPECT_EQ(run_due(clock, pause), 4);
  EXPECT_EQ(clock.dropped_ticks(), 20U * 60 * 32 - 4);
  EXPECT_EQ(clock.stalls(), 1U);
  EXPECT_EQ(run_due(clock, pause), 0);
  // Not paid back: at the next 100 ticks, each comes when it is due.
  for (int i = 1; i <= 100; ++i) {
    EXPECT_EQ(run_due(clock, pause + i * k_tick - 1), 0);
    EXPECT_EQ(run_due(clock, pause + i * k_tick), 1);
  }
  EXPECT_EQ(clock.stalls(), 1U);
}

TEST(TickClock, a_stall_of_4_ticks_drops_nothing_and_one_of_5_drops_one) {
  TickClock four(k_tick, 0);
  EXPECT_EQ(run_due(four, 5 * k_tick - 1), 4);
  EXPECT_EQ(four.dropped_ticks(), 0U);
  TickClock five(k_tick, 0);
  EXPECT_EQ(run_due(five, 5 * k_tick), 4);
  EXPECT_EQ(five.dropped_ticks(), 1U);
}

TEST(TickClock, case_32_where_the_clock_stands_does_not_matter) {
  for (const Nanoseconds start :
       {Nanoseconds{0}, (Nanoseconds{1} << 31) * 1'000'000 - k_second / 2,
        (Nanoseconds{1} << 32) * 1'000'000 - k_second / 2, (Nanoseconds{1} << 31) * 1000 - 500'000,
        (Nanoseconds{1} << 32) * 1000 - 500'000}) {
    TickClock clock(k_tick, start);
    int ticks = 0;
    for (Nanoseconds t = 0; t <= k_second; t += 1'000'000) ticks += run_due(clock, start + t);
    EXPECT_EQ(ticks, 32);
  }
}

TEST(TickClock, a_clock_that_goes_back_runs_nothing_twice) {
  TickClock clock(k_tick, 0);
  EXPECT_EQ(run_due(clock, 3 * k_tick), 3);
  EXPECT_EQ(run_due(clock, k_tick), 0);
  EXPECT_EQ(run_due(clock, -k_second), 0);
  EXPECT_EQ(run_due(clock, 4 * k_tick), 1);
}

}  // namespace
}  // namespace contrail::server
