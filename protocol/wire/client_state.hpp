#pragma once

// The inside of a client's connection; nobody else includes this.

#include <optional>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/acks.hpp>
#include <contrail/wire/client_commands.hpp>
#include <contrail/wire/client_connection.hpp>
#include <contrail/wire/clock_sync.hpp>
#include <contrail/wire/log_assembler.hpp>
#include <contrail/wire/packet_seal.hpp>
#include <contrail/wire/splitmix.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

inline constexpr Nanoseconds k_first_hello_wait = k_second / 5;

/// No way leads out of this state.
inline bool is_final(ConnectionState state) {
  return state != ConnectionState::connecting && state != ConnectionState::joining &&
         state != ConnectionState::live;
}

struct ClientConnection::Impl {
  Impl(const ClientConfig& given, Nanoseconds now)
      : config(given), random(given.seed), started(now), hello_at(now) {
    sim::require(config.token.size() <= k_max_token_bytes, "a token fits the hello");
    sim::require(!config.resume || config.resume->bytes.size() <= k_max_resume_bytes,
                 "a resume ticket fits the hello");
    RandomStream stream(config.entropy);
    private_key = stream.key();
    nonce = stream.u64();
    public_key = public_key_of(private_key);
    secure_wipe(config.entropy);
  }

  // Receiving (client_receive.cpp).
  PacketError receive(std::span<const std::uint8_t> datagram, Nanoseconds now);
  PacketError on_challenge(std::span<const std::uint8_t> datagram, Nanoseconds now);
  PacketError on_welcome(std::span<const std::uint8_t> datagram, Nanoseconds now);
  PacketError on_refuse(std::span<const std::uint8_t> datagram);
  PacketError on_sealed(const ClearHeader& header, std::span<const std::uint8_t> datagram,
                        Nanoseconds now);
  PacketError on_content(PacketType type, std::span<const std::uint8_t> content, Nanoseconds now);
  PacketError on_log_packet(PacketType type, std::span<const std::uint8_t> content,
                            Nanoseconds now);

  // Sending (client_connection.cpp).
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
  Key private_key;  // forgotten as soon as the connection has its keys
  PublicKey public_key{};
  std::uint64_t nonce = 0;
  Bytes said;  // the newest hello
  std::optional<Cookie> cookie;
  Nanoseconds hello_at;
  Nanoseconds hello_wait = k_first_hello_wait;
  std::optional<Welcome> welcome;
  std::optional<Refuse> refusal;
  std::optional<DisconnectReason> reason;

  // Connection.
  Cipher sending;
  Cipher receiving;
  Key resume_secret;
  std::optional<ResumeTicket> ticket;
  std::optional<std::uint64_t> path_proof;  // a path challenge to answer
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

}  // namespace contrail::wire
