// What a client does with a datagram from its server.

#include <algorithm>
#include <utility>

#include <contrail/wire/client_state.hpp>
#include <contrail/wire/key_schedule.hpp>
#include <contrail/wire/slices.hpp>

namespace contrail::wire {

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
    case PacketType::ticket:
    case PacketType::path_challenge:
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
  WelcomeFace face;
  PacketError error = read_welcome_face(datagram, face);
  if (error != PacketError::none) return error;
  if (face.nonce != nonce || said.empty()) return PacketError::unexpected;
  if (state != ConnectionState::connecting) return PacketError::none;  // a copy
  Key shared;
  if (!shared_secret(private_key, face.public_key, shared)) return PacketError::bad_value;
  const ConnectionKeys keys =
      derive_connection_keys(shared, config.resume ? config.resume->secret : config.secret,
                             transcript_hash(said, face.public_key));
  Welcome got;
  // A forged one is no reason to give up: the right one may be under way.
  error = decode_welcome(datagram, keys.welcome, got);
  if (error != PacketError::none) return error;
  sending.key = keys.client_to_server;
  receiving.key = keys.server_to_client;
  resume_secret = keys.resume;
  private_key = Key();
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
  PacketError error = open(receiving, counter, datagram, plain);
  if (error != PacketError::none) return error;
  if (!received.fresh(counter)) return PacketError::replayed;
  error = sent.acknowledge(read_ack_block(plain)).error;
  if (error != PacketError::none) return error;
  last_heard = std::max(last_heard, now);
  error = on_content(header.type, plain.content(), now);
  if (error != PacketError::none) return error;
  received.accept(counter, now);
  // Answers need none: they are acknowledged by whatever is sent next.
  if (header.type == PacketType::tick || header.type == PacketType::slice) owes_ack = true;
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
    case PacketType::ticket: {
      Ticket got;
      const PacketError error = read(content, got);
      if (error == PacketError::none) {
        ticket = ResumeTicket{std::move(got.bytes), resume_secret, now + got.lifetime * k_second};
      }
      return error;
    }
    case PacketType::path_challenge: {
      PathChallenge challenge;
      const PacketError error = read(content, challenge);
      if (error == PacketError::none) path_proof = challenge.proof;
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

}  // namespace contrail::wire
