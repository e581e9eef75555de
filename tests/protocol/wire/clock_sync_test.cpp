#include <contrail/wire/clock_sync.hpp>

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include <contrail/wire/transport_limits.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;
using samples::repetitions;
using samples::test_seed;

constexpr Nanoseconds k_ms = k_millisecond;

/// A client whose clock runs off the server's, pinging over a jittering network.
class World {
 public:
  World(std::uint64_t seed, Nanoseconds start, int drift_ppm, Nanoseconds jitter)
      : dice_(seed), start_(start), drift_ppm_(drift_ppm), jitter_(jitter) {}

  /// The client's clock at session time t.
  [[nodiscard]] Nanoseconds own(Nanoseconds session) const {
    return start_ + session + session * drift_ppm_ / 1'000'000;
  }
  /// Pings as a client does, up to session time `until`; the largest error after `from`. One ping
  /// after `late_at` takes 2 s longer to get there.
  Nanoseconds run(ClockSync& clock, Nanoseconds until, Nanoseconds from, Nanoseconds late_at = -1) {
    Nanoseconds worst = 0;
    Nanoseconds last = 0;
    for (; session_ < until; session_ += k_second / 256) {
      if (session_ >= next_ping_) {
        const bool late = late_at >= 0 && session_ >= late_at;
        if (late) late_at = -1;
        const Nanoseconds there =
            session_ + 25 * k_ms + dice_.between(0, jitter_) + (late ? 2 * k_second : 0);
        const Nanoseconds back = there + k_ms + 25 * k_ms + dice_.between(0, jitter_);
        answers_[back] = {session_, there};
        next_ping_ =
            session_ + (++pings_ < k_first_pings ? k_first_ping_interval : k_ping_interval);
      }
      while (!answers_.empty() && answers_.begin()->first <= session_) {
        const auto [back, ping] = *answers_.begin();
        EXPECT_TRUE(clock.add(own(ping.sent), ping.there, ping.there + k_ms, own(back), 0));
        answers_.erase(answers_.begin());
      }
      const Nanoseconds shown = clock.time(own(session_));
      EXPECT_GE(shown, last);
      last = shown;
      if (session_ >= from) worst = std::max(worst, std::abs(shown - session_));
    }
    return worst;
  }

 private:
  struct Ping {
    Nanoseconds sent = 0;
    Nanoseconds there = 0;
  };
  Dice dice_;
  std::map<Nanoseconds, Ping> answers_;  // by arrival
  Nanoseconds start_;
  int drift_ppm_;
  Nanoseconds jitter_;
  Nanoseconds session_ = 0;
  Nanoseconds next_ping_ = 0;
  int pings_ = 0;
};

