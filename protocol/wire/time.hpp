#pragma once

// Time on the wire: nanoseconds of a monotonic clock that the caller reads and passes in. Session
// time is the same quantity counted from the session's start: tick n happens at n tick lengths.

#include <cstdint>

namespace contrail::wire {

/// A point in time or a duration. 64 bits last 292 years: nothing here wraps.
using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds k_second = 1'000'000'000;
inline constexpr Nanoseconds k_millisecond = 1'000'000;

/// Exact: a tick is 2^log2_tick subticks (9..13) of 1/65536 s, a whole number of nanoseconds.
constexpr Nanoseconds tick_nanoseconds(int log2_tick) {
  return (Nanoseconds{1} << (log2_tick - 9)) * 7'812'500;
}
/// Ticks per second: 8..128.
constexpr int tick_rate(int log2_tick) {
  return 1 << (16 - log2_tick);
}

/// floor(t * 65536 / 10^9).
constexpr std::int64_t to_subticks(Nanoseconds t) {
  constexpr std::int64_t k_unit = 1'953'125;  // nanoseconds of 128 subticks
  const std::int64_t whole = t >= 0 ? t / k_unit : -((k_unit - 1 - t) / k_unit);
  return whole * 128 + (t - whole * k_unit) * 128 / k_unit;
}

}  // namespace contrail::wire
