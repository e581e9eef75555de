#pragma once

// Reads what a UDP socket holds, and goes on after whatever error single datagrams cause.

#include <array>
#include <cstdint>
#include <span>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/udp.hpp>

#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/wire/wire_limits.hpp>

namespace contrail::server {

/// One byte more than the longest datagram: a longer one is seen to be longer, not cut to fit.
using ReceiveBuffer = std::array<std::uint8_t, wire::k_max_datagram_bytes + 1>;

/// Reads at most `cap` times, so that a flood can't keep the caller from its other work. `Socket`
/// is asio's or a test's. On some systems a datagram longer than the buffer is an error
/// (message_size), on others it is cut: either way it is not taken for a good one.
template <class Socket, class Receiver>
void drain_socket(Socket& socket, ReceiveBuffer& buffer, int cap, UdpStatistics& statistics,
                  const Receiver& receiver) {
  for (int i = 0; i < cap; ++i) {
    asio::ip::udp::endpoint from;
    asio::error_code error;
    const std::size_t size = socket.receive_from(asio::buffer(buffer), from, 0, error);
    if (error == asio::error::would_block || error == asio::error::try_again) return;
    if (error == asio::error::bad_descriptor) return;  // closed by the receiver
    if (error) {
      ++statistics.receive_errors;
      continue;
    }
    ++statistics.received;
    receiver(from, std::span<const std::uint8_t>(buffer.data(), size));
  }
  ++statistics.drains_capped;
}

}  // namespace contrail::server
