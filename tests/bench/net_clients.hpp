#pragma once

// Any number of clients on one thread, each with a socket of its own: the transport of the SDK
// without the world behind it, so that hundreds fit on the core that the server leaves.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <contrail/wire/client_connection.hpp>

#include "net_server.hpp"

namespace contrail::bench {

/// What clients saw of launches while it was looked at.
struct Arrivals {
  /// From the end of the tick that launched to the complete record, of every salvo and client;
  /// nanoseconds, ascending.
  std::vector<wire::Nanoseconds> delays;
};

class NetClients {
 public:
  /// Clients of `server`. The first `pilots` of them fly one of `ships` each, turning four times a
  /// second and firing once.
  NetClients(const NetServer& server, std::size_t count, std::size_t pilots,
             std::vector<std::uint16_t> ships);
  ~NetClients();
  NetClients(const NetClients&) = delete;
  NetClients& operator=(const NetClients&) = delete;

  void start();
  void stop();
  /// With a complete snapshot.
  [[nodiscard]] std::size_t live() const { return live_; }
  /// Their connection ended or was refused.
  [[nodiscard]] std::size_t lost() const { return lost_; }
  [[nodiscard]] std::uint64_t commands() const { return commands_; }
  /// Begins to look at arrivals, or ends it.
  void watch(bool watching) { watching_ = watching; }
  /// After stop().
  Arrivals arrivals();

 private:
  struct Client;
  void run();
  void hear(Client& client);
  void serve(Client& client);
  void command(Client& client, wire::Nanoseconds now);

  const NetServer& server_;
  std::size_t count_;
  std::size_t pilots_;
  std::vector<std::uint16_t> ships_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::atomic<std::size_t> live_ = 0;
  std::atomic<std::size_t> lost_ = 0;
  std::atomic<std::uint64_t> commands_ = 0;
  std::atomic<bool> watching_ = false;
  std::atomic<bool> stopping_ = false;
  std::vector<wire::Nanoseconds> delays_;
  std::thread thread_;
};

}  // namespace contrail::bench
