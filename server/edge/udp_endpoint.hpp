#pragma once

// One UDP socket for all clients: dual stack where the machine has IPv6, never shared with another
// process, never blocking, and not to be stopped by what happens to single datagrams.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <asio/io_context.hpp>

#include <contrail/edge/broadcaster.hpp>
#include <contrail/wire/address.hpp>

namespace contrail::server {

struct UdpStatistics {
  std::uint64_t received = 0;          // datagrams
  std::uint64_t sent = 0;              // datagrams
  std::uint64_t send_would_block = 0;  // dropped: the socket's buffer is full
  std::uint64_t send_errors = 0;       // dropped: another error
  std::uint64_t receive_errors = 0;    // survived
  std::uint64_t kernel_drops = 0;      // arrived and found no room; Linux, 0 elsewhere
  std::uint64_t drains_capped = 0;     // rounds that ended at the cap with more to read
};

/// "1.2.3.4:7777" or "[2001:db8::1]:7777".
std::string to_string(const wire::Address& address);

class UdpEndpoint final : public DatagramSink {
 public:
  /// A datagram and its sender. Longer ones than 1,200 bytes arrive with 1,201.
  using Receiver = std::function<void(const wire::Address&, std::span<const std::uint8_t>)>;

  /// Called when a round of reading is over: the time to send answers.
  using Drained = std::function<void()>;

  explicit UdpEndpoint(asio::io_context& context);
  ~UdpEndpoint() override;

  struct OpenResult {
    bool ok = false;
    std::string error;       // "cannot bind UDP [::]:7777: Address already in use"
    std::uint16_t port = 0;  // bound
    bool dual_stack = false;
    std::size_t receive_buffer = 0;  // bytes granted
  };
  /// `host`: "::" = all addresses of both families (IPv4 alone where there is no IPv6), or one
  /// numeric address. Port 0 = any free one. `receive_buffer`: bytes asked for.
  OpenResult open(const std::string& host, std::uint16_t port, std::size_t receive_buffer);

  /// Calls `receiver` from the context's thread for every datagram, until close(). Rounds of
  /// reading are bounded, so that a flood can't keep timers from being served.
  void start(Receiver receiver, Drained drained = {});
  void close();

  /// Sends by flush() at the latest, or drops and counts.
  void send(const wire::Address& to, std::span<const std::uint8_t> datagram) override;
  /// Hands what was collected to the system in one call, where it has one for that (Linux).
  void flush() override;
  /// Every datagram by a call of its own from now on, as where there is no other.
  void send_singly();

  [[nodiscard]] const UdpStatistics& statistics() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace contrail::server
