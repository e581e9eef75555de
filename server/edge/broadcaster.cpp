#include <contrail/edge/broadcaster.hpp>

#include <algorithm>
#include <utility>

#include <contrail/edge/broadcaster_state.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {

namespace {

constexpr std::size_t k_kept_events = 4096;
constexpr std::size_t k_spare_slots = 64;  // for clients that are leaving
constexpr wire::Nanoseconds k_goodbye_spacing = 15 * wire::k_millisecond;

}  // namespace

Broadcaster::Impl::Impl(const BroadcasterConfig& given, wire::Bytes header)
    : config(given),
      session_header(std::make_shared<const wire::Bytes>(std::move(header))),
      random(given.secret),
      cookies(random.key()),
      admission(given.admission, random.key()),
      history(given.log2_tick, given.first_tick),
      links(std::min(wire::k_max_clients, given.max_clients + k_spare_slots)) {
  sim::require(config.max_clients >= 1 && config.max_clients <= wire::k_max_clients,
               "a server takes 1..k_max_clients clients");
  wire::secure_wipe(config.secret);
  sim::require(
      !session_header->empty() && session_header->size() <= wire::k_max_session_header_bytes,
      "a session header has 1..k_max_session_header_bytes bytes");
}

wire::Nanoseconds Broadcaster::Impl::session_time(wire::Nanoseconds now) const {
  const wire::Nanoseconds tick = wire::tick_nanoseconds(config.log2_tick);
  const wire::Nanoseconds newest = wire::Nanoseconds{history.newest()} * tick;
  if (!newest_due) return newest;
  // A server that stalls lets time stand still instead of promising ticks it will drop.
  return newest + std::clamp<wire::Nanoseconds>(now - *newest_due, 0, 4 * tick);
}

wire::PacketError Broadcaster::Impl::on_sealed(const wire::Address& from,
                                               const wire::ClearHeader& header,
                                               std::span<const std::uint8_t> datagram,
                                               wire::Nanoseconds now) {
  ClientLink* link = find(header.connection);
  if (link == nullptr || link->goodbyes > 0) return wire::PacketError::unknown_connection;
  std::uint64_t counter = 0;
  wire::PlainText plain;
  wire::PacketError error = link->open(header, datagram, now, counter, plain);
  if (error != wire::PacketError::none) return error;
  if (!link->confirmed && !confirm(*link)) return wire::PacketError::unexpected;
  if (header.type == wire::PacketType::disconnect) {
    wire::Disconnect disconnect;
    error = wire::read(plain.content(), disconnect);
    if (error == wire::PacketError::none) remove(*link, disconnect.reason);
    return error;
  }
  error = on_content(*link, header.type, plain.content(), now);
  if (error != wire::PacketError::none) return error;
  link->accept(counter, now);
  if (from != link->identity().address) {
    follow_path(*link, from, header, datagram.size(), plain, now);
  }
  return wire::PacketError::none;
}

wire::PacketError Broadcaster::Impl::on_content(ClientLink& link, wire::PacketType type,
                                                std::span<const std::uint8_t> content,
                                                wire::Nanoseconds now) {
  switch (type) {
    case wire::PacketType::ack:
      return content.empty() ? wire::PacketError::none : wire::PacketError::too_long;
    case wire::PacketType::slice_ack: {
      wire::SliceAck ack;
      const wire::PacketError error = wire::read(content, ack);
      return error != wire::PacketError::none ? error : link.on_slice_ack(ack);
    }
    case wire::PacketType::ping: {
      wire::Ping ping;
      const wire::PacketError error = wire::read(content, ping);
      if (error == wire::PacketError::none) {
        reply(link, wire::Pong{ping.client_sent, session_time(now), 0, epoch});
      }
      return error;
    }
    case wire::PacketType::command:
      return on_commands(link, content);
    case wire::PacketType::path_response: {
      wire::PathResponse response;
      return wire::read(content, response);  // see follow_path()
    }
    default:
      return wire::PacketError::unexpected;
  }
}

