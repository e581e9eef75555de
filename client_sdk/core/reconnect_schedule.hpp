#pragma once

// When a client that lost its connection tries again: soon at first, then more and more rarely, and
// scattered, so that the clients of a restarted server don't come in waves.

#include <algorithm>
#include <cstdint>

#include <contrail/wire/splitmix.hpp>
#include <contrail/wire/time.hpp>

namespace contrail::client {

class ReconnectSchedule {
 public:
  static constexpr wire::Nanoseconds k_first = wire::k_second / 2;
  static constexpr wire::Nanoseconds k_longest = 16 * wire::k_second;

  /// `seed`: another one for every client.
  explicit ReconnectSchedule(std::uint64_t seed) : random_(seed) {}

  /// How long to wait before the next attempt: uniform between half of a span and the whole; spans
  /// double from k_first to k_longest.
  wire::Nanoseconds next_wait() {
    const wire::Nanoseconds span = span_;
    span_ = std::min(span_ * 2, k_longest);
    const auto part = static_cast<wire::Nanoseconds>(wire::next_random(random_) % 65536);
    return span / 2 + span / 2 * part / 65536;
  }
  /// A session was live: the next loss starts afresh.
  void reset() { span_ = k_first; }

 private:
  std::uint64_t random_;
  wire::Nanoseconds span_ = k_first;
};

}  // namespace contrail::client
