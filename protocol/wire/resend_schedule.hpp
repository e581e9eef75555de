#pragma once

// When a record rides again. Counted in network ticks from the first sending: 0, 1, R, then every
// max(2, R/2), until a packet that carried it is acknowledged.

#include <algorithm>
#include <cstdint>

#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

/// Server ticks in one network tick: 1 up to 32 ticks a second, 2 at 64, 4 at 128.
constexpr int ticks_per_network_tick(int log2_tick) {
  return std::max(1, tick_rate(log2_tick) / k_network_rate);
}
constexpr Nanoseconds network_tick_nanoseconds(int log2_tick) {
  return ticks_per_network_tick(log2_tick) * tick_nanoseconds(log2_tick);
}

/// The time from sending a packet to hearing of its arrival, as measured.
class AckTimer {
 public:
  void add(Nanoseconds send_to_ack) {
    const Nanoseconds sample = std::clamp<Nanoseconds>(send_to_ack, 0, k_backlog_limit);
    if (!measured_) {
      measured_ = true;
      mean_ = sample;
      deviation_ = sample / 8;
      return;
    }
    const Nanoseconds error = sample - mean_;
    mean_ += error / k_weight;
    deviation_ += ((error < 0 ? -error : error) - deviation_) / k_weight;
  }
  [[nodiscard]] Nanoseconds mean() const { return mean_; }
  [[nodiscard]] Nanoseconds deviation() const { return deviation_; }
  /// R = max(3, ceil((mean + 3 * deviation) / network tick)).
  [[nodiscard]] int resend_ticks(Nanoseconds network_tick) const {
    const Nanoseconds late = mean_ + 3 * deviation_;
    return static_cast<int>(std::max<Nanoseconds>(3, (late + network_tick - 1) / network_tick));
  }

 private:
  static constexpr Nanoseconds k_weight = 16;
  // Until something is measured: a distant client.
  Nanoseconds mean_ = 100 * k_millisecond;
  Nanoseconds deviation_ = 25 * k_millisecond;
  bool measured_ = false;
};

/// Network tick of the next sending after `sendings` (at least 1) of them, the first at `first` and
/// the newest at `last`.
constexpr std::uint32_t next_sending(std::uint32_t first, std::uint32_t last, int sendings,
                                     int resend_ticks) {
  const auto r = static_cast<std::uint32_t>(resend_ticks);
  if (sendings == 1) return last + 1;
  if (sendings == 2) return std::max(first + r, last + 1);
  return last + std::max<std::uint32_t>(2, r / 2);
}

}  // namespace contrail::wire
