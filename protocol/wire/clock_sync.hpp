#pragma once

// The session's clock as a client knows it, and the time it should draw.

#include <array>
#include <cstdint>

#include <contrail/wire/time.hpp>

namespace contrail::wire {

/// Estimates session time from four-timestamp pings. A packet can't arrive before it was sent, so
/// each ping bounds the offset of the two clocks: t3 - t4 <= offset <= t2 - t1. The estimate is the
/// middle of the tightest bounds of the last 10 s, which the fastest packet of each direction
/// gives. (At 30 ms of jitter a way and 4 pings a second its error is 1.6 ms in 99 of 100 cases;
/// the mean over the fastest round trips needs both packets of a ping to be fast: 3.9 ms.)
///
/// Follows the estimate by slewing: time(now) is continuous and never goes back, except that a new
/// timeline epoch starts afresh. Integers only.
class ClockSync {
 public:
  /// t1 sent and t4 answer received, own clock; t2 received and t3 answered, session time.
  /// Implausible ones (t4 < t1, t3 < t2, t3 - t2 > t4 - t1) are ignored: false.
  bool add(Nanoseconds t1, Nanoseconds t2, Nanoseconds t3, Nanoseconds t4, std::uint32_t epoch);
  /// Session time at `now`. Before ready() it is 0. A `now` before the last one counts as that one.
  Nanoseconds time(Nanoseconds now);
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  /// Lowest round trip of the kept samples, of the newest sample, and how far time() is from the
  /// estimate (positive: time() has to catch up). 0 before ready().
  [[nodiscard]] Nanoseconds lowest_round_trip() const;
  [[nodiscard]] Nanoseconds last_round_trip() const { return last_round_trip_; }
  [[nodiscard]] Nanoseconds error() const { return target_ - offset_; }

 private:
  struct Sample {
    Nanoseconds received = 0;
    Nanoseconds round_trip = 0;
    Nanoseconds low = 0;  // bounds of session time - own clock
    Nanoseconds high = 0;
  };
  void estimate(Nanoseconds now);

  std::array<Sample, 64> samples_{};
  std::size_t count_ = 0;  // ever added in this epoch
  bool ready_ = false;
  std::uint32_t epoch_ = 0;
  Nanoseconds last_round_trip_ = 0;
  Nanoseconds target_ = 0;  // session time - own clock, as estimated
  Nanoseconds offset_ = 0;  // as in use
  Nanoseconds last_ = 0;    // own clock at the last slew
};

/// Chooses how far behind session time to draw: one way trip + clamp(p99 of the jitter + 2 ticks,
/// 1..10 ticks), slewed like the clock. Jitter of a tick = how much later than the one way trip its
/// record was complete.
class RenderClock {
 public:
  explicit RenderClock(Nanoseconds tick) : tick_(tick) {}
  /// A tick with something to say became complete this long after its session time.
  void add_lateness(Nanoseconds lateness, Nanoseconds one_way);
  /// The delay aimed at.
  [[nodiscard]] Nanoseconds delay() const { return one_way_ + delay_; }
  /// The session time to draw; never goes back unless session time did (new epoch).
  Nanoseconds time(Nanoseconds session_time);

 private:
  Nanoseconds tick_;
  std::array<Nanoseconds, 256> jitter_{};
  std::size_t count_ = 0;
  Nanoseconds one_way_ = 0;
  Nanoseconds delay_ = 2 * tick_;
  bool started_ = false;
  Nanoseconds applied_ = 0;  // delay in use
  Nanoseconds last_ = 0;     // session time at the last call
};

}  // namespace contrail::wire
