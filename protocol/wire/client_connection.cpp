#include <contrail/wire/client_connection.hpp>

#include <algorithm>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/acks.hpp>
#include <contrail/wire/client_commands.hpp>
#include <contrail/wire/clock_sync.hpp>
#include <contrail/wire/codec.hpp>
#include <contrail/wire/log_assembler.hpp>
#include <contrail/wire/resend_schedule.hpp>

namespace contrail::wire {

namespace {

constexpr Nanoseconds k_first_hello_wait = k_second / 5;
constexpr Nanoseconds k_longest_hello_wait = 2 * k_second;
constexpr Nanoseconds k_keep_alive = k_second;
constexpr Nanoseconds k_shortest_command_wait = k_second / 10;
constexpr Nanoseconds k_goodbye_spacing = 15 * k_millisecond;

/// splitmix64: spreads retries and makes nonces out of the caller's seed.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

bool is_final(ConnectionState state) {
  return state != ConnectionState::connecting && state != ConnectionState::joining &&
         state != ConnectionState::live;
}

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

struct ClientConnection::Impl {
  Impl(const ClientConfig& given, Nanoseconds now)
      : config(given), random(given.seed), started(now), hello_at(now) {
    sim::require(config.token.size() <= k_max_token_bytes, "a token fits the hello");
    nonce = next_random(random);
  }

  PacketError receive(std::span<const std::uint8_t> datagram, Nanoseconds now);
  PacketError on_challenge(std::span<const std::uint8_t> datagram, Nanoseconds now);
  PacketError on_welcome(std::span<const std::uint8_t> datagram, Nanoseconds now);
  PacketError on_refuse(std::span<const std::uint8_t> datagram);
  PacketError on_sealed(const ClearHeader& header, std::span<const std::uint8_t> datagram,
                        Nanoseconds now);
  PacketError on_content(PacketType type, std::span<const std::uint8_t> content, Nanoseconds now);
  PacketError on_log_packet(PacketType type, std::span<const std::uint8_t> content,
                            Nanoseconds now);

  void check_timeouts(Nanoseconds now);
  bool poll(Nanoseconds now, Datagram& out);
  void write_hello(Nanoseconds now, Datagram& out);
  void begin_packet(Nanoseconds now, PlainText& plain) const;
  void send_packet(PacketType type, const PlainText& plain, Nanoseconds now, Datagram& out);
  [[nodiscard]] Nanoseconds ack_interval() const;
  void update_statistics();

  ClientConfig config;
  std::uint64_t random;
  ConnectionState state = ConnectionState::connecting;
  Nanoseconds started;
  Nanoseconds last_heard = 0;

  // Handshake.
  std::uint64_t nonce = 0;
  std::optional<Cookie> cookie;
  Nanoseconds hello_at;
  Nanoseconds hello_wait = k_first_hello_wait;
  std::optional<Welcome> welcome;
  std::optional<Refuse> refusal;
  std::optional<DisconnectReason> reason;

  // Connection.
  Cipher cipher;
  ReceiveWindow received;
  SentWindow sent;
  std::optional<LogAssembler> log;
  ClientCommands commands;
  ClockSync clock;
  std::optional<RenderClock> render;
  bool owes_ack = false;
  Nanoseconds last_ack = 0;
  Nanoseconds last_sent = 0;
  Nanoseconds next_ping = 0;
  int pings = 0;
  int goodbyes = 0;
  Nanoseconds next_goodbye = 0;

