#pragma once

// The inside of the broadcaster; nobody else includes this.

#include <map>
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
  void refuse(const wire::Address& to, const wire::Hello& hello, wire::RefuseReason reason);
  void admit(const wire::Address& from, const wire::Hello& hello, wire::Nanoseconds now);
  void send_welcome(const ClientLink& link, wire::Nanoseconds now);
  void reply(const wire::Address& to, const wire::Datagram& datagram);

  // Connections.
  wire::PacketError on_sealed(const wire::Address& from, const wire::ClearHeader& header,
                              std::span<const std::uint8_t> datagram, wire::Nanoseconds now);
  wire::PacketError on_content(ClientLink& link, wire::PacketType type,
                               std::span<const std::uint8_t> content, wire::Nanoseconds now);
  wire::PacketError on_commands(ClientLink& link, std::span<const std::uint8_t> content);
  ClientLink* find(std::uint32_t connection);
  ClientLink* find_client(std::uint32_t client);
  void begin_leaving(ClientLink& link, wire::DisconnectReason reason);
  void remove(ClientLink& link, wire::DisconnectReason reason);
  void note(ClientEvent::Kind kind, const ClientLink& link, wire::DisconnectReason reason);
  void reply(const ClientLink& link, const std::variant<wire::Pong, wire::CommandResult>& message);

  // Sending.
  void send_replies(const LinkOutput& out);
  void send_goodbyes(const LinkOutput& out);
  void send_ticks(std::uint32_t network_tick, const LinkOutput& out);
  [[nodiscard]] bool snapshot_is_fresh() const;

  [[nodiscard]] wire::Nanoseconds session_time(wire::Nanoseconds now) const;

  BroadcasterConfig config;
  std::shared_ptr<const wire::Bytes> session_header;
  wire::CookieJar cookies;
  LogHistory history;
  std::optional<wire::Nanoseconds> newest_due;  // when the newest tick was due
  std::uint32_t epoch = 0;
  std::optional<std::uint32_t> last_network_tick;
  std::optional<SharedSnapshot> snapshot;
  bool closing = false;

  std::vector<std::unique_ptr<ClientLink>> links;      // by slot: low 10 bits of the connection id
  std::map<wire::Address, std::uint32_t> connections;  // of the clients that are not leaving
  std::uint64_t connection_state;                      // of the connection id generator
  std::uint32_t next_client = 1;
  std::size_t present = 0;  // welcomed and not leaving
  std::vector<ClientCommand> commands;
  ReplyQueue replies;
  std::vector<ClientEvent> events;
  BroadcasterStatistics statistics;
};

}  // namespace contrail::server
