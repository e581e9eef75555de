#pragma once

// A client made of hand-written packets, and a sink that keeps what it is given.

#include <cstdint>
#include <optional>
#include <vector>

#include <contrail/edge/broadcaster.hpp>
#include <contrail/wire/codec.hpp>
#include <contrail/wire/key_schedule.hpp>
#include <contrail/wire/packet_seal.hpp>

namespace contrail::server {

using wire::k_millisecond;
using wire::k_second;
using wire::Nanoseconds;
using wire::PacketError;
using wire::PacketType;

struct Outgoing {
  wire::Address to;
  wire::Bytes bytes;
  [[nodiscard]] PacketType type() const { return static_cast<PacketType>(bytes.at(0)); }
};

class KeepingSink final : public DatagramSink {
 public:
  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override {
    sent.push_back({to, {datagram.begin(), datagram.end()}});
  }
  std::vector<Outgoing> sent;
};

/// A broadcaster whose clock and match stand still unless told.
struct Stage {
  explicit Stage(bool insecure = true, std::size_t max_clients = 4,
                 const AdmissionConfig& admission = {}, std::uint8_t process = 0) {
    BroadcasterConfig config;
    config.admission = admission;
    config.admission.insecure = insecure;
    config.max_clients = max_clients;
    config.version.fingerprint = {1, 2};
    config.session_id = 99;
    config.secret = {3, 4, process};
    broadcaster.emplace(config, wire::Bytes(100, 1));
    broadcaster->set_wall_clock(k_unix_start, now);
  }
  /// Everything the broadcaster wants to send now.
  std::vector<Outgoing> poll() {
    KeepingSink sink;
    broadcaster->poll_outgoing(now, sink);
    return sink.sent;
  }
  void tick() {
    sim::TickRecord record;
    record.tick = ++ticks;
    broadcaster->on_record(record, {}, now);
    if (broadcaster->wants_snapshot()) broadcaster->give_snapshot(wire::Bytes(100, 2));
  }
  PacketError give(const wire::Address& from, std::span<const std::uint8_t> datagram) {
    return broadcaster->receive(from, datagram, now);
  }
  [[nodiscard]] std::uint64_t dropped(PacketError error) const {
    return broadcaster->statistics().dropped[static_cast<std::size_t>(error)];
  }

  static constexpr wire::UnixMilliseconds k_unix_start = 1'800'000'000'000;  // at `now`
  Nanoseconds now = 500 * k_second;
  std::uint32_t ticks = 0;
  std::optional<Broadcaster> broadcaster;
};

class RawClient {
 public:
  RawClient(Stage& stage, const wire::Address& address, wire::Role role = wire::Role::pilot)
      : stage_(stage), address_(address) {
    hello.version.fingerprint = {1, 2};
    hello.role = role;
    hello.nonce = 1000 + address.port;
    private_key.bytes()[0] = static_cast<std::uint8_t>(address.port);
    private_key.bytes()[1] = static_cast<std::uint8_t>(address.port >> 8);
    hello.public_key = wire::public_key_of(private_key);
  }

  PacketError say_hello() {
    wire::Datagram datagram;
    wire::encode_hello(hello, datagram);
    return stage_.give(address_, datagram.view());
  }
  /// Takes what is addressed to it; the last of each handshake answer is kept.
  void listen(const std::vector<Outgoing>& all) {
    for (const Outgoing& out : all) {
      if (out.to != address_) continue;
      received.push_back(out.bytes);
      wire::Challenge got_challenge;
      wire::Welcome got_welcome;
      wire::Refuse got_refuse;
      switch (out.type()) {
        case PacketType::challenge:
          if (wire::decode_challenge(out.bytes, got_challenge) == PacketError::none) {
            hello.has_cookie = true;
            hello.cookie = got_challenge.cookie;
          }
          break;
        case PacketType::welcome:
          if (open_welcome(out.bytes, got_welcome)) welcome = got_welcome;
          break;
        case PacketType::refuse:
          if (wire::decode_refuse(out.bytes, got_refuse) == PacketError::none) refuse = got_refuse;
          break;
        default:
          break;
      }
    }
  }
  /// The whole handshake.
  void join() {
    say_hello();
    listen(stage_.poll());
    say_hello();
    listen(stage_.poll());
  }
  wire::Bytes seal(PacketType type, std::span<const std::uint8_t> content,
                   wire::AckBlock block = {}) {
    wire::PlainText plain;
    wire::write_ack_block(block, plain);
    wire::append(content, plain);
    wire::Datagram out;
    const std::uint64_t number = ++counter;
    wire::seal(
        {keys.client_to_server},
        {type, 0, welcome.value_or(wire::Welcome{}).connection, static_cast<std::uint16_t>(number)},
        number, plain, out);
    return {out.view().begin(), out.view().end()};
  }
  PacketError send(PacketType type, std::span<const std::uint8_t> content = {},
                   wire::AckBlock block = {}) {
    return stage_.give(address_, seal(type, content, block));
  }
  PacketError send_commands(const std::vector<std::uint32_t>& ids) {
    std::vector<wire::Command> commands;
    for (const std::uint32_t id : ids) commands.push_back({id, {}, {1, 2, 0, 3}});
    return send(PacketType::command, wire::encode_commands(commands));
  }
  /// Opens what the server sealed for this client.
  PacketError open(const wire::Bytes& bytes, wire::PlainText& plain) const {
    wire::ClearHeader header;
    const PacketError error = wire::read_clear_header(bytes, header);
    return error != PacketError::none
               ? error
               : wire::open({keys.server_to_client}, header.counter, bytes, plain);
  }
  /// Sends from there from now on.
  void move_to(const wire::Address& address) { address_ = address; }
  [[nodiscard]] const wire::Address& where() const { return address_; }
  /// Answers to commands among what was received.
  [[nodiscard]] std::vector<wire::CommandResult> results() const {
    std::vector<wire::CommandResult> out;
    for (const wire::Bytes& bytes : received) {
      if (static_cast<PacketType>(bytes[0]) != PacketType::command_result) continue;
      wire::PlainText plain;
      wire::CommandResult result;
      if (open(bytes, plain) == PacketError::none &&
          wire::read(plain.content(), result) == PacketError::none) {
        out.push_back(result);
      }
    }
    return out;
  }
  [[nodiscard]] int count(PacketType type) const {
    int out = 0;
    for (const wire::Bytes& bytes : received) out += static_cast<PacketType>(bytes[0]) == type;
    return out;
  }

  wire::Hello hello;
  wire::Key private_key;
  wire::Key secret;  // of a token or ticket
  wire::ConnectionKeys keys;
  std::optional<wire::Welcome> welcome;
  std::optional<wire::Refuse> refuse;
  std::vector<wire::Bytes> received;
  std::uint64_t counter = 0;

 private:
  bool open_welcome(const wire::Bytes& bytes, wire::Welcome& out) {
    wire::WelcomeFace face;
    wire::Key shared;
    wire::Datagram said;
    wire::encode_hello(hello, said);
    if (wire::read_welcome_face(bytes, face) != PacketError::none ||
        !wire::shared_secret(private_key, face.public_key, shared)) {
      return false;
    }
    const wire::ConnectionKeys got = wire::derive_connection_keys(
        shared, secret, wire::transcript_hash(said.view(), face.public_key));
    if (wire::decode_welcome(bytes, got.welcome, out) != PacketError::none) return false;
    keys = got;
    return true;
  }

  Stage& stage_;
  wire::Address address_;
};

inline wire::Address address(std::uint16_t port) {
  return wire::ipv4_address(192, 0, 2, 1, port);
}

}  // namespace contrail::server
