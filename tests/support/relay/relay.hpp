#pragma once

// A bad network for real sockets: stands between clients and a server and loses, delays, repeats
// and reorders their datagrams by a seed, and can change the port it sends from as a NAT does.
// Counts by itself what passes, so that the ends' own statistics can be compared with it.

#include <chrono>
#include <cstdint>
#include <memory>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

namespace contrail::support {

struct RelayOptions {
  asio::ip::udp::endpoint listen;  // for clients; port 0: any free one
  asio::ip::udp::endpoint server;
  int loss = 0;        // percent, each way
  int duplicates = 0;  // percent
  int reorders = 0;    // percent, held back by 1..3 times the jitter, at least 5 ms, more
  std::chrono::milliseconds delay{0};
  std::chrono::milliseconds jitter{0};             // uniform in 0..jitter, added to the delay
  std::chrono::milliseconds change_port_after{0};  // of a client's first datagram; 0: never
  std::uint64_t seed = 1;
};

/// Of one direction. What arrived = lost + unroutable + forwarded - duplicated + under way.
struct RelayCounts {
  std::uint64_t datagrams = 0;  // arrived
  std::uint64_t bytes = 0;      // of those, UDP payload
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t unroutable = 0;  // to a port that was given up
  std::uint64_t forwarded = 0;
  std::uint64_t send_errors = 0;
};

/// Works inside the context's run(). One thread.
class Relay {
 public:
  /// Throws std::system_error when the port cannot be had.
  Relay(asio::io_context& context, const RelayOptions& options);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  [[nodiscard]] std::uint16_t port() const;  // bound
  /// Counts what has arrived and was not read yet, and forwards nothing any more.
  void stop();

  [[nodiscard]] const RelayCounts& to_server() const;
  [[nodiscard]] const RelayCounts& to_clients() const;
  [[nodiscard]] std::uint64_t clients() const;
  [[nodiscard]] std::uint64_t port_changes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contrail::support
