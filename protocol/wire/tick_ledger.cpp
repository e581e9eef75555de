#include <contrail/wire/tick_ledger.hpp>

#include <algorithm>
#include <bit>

namespace contrail::wire {

TickLedger::TickLedger(int log2_tick)
    : window_(static_cast<std::uint32_t>(window_ticks(log2_tick))),
      backlog_ticks_(static_cast<std::uint32_t>(k_backlog_limit / tick_nanoseconds(log2_tick))),
      ring_(k_ledger_ticks) {}

void TickLedger::start(std::uint32_t tick) {
  known_ = tick;
  newest_ = tick;
  empty_ = 0;
  waiting_ = 0;
  std::fill(ring_.begin(), ring_.end(), State{});
}

void TickLedger::add(TickContent content) {
  ++newest_;
  ring_[newest_ % k_ledger_ticks] = {newest_, 0, 0, 0, content, false};
  const bool empty = content == TickContent::empty;
  empty_ = empty_ << 1 | (empty ? 1U : 0U);
  waiting_ = waiting_ << 1 | (empty || content == TickContent::sliced ? 0U : 1U);
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

std::uint32_t TickLedger::window_bits(std::uint32_t last) const {
  const std::uint32_t ticks = std::min(window_, last);  // from tick 1 on
  return ticks >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << ticks) - 1;
}

/// Bits of ticks after known().
std::uint32_t TickLedger::unknown_bits(std::uint32_t last) const {
  if (last <= known_) return 0;
  const std::uint32_t ticks = last - known_;
  return ticks >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << ticks) - 1;
}

std::uint32_t TickLedger::empty_bits(std::uint32_t last) const {
  const std::uint32_t back = newest_ - last;
  if (back <= 32) return static_cast<std::uint32_t>(empty_ >> back) & window_bits(last);
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

std::uint32_t TickLedger::due_bits(std::uint32_t last, std::uint32_t network_tick) const {
  const std::uint32_t back = newest_ - last;
  std::uint32_t candidates = window_bits(last) & unknown_bits(last);
  if (back <= 32) candidates &= static_cast<std::uint32_t>(waiting_ >> back);
  std::uint32_t bits = 0;
  for (; candidates != 0; candidates &= candidates - 1) {
    const auto age = static_cast<std::uint32_t>(std::countr_zero(candidates));
    const State* state = find(last - age);
    if (state != nullptr && state->content != TickContent::empty && due(last - age, network_tick)) {
      bits |= std::uint32_t{1} << age;
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
  std::uint32_t told = complete & window_bits(last) & unknown_bits(last);
  for (; told != 0; told &= told - 1) {
    State* state = find(last - static_cast<std::uint32_t>(std::countr_zero(told)));
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
  std::uint32_t told = complete & window_bits(last) & unknown_bits(last);
  for (; told != 0; told &= told - 1) {
    learn(last - static_cast<std::uint32_t>(std::countr_zero(told)));
  }
  advance();
}

void TickLedger::acked_slices(std::uint32_t tick) {
  learn(tick);
  advance();
}

void TickLedger::learn(std::uint32_t tick) {
  State* state = find(tick);
  if (state == nullptr) return;
  state->known = true;
  if (newest_ - tick < 64) waiting_ &= ~(std::uint64_t{1} << (newest_ - tick));
}

void TickLedger::advance() {
  while (known_ < newest_) {
    const State* state = find(known_ + 1);
    if (state == nullptr || !state->known) break;
    ++known_;
  }
}

}  // namespace contrail::wire
