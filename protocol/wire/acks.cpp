#include <contrail/wire/acks.hpp>

#include <algorithm>
#include <bit>

#include <contrail/sim/assert.hpp>

namespace contrail::wire {

bool ReceiveWindow::seen(std::uint64_t counter) const {
  const std::uint64_t slot = counter % k_replay_window;
  return (bits_[slot / 64] >> (slot % 64) & 1) != 0;
}

bool ReceiveWindow::fresh(std::uint64_t counter) const {
  if (counter == 0) return false;
  if (counter > newest_) return true;
  return newest_ - counter < k_replay_window && !seen(counter);
}

void ReceiveWindow::accept(std::uint64_t counter, Nanoseconds now) {
  sim::require(fresh(counter), "a packet is accepted once");
  const auto set = [this](std::uint64_t at, bool value) {
    const std::uint64_t slot = at % k_replay_window;
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    bits_[slot / 64] = value ? bits_[slot / 64] | bit : bits_[slot / 64] & ~bit;
  };
  if (counter > newest_) {
    const std::uint64_t skipped = std::min(counter - newest_ - 1, k_replay_window);
    for (std::uint64_t i = 1; i <= skipped; ++i) set(counter - i, false);
    newest_ = counter;
    newest_time_ = now;
  }
  set(counter, true);
  ++received_;
}

AckBlock ReceiveWindow::ack_block(Nanoseconds now) const {
  AckBlock block;
  if (newest_ == 0) return block;
  block.ack = static_cast<std::uint16_t>(newest_);
  const Nanoseconds waited = std::max<Nanoseconds>(now - newest_time_, 0) >> k_ack_delay_shift;
  block.delay = static_cast<std::uint16_t>(std::min<Nanoseconds>(waited, 0xFFFF));
  for (std::uint64_t i = 0; i < 32 && newest_ > i + 1; ++i) {
    if (seen(newest_ - 1 - i)) block.bits |= std::uint32_t{1} << i;
  }
  return block;
}

SentWindow::SentWindow() : ring_(k_sent_window) {}

std::uint64_t SentWindow::add(Nanoseconds now, const PacketContent& content) {
  const std::uint64_t counter = next_++;
  ring_[counter % k_sent_window] = {counter, now, content, false};
  return counter;
}

SentPacket* SentWindow::find(std::uint64_t counter) {
  SentPacket& packet = ring_[counter % k_sent_window];
  return packet.counter == counter && counter != 0 ? &packet : nullptr;
}

bool SentWindow::arrived(std::uint64_t counter) {
  if (newest_acked_ - counter < 64) return (history_ >> (newest_acked_ - counter) & 1) != 0;
  // A packet that already left the ring can't be acknowledged any more.
  const SentPacket* packet = find(counter);
  return packet != nullptr && packet->acked;
}

void SentWindow::judge(std::uint64_t up_to) {
  for (; judged_ < up_to; ++judged_) {
    if (!arrived(judged_ + 1)) ++lost_;
  }
}

/// Of the packets said to have arrived (bit i: newest - i) those that nobody said before, as far as
/// the history tells. Most blocks repeat what the last one said; the ring isn't touched for that.
std::uint64_t SentWindow::news(std::uint64_t newest, std::uint64_t said) {
  if (newest > newest_acked_) {
    const std::uint64_t ahead = newest - newest_acked_;
    history_ = ahead < 64 ? history_ << ahead : 0;
    newest_acked_ = newest;
  }
  const std::uint64_t behind = newest_acked_ - newest;
  if (behind >= 64) return said;
  const std::uint64_t fresh = said & ~(history_ >> behind);
  history_ |= said << behind;
  return fresh;
}

Acked SentWindow::acknowledge(const AckBlock& block) {
  Acked out;
  const std::uint64_t newest = expand_counter(block.ack, newest_acked_);
  if (newest >= next_ || (newest == 0 && block.bits != 0)) {
    out.error = PacketError::bad_ack;
    return out;
  }
  if (newest == 0) return out;
  std::uint64_t said = std::uint64_t{block.bits} << 1 | 1;
  if (newest < 64) said &= (std::uint64_t{1} << newest) - 1;  // there is no packet 0
  for (std::uint64_t fresh = news(newest, said); fresh != 0; fresh &= fresh - 1) {
    SentPacket* packet = find(newest - static_cast<std::uint64_t>(std::countr_zero(fresh)));
    if (packet == nullptr || packet->acked) continue;
    packet->acked = true;
    ++acked_;
    out.packets[out.count++] = packet;
  }
  if (newest_acked_ > 33) judge(newest_acked_ - 33);
  return out;
}

}  // namespace contrail::wire
