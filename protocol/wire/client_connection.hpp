#pragma once

// A client's end of a connection, without sockets, clocks or threads: datagrams in, datagrams out,
// time given. It joins, keeps the connection alive, and hands out the session header, a snapshot
// and the tick records behind it, each once and in order.
//
//   while (socket has bytes) connection.receive(bytes, now);
//   while (connection.poll_outgoing(now, datagram)) socket.send(datagram.view());
//   if (auto header = connection.take_session_header()) ...   // once
//   if (auto snapshot = connection.take_snapshot()) ...       // at join and after each resync
//   for (record : connection.take_records()) ...              // what follows the last snapshot
//
// Call poll_outgoing at least 64 times a second. One thread at a time.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <contrail/sim/records.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/commands.hpp>
#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/crypto.hpp>
#include <contrail/wire/handshake.hpp>
#include <contrail/wire/packet_header.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

/// What lets a client back in after its connection was lost.
struct ResumeTicket {
  Bytes bytes;
  Key secret;
  Nanoseconds expires = 0;  // by the clock that the connection was given
};

struct ClientConfig {
  Role role = Role::spectator;
  std::uint16_t entity = sim::k_no_entity;  // a pilot's wish
  ProtocolVersion version;                  // fingerprint of this process
  Bytes token;                              // a pass, at most k_max_token_bytes
  std::optional<ResumeTicket> resume;       // instead of a token
  Key secret;                               // of the token; zeros without one
  Nanoseconds connect_timeout = k_connect_timeout;
  /// Not secret, another one for every connection: jitter of retries.
  std::uint64_t seed = 0;
  /// Random and secret, another one for every connection: the key pair and the nonce.
  Entropy entropy{};
};

enum class ConnectionState : std::uint8_t {
  connecting,    // hello sent
  joining,       // welcome received; session header and snapshot are on their way
  live,          // the first snapshot is complete
  refused,       // final; see refusal()
  disconnected,  // final; see disconnect_reason(): the server ended it
  timed_out,     // final; no answer to hellos, or nothing heard for k_silence_timeout
  closed,        // final; close() was called
};
const char* describe(ConnectionState state);

struct SnapshotBytes {
  std::uint32_t tick = 0;
  Bytes bytes;
};

struct ConnectionStatistics {
  std::uint64_t packets_received = 0;  // well formed and fresh
  std::uint64_t bytes_received = 0;    // UDP payload of those
  std::uint64_t packets_sent = 0;
  std::uint64_t bytes_sent = 0;      // UDP payload
  std::uint64_t packets_lost = 0;    // of those sent: never acknowledged
  std::uint64_t packets_missed = 0;  // of the server's: gaps in its counters so far
  std::array<std::uint64_t, k_packet_errors> dropped{};  // by PacketError
  std::uint64_t records = 0;                             // complete, each once
  std::uint64_t duplicate_records = 0;                   // arrived again
  std::uint64_t slices = 0;
  std::uint64_t duplicate_slices = 0;
  std::uint64_t resyncs = 0;              // snapshots after the first
  std::uint64_t launch_bytes = 0;         // payload of launches and outcomes, every copy received
  std::uint64_t unique_launch_bytes = 0;  // each once
};

class ClientConnection {
 public:
  ClientConnection(const ClientConfig& config, Nanoseconds now);
  ClientConnection(ClientConnection&&) noexcept;
  ClientConnection& operator=(ClientConnection&&) noexcept;
  ~ClientConnection();

  /// One datagram, whatever it holds. What is wrong with it is counted and dropped.
  PacketError receive(std::span<const std::uint8_t> datagram, Nanoseconds now);
  /// The next datagram to send now, or false. Call until false.
  bool poll_outgoing(Nanoseconds now, Datagram& out);

  [[nodiscard]] ConnectionState state() const;
  [[nodiscard]] const std::optional<Refuse>& refusal() const;               // state refused
  [[nodiscard]] std::optional<DisconnectReason> disconnect_reason() const;  // state disconnected
  /// One sentence on how things stand or why they ended.
  [[nodiscard]] std::string describe_state() const;
  /// From joining on.
  [[nodiscard]] const std::optional<Welcome>& welcome() const;

  /// The session header when it is complete; once.
  std::optional<Bytes> take_session_header();
  /// A snapshot to start from when one is complete; each once. Records taken after it follow it.
  std::optional<SnapshotBytes> take_snapshot();
  /// Records that follow what was handed out before, without a gap; empty ticks have none. Nothing
  /// while a snapshot waits to be taken.
  std::vector<sim::TickRecord> take_records();
  /// Every tick up to here has been handed out (or had nothing to say). 0 before the first
  /// snapshot.
  [[nodiscard]] std::uint32_t complete_tick() const;

  /// Sends a command until it is answered; its id, or nothing: not live, a spectator, or too many
  /// are unanswered (16, or one for 64 ids).
  /// Each part of it is inside the ranges of the format; a kind of the host's is not allowed.
  std::optional<std::uint32_t> send_command(const Command& command);
  std::optional<std::uint32_t> send_fire(const FireCommand& fire);
  /// Answers in the order they arrived, each once.
  std::optional<CommandResult> take_command_result();

  /// Session time, its estimate slewed; false before the first answered ping.
  [[nodiscard]] bool clock_ready() const;
  Nanoseconds session_time(Nanoseconds now);
  /// Session time to draw: behind session_time by the render delay.
  Nanoseconds render_time(Nanoseconds now);
  [[nodiscard]] Nanoseconds render_delay() const;
  [[nodiscard]] Nanoseconds round_trip() const;  // lowest of 10 s; 0 before clock_ready()
  [[nodiscard]] std::uint32_t clock_epoch() const;

  /// The newest ticket for coming back; each once.
  std::optional<ResumeTicket> take_ticket();

  /// Says good-bye: the next polls give k_disconnect_repeats datagrams.
  void close(Nanoseconds now);

  [[nodiscard]] const ConnectionStatistics& statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contrail::wire
