#include <contrail/edge/tick_clock.hpp>

#include <contrail/sim/assert.hpp>

namespace contrail::server {

TickClock::TickClock(wire::Nanoseconds tick, wire::Nanoseconds start)
    : tick_(tick), next_(start + tick) {
  sim::require(tick > 0, "a tick takes time");
}

int TickClock::ticks_due(wire::Nanoseconds now) {
  if (now < next_) return 0;
  const wire::Nanoseconds due = (now - next_) / tick_ + 1;
  if (due <= k_max_catch_up) return static_cast<int>(due);
  const wire::Nanoseconds dropped = due - k_max_catch_up;
  next_ += dropped * tick_;
  dropped_ += static_cast<std::uint64_t>(dropped);
  ++stalls_;
  return k_max_catch_up;
}

}  // namespace contrail::server