wire::PacketError Broadcaster::Impl::on_commands(ClientLink& link,
                                                 std::span<const std::uint8_t> content) {
  std::vector<wire::Command> got;
  if (!wire::decode_commands(content, got)) return wire::PacketError::bad_body;
  for (const wire::Command& command : got) {
    switch (link.commands.look_up(command.id)) {
      case CommandMemory::Seen::answered:
        reply(link, link.commands.result(command.id));
        [[fallthrough]];
      case CommandMemory::Seen::waiting:
      case CommandMemory::Seen::forgotten:
        ++statistics.repeated_commands;
        continue;
      case CommandMemory::Seen::never:
        break;
    }
    if (link.identity().role == wire::Role::spectator) {
      const wire::CommandResult result{command.id, wire::CommandStatus::refused_role, 0};
      link.commands.take(command.id);
      link.commands.answer(result);
      reply(link, result);
      continue;
    }
    // What finds no room is not taken: its sender repeats it.
    if (link.commands_in_tick >= wire::k_max_open_commands ||
        commands.size() >= wire::k_max_waiting_commands) {
      return wire::PacketError::over_limit;
    }
    ++link.commands_in_tick;
    link.commands.take(command.id);
    ++statistics.commands;
    commands.push_back(
        {link.identity().client, link.identity().role, link.identity().entity, command});
  }
  return wire::PacketError::none;
}

ClientLink* Broadcaster::Impl::find_client(std::uint32_t client) {
  for (const auto& link : links) {
    if (link && link->identity().client == client) return link.get();
  }
  return nullptr;
}

void Broadcaster::Impl::note(ClientEvent::Kind kind, const ClientLink& link,
                             wire::DisconnectReason reason) {
  if (events.size() == k_kept_events) events.erase(events.begin());
  events.push_back({kind, link.identity().client, link.identity().address, link.identity().role,
                    reason, link.identity().entity, link.grant.account,
                    kind == ClientEvent::Kind::joined ? link.grant.user_data : wire::Bytes{}});
}

void Broadcaster::Impl::begin_leaving(ClientLink& link, wire::DisconnectReason reason) {
  if (link.goodbyes > 0) return;
  link.goodbyes = wire::k_disconnect_repeats;
  link.reason = reason;
  --present;
  ++leaving;
  ++statistics.left[static_cast<std::size_t>(reason)];
  note(ClientEvent::Kind::left, link, reason);
}

void Broadcaster::Impl::remove(ClientLink& link, wire::DisconnectReason reason) {
  begin_leaving(link, reason);
  statistics.packets_lost += link.lost();
  const std::uint32_t connection = link.identity().connection;
  for (auto& slot : links) {
    if (slot && slot->identity().connection == connection) slot.reset();
  }
  --leaving;
}

void Broadcaster::Impl::reply(const ClientLink& link, const LinkReply::Message& message) {
  if (!replies.push(LinkReply{link.identity().connection, message})) ++statistics.replies_dropped;
}

void Broadcaster::Impl::send_replies(const LinkOutput& out) {
  for (const ReplyQueue::Reply& reply : replies.replies()) {
    if (const auto* handshake = std::get_if<HandshakeReply>(&reply)) {
      out.sink.send(handshake->to, {handshake->bytes.data(), handshake->size});
      ++statistics.datagrams_sent;
      statistics.bytes_sent += handshake->size;
      statistics.sent.handshakes += handshake->size;
      continue;
    }
    const auto& to_link = std::get<LinkReply>(reply);
    ClientLink* link = find(to_link.connection);
    if (link == nullptr || link->goodbyes > 0) continue;
    if (const auto* result = std::get_if<wire::CommandResult>(&to_link.message)) {
      link->send(wire::PacketType::command_result, *result, out);
    } else if (const auto* question = std::get_if<wire::PathChallenge>(&to_link.message)) {
      if (link->path)
        link->send_to(link->path->address, wire::PacketType::path_challenge, *question, out);
    } else {
      wire::Pong pong = std::get<wire::Pong>(to_link.message);
      pong.server_sent = std::max(session_time(out.now), pong.server_received);
      link->send(wire::PacketType::pong, pong, out);
    }
  }
  replies.clear();
}

