#include <contrail/wire/client_connection.hpp>

#include <algorithm>
#include <utility>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/client_state.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::wire {

namespace {

constexpr Nanoseconds k_longest_hello_wait = k_second;
constexpr Nanoseconds k_keep_alive = k_second;
constexpr Nanoseconds k_shortest_command_wait = k_second / 10;
constexpr Nanoseconds k_goodbye_spacing = 15 * k_millisecond;

}  // namespace

const char* describe(ConnectionState state) {
  switch (state) {
    case ConnectionState::connecting:
      return "connecting";
    case ConnectionState::joining:
      return "joining";
    case ConnectionState::live:
      return "live";
    case ConnectionState::refused:
      return "refused";
    case ConnectionState::disconnected:
      return "disconnected";
    case ConnectionState::timed_out:
      return "timed out";
    case ConnectionState::closed:
      return "closed";
  }
  return "unknown state";
}

void ClientConnection::Impl::check_timeouts(Nanoseconds now) {
  if (state == ConnectionState::connecting && now - started >= config.connect_timeout) {
    state = ConnectionState::timed_out;
  }
  if ((state == ConnectionState::joining || state == ConnectionState::live) &&
      now - last_heard >= k_silence_timeout) {
    state = ConnectionState::timed_out;
  }
}

Nanoseconds ClientConnection::Impl::ack_interval() const {
  const bool spectator = welcome->role == Role::spectator && state == ConnectionState::live;
  return spectator ? k_spectator_ack_interval : k_pilot_ack_interval;
}

void ClientConnection::Impl::begin_packet(Nanoseconds now, PlainText& plain) const {
  write_ack_block(received.ack_block(now), plain);
}

void ClientConnection::Impl::send_packet(PacketType type, const PlainText& plain, Nanoseconds now,
                                         Datagram& out) {
  const std::uint64_t counter = sent.add(now);
  seal(sending, {type, 0, welcome->connection, static_cast<std::uint16_t>(counter)}, counter, plain,
       out);
  last_sent = now;
  owes_ack = false;  // every packet carries the ack block
  last_ack = now;
}

void ClientConnection::Impl::write_hello(Nanoseconds now, Datagram& out) {
  Hello hello;
  hello.version = config.version;
  hello.role = config.role;
  hello.entity = config.entity;
  hello.nonce = nonce;
  hello.has_cookie = cookie.has_value();
  if (cookie) hello.cookie = *cookie;
  hello.public_key = public_key;
  if (config.resume) {
    hello.resume = config.resume->bytes;
  } else {
    hello.token = config.token;
  }
  encode_hello(hello, out);
  said = {out.bytes.begin(), out.bytes.end()};
  // Spread over 3/4..5/4 of the wait, so that clients of a restarted server don't come in waves.
  const auto spread = static_cast<Nanoseconds>(next_random(random) % 1024);
  hello_at = now + hello_wait * 3 / 4 + hello_wait * spread / 2048;
  hello_wait = std::min(hello_wait * 3 / 2, k_longest_hello_wait);
}

bool ClientConnection::Impl::poll(Nanoseconds now, Datagram& out) {
  check_timeouts(now);
  if (state == ConnectionState::connecting) {
    if (now < hello_at) return false;
    write_hello(now, out);
    return true;
  }
  PlainText plain;
  if (state == ConnectionState::closed && goodbyes > 0 && now >= next_goodbye) {
    --goodbyes;
    next_goodbye = now + k_goodbye_spacing;
    begin_packet(now, plain);
    append(Disconnect{DisconnectReason::left}, plain);
    send_packet(PacketType::disconnect, plain, now, out);
    return true;
  }
  if (state != ConnectionState::joining && state != ConnectionState::live) return false;
  begin_packet(now, plain);
  const Nanoseconds patience =
      std::max(k_shortest_command_wait, 2 * clock.last_round_trip() + k_second / 16);
  const std::vector<Command> due = commands.due(now, patience);
  if (!due.empty()) {
    append(encode_commands(due), plain);
    send_packet(PacketType::command, plain, now, out);
    return true;
  }
  if (path_proof) {
    append(PathResponse{*path_proof}, plain);
    path_proof.reset();
    send_packet(PacketType::path_response, plain, now, out);
    return true;
  }
  if (now >= next_ping) {
    next_ping = now + (++pings < k_first_pings ? k_first_ping_interval : k_ping_interval);
    append(Ping{now}, plain);
    send_packet(PacketType::ping, plain, now, out);
    return true;
  }
  // Slices are acknowledged by name; one packet per stream, together once per interval.
  const bool ack_due = now - last_ack >= ack_interval();
  if (log->owes_slice_ack() && (ack_due || last_ack == now)) {
    append(*log->next_slice_ack(), plain);
    send_packet(PacketType::slice_ack, plain, now, out);
    return true;
  }
  if ((owes_ack && ack_due) || now - last_sent >= k_keep_alive) {
    send_packet(PacketType::ack, plain, now, out);
    return true;
  }
  return false;
}

