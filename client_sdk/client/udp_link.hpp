#pragma once

// One UDP socket to one server. The only file pair of the SDK that knows Asio.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <contrail/wire/address.hpp>

namespace contrail::client {

/// "host:port" taken apart; IPv6 literals stand in brackets, as in "[::1]:7777".
struct ServerAddress {
  std::string host;
  std::uint16_t port = 0;
  bool operator==(const ServerAddress&) const = default;
};
/// Nothing when the text is not of that form or the port is not 1..65535.
std::optional<ServerAddress> parse_server_address(std::string_view text);

/// An address of the wire as host and port.
ServerAddress server_address_of(const wire::Address& address);

/// Errors that sockets reported and the link survived.
struct LinkCounts {
  std::uint64_t receive_errors =
      0;                          // among them "connection refused" of a server that is not there
  std::uint64_t send_errors = 0;  // among them a full socket buffer; the datagram is lost
  std::uint64_t oversized = 0;    // datagrams longer than any of the protocol
};

/// A non-blocking socket, connected to one of the addresses a host name stands for. Never throws
/// after construction; every error but a failed open is counted and survived. Not thread-safe.
class UdpLink {
 public:
  UdpLink();
  ~UdpLink();
  UdpLink(const UdpLink&) = delete;
  UdpLink& operator=(const UdpLink&) = delete;

  /// Resolves the name and opens a socket to its first usable address. Blocks for the system's
  /// resolver where `host` is not an address. False with a reason in error_text().
  bool open(const std::string& host, std::uint16_t port);
  /// Opens a socket to the next address of the name, from a new local port, for a server that does
  /// not answer at the present one. False when the name has only this one; the old socket stays.
  bool try_next_address();
  /// Opens a socket to the address in use from a new local port. False when that fails; the old
  /// socket stays.
  bool renew();
  void close();

  /// One datagram into `buffer`: its length, or nothing when none waits. Datagrams that fill the
  /// buffer to its end are taken for cut ones, counted and dropped: give one byte more than fits.
  std::optional<std::size_t> receive(std::span<std::uint8_t> buffer);
  void send(std::span<const std::uint8_t> datagram);

  [[nodiscard]] bool is_open() const;
  /// The address in use, as "127.0.0.1:7777" or "[::1]:7777"; empty while closed.
  [[nodiscard]] std::string remote_text() const;
  [[nodiscard]] const std::string& error_text() const;
  [[nodiscard]] const LinkCounts& counts() const;

 private:
  struct Socket;
  std::unique_ptr<Socket> socket_;
};

}  // namespace contrail::client