void Broadcaster::Impl::send_goodbyes(const LinkOutput& out) {
  if (leaving == 0) return;  // this is called after every round of input
  for (auto& link : links) {
    if (!link || link->goodbyes == 0 || out.now < link->next_goodbye) continue;
    link->send(wire::PacketType::disconnect, wire::Disconnect{link->reason}, out);
    link->next_goodbye = out.now + k_goodbye_spacing;
    if (--link->goodbyes == 0) {
      statistics.packets_lost += link->lost();
      link.reset();
      --leaving;
    }
  }
}

bool Broadcaster::Impl::snapshot_is_fresh() const {
  const auto life =
      static_cast<std::uint32_t>(wire::k_idle_interval / wire::tick_nanoseconds(config.log2_tick));
  return snapshot && history.newest() - snapshot->tick <= life;
}

void Broadcaster::Impl::send_ticket(ClientLink& link, const LinkOutput& out) {
  link.next_ticket = out.now + wire::k_ticket_interval;
  wire::Ticket ticket;
  ticket.lifetime = static_cast<std::uint16_t>(wire::k_ticket_lifetime / wire::k_second);
  ticket.bytes =
      admission.make_ticket(link.grant, link.resume_secret(), random.long_nonce(), out.now);
  link.send(wire::PacketType::ticket, ticket, out);
}

void Broadcaster::Impl::send_ticks(std::uint32_t network_tick, const LinkOutput& out) {
  const bool fresh = snapshot_is_fresh();
  if (!fresh) snapshot.reset();
  for (auto& link : links) {
    if (!link || link->goodbyes > 0) continue;
    if (out.now - link->last_heard() >=
        (link->confirmed ? wire::k_silence_timeout : wire::k_pending_timeout)) {
      begin_leaving(*link, wire::DisconnectReason::silent);
      continue;
    }
    const auto waiting = link->waiting_since();
    if (waiting && out.now - *waiting >= wire::k_transfer_timeout) {
      begin_leaving(*link, wire::DisconnectReason::too_slow);
      continue;
    }
    if (fresh && link->needs_snapshot()) link->start(*snapshot, history);
    link->send_log(network_tick, history, out);
    if (link->live() && out.now >= link->next_ticket) send_ticket(*link, out);
    if (!link->announced_live && link->live()) {
      link->announced_live = true;
      note(ClientEvent::Kind::live, *link, wire::DisconnectReason::left);
    }
  }
}

Broadcaster::Broadcaster(const BroadcasterConfig& config, wire::Bytes session_header)
    : impl_(std::make_unique<Impl>(config, std::move(session_header))) {}
Broadcaster::~Broadcaster() = default;

void Broadcaster::set_wall_clock(wire::UnixMilliseconds unix_now, wire::Nanoseconds now) {
  impl_->wall_clock = unix_now * wire::k_millisecond - now;
}

void Broadcaster::set_addresses(std::vector<wire::Address> addresses) {
  impl_->admission.set_addresses(std::move(addresses));
}

std::size_t Broadcaster::remembered_tokens() const {
  return impl_->admission.remembered();
}

wire::PacketError Broadcaster::receive(const wire::Address& from,
                                       std::span<const std::uint8_t> datagram,
                                       wire::Nanoseconds now) {
  Impl& impl = *impl_;
  ++impl.statistics.datagrams_received;
  impl.statistics.bytes_received += datagram.size();
  wire::ClearHeader header;
  wire::PacketError error = wire::read_clear_header(datagram, header);
  if (error == wire::PacketError::none) {
    switch (header.type) {
      case wire::PacketType::hello:
        error = impl.on_hello(from, datagram, now);
        break;
      case wire::PacketType::slice_ack:
      case wire::PacketType::ack:
      case wire::PacketType::command:
      case wire::PacketType::ping:
      case wire::PacketType::disconnect:
      case wire::PacketType::path_response:
        error = impl.on_sealed(from, header, datagram, now);
        break;
      default:
        error = wire::PacketError::unexpected;
    }
  }
  if (error == wire::PacketError::none) {
    ++impl.statistics.packets_received;
  } else {
    ++impl.statistics.dropped[static_cast<std::size_t>(error)];
  }
  return error;
}

