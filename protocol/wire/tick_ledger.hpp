#pragma once

// What one client knows of the log, as its sender sees it, and what to send it next.

#include <cstdint>
#include <vector>

#include <contrail/wire/resend_schedule.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

enum class TickContent : std::uint8_t {
  empty,   // nothing to say: needs its complete bit only
  quiet,   // a state hash and nothing else: rides along, never makes an idle world send
  record,  // something to say
  sliced,  // too large for a packet: travels as a stream, see acked_slices()
};

class TickLedger {
 public:
  explicit TickLedger(int log2_tick);

  /// Starts anew: the client will have everything up to `tick` by a snapshot. Later ticks that
  /// exist already are added again.
  void start(std::uint32_t tick);
  /// The next tick of the log: newest() + 1.
  void add(TickContent content);
  [[nodiscard]] std::uint32_t newest() const { return newest_; }
  /// Every tick up to here is known to the client (or not needed).
  [[nodiscard]] std::uint32_t known() const { return known_; }
  /// More than k_backlog_limit of ticks after known(): only a snapshot helps.
  [[nodiscard]] bool overdue() const { return newest_ - known_ > backlog_ticks_; }

  /// Does this tick have to ride in a packet of this network tick?
  [[nodiscard]] bool due(std::uint32_t tick, std::uint32_t network_tick) const;
  /// Bits of the ticks of the window ending in `last` with a record that is due.
  [[nodiscard]] std::uint32_t due_bits(std::uint32_t last, std::uint32_t network_tick) const;
  /// Is a tick with something to say due?
  [[nodiscard]] bool record_due(std::uint32_t network_tick) const;
  /// Bits of the ticks of the window ending in `last` that are empty.
  [[nodiscard]] std::uint32_t empty_bits(std::uint32_t last) const;
  /// Oldest tick before the window of newest() that is due, or 0.
  [[nodiscard]] std::uint32_t oldest_due_before_window(std::uint32_t network_tick) const;
  /// First tick of the window that ends in `last`, at least 1.
  [[nodiscard]] std::uint32_t window_start(std::uint32_t last) const;
  /// Last tick of the window that starts with `first`, at most newest().
  [[nodiscard]] std::uint32_t window_end(std::uint32_t first) const;

  /// A packet with these bits went out.
  void sent(std::uint32_t last, std::uint32_t complete, std::uint32_t network_tick,
            int resend_ticks);
  /// It arrived.
  void acked(std::uint32_t last, std::uint32_t complete);
  /// The stream of a sliced tick arrived.
  void acked_slices(std::uint32_t tick);

 private:
  struct State {
    std::uint32_t tick = 0;
    std::uint32_t first = 0;    // network tick of the first sending
    std::uint32_t next = 0;     // network tick from which it is due
    std::uint8_t sendings = 0;  // saturates
    TickContent content = TickContent::empty;
    bool known = false;
  };
  [[nodiscard]] const State* find(std::uint32_t tick) const;
  State* find(std::uint32_t tick);
  void learn(std::uint32_t tick);
  [[nodiscard]] std::uint32_t window_bits(std::uint32_t last) const;
  [[nodiscard]] std::uint32_t unknown_bits(std::uint32_t last) const;
  void advance();

  std::uint32_t window_;
  std::uint32_t backlog_ticks_;
  std::uint32_t newest_ = 0;
  std::uint32_t known_ = 0;
  // The newest 64 ticks in a glance, bit i for newest_ - i; the ring costs a cache line each.
  std::uint64_t empty_ = 0;
  std::uint64_t waiting_ = 0;  // has a record for a packet and is not known
  std::vector<State> ring_;
};

}  // namespace contrail::wire
