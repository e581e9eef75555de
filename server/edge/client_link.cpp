#include <contrail/edge/client_link.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <contrail/wire/codec.hpp>

namespace contrail::server {

namespace {

// A client not heard for so long gets keep-alives only: nobody may be there any more.
constexpr wire::Nanoseconds k_silence = wire::k_second;

}  // namespace

ClientLink::ClientLink(const ClientIdentity& identity, const wire::ConnectionKeys& keys,
                       int log2_tick, std::shared_ptr<const wire::Bytes> session_header,
                       wire::Nanoseconds now)
    : identity_(identity),
      network_tick_length_(wire::network_tick_nanoseconds(log2_tick)),
      last_heard_(now),
      ledger_(log2_tick),
      header_({wire::StreamKind::session_header, 0}, std::move(session_header)),
      waiting_since_(now),
      idle_ticks_(static_cast<std::uint32_t>(wire::k_idle_interval / network_tick_length_)),
      sending_{keys.server_to_client},
      receiving_{keys.client_to_server},
      resume_secret_(keys.resume) {}

wire::PacketError ClientLink::open(const wire::ClearHeader& header,
                                   std::span<const std::uint8_t> datagram, wire::Nanoseconds now,
                                   std::uint64_t& counter, wire::PlainText& plain) {
  counter = received_.expand(header.counter);
  const wire::PacketError error = wire::open(receiving_, counter, datagram, plain);
  if (error != wire::PacketError::none) return error;
  if (!received_.fresh(counter)) return wire::PacketError::replayed;
  const wire::Acked acked = sent_.acknowledge(wire::read_ack_block(plain));
  if (acked.error != wire::PacketError::none) return acked.error;
  for (std::size_t i = 0; i < acked.count; ++i) on_arrival(*acked.packets[i], now);
  heard_ = true;
  last_heard_ = std::max(last_heard_, now);
  return wire::PacketError::none;
}

void ClientLink::on_arrival(const wire::SentPacket& packet, wire::Nanoseconds now) {
  const wire::PacketContent& content = packet.content;
  if (content.kind == wire::PacketContent::Kind::other) return;
  timer_.add(now - packet.time);
  if (content.kind == wire::PacketContent::Kind::ticks) {
    ledger_.acked(content.id, content.complete);
    return;
  }
  wire::SliceSender* stream = find_stream(content.stream());
  if (stream == nullptr) return;  // given up meanwhile
  stream->acknowledge(content.slice);
  finish_streams();
}

wire::PacketError ClientLink::on_slice_ack(const wire::SliceAck& ack) {
  wire::SliceSender* stream = find_stream(ack.stream);
  if (stream == nullptr) return wire::PacketError::none;
  const wire::PacketError error = stream->acknowledge(ack);
  finish_streams();
  return error;
}

wire::SliceSender* ClientLink::find_stream(const wire::StreamName& name) {
  switch (name.kind) {
    case wire::StreamKind::session_header:
      return &header_;
    case wire::StreamKind::snapshot:
      return snapshot_ && snapshot_->name() == name ? &*snapshot_ : nullptr;
    case wire::StreamKind::record: {
      const auto it = streams_.find(name.id);
      return it != streams_.end() ? &it->second : nullptr;
    }
  }
  return nullptr;
}

void ClientLink::finish_streams() {
  if (snapshot_ && snapshot_->complete()) {
    snapshot_.reset();
    waiting_since_.reset();
  }
  for (auto it = streams_.begin(); it != streams_.end();) {
    if (it->second.complete()) {
      ledger_.acked_slices(it->first);
      it = streams_.erase(it);
    } else {
      ++it;
    }
  }
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
  if (!heard_) return;  // nothing but small answers before the client uses its connection
  const bool silent = out.now - last_heard_ > k_silence;
  if (!silent) watch_backlog(out);
  int budget = live() ? wire::k_max_datagrams_per_tick : wire::k_max_datagrams_per_joining_tick;
  if (started_ && tick_packet_due(network_tick, history, silent)) {
    last_tick_packet_ = network_tick;
    if (silent) {
      send_tick_packet(ledger_.newest(), network_tick, history, out, Records::none);
    } else {
      send_ticks(network_tick, history, out, budget);
    }
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
  // A snapshot will bring what is missing.
  const Records records = needs_snapshot_ ? Records::none : Records::due;
  bool more = true;  // the first packet goes out even if it only says that nothing happened
  while (more && budget > 0) {
    send_tick_packet(newest, network_tick, history, out, records);
    --budget;
    more = records == Records::due && ledger_.due_bits(newest, network_tick) != 0;
  }
  while (budget > 0 && !needs_snapshot_) {
    const std::uint32_t oldest = ledger_.oldest_due_before_window(network_tick);
    if (oldest == 0) break;
    send_tick_packet(ledger_.window_end(oldest), network_tick, history, out, records);
    --budget;
  }
}

void ClientLink::send_tick_packet(std::uint32_t last, std::uint32_t network_tick,
                                  LogHistory& history, const LinkOutput& out, Records records) {
  std::uint32_t complete = ledger_.empty_bits(last);
  wire::PacketBodySize size;
  std::uint32_t due = records == Records::due ? ledger_.due_bits(last, network_tick) : 0;
  while (due != 0) {  // oldest first
    const auto age = static_cast<std::uint32_t>(std::bit_width(due) - 1);
    due &= ~(std::uint32_t{1} << age);
    const sim::TickRecord* record = history.record(last - age);
    if (record == nullptr) continue;
    // Later, smaller records may still fit; the oldest of those left opens the next packet.
    if (size.bytes_with(*record) > wire::k_max_packet_body) continue;
    size.add(*record);
    complete |= std::uint32_t{1} << age;
  }
  const PacketBody& body = history.body(last, complete);
  wire::PlainText plain;
  begin_packet(out, plain);
  wire::append(wire::TickBlock{last, complete}, plain);
  wire::append(std::span<const std::uint8_t>(body.bytes), plain);
  send_packet(identity_.address, wire::PacketType::tick, plain,
              wire::PacketContent::of_ticks(last, complete), out);
  ledger_.sent(last, complete, network_tick, timer_.resend_ticks(network_tick_length_));
  BroadcasterStatistics& statistics = out.statistics;
  ++statistics.tick_packets;
  if (body.records == 0) ++statistics.empty_packets;
  statistics.record_copies += body.records;
  statistics.sent.payload += body.payload;
  statistics.sent.messages += body.bytes.size() - body.payload.total();
  statistics.sent.envelopes += wire::k_tick_block_bytes;
}

void ClientLink::send_slices(wire::SliceSender& stream, std::uint32_t network_tick,
                             const LinkOutput& out, int& budget) {
  const int resend_ticks = timer_.resend_ticks(network_tick_length_);
  while (budget > 0) {
    const std::uint64_t copies = stream.copies();
    const auto index = stream.next(network_tick, resend_ticks, sent_.newest_acked());
    if (!index) return;
    wire::PlainText plain;
    begin_packet(out, plain);
    stream.write(*index, plain);
    out.statistics.sent.envelopes += wire::k_slice_header_bytes;
    out.statistics.sent.slices += plain.content().size() - wire::k_slice_header_bytes;
    const std::uint64_t counter =
        send_packet(identity_.address, wire::PacketType::slice, plain,
                    wire::PacketContent::of_slice(stream.name(), *index), out);
    stream.sent(*index, network_tick, counter);
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

std::uint64_t ClientLink::send_packet(const wire::Address& to, wire::PacketType type,
                                      const wire::PlainText& plain,
                                      const wire::PacketContent& content, const LinkOutput& out) {
  const std::uint64_t counter = sent_.add(out.now, content);
  wire::Datagram datagram;
  wire::seal(sending_, {type, 0, identity_.connection, static_cast<std::uint16_t>(counter)},
             counter, plain, datagram);
  out.sink.send(to, datagram.view());
  ++out.statistics.datagrams_sent;
  out.statistics.bytes_sent += datagram.size;
  out.statistics.sent.envelopes += wire::k_min_sealed_datagram;
  return counter;
}

}  // namespace contrail::server
