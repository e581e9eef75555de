#include <contrail/edge/log_history.hpp>

#include <algorithm>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/codec.hpp>
#include <contrail/wire/log_assembler.hpp>

namespace contrail::server {

namespace {

wire::TickContent classify(const sim::TickRecord& record) {
  if (record.empty()) return wire::TickContent::empty;
  wire::PacketBodySize size;
  size.add(record);
  if (size.bytes() > wire::k_max_packet_body) return wire::TickContent::sliced;
  return wire::is_quiet(record) ? wire::TickContent::quiet : wire::TickContent::record;
}

}  // namespace

LogHistory::LogHistory(int log2_tick, std::uint32_t first_tick)
    : log2_tick_(log2_tick), newest_(first_tick), ring_(wire::k_ledger_ticks) {}

void LogHistory::add(const sim::TickRecord& record, std::span<const std::uint8_t> canonical) {
  sim::require(record.tick == newest_ + 1 && record.tick != 0, "ticks ascend by 1");
  sim::require(record.empty() == canonical.empty(), "a record that says something has bytes");
  ++newest_;
  bodies_.clear();
  Entry& entry = ring_[newest_ % ring_.size()];
  entry.tick = newest_;
  entry.content = classify(record);
  entry.record = record;
  entry.stream.reset();
  if (entry.content == wire::TickContent::sliced) {
    entry.stream = std::make_shared<const wire::Bytes>(canonical.begin(), canonical.end());
  }
  if (entry.content == wire::TickContent::record || entry.content == wire::TickContent::sliced) {
    newest_active_ = newest_;
  }
}

const LogHistory::Entry* LogHistory::find(std::uint32_t tick) const {
  const Entry& entry = ring_[tick % ring_.size()];
  return entry.tick == tick && tick != 0 ? &entry : nullptr;
}

wire::TickContent LogHistory::content(std::uint32_t tick) const {
  const Entry* entry = find(tick);
  return entry != nullptr ? entry->content : wire::TickContent::empty;
}

const sim::TickRecord* LogHistory::record(std::uint32_t tick) const {
  const Entry* entry = find(tick);
  return entry != nullptr && entry->content != wire::TickContent::empty ? &entry->record : nullptr;
}

std::shared_ptr<const wire::Bytes> LogHistory::stream(std::uint32_t tick) const {
  const Entry* entry = find(tick);
  return entry != nullptr ? entry->stream : nullptr;
}

bool LogHistory::active() const {
  const auto memory =
      static_cast<std::uint32_t>(wire::k_activity_memory / wire::tick_nanoseconds(log2_tick_));
  return newest_active_ != 0 && newest_ - newest_active_ < memory;
}

const PacketBody& LogHistory::body(std::uint32_t last, std::uint32_t complete) {
  const auto made = std::find_if(bodies_.begin(), bodies_.end(), [&](const PacketBody& body) {
    return body.last == last && body.complete == complete;
  });
  if (made != bodies_.end()) return *made;
  PacketBody body;
  body.last = last;
  body.complete = complete;
  std::vector<const sim::TickRecord*> records;
  for (int i = wire::window_ticks(log2_tick_); i-- > 0;) {
    const auto back = static_cast<std::uint32_t>(i);
    if ((complete >> back & 1) == 0 || back >= last) continue;
    const sim::TickRecord* found = record(last - back);
    if (found == nullptr) continue;
    records.push_back(found);
    body.payload.add(*found);
  }
  body.records = static_cast<std::uint32_t>(records.size());
  body.bytes = wire::encode_packet_body(records, last, log2_tick_);
  bodies_.push_back(std::move(body));
  return bodies_.back();
}

}  // namespace contrail::server
