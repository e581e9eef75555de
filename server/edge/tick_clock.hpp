#pragma once

#include <cstdint>

#include <contrail/wire/time.hpp>

namespace contrail::server {

/// Turns a monotonic clock into ticks of a fixed length. After a stall at most 4 ticks are caught
/// up at once; session time of the rest is dropped, once and for all, and counted.
class TickClock {
 public:
  static constexpr int k_max_catch_up = 4;

  /// Tick `first_tick` + 1 is due one tick after `start`.
  TickClock(wire::Nanoseconds tick, wire::Nanoseconds start);

  /// Ticks to run now, 0..4, each due at next_due() while it is run: call advance() per tick.
  int ticks_due(wire::Nanoseconds now);
  /// When the next tick is due.
  [[nodiscard]] wire::Nanoseconds next_due() const { return next_; }
  void advance() { next_ += tick_; }

  [[nodiscard]] std::uint64_t dropped_ticks() const { return dropped_; }
  [[nodiscard]] std::uint64_t stalls() const { return stalls_; }

 private:
  wire::Nanoseconds tick_;
  wire::Nanoseconds next_;
  std::uint64_t dropped_ = 0;
  std::uint64_t stalls_ = 0;
};

}  // namespace contrail::server
