#include <contrail/wire/log_assembler.hpp>

#include <algorithm>

#include <contrail/wire/byte_account.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::wire {

namespace {

std::uint64_t missile_bytes(const sim::TickRecord& record) {
  ByteAccount account;
  account.add(record);
  return account.missiles();
}

}  // namespace

bool is_quiet(const sim::TickRecord& record) {
  if (record.state_hashes.empty()) return false;
  return record.launches.empty() && record.outcomes.empty() && record.guidance.empty() &&
         record.health.empty() && record.despawns.empty() && record.spawns.empty() &&
         record.turret_modes.empty() && record.shots.empty() && record.track_keys.empty() &&
         record.relative_keys.empty() && record.attitude_keys.empty() && record.customs.empty() &&
         record.timelines.empty();
}

LogAssembler::LogAssembler(int log2_tick, std::uint32_t tick)
    : log2_tick_(log2_tick),
      window_(static_cast<std::uint32_t>(window_ticks(log2_tick))),
      reach_(tick) {}

bool LogAssembler::in_reach(std::uint32_t tick) const {
  return tick > 0 && (tick <= reach_ || tick - reach_ <= k_max_held_ticks);
}

PacketError LogAssembler::on_tick_packet(const TickBlock& block,
                                         std::span<const std::uint8_t> body) {
  if (!in_reach(block.last_tick)) return PacketError::bad_tick;
  std::vector<sim::TickRecord> records;
  if (!decode_packet_body(body, block.last_tick, block.complete, log2_tick_, records)) {
    return PacketError::bad_body;
  }
  if (held_.size() + window_ > k_max_held_ticks || held_bytes_ > k_max_held_bytes) {
    return PacketError::over_limit;
  }
  reach_ = std::max(reach_, block.last_tick);
  auto next = records.begin();
  for (std::uint32_t i = window_; i-- > 0;) {  // oldest first, as the records are
    if ((block.complete >> i & 1) == 0 || i >= block.last_tick) continue;
    const std::uint32_t tick = block.last_tick - i;
    if (next != records.end() && next->tick == tick) {
      launch_bytes_ += missile_bytes(*next);
      hold(tick, std::move(*next));
      ++next;
    } else {
      hold(tick, std::nullopt);
    }
  }
  advance();
  return PacketError::none;
}

void LogAssembler::hold(std::uint32_t tick, std::optional<sim::TickRecord> record) {
  // Before the first snapshot everything may be needed; its tick sorts that out.
  if ((started_ && tick <= known_) || held_.contains(tick)) {
    if (record) ++duplicate_records_;
    return;
  }
  Held entry;
  if (record) {
    entry.present = true;
    held_bytes_ += record_bytes(*record);
    unique_launch_bytes_ += missile_bytes(*record);
    entry.record = std::move(*record);
  }
  held_.emplace(tick, std::move(entry));
}

void LogAssembler::advance() {
  if (!started_) return;
  for (auto it = held_.upper_bound(known_); it != held_.end() && it->first == known_ + 1; ++it) {
    ++known_;
    if (!it->second.present) continue;
    ++records_;
    if (!is_quiet(it->second.record)) newly_known_ = known_;
  }
}

void LogAssembler::owe(const StreamName& stream) {
  if (std::find(owed_acks_.begin(), owed_acks_.end(), stream) == owed_acks_.end()) {
    owed_acks_.push_back(stream);
  }
}

PacketError LogAssembler::count(SliceReceiver::Result result) {
  if (result == SliceReceiver::Result::contradiction) return PacketError::bad_slice;
  ++slices_;
  if (result == SliceReceiver::Result::duplicate) ++duplicate_slices_;
  return PacketError::none;
}

PacketError LogAssembler::on_slice(const SliceHeader& header, std::span<const std::uint8_t> bytes) {
  switch (header.stream.kind) {
    case StreamKind::session_header:
      return on_header_slice(header, bytes);
    case StreamKind::snapshot:
      return on_snapshot_slice(header, bytes);
    case StreamKind::record:
      return on_record_slice(header, bytes);
  }
  return PacketError::bad_value;
}

PacketError LogAssembler::on_header_slice(const SliceHeader& header,
                                          std::span<const std::uint8_t> bytes) {
  if (header_done_) {
    count(SliceReceiver::Result::duplicate);
  } else {
    if (!header_) header_.emplace(header);
    const SliceReceiver::Result result = header_->add(header, bytes);
    const PacketError error = count(result);
    if (error != PacketError::none) return error;
    if (result == SliceReceiver::Result::completed) {
      header_done_ = true;
      ready_header_ = header_->take();
      header_.reset();
    }
  }
  owe(header.stream);
  return PacketError::none;
}

