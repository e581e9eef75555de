#pragma once

// Datagrams on their way out, handed to the system many at a time where it takes them so.

#include <cstdint>
#include <memory>
#include <span>

#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/wire/address.hpp>

namespace contrail::server {

class UdpBatch {
 public:
  UdpBatch();
  ~UdpBatch();
  UdpBatch(const UdpBatch&) = delete;
  UdpBatch& operator=(const UdpBatch&) = delete;

  /// Has this system a call for many datagrams at once (Linux: sendmmsg)?
  [[nodiscard]] static bool supported();
  /// Copies a datagram of at most wire::k_max_datagram_bytes; false: full, flush first.
  bool add(const wire::Address& to, std::span<const std::uint8_t> datagram, bool v6_socket);
  /// Sends and forgets all. What the socket's buffer has no room for is dropped and counted, a
  /// datagram the system refuses (no route) costs nobody else's.
  void flush(int socket, UdpStatistics& statistics);

 private:
  struct Slots;
  std::unique_ptr<Slots> slots_;
  std::size_t count_ = 0;
};

}  // namespace contrail::server
