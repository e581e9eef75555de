#pragma once

// One client as the broadcaster sees it: what it knows, what it is owed, and the packets that
// follow from that.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include <contrail/edge/admission.hpp>
#include <contrail/edge/broadcaster.hpp>
#include <contrail/edge/command_memory.hpp>
#include <contrail/edge/log_history.hpp>
#include <contrail/wire/acks.hpp>
#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/key_schedule.hpp>
#include <contrail/wire/packet_seal.hpp>
#include <contrail/wire/resend_schedule.hpp>
#include <contrail/wire/slices.hpp>
#include <contrail/wire/tick_ledger.hpp>

namespace contrail::server {

/// Who a client is; nothing but the address changes while it is connected.
struct ClientIdentity {
  std::uint32_t connection = 0;
  std::uint32_t client = 0;
  wire::Address address;
  std::uint64_t nonce = 0;
  wire::Role role = wire::Role::spectator;
  std::uint16_t entity = 0;
};

/// A snapshot that several clients may be sent.
struct SharedSnapshot {
  std::uint32_t tick = 0;
  std::shared_ptr<const wire::Bytes> bytes;
};

/// Where a link's datagrams and counts go during one call.
struct LinkOutput {
  DatagramSink& sink;
  BroadcasterStatistics& statistics;
  wire::Nanoseconds now;
};

class ClientLink {
 public:
  ClientLink(const ClientIdentity& identity, const wire::ConnectionKeys& keys, int log2_tick,
             std::shared_ptr<const wire::Bytes> session_header, wire::Nanoseconds now);

  [[nodiscard]] const ClientIdentity& identity() const { return identity_; }

  /// Opens a sealed packet and takes in its acknowledgements. The content is `plain`'s.
  wire::PacketError open(const wire::ClearHeader& header, std::span<const std::uint8_t> datagram,
                         wire::Nanoseconds now, std::uint64_t& counter, wire::PlainText& plain);
  /// The content was good: never take this packet again.
  void accept(std::uint64_t counter, wire::Nanoseconds now) { received_.accept(counter, now); }
  wire::PacketError on_slice_ack(const wire::SliceAck& ack);

  /// A tick was added to the history.
  void on_tick(const LogHistory& history);
  /// What is due in this network tick, at most wire::k_max_datagrams_per_tick datagrams
  /// with ticks or slices, or k_max_datagrams_per_joining_tick until it is live.
  void send_log(std::uint32_t network_tick, LogHistory& history, const LinkOutput& out);
  /// One packet with this content.
  template <class Message>
  void send(wire::PacketType type, const Message& message, const LinkOutput& out) {
    send_to(identity_.address, type, message, out);
  }
  template <class Message>
  void send_to(const wire::Address& to, wire::PacketType type, const Message& message,
               const LinkOutput& out) {
    wire::PlainText plain;
    begin_packet(out, plain);
    wire::append(message, plain);
    out.statistics.sent.controls += plain.content().size();
    send_packet(to, type, plain, {}, out);
  }
  /// From now on everything goes there.
  void move_to(const wire::Address& address) {
    identity_.address = address;
    path.reset();
  }

  /// The client is there and has no snapshot yet, or its backlog grew too old.
  [[nodiscard]] bool needs_snapshot() const { return needs_snapshot_ && heard_; }
  /// Starts from a snapshot whose later ticks are all in the history.
  void start(const SharedSnapshot& snapshot, const LogHistory& history);

  /// Session header and snapshot arrived.
  [[nodiscard]] bool live() const {
    return header_.complete() && started_ && !needs_snapshot_ && !snapshot_;
  }
  /// Since when the client waits for a snapshot to be complete; nothing when it doesn't.
  [[nodiscard]] std::optional<wire::Nanoseconds> waiting_since() const { return waiting_since_; }
  [[nodiscard]] wire::Nanoseconds last_heard() const { return last_heard_; }
  [[nodiscard]] std::uint64_t lost() const { return sent_.lost(); }

  [[nodiscard]] const wire::Key& resume_secret() const { return resume_secret_; }

  /// An address that the client seems to have now, and the proof it was asked for.
  struct Path {
    wire::Address address;
    std::uint64_t proof = 0;
    wire::Nanoseconds asked = 0;
  };
  std::optional<Path> path;
  Grant grant;
  wire::Datagram welcome;  // sent again as it is
  bool confirmed = false;  // has sealed a packet, so it holds the secret of its token
  wire::Nanoseconds next_ticket = 0;
  CommandMemory commands;
  std::size_t commands_in_tick = 0;
  // Leaving: when the next good-bye is due, how many are still to send, and why.
  wire::Nanoseconds next_goodbye = 0;
  int goodbyes = 0;
  wire::DisconnectReason reason = wire::DisconnectReason::left;
  bool announced_live = false;

 private:
  void begin_packet(const LinkOutput& out, wire::PlainText& plain) const;
  std::uint64_t send_packet(const wire::Address& to, wire::PacketType type,
                            const wire::PlainText& plain, const wire::PacketContent& content,
                            const LinkOutput& out);
  void on_arrival(const wire::SentPacket& packet, wire::Nanoseconds now);
  wire::SliceSender* find_stream(const wire::StreamName& name);
  void finish_streams();
  void watch_backlog(const LinkOutput& out);
  [[nodiscard]] bool tick_packet_due(std::uint32_t network_tick, const LogHistory& history,
                                     bool silent) const;
  void send_ticks(std::uint32_t network_tick, LogHistory& history, const LinkOutput& out,
                  int& budget);
  enum class Records : std::uint8_t { none, due };
  void send_tick_packet(std::uint32_t last, std::uint32_t network_tick, LogHistory& history,
                        const LinkOutput& out, Records records);
  void send_slices(wire::SliceSender& stream, std::uint32_t network_tick, const LinkOutput& out,
                   int& budget);

  ClientIdentity identity_;
  wire::Nanoseconds network_tick_length_;
  wire::Nanoseconds last_heard_;
  wire::ReceiveWindow received_;
  wire::SentWindow sent_;
  wire::AckTimer timer_;
  wire::TickLedger ledger_;
  wire::SliceSender header_;
  std::optional<wire::SliceSender> snapshot_;
  std::map<std::uint32_t, wire::SliceSender> streams_;  // sliced ticks
  std::optional<wire::Nanoseconds> waiting_since_;
  std::optional<std::uint32_t> last_tick_packet_;  // network tick
  std::uint32_t idle_ticks_;                       // network ticks between packets when idle
  wire::Cipher sending_;
  wire::Cipher receiving_;
  wire::Key resume_secret_;
  bool heard_ = false;    // a sealed packet came
  bool started_ = false;  // the ledger has a start
  bool needs_snapshot_ = true;
};

}  // namespace contrail::server