PacketError LogAssembler::on_snapshot_slice(const SliceHeader& header,
                                            std::span<const std::uint8_t> bytes) {
  const std::uint32_t tick = header.stream.id;
  if (tick != 0 && !in_reach(tick)) return PacketError::bad_tick;
  if (newest_snapshot_ && tick < *newest_snapshot_) {
    return count(SliceReceiver::Result::duplicate);  // its sender gave it up for a newer one
  }
  if (!newest_snapshot_ || tick > *newest_snapshot_) {
    newest_snapshot_ = tick;
    reach_ = std::max(reach_, tick);
    snapshot_.emplace(header);
  }
  if (!snapshot_) {
    count(SliceReceiver::Result::duplicate);  // complete already
  } else {
    const SliceReceiver::Result result = snapshot_->add(header, bytes);
    const PacketError error = count(result);
    if (error != PacketError::none) return error;
    if (result == SliceReceiver::Result::completed) adopt_snapshot();
  }
  owe(header.stream);
  return PacketError::none;
}

void LogAssembler::adopt_snapshot() {
  const std::uint32_t tick = snapshot_->name().id;
  Bytes bytes = snapshot_->take();
  snapshot_.reset();
  // The missing ticks may have come after all while the snapshot was under way.
  if (started_ && known_ >= tick) return;
  ++snapshots_;
  started_ = true;
  known_ = tick;
  ready_snapshot_ = SnapshotBytes{tick, std::move(bytes)};
  forget_up_to(tick);
  advance();
}

void LogAssembler::forget_up_to(std::uint32_t tick) {
  while (!held_.empty() && held_.begin()->first <= tick) {
    if (held_.begin()->second.present) held_bytes_ -= record_bytes(held_.begin()->second.record);
    held_.erase(held_.begin());
  }
  streams_.erase(streams_.begin(), streams_.upper_bound(tick));
}

PacketError LogAssembler::on_record_slice(const SliceHeader& header,
                                          std::span<const std::uint8_t> bytes) {
  const std::uint32_t tick = header.stream.id;
  if (!in_reach(tick)) return PacketError::bad_tick;
  if ((started_ && tick <= known_) || held_.contains(tick)) {
    count(SliceReceiver::Result::duplicate);
    owe(header.stream);
    return PacketError::none;
  }
  auto it = streams_.find(tick);
  if (it == streams_.end()) {
    if (streams_.size() == k_max_record_streams || held_bytes_ > k_max_held_bytes ||
        held_.size() >= k_max_held_ticks) {
      return PacketError::over_limit;
    }
    it = streams_.emplace(tick, SliceReceiver(header)).first;
  }
  const SliceReceiver::Result result = it->second.add(header, bytes);
  const PacketError error = count(result);
  if (error != PacketError::none) return error;
  if (result == SliceReceiver::Result::completed) {
    const Bytes whole = it->second.take();
    streams_.erase(it);
    sim::TickRecord record;
    if (!decode_record(whole, log2_tick_, record) || record.tick != tick) {
      return PacketError::bad_body;
    }
    reach_ = std::max(reach_, tick);
    launch_bytes_ += missile_bytes(record);
    hold(tick, std::move(record));
    advance();
  }
  owe(header.stream);
  return PacketError::none;
}

std::optional<SliceAck> LogAssembler::next_slice_ack() {
  if (owed_acks_.empty()) return std::nullopt;
  const StreamName stream = owed_acks_.front();
  owed_acks_.erase(owed_acks_.begin());
  if (stream.kind == StreamKind::session_header && header_) return header_->ack();
  if (stream.kind == StreamKind::snapshot && snapshot_ && snapshot_->name() == stream) {
    return snapshot_->ack();
  }
  if (stream.kind == StreamKind::record) {
    const auto it = streams_.find(stream.id);
    if (it != streams_.end()) return it->second.ack();
  }
  SliceAck all;
  all.stream = stream;
  all.first_missing = SliceAck::k_all;
  return all;
}

std::optional<Bytes> LogAssembler::take_session_header() {
  std::optional<Bytes> out;
  std::swap(out, ready_header_);
  return out;
}

std::optional<SnapshotBytes> LogAssembler::take_snapshot() {
  std::optional<SnapshotBytes> out;
  std::swap(out, ready_snapshot_);
  if (out) delivered_ = out->tick;
  return out;
}

std::vector<sim::TickRecord> LogAssembler::take_records() {
  std::vector<sim::TickRecord> out;
  if (!started_ || ready_snapshot_) return out;
  while (!held_.empty() && held_.begin()->first <= known_) {
    Held& entry = held_.begin()->second;
    if (entry.present) {
      held_bytes_ -= record_bytes(entry.record);
      out.push_back(std::move(entry.record));
    }
    held_.erase(held_.begin());
  }
  delivered_ = known_;
  return out;
}

std::optional<std::uint32_t> LogAssembler::take_newly_known() {
  std::optional<std::uint32_t> out;
  std::swap(out, newly_known_);
  return out;
}

void LogAssembler::add_to(ConnectionStatistics& statistics) const {
  statistics.records = records_;
  statistics.duplicate_records = duplicate_records_;
  statistics.slices = slices_;
  statistics.duplicate_slices = duplicate_slices_;
  statistics.resyncs = snapshots_ > 0 ? snapshots_ - 1 : 0;
  statistics.launch_bytes = launch_bytes_;
  statistics.unique_launch_bytes = unique_launch_bytes_;
}

}  // namespace contrail::wire
