#pragma once

// The inside of the broadcaster; nobody else includes this.

#include <memory>
#include <optional>
#include <vector>

#include <contrail/edge/broadcaster.hpp>
#include <contrail/edge/client_link.hpp>
#include <contrail/edge/log_history.hpp>
#include <contrail/edge/reply_queue.hpp>

namespace contrail::server {

struct Broadcaster::Impl {
  Impl(const BroadcasterConfig& given, wire::Bytes header);

  // Handshake (broadcaster_handshake.cpp).
  wire::PacketError on_hello(const wire::Address& from, std::span<const std::uint8_t> datagram,
                             wire::Nanoseconds now);
  [[nodiscard]] std::optional<wire::RefuseReason> refusal(const wire::Hello& hello) const;
  wire::PacketError on_proven_hello(const wire::Address& from, const wire::Hello& hello,
                                    std::span<const std::uint8_t> datagram, wire::Nanoseconds now);
  [[nodiscard]] bool has_room(const wire::Address& from, const Grant& grant) const;
  void drop_pending(const wire::Address& from, const Grant& grant);
  void refuse(const wire::Address& to, const wire::Hello& hello, wire::RefuseReason reason);
  wire::PacketError admit(const wire::Address& from, const wire::Hello& hello, Grant grant,
                          std::span<const std::uint8_t> datagram, wire::Nanoseconds now);
  [[nodiscard]] wire::Datagram make_welcome(const ClientIdentity& identity,
                                            const wire::PublicKey& public_key, const wire::Key& key,
                                            wire::Nanoseconds now) const;
  void reply(const wire::Address& to, const wire::Datagram& datagram);

  // Connections.
  wire::PacketError on_sealed(const wire::Address& from, const wire::ClearHeader& header,
                              std::span<const std::uint8_t> datagram, wire::Nanoseconds now);
  wire::PacketError on_content(ClientLink& link, wire::PacketType type,
                               std::span<const std::uint8_t> content, wire::Nanoseconds now);
  wire::PacketError on_commands(ClientLink& link, std::span<const std::uint8_t> content);
  bool confirm(ClientLink& link);
  void follow_path(ClientLink& link, const wire::Address& from, const wire::ClearHeader& header,
                   std::size_t size, const wire::PlainText& plain, wire::Nanoseconds now);
  ClientLink* find(std::uint32_t connection);
  ClientLink* find_client(std::uint32_t client);
  void begin_leaving(ClientLink& link, wire::DisconnectReason reason);
  void remove(ClientLink& link, wire::DisconnectReason reason);
  void note(ClientEvent::Kind kind, const ClientLink& link, wire::DisconnectReason reason);
  void reply(const ClientLink& link, const LinkReply::Message& message);

  // Sending.
  void send_replies(const LinkOutput& out);
  void send_goodbyes(const LinkOutput& out);
  void send_ticket(ClientLink& link, const LinkOutput& out);
  void send_ticks(std::uint32_t network_tick, const LinkOutput& out);
  [[nodiscard]] bool snapshot_is_fresh() const;

  [[nodiscard]] wire::Nanoseconds session_time(wire::Nanoseconds now) const;

  BroadcasterConfig config;
  std::shared_ptr<const wire::Bytes> session_header;
  wire::RandomStream random;
  wire::CookieJar cookies;
  Admission admission;
  wire::Nanoseconds wall_clock = 0;  // Unix time - the caller's clock, nanoseconds
  int key_exchanges = 0;             // since the last tick
  LogHistory history;
  std::optional<wire::Nanoseconds> newest_due;  // when the newest tick was due
  std::uint32_t epoch = 0;
  std::optional<std::uint32_t> last_network_tick;
  std::optional<SharedSnapshot> snapshot;
  bool closing = false;

  std::vector<std::unique_ptr<ClientLink>> links;  // by slot: low 10 bits of the connection id
  std::uint32_t next_client = 1;
  std::size_t present = 0;  // welcomed and not leaving
  std::size_t leaving = 0;  // good-byes are still to be sent
  std::vector<ClientCommand> commands;
  ReplyQueue replies;
  std::vector<ClientEvent> events;
  BroadcasterStatistics statistics;
};

}  // namespace contrail::server