TEST(ClockSync, one_exact_ping_gives_the_exact_time) {
  ClockSync clock;
  EXPECT_FALSE(clock.ready());
  EXPECT_EQ(clock.time(12345), 0);
  ASSERT_TRUE(clock.add(1000, 500'020, 500'030, 1050, 0));  // 20 there, 10 at the server, 20 back
  EXPECT_TRUE(clock.ready());
  EXPECT_EQ(clock.time(1050), 500'050);
  EXPECT_EQ(clock.time(1060), 500'060);
  EXPECT_EQ(clock.last_round_trip(), 40);
  EXPECT_EQ(clock.lowest_round_trip(), 40);
}

TEST(ClockSync, the_fastest_packets_of_each_direction_decide) {
  ClockSync clock;
  clock.add(0, 10 * k_ms, 10 * k_ms, 60 * k_ms, 0);  // fast there, 50 ms back
  EXPECT_NE(clock.error() + clock.time(60 * k_ms), 60 * k_ms);
  clock.add(100 * k_ms, 170 * k_ms, 170 * k_ms, 180 * k_ms, 0);  // 70 ms there, fast back
  EXPECT_EQ(clock.time(180 * k_ms) + clock.error(), 180 * k_ms);
  EXPECT_EQ(clock.lowest_round_trip(), 60 * k_ms);
  EXPECT_EQ(clock.last_round_trip(), 80 * k_ms);
}

TEST(ClockSync, impossible_samples_are_refused) {
  ClockSync clock;
  EXPECT_FALSE(clock.add(100, 0, 0, 99, 0));     // answered before asked
  EXPECT_FALSE(clock.add(100, 10, 9, 200, 0));   // sent before received
  EXPECT_FALSE(clock.add(100, 0, 101, 200, 0));  // longer at the server than away
  const Nanoseconds huge = 0x7FFF'FFFF'FFFF'FFFF;
  EXPECT_FALSE(clock.add(0, huge, huge, 10, 0));
  EXPECT_FALSE(clock.add(0, -huge - 1, -huge - 1, 10, 0));
  EXPECT_FALSE(clock.ready());
}

TEST(ClockSync, case_G5_stays_within_5_ms_after_10_s_and_never_goes_back) {
  const std::uint64_t seed = test_seed(31);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int i = 0; i < repetitions(20); ++i) {
    for (const int drift : {-200, 0, 200}) {
      ClockSync clock;
      World world(seed + static_cast<std::uint64_t>(i), 77 * k_second, drift, 30 * k_ms);
      // One packet takes 2 s longer than the others: it must not pull the clock.
      const Nanoseconds worst = world.run(clock, 40 * k_second, 10 * k_second, 12 * k_second);
      EXPECT_LT(worst, 5 * k_ms) << "drift " << drift << " run " << i;
    }
  }
}

TEST(ClockSync, the_negative_control_of_case_G5_an_average_misses_the_bar) {
  // Every fourth packet is fast; the others take 30 ms more, one way only.
  ClockSync clock;
  Nanoseconds sum = 0;
  for (int i = 0; i < 64; ++i) {
    const Nanoseconds t = i * 100 * k_ms;
    const Nanoseconds there = t + 25 * k_ms + (i % 4 == 0 ? 0 : 30 * k_ms);
    clock.add(t, there, there, there + 25 * k_ms, 0);
    sum += (there - t) - 25 * k_ms;
  }
  const Nanoseconds end = 64 * 100 * k_ms;
  EXPECT_LT(std::abs(clock.time(end) + clock.error() - end), k_ms);
  EXPECT_GT(sum / 64 / 2, 5 * k_ms);
}

TEST(ClockSync, a_wrong_clock_is_slewed_at_no_more_than_half_its_rate) {
  ClockSync clock;
  clock.add(0, 0, 0, 0, 0);
  clock.time(0);
  // The server lost 3 s in a stall: 12 s later only samples from after it count.
  for (int i = 0; i < 40; ++i) {
    const Nanoseconds t = 12 * k_second + i * 50 * k_ms;
    clock.add(t, t - 3 * k_second, t - 3 * k_second, t, 0);
  }
  Nanoseconds last = clock.time(14 * k_second);
  for (Nanoseconds t = 14 * k_second; t < 40 * k_second; t += 10 * k_ms) {
    const Nanoseconds now = clock.time(t);
    EXPECT_GE(now, last);
    EXPECT_GE(now - last, t == 14 * k_second ? 0 : 5 * k_ms - 1);
    last = now;
  }
  EXPECT_LT(std::abs(clock.error()), k_ms);
}

TEST(ClockSync, a_new_epoch_starts_afresh_and_an_old_one_is_ignored) {
  ClockSync clock;
  clock.add(0, 1000 * k_second, 1000 * k_second, 0, 4);
  EXPECT_EQ(clock.time(0), 1000 * k_second);
  ASSERT_TRUE(clock.add(10, 7, 7, 10, 5));  // rewound
  EXPECT_EQ(clock.epoch(), 5U);
  EXPECT_EQ(clock.time(10), 7);
  EXPECT_FALSE(clock.add(20, 9, 9, 20, 4));
  EXPECT_EQ(clock.time(20), 17);
}

TEST(ClockSync, a_clock_of_the_caller_that_goes_back_stops_time) {
  ClockSync clock;
  clock.add(0, 0, 0, 0, 0);
  EXPECT_EQ(clock.time(k_second), k_second);
  EXPECT_EQ(clock.time(-k_second), k_second);
  EXPECT_EQ(clock.time(k_second + 5), k_second + 5);
}

TEST(ClockSync, case_32_start_of_the_clock_changes_nothing) {
  std::vector<Nanoseconds> worst;
  for (const Nanoseconds start :
       {Nanoseconds{0}, (Nanoseconds{1} << 31) * k_ms - 500 * k_ms,
        (Nanoseconds{1} << 32) * k_ms - 500 * k_ms, (Nanoseconds{1} << 31) * 1000 - 500'000,
        (Nanoseconds{1} << 32) * 1000 - 500'000}) {
    ClockSync clock;
    World world(5, start, 0, 30 * k_ms);
    worst.push_back(world.run(clock, 20 * k_second, k_second));
    EXPECT_GE(clock.last_round_trip(), 0);
  }
  EXPECT_EQ(worst, std::vector<Nanoseconds>(5, worst[0]));
  EXPECT_GT(worst[0], 0);
}

TEST(SessionTime, subticks_are_exact_at_any_age) {
  EXPECT_EQ(to_subticks(0), 0);
  EXPECT_EQ(to_subticks(k_second), 65536);
  EXPECT_EQ(to_subticks(15'258), 0);
  EXPECT_EQ(to_subticks(15'259), 1);
  EXPECT_EQ(to_subticks(-1), -1);
  const Nanoseconds sixty_days = 60 * 86'400 * k_second;
  EXPECT_EQ(to_subticks(sixty_days + 31'250'000), Nanoseconds{60} * 86'400 * 65'536 + 2048);
  const Nanoseconds last_tick = 0xFFFF'FFFF * tick_nanoseconds(13);
  EXPECT_EQ(to_subticks(last_tick), Nanoseconds{0xFFFF'FFFF} << 13);
}

TEST(RenderClock, waits_for_the_99th_percentile_of_the_jitter_and_2_ticks) {
  const Nanoseconds tick = 31'250'000;
  RenderClock clock(tick);
  EXPECT_EQ(clock.delay(), 2 * tick);
  for (int i = 0; i < 100; ++i) clock.add_lateness(25 * k_ms, 25 * k_ms);
  EXPECT_EQ(clock.delay(), 25 * k_ms + 2 * tick);
  for (int i = 0; i < 3; ++i) clock.add_lateness(65 * k_ms, 25 * k_ms);
  EXPECT_EQ(clock.delay(), 25 * k_ms + 40 * k_ms + 2 * tick);
  for (int i = 0; i < 100; ++i) clock.add_lateness(10 * k_second, 25 * k_ms);
  EXPECT_EQ(clock.delay(), 25 * k_ms + 10 * tick);
}

TEST(RenderClock, never_goes_back_while_session_time_does_not) {
  const std::uint64_t seed = test_seed(41);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  RenderClock clock(31'250'000);
  Nanoseconds last = clock.time(100 * k_second);
  for (Nanoseconds t = 100 * k_second; t < 130 * k_second; t += dice.between(0, 20 * k_ms)) {
    if (dice.chance(20)) clock.add_lateness(dice.between(0, 400 * k_ms), 25 * k_ms);
    const Nanoseconds now = clock.time(t);
    ASSERT_GE(now, last);
    last = now;
  }
  // A new epoch may: it starts anew.
  EXPECT_LT(clock.time(10 * k_second), last);
}

}  // namespace
}  // namespace contrail::wire
