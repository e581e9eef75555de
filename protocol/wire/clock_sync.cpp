#include <contrail/wire/clock_sync.hpp>

#include <algorithm>

namespace contrail::wire {

namespace {

constexpr Nanoseconds k_sample_life = 10 * k_second;
constexpr Nanoseconds k_step = 20 * k_millisecond;  // bounds that cross by more: time stepped
constexpr Nanoseconds k_slew_time = k_second;       // an error shrinks to 1/e in this time
constexpr Nanoseconds k_longest_step = k_second;
constexpr Nanoseconds k_sane = Nanoseconds{1} << 61;  // 73 years: sums of two can't overflow

/// Part of `error` to correct over `elapsed`, at most half of `elapsed`: a clock corrected by it
/// runs at 1/2..3/2 of its rate.
Nanoseconds slew(Nanoseconds error, Nanoseconds elapsed) {
  const Nanoseconds step = std::min(elapsed, k_longest_step);
  const Nanoseconds bounded = std::clamp(error, -4 * k_second, 4 * k_second);
  return std::clamp(bounded * step / k_slew_time, -step / 2, step / 2);
}

bool sane(Nanoseconds t) {
  return t > -k_sane && t < k_sane;
}

}  // namespace

bool ClockSync::add(Nanoseconds t1, Nanoseconds t2, Nanoseconds t3, Nanoseconds t4,
                    std::uint32_t epoch) {
  if (!sane(t1) || !sane(t2) || !sane(t3) || !sane(t4)) return false;
  if (t4 < t1 || t3 < t2 || t3 - t2 > t4 - t1) return false;
  if (ready_ && epoch < epoch_) return false;
  if (!ready_ || epoch > epoch_) {
    ready_ = false;
    epoch_ = epoch;
    count_ = 0;
  }
  last_round_trip_ = (t4 - t1) - (t3 - t2);
  samples_[count_++ % samples_.size()] = {t4, last_round_trip_, t3 - t4, t2 - t1};
  estimate(t4);
  if (!ready_) {
    ready_ = true;
    offset_ = target_;
    last_ = t4;
  }
  return true;
}

void ClockSync::estimate(Nanoseconds now) {
  const Sample& newest = samples_[(count_ - 1) % samples_.size()];
  Nanoseconds low = newest.low;
  Nanoseconds high = newest.high;
  for (std::size_t i = 0; i < std::min(count_, samples_.size()); ++i) {
    const Sample& sample = samples_[i];
    if (now - sample.received > k_sample_life) continue;
    low = std::max(low, sample.low);
    high = std::min(high, sample.high);
  }
  if (low - high > k_step) {
    // No offset explains all samples: session time stepped, as after a stall of the server. What
    // was measured before is void.
    samples_[0] = newest;
    count_ = 1;
    low = newest.low;
    high = newest.high;
  }
  target_ = low + (high - low) / 2;
}

Nanoseconds ClockSync::time(Nanoseconds now) {
  if (!ready_) return 0;
  if (now > last_) {
    offset_ += slew(target_ - offset_, now - last_);
    last_ = now;
  }
  return last_ + offset_;
}

Nanoseconds ClockSync::lowest_round_trip() const {
  if (!ready_) return 0;
  Nanoseconds newest = samples_[(count_ - 1) % samples_.size()].received;
  Nanoseconds lowest = last_round_trip_;
  for (std::size_t i = 0; i < std::min(count_, samples_.size()); ++i) {
    if (newest - samples_[i].received <= k_sample_life) {
      lowest = std::min(lowest, samples_[i].round_trip);
    }
  }
  return lowest;
}

void RenderClock::add_lateness(Nanoseconds lateness, Nanoseconds one_way) {
  one_way_ = std::max<Nanoseconds>(one_way, 0);
  jitter_[count_++ % jitter_.size()] = std::max<Nanoseconds>(lateness - one_way_, 0);
  std::array<Nanoseconds, 256> sorted = jitter_;
  const std::size_t kept = std::min(count_, jitter_.size());
  const std::size_t at = (kept * 99) / 100 < kept ? (kept * 99) / 100 : kept - 1;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at),
                   sorted.begin() + static_cast<std::ptrdiff_t>(kept));
  delay_ = std::clamp(sorted[at] + 2 * tick_, tick_, 10 * tick_);
}

Nanoseconds RenderClock::time(Nanoseconds session_time) {
  const Nanoseconds elapsed = session_time - last_;
  if (!started_ || elapsed < 0) {
    started_ = true;
    applied_ = delay();
  } else {
    applied_ += slew(delay() - applied_, elapsed);
  }
  last_ = session_time;
  return session_time - applied_;
}

}  // namespace contrail::wire