void Broadcaster::on_record(const sim::TickRecord& record, std::span<const std::uint8_t> canonical,
                            wire::Nanoseconds due) {
  Impl& impl = *impl_;
  impl.history.add(record, canonical);
  impl.newest_due = due;
  impl.key_exchanges = 0;
  if (!record.timelines.empty()) impl.epoch = record.timelines.back().epoch;
  for (auto& link : impl.links) {
    if (link) link->on_tick(impl.history);
  }
}

bool Broadcaster::wants_snapshot() const {
  if (impl_->snapshot_is_fresh()) return false;
  return std::any_of(impl_->links.begin(), impl_->links.end(), [](const auto& link) {
    return link && link->goodbyes == 0 && link->needs_snapshot();
  });
}

void Broadcaster::give_snapshot(wire::Bytes snapshot) {
  Impl& impl = *impl_;
  sim::require(!snapshot.empty(), "a snapshot has bytes");
  ++impl.statistics.snapshots;
  if (snapshot.size() <= wire::k_max_slices * wire::k_slice_bytes) {
    impl.snapshot = SharedSnapshot{impl.history.newest(),
                                   std::make_shared<const wire::Bytes>(std::move(snapshot))};
    return;
  }
  for (auto& link : impl.links) {
    if (link && link->needs_snapshot())
      impl.begin_leaving(*link, wire::DisconnectReason::too_large);
  }
}

std::vector<ClientCommand> Broadcaster::take_commands() {
  std::vector<ClientCommand> out;
  std::swap(out, impl_->commands);
  std::sort(out.begin(), out.end(), [](const ClientCommand& a, const ClientCommand& b) {
    return a.client != b.client ? a.client < b.client : a.command.id < b.command.id;
  });
  return out;
}

void Broadcaster::answer(std::uint32_t client, const wire::CommandResult& result) {
  ClientLink* link = impl_->find_client(client);
  if (link != nullptr && link->goodbyes == 0 && link->commands.answer(result)) {
    impl_->reply(*link, result);
  }
}

void Broadcaster::poll_outgoing(wire::Nanoseconds now, DatagramSink& sink) {
  Impl& impl = *impl_;
  const LinkOutput out{sink, impl.statistics, now};
  impl.send_replies(out);
  const std::uint32_t network_tick =
      impl.history.newest() /
      static_cast<std::uint32_t>(wire::ticks_per_network_tick(impl.config.log2_tick));
  if (impl.last_network_tick != network_tick) {
    impl.last_network_tick = network_tick;
    impl.send_ticks(network_tick, out);
  }
  impl.send_goodbyes(out);
  sink.flush();
}

void Broadcaster::close(wire::DisconnectReason reason) {
  impl_->closing = true;
  for (auto& link : impl_->links) {
    if (link) impl_->begin_leaving(*link, reason);
  }
}

bool Broadcaster::says_goodbye() const {
  return impl_->leaving > 0;
}

void Broadcaster::kick(std::uint32_t client, wire::DisconnectReason reason) {
  ClientLink* link = impl_->find_client(client);
  if (link != nullptr) impl_->begin_leaving(*link, reason);
}

std::size_t Broadcaster::clients() const {
  return impl_->present;
}

std::size_t Broadcaster::live_clients() const {
  return static_cast<std::size_t>(
      std::count_if(impl_->links.begin(), impl_->links.end(),
                    [](const auto& link) { return link && link->goodbyes == 0 && link->live(); }));
}

std::vector<ClientEvent> Broadcaster::take_events() {
  std::vector<ClientEvent> out;
  std::swap(out, impl_->events);
  return out;
}

BroadcasterStatistics Broadcaster::statistics() const {
  BroadcasterStatistics out = impl_->statistics;
  for (const auto& link : impl_->links) {
    if (link) out.packets_lost += link->lost();
  }
  return out;
}

}  // namespace contrail::server