void ClientConnection::Impl::update_statistics() {
  statistics.packets_lost = sent.lost();
  statistics.packets_missed = received.missing();
  if (log) log->add_to(statistics);
}

ClientConnection::ClientConnection(const ClientConfig& config, Nanoseconds now)
    : impl_(std::make_unique<Impl>(config, now)) {}
ClientConnection::ClientConnection(ClientConnection&&) noexcept = default;
ClientConnection& ClientConnection::operator=(ClientConnection&&) noexcept = default;
ClientConnection::~ClientConnection() = default;

PacketError ClientConnection::receive(std::span<const std::uint8_t> datagram, Nanoseconds now) {
  const PacketError error = impl_->receive(datagram, now);
  if (error == PacketError::none) {
    ++impl_->statistics.packets_received;
    impl_->statistics.bytes_received += datagram.size();
  } else {
    ++impl_->statistics.dropped[static_cast<std::size_t>(error)];
  }
  impl_->update_statistics();
  return error;
}

bool ClientConnection::poll_outgoing(Nanoseconds now, Datagram& out) {
  if (!impl_->poll(now, out)) return false;
  ++impl_->statistics.packets_sent;
  impl_->statistics.bytes_sent += out.size;
  return true;
}

ConnectionState ClientConnection::state() const {
  return impl_->state;
}
const std::optional<Refuse>& ClientConnection::refusal() const {
  return impl_->refusal;
}
std::optional<DisconnectReason> ClientConnection::disconnect_reason() const {
  return impl_->reason;
}
const std::optional<Welcome>& ClientConnection::welcome() const {
  return impl_->welcome;
}

std::string ClientConnection::describe_state() const {
  const Impl& impl = *impl_;
  if (impl.state == ConnectionState::refused) return describe(*impl.refusal, impl.config.version);
  if (impl.state == ConnectionState::disconnected) {
    return std::string("disconnected by the server: ") + describe(*impl.reason);
  }
  if (impl.state == ConnectionState::timed_out) {
    const std::string seconds =
        std::to_string((impl.welcome ? k_silence_timeout : impl.config.connect_timeout) / k_second);
    return impl.welcome ? "nothing heard from the server for " + seconds + " s"
                        : "no answer from the server within " + seconds + " s";
  }
  return describe(impl.state);
}

std::optional<Bytes> ClientConnection::take_session_header() {
  return impl_->log ? impl_->log->take_session_header() : std::nullopt;
}

std::optional<SnapshotBytes> ClientConnection::take_snapshot() {
  return impl_->log ? impl_->log->take_snapshot() : std::nullopt;
}

std::vector<sim::TickRecord> ClientConnection::take_records() {
  return impl_->log ? impl_->log->take_records() : std::vector<sim::TickRecord>{};
}

std::uint32_t ClientConnection::complete_tick() const {
  return impl_->log ? impl_->log->complete_tick() : 0;
}

std::optional<std::uint32_t> ClientConnection::send_fire(const FireCommand& fire) {
  Command command;
  command.fire = fire;
  return send_command(command);
}

std::optional<std::uint32_t> ClientConnection::send_command(const Command& command) {
  if (impl_->state != ConnectionState::live || impl_->welcome->role == Role::spectator) {
    return std::nullopt;
  }
  sim::require(command.kind <= k_last_client_kind, "a client sends no commands of the host");
  return impl_->commands.add(command);
}

std::optional<CommandResult> ClientConnection::take_command_result() {
  return impl_->commands.take_result();
}

bool ClientConnection::clock_ready() const {
  return impl_->clock.ready();
}
Nanoseconds ClientConnection::session_time(Nanoseconds now) {
  return impl_->clock.time(now);
}

Nanoseconds ClientConnection::render_time(Nanoseconds now) {
  return impl_->render ? impl_->render->time(impl_->clock.time(now)) : 0;
}

Nanoseconds ClientConnection::render_delay() const {
  return impl_->render ? impl_->render->delay() : 0;
}

Nanoseconds ClientConnection::round_trip() const {
  return impl_->clock.lowest_round_trip();
}
std::uint32_t ClientConnection::clock_epoch() const {
  return impl_->clock.epoch();
}

std::optional<ResumeTicket> ClientConnection::take_ticket() {
  return std::exchange(impl_->ticket, std::nullopt);
}

void ClientConnection::close(Nanoseconds now) {
  if (is_final(impl_->state)) return;
  impl_->goodbyes = impl_->welcome ? k_disconnect_repeats : 0;
  impl_->next_goodbye = now;
  impl_->state = ConnectionState::closed;
}

const ConnectionStatistics& ClientConnection::statistics() const {
  return impl_->statistics;
}

}  // namespace contrail::wire
