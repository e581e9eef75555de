#pragma once

// The server's end of all connections, without sockets or clocks: takes the match's tick records
// and brings each of them to every client, whatever the network loses.
//
//   while (socket has bytes) broadcaster.receive(address, bytes, now);
//   for (command : broadcaster.take_commands()) ...            // into the next step of the match
//   broadcaster.on_record(record, bytes, due);                 // every tick, empty ones too
//   if (broadcaster.wants_snapshot()) broadcaster.give_snapshot(bytes);
//   broadcaster.answer(client, result);
//   broadcaster.poll_outgoing(now, sink);                      // after receiving and after a tick
//
// One thread at a time. Never throws on what peers send; memory per client is bounded.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <contrail/edge/admission.hpp>
#include <contrail/sim/records.hpp>
#include <contrail/wire/address.hpp>
#include <contrail/wire/byte_account.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/commands.hpp>
#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/handshake.hpp>
#include <contrail/wire/packet_header.hpp>

namespace contrail::server {

struct BroadcasterConfig {
  std::size_t max_clients = 256;  // at most wire::k_max_clients
  wire::ProtocolVersion version;  // fingerprint of this process
  std::uint64_t session_id = 0;
  std::uint8_t log2_tick = 11;
  std::uint32_t first_tick = 0;  // tick the match is at before its first record
  AdmissionConfig admission;     // who may come in
  wire::Entropy secret{};        // random: cookies, key pairs, tickets and connection ids
  /// May a pilot be given this entity; empty: any. Called while a hello is handled.
  std::function<bool(std::uint16_t)> has_entity;
};

/// Where outgoing datagrams go.
class DatagramSink {
 public:
  virtual ~DatagramSink() = default;
  virtual void send(const wire::Address& to, std::span<const std::uint8_t> datagram) = 0;
  /// Called after the last send of a round: a sink that collects hands everything on now.
  virtual void flush() {}
};

/// A command with its sender, as the match takes it.
struct ClientCommand {
  std::uint32_t client = 0;             // number in the session
  wire::Role role = wire::Role::pilot;  // never spectator
  std::uint16_t entity = 0;             // the pilot's own
  wire::Command command;
};

/// Who came and who went, for logs.
struct ClientEvent {
  enum class Kind : std::uint8_t { joined, live, moved, left };
  Kind kind = Kind::joined;
  std::uint32_t client = 0;
  wire::Address address;
  wire::Role role = wire::Role::spectator;
  wire::DisconnectReason reason = wire::DisconnectReason::left;  // left
  std::uint16_t entity = sim::k_no_entity;                       // a pilot's
  std::uint64_t account = 0;                                     // of its token; 0: none
  wire::Bytes user_data;                                         // of its token; joined
};

/// What the bytes of sent datagrams were. The parts add up to all of them.
struct SentBytes {
  wire::ByteAccount payload;     // elements of tick records, every copy; large records are slices
  std::uint64_t messages = 0;    // the FlatBuffers around them
  std::uint64_t slices = 0;      // of session headers, snapshots and large records
  std::uint64_t controls = 0;    // pongs, answers to commands, tickets, path checks, good-byes
  std::uint64_t envelopes = 0;   // clear headers, ack and tick blocks, slice headers, tags
  std::uint64_t handshakes = 0;  // datagrams before there are keys, whole
  [[nodiscard]] std::uint64_t total() const {
    return payload.total() + messages + slices + controls + envelopes + handshakes;
  }
};

struct BroadcasterStatistics {
  std::uint64_t datagrams_received = 0;  // whatever they held
  std::uint64_t bytes_received = 0;      // UDP payload
  std::uint64_t packets_received = 0;    // well formed and fresh
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;                                 // UDP payload
  std::array<std::uint64_t, wire::k_packet_errors> dropped{};   // by PacketError
  std::array<std::uint64_t, wire::k_refuse_reasons> refused{};  // by RefuseReason
  std::array<std::uint64_t, 16> left{};                         // by DisconnectReason
  std::uint64_t challenges = 0;
  std::uint64_t joined = 0;
  std::uint64_t returned = 0;         // of those: by a resume ticket
  std::uint64_t moved = 0;            // clients that proved a new address
  std::uint64_t path_challenges = 0;  // questions for that proof
  std::uint64_t replies_dropped = 0;  // no room between two polls
  std::uint64_t tick_packets = 0;
  std::uint64_t empty_packets = 0;  // of those: without a record
  std::uint64_t packets_lost = 0;   // never acknowledged
  std::uint64_t record_copies = 0;  // records sent in packets, every copy
  std::uint64_t slices_sent = 0;
  std::uint64_t slice_copies = 0;       // of those: sent before
  std::uint64_t snapshots = 0;          // asked of the match
  std::uint64_t resyncs = 0;            // clients whose backlog a snapshot replaced
  std::uint64_t commands = 0;           // each once
  std::uint64_t repeated_commands = 0;  // answered with the old result, or still waiting
  SentBytes sent;                       // what bytes_sent went into
};

class Broadcaster {
 public:
  /// `session_header`: its bytes, sent to every client.
  Broadcaster(const BroadcasterConfig& config, wire::Bytes session_header);
  Broadcaster(const Broadcaster&) = delete;
  Broadcaster& operator=(const Broadcaster&) = delete;
  ~Broadcaster();

  /// What time of day it is, for the expiry of tokens: at the start, and now and then later.
  void set_wall_clock(wire::UnixMilliseconds unix_now, wire::Nanoseconds now);
  /// Addresses that tokens may name this server by, where the configuration has none.
  void set_addresses(std::vector<wire::Address> addresses);
  /// One datagram, whatever it holds. What is wrong with it is counted and dropped.
  wire::PacketError receive(const wire::Address& from, std::span<const std::uint8_t> datagram,
                            wire::Nanoseconds now);

  /// The next tick: ticks ascend by 1. `canonical` are the record's bytes (none when it is empty).
  /// `due`: when the tick was due by the clock of `now`; session time runs from it.
  void on_record(const sim::TickRecord& record, std::span<const std::uint8_t> canonical,
                 wire::Nanoseconds due);

  /// A client waits for a snapshot of the newest tick.
  [[nodiscard]] bool wants_snapshot() const;
  /// Encoded snapshot of the newest tick.
  void give_snapshot(wire::Bytes snapshot);

  /// New commands, ascending by (client, command id), each once.
  std::vector<ClientCommand> take_commands();
  /// The match's answer; ignored when the client is gone.
  void answer(std::uint32_t client, const wire::CommandResult& result);

  /// Sends what is due: answers at once, the log once per network tick.
  void poll_outgoing(wire::Nanoseconds now, DatagramSink& sink);

  /// Says good-bye to everybody and admits nobody from now on (refused: closing).
  void close(wire::DisconnectReason reason);
  /// Good-byes are still to be sent: keep polling, they go out within 50 ms.
  [[nodiscard]] bool says_goodbye() const;
  /// Ends one client's connection.
  void kick(std::uint32_t client, wire::DisconnectReason reason);

  [[nodiscard]] std::size_t clients() const;  // welcomed and not gone
  /// Used tokens and tickets remembered.
  [[nodiscard]] std::size_t remembered_tokens() const;
  [[nodiscard]] std::size_t live_clients() const;  // of those: with a complete snapshot
  /// Events since the last call, oldest first; at most 4,096 are kept.
  std::vector<ClientEvent> take_events();
  [[nodiscard]] BroadcasterStatistics statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contrail::server