  ConnectionStatistics statistics;
};

PacketError ClientConnection::Impl::receive(std::span<const std::uint8_t> datagram,
                                            Nanoseconds now) {
  ClearHeader header;
  const PacketError error = read_clear_header(datagram, header);
  if (error != PacketError::none) return error;
  if (is_final(state)) return PacketError::unexpected;
  switch (header.type) {
    case PacketType::challenge:
      return on_challenge(datagram, now);
    case PacketType::welcome:
      return on_welcome(datagram, now);
    case PacketType::refuse:
      return on_refuse(datagram);
    case PacketType::tick:
    case PacketType::slice:
    case PacketType::command_result:
    case PacketType::pong:
    case PacketType::disconnect:
      return on_sealed(header, datagram, now);
    default:
      return PacketError::unexpected;
  }
}

PacketError ClientConnection::Impl::on_challenge(std::span<const std::uint8_t> datagram,
                                                 Nanoseconds now) {
  Challenge challenge;
  const PacketError error = decode_challenge(datagram, challenge);
  if (error != PacketError::none) return error;
  if (state != ConnectionState::connecting || challenge.nonce != nonce) {
    return PacketError::unexpected;
  }
  // One answer per challenge; copies of it don't make more hellos.
  if (cookie && *cookie == challenge.cookie) return PacketError::none;
  cookie = challenge.cookie;
  hello_at = now;
  hello_wait = k_first_hello_wait;
  return PacketError::none;
}

PacketError ClientConnection::Impl::on_welcome(std::span<const std::uint8_t> datagram,
                                               Nanoseconds now) {
  Welcome got;
  const PacketError error = decode_welcome(datagram, got);
  if (error != PacketError::none) return error;
  if (got.nonce != nonce) return PacketError::unexpected;
  if (state != ConnectionState::connecting) return PacketError::none;  // a copy
  welcome = got;
  state = ConnectionState::joining;
  last_heard = now;
  last_ack = now - k_second;
  last_sent = now;
  next_ping = now;
  owes_ack = true;
  log.emplace(got.log2_tick, got.tick);
  render.emplace(tick_nanoseconds(got.log2_tick));
  return PacketError::none;
}

PacketError ClientConnection::Impl::on_refuse(std::span<const std::uint8_t> datagram) {
  Refuse got;
  const PacketError error = decode_refuse(datagram, got);
  if (error != PacketError::none) return error;
  if (state != ConnectionState::connecting || got.nonce != nonce) return PacketError::unexpected;
  refusal = got;
  state = ConnectionState::refused;
  return PacketError::none;
}

PacketError ClientConnection::Impl::on_sealed(const ClearHeader& header,
                                              std::span<const std::uint8_t> datagram,
                                              Nanoseconds now) {
  // Packets may overtake the welcome. They are not acknowledged, so their content comes again.
  if (!welcome) return PacketError::unexpected;
  if (header.connection != welcome->connection) return PacketError::unknown_connection;
  const std::uint64_t counter = received.expand(header.counter);
  PlainText plain;
  PacketError error = open(cipher, counter, datagram, plain);
  if (error != PacketError::none) return error;
  if (!received.fresh(counter)) return PacketError::replayed;
  error = sent.acknowledge(read_ack_block(plain)).error;
  if (error != PacketError::none) return error;
  last_heard = std::max(last_heard, now);
  error = on_content(header.type, plain.content(), now);
  if (error != PacketError::none) return error;
  received.accept(counter, now);
  owes_ack = true;
  return PacketError::none;
}

PacketError ClientConnection::Impl::on_content(PacketType type,
                                               std::span<const std::uint8_t> content,
                                               Nanoseconds now) {
  switch (type) {
    case PacketType::pong: {
      Pong pong;
      const PacketError error = read(content, pong);
      if (error != PacketError::none) return error;
      // Its own send time cannot lie in the future; the rest is checked by the clock.
      return clock.add(pong.client_sent, pong.server_received, pong.server_sent, now, pong.epoch)
                 ? PacketError::none
                 : PacketError::bad_value;
    }
    case PacketType::command_result: {
      CommandResult result;
      const PacketError error = read(content, result);
      if (error == PacketError::none) commands.answered(result);
      return error;
    }
    case PacketType::disconnect: {
      Disconnect disconnect;
      const PacketError error = read(content, disconnect);
      if (error == PacketError::none) {
        reason = disconnect.reason;
        state = ConnectionState::disconnected;
      }
      return error;
    }
    default:
      return on_log_packet(type, content, now);
  }
}

PacketError ClientConnection::Impl::on_log_packet(PacketType type,
                                                  std::span<const std::uint8_t> content,
                                                  Nanoseconds now) {
  PacketError error = PacketError::none;
  if (type == PacketType::tick) {
    TickBlock block;
    std::span<const std::uint8_t> body;
    error = read(content, block, body);
    if (error == PacketError::none) error = log->on_tick_packet(block, body);
  } else {
    SliceHeader slice;
    std::span<const std::uint8_t> bytes;
    error = read(content, slice, bytes);
    if (error == PacketError::none) error = log->on_slice(slice, bytes);
  }
  if (error != PacketError::none) return error;
  if (state == ConnectionState::joining && log->live()) state = ConnectionState::live;
  const auto newly = log->take_newly_known();
  if (newly && state == ConnectionState::live && clock.ready()) {
    const Nanoseconds happened = Nanoseconds{*newly} * tick_nanoseconds(welcome->log2_tick);
    render->add_lateness(clock.time(now) - happened, clock.lowest_round_trip() / 2);
  }
  return PacketError::none;
}

void ClientConnection::Impl::check_timeouts(Nanoseconds now) {
  if (state == ConnectionState::connecting && now - started >= k_connect_timeout) {
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
  seal(cipher, {type, 0, welcome->connection, static_cast<std::uint16_t>(counter)}, counter, plain,
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
  hello.token = config.token;
  encode_hello(hello, out);
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
        std::to_string((impl.welcome ? k_silence_timeout : k_connect_timeout) / k_second);
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
  if (impl_->state != ConnectionState::live || impl_->welcome->role == Role::spectator) {
    return std::nullopt;
  }
  return impl_->commands.add(fire);
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
