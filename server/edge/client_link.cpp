#include <contrail/edge/client_link.hpp>

#include <algorithm>
#include <utility>

#include <contrail/wire/codec.hpp>

namespace contrail::server {

namespace {

// A client not heard for so long gets keep-alives only: nobody may be there any more.
constexpr wire::Nanoseconds k_silence = wire::k_second;

}  // namespace

ClientLink::ClientLink(const ClientIdentity& identity, int log2_tick,
                       std::shared_ptr<const wire::Bytes> session_header, wire::Nanoseconds now)
    : identity_(identity),
      log2_tick_(log2_tick),
      network_tick_length_(wire::network_tick_nanoseconds(log2_tick)),
      idle_ticks_(static_cast<std::uint32_t>(wire::k_idle_interval / network_tick_length_)),
      last_heard_(now),
      ledger_(log2_tick),
      waiting_since_(now),
      header_({wire::StreamKind::session_header, 0}, std::move(session_header)) {}

wire::PacketError ClientLink::open(const wire::ClearHeader& header,
                                   std::span<const std::uint8_t> datagram, wire::Nanoseconds now,
                                   std::uint64_t& counter, wire::PlainText& plain) {
  counter = received_.expand(header.counter);
  const wire::PacketError error = wire::open(cipher_, counter, datagram, plain);
  if (error != wire::PacketError::none) return error;
  if (!received_.fresh(counter)) return wire::PacketError::replayed;
  const wire::Acked acked = sent_.acknowledge(wire::read_ack_block(plain));
  if (acked.error != wire::PacketError::none) return acked.error;
  for (std::size_t i = 0; i < acked.count; ++i) {
    const wire::SentPacket& packet = acked.packets[i];
    timer_.add(now - packet.time);
    if (packet.complete != 0) ledger_.acked(packet.last_tick, packet.complete);
  }
  last_heard_ = std::max(last_heard_, now);
  return wire::PacketError::none;
}

wire::PacketError ClientLink::on_slice_ack(const wire::SliceAck& ack) {
  switch (ack.stream.kind) {
    case wire::StreamKind::session_header:
      return header_.acknowledge(ack);
    case wire::StreamKind::snapshot: {
      if (!snapshot_) return wire::PacketError::none;
      const wire::PacketError error = snapshot_->acknowledge(ack);
      if (snapshot_->complete()) {
        snapshot_.reset();
        waiting_since_.reset();
      }
      return error;
    }
    case wire::StreamKind::record: {
      const auto it = streams_.find(ack.stream.id);
      if (it == streams_.end()) return wire::PacketError::none;
      const wire::PacketError error = it->second.acknowledge(ack);
      if (it->second.complete()) {
        ledger_.acked_slices(ack.stream.id);
        streams_.erase(it);
      }
      return error;
    }
  }
  return wire::PacketError::bad_value;
}

void ClientLink::on_tick(const LogHistory& history) {
  commands_in_tick = 0;
  if (!started_) return;
  const std::uint32_t tick = history.newest();
  const wire::TickContent content = history.content(tick);
  ledger_.add(content);
  if (content == wire::TickContent::sliced && !needs_snapshot_) {
    streams_.emplace(tick,
                     wire::SliceSender({wire::StreamKind::record, tick}, history.stream(tick)));
  }
}

void ClientLink::start(const SharedSnapshot& snapshot, const LogHistory& history) {
  started_ = true;
  needs_snapshot_ = false;
  streams_.clear();
  snapshot_.emplace(wire::StreamName{wire::StreamKind::snapshot, snapshot.tick}, snapshot.bytes);
  ledger_.start(snapshot.tick);
  for (std::uint32_t tick = snapshot.tick; tick != history.newest();) {
    ++tick;
    ledger_.add(history.content(tick));
    if (history.content(tick) == wire::TickContent::sliced) {
      streams_.emplace(tick,
                       wire::SliceSender({wire::StreamKind::record, tick}, history.stream(tick)));
    }
  }
}

void ClientLink::watch_backlog(const LinkOutput& out) {
  if (!started_ || needs_snapshot_ || !ledger_.overdue()) return;
  needs_snapshot_ = true;
  snapshot_.reset();
  streams_.clear();
  if (!waiting_since_) waiting_since_ = out.now;
  ++out.statistics.resyncs;
}

bool ClientLink::tick_packet_due(std::uint32_t network_tick, const LogHistory& history,
                                 bool silent) const {
  if (!last_tick_packet_ || network_tick - *last_tick_packet_ >= idle_ticks_) return true;
  // While header and snapshot are under way nothing can be shown: they get the room.
  if (silent || !live()) return false;
  return history.active() || ledger_.record_due(network_tick);
}

void ClientLink::send_log(std::uint32_t network_tick, LogHistory& history, const LinkOutput& out) {
  const bool silent = out.now - last_heard_ > k_silence;
  if (!silent) watch_backlog(out);
  int budget = wire::k_max_datagrams_per_tick;
  if (started_ && tick_packet_due(network_tick, history, silent)) {
    send_ticks(network_tick, history, out, budget);
    last_tick_packet_ = network_tick;
  }
  if (silent) return;
  std::size_t open_streams = 0;
  for (auto& [tick, stream] : streams_) {
    if (open_streams++ == wire::k_max_record_streams) break;
    send_slices(stream, network_tick, out, budget);
  }
  if (!header_.complete()) send_slices(header_, network_tick, out, budget);
  if (snapshot_) send_slices(*snapshot_, network_tick, out, budget);
}

void ClientLink::send_ticks(std::uint32_t network_tick, LogHistory& history, const LinkOutput& out,
                            int& budget) {
  const std::uint32_t newest = ledger_.newest();
  if (newest == 0) return;
  bool more = true;  // the first packet goes out even if it only says that nothing happened
  while (more && budget > 0) {
    send_tick_packet(newest, network_tick, history, out);
    --budget;
    more = false;
    for (std::uint32_t tick = ledger_.window_start(newest); tick <= newest && tick != 0 && !more;
         ++tick) {
      more = ledger_.due(tick, network_tick) && history.record(tick) != nullptr;
    }
  }
  while (budget > 0 && !needs_snapshot_) {
    const std::uint32_t oldest = ledger_.oldest_due_before_window(network_tick);
    if (oldest == 0) break;
    send_tick_packet(ledger_.window_end(oldest), network_tick, history, out);
    --budget;
  }
}

void ClientLink::send_tick_packet(std::uint32_t last, std::uint32_t network_tick,
                                  LogHistory& history, const LinkOutput& out) {
  std::uint32_t complete = ledger_.empty_bits(last);
  wire::PacketBodySize size;
  for (std::uint32_t tick = ledger_.window_start(last); tick <= last && tick != 0; ++tick) {
    if (needs_snapshot_ || !ledger_.due(tick, network_tick)) continue;
    const sim::TickRecord* record = history.record(tick);
    if (record == nullptr) continue;
    // Later, smaller records may still fit; the oldest of those left opens the next packet.
    if (size.bytes_with(*record) > wire::k_max_packet_body) continue;
    size.add(*record);
    complete |= std::uint32_t{1} << (last - tick);
  }
  const PacketBody& body = history.body(last, complete);
  wire::PlainText plain;
  begin_packet(out, plain);
  wire::append(wire::TickBlock{last, complete}, plain);
  wire::append(std::span<const std::uint8_t>(body.bytes), plain);
  send_packet(wire::PacketType::tick, plain, last, complete, out);
  ledger_.sent(last, complete, network_tick, timer_.resend_ticks(network_tick_length_));
  BroadcasterStatistics& statistics = out.statistics;
  ++statistics.tick_packets;
  if (body.records == 0) ++statistics.empty_packets;
  statistics.record_copies += body.records;
  statistics.launch_bytes += body.launch_bytes;
  statistics.track_bytes += body.track_bytes;
}

void ClientLink::send_slices(wire::SliceSender& stream, std::uint32_t network_tick,
                             const LinkOutput& out, int& budget) {
  const int resend_ticks = timer_.resend_ticks(network_tick_length_);
  while (budget > 0) {
    const std::uint64_t copies = stream.copies();
    const auto index = stream.next(network_tick, resend_ticks);
    if (!index) return;
    wire::PlainText plain;
    begin_packet(out, plain);
    stream.write(*index, plain);
    send_packet(wire::PacketType::slice, plain, 0, 0, out);
    --budget;
    ++out.statistics.slices_sent;
    out.statistics.slice_copies += stream.copies() - copies;
    if (stream.name().kind == wire::StreamKind::record && *index == 0) {
      ++out.statistics.record_copies;
    }
  }
}

void ClientLink::begin_packet(const LinkOutput& out, wire::PlainText& plain) const {
  wire::write_ack_block(received_.ack_block(out.now), plain);
}

void ClientLink::send_packet(wire::PacketType type, const wire::PlainText& plain,
                             std::uint32_t last_tick, std::uint32_t complete,
                             const LinkOutput& out) {
  const std::uint64_t counter = sent_.add(out.now, last_tick, complete);
  wire::Datagram datagram;
  wire::seal(cipher_, {type, 0, identity_.connection, static_cast<std::uint16_t>(counter)}, counter,
             plain, datagram);
  out.sink.send(identity_.address, datagram.view());
  ++out.statistics.datagrams_sent;
  out.statistics.bytes_sent += datagram.size;
}

}  // namespace contrail::server
