#include <contrail/wire/tick_ledger.hpp>

#include <algorithm>

namespace contrail::wire {

TickLedger::TickLedger(int log2_tick)
    : window_(static_cast<std::uint32_t>(window_ticks(log2_tick))),
      backlog_ticks_(static_cast<std::uint32_t>(k_backlog_limit / tick_nanoseconds(log2_tick))),
      ring_(k_ledger_ticks) {}

void TickLedger::start(std::uint32_t tick) {
  known_ = tick;
  newest_ = tick;
  std::fill(ring_.begin(), ring_.end(), State{});
}

void TickLedger::add(TickContent content) {
  ++newest_;
  ring_[newest_ % k_ledger_ticks] = {newest_, 0, 0, 0, content, false};
}

const TickLedger::State* TickLedger::find(std::uint32_t tick) const {
  const State& state = ring_[tick % k_ledger_ticks];
  return tick > known_ && tick <= newest_ && state.tick == tick ? &state : nullptr;
}

TickLedger::State* TickLedger::find(std::uint32_t tick) {
  return const_cast<State*>(static_cast<const TickLedger*>(this)->find(tick));
}

bool TickLedger::due(std::uint32_t tick, std::uint32_t network_tick) const {
  const State* state = find(tick);
  return state != nullptr && !state->known && state->content != TickContent::sliced &&
         state->next <= network_tick;
}

bool TickLedger::record_due(std::uint32_t network_tick) const {
  for (std::uint32_t tick = newest_; tick > known_ && newest_ - tick < k_ledger_ticks; --tick) {
    const State* state = find(tick);
    if (state != nullptr && state->content == TickContent::record && due(tick, network_tick)) {
      return true;
    }
  }
  return false;
}

std::uint32_t TickLedger::window_start(std::uint32_t last) const {
  return last > window_ ? last - window_ + 1 : 1;
}

std::uint32_t TickLedger::window_end(std::uint32_t first) const {
  return newest_ - first < window_ ? newest_ : first + window_ - 1;
}

std::uint32_t TickLedger::empty_bits(std::uint32_t last) const {
  std::uint32_t bits = 0;
  for (std::uint32_t tick = window_start(last); tick <= last && tick != 0; ++tick) {
    // Also of ticks the client knows: the ring remembers them as long as packets speak of them.
    const State& state = ring_[tick % k_ledger_ticks];
    if (state.tick == tick && state.content == TickContent::empty) {
      bits |= std::uint32_t{1} << (last - tick);
    }
  }
  return bits;
}

std::uint32_t TickLedger::oldest_due_before_window(std::uint32_t network_tick) const {
  const std::uint32_t oldest =
      newest_ - known_ > k_ledger_ticks ? newest_ - k_ledger_ticks : known_;
  for (std::uint32_t tick = oldest + 1; tick < window_start(newest_); ++tick) {
    if (due(tick, network_tick)) return tick;
  }
  return 0;
}

void TickLedger::sent(std::uint32_t last, std::uint32_t complete, std::uint32_t network_tick,
                      int resend_ticks) {
  for (std::uint32_t i = 0; i < window_ && i < last; ++i) {
    State* state = (complete >> i & 1) != 0 ? find(last - i) : nullptr;
    if (state == nullptr) continue;
    if (state->sendings == 0) state->first = network_tick;
    if (state->sendings < 0xFF) ++state->sendings;
    // An empty tick rides in every packet of its window anyway; past it, it waits for the ack.
    state->next = state->content == TickContent::empty
                      ? network_tick + static_cast<std::uint32_t>(resend_ticks)
                      : next_sending(state->first, network_tick, state->sendings, resend_ticks);
  }
}

void TickLedger::acked(std::uint32_t last, std::uint32_t complete) {
  for (std::uint32_t i = 0; i < window_ && i < last; ++i) {
    if ((complete >> i & 1) != 0) learn(last - i);
  }
  advance();
}

void TickLedger::acked_slices(std::uint32_t tick) {
  learn(tick);
  advance();
}

void TickLedger::learn(std::uint32_t tick) {
  State* state = find(tick);
  if (state != nullptr) state->known = true;
}

void TickLedger::advance() {
  while (known_ < newest_) {
    const State* state = find(known_ + 1);
    if (state == nullptr || !state->known) break;
    ++known_;
  }
}

}  // namespace contrail::wire
