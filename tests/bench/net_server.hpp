#pragma once

// A server on a thread of its own, as contrail-server runs one, with its costs counted.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <contrail/edge/live_session.hpp>

namespace contrail::bench {

/// The clock that both ends read.
wire::Nanoseconds steady_now();

/// What a stretch of the match cost the server's thread.
struct ServerCost {
  double wall = 0;     // seconds
  double cpu = 0;      // seconds of the thread: everything below, and waiting
  double play = 0;     // of those: ticks: match, history, snapshots
  double send = 0;     // sealing and sending
  double receive = 0;  // reading and opening
  std::uint64_t ticks = 0;
  std::uint64_t salvos = 0;
  std::uint64_t missile_ticks = 0;  // missiles in flight, summed over ticks
  server::BroadcasterStatistics network;
};

/// One tick's datagrams of a stretch, as they left.
struct TickDatagrams {
  std::vector<std::pair<wire::Address, wire::Bytes>> datagrams;
};

class NetServer {
 public:
  NetServer(std::shared_ptr<const sim::Scenario> scenario, std::size_t max_clients);
  ~NetServer();
  NetServer(const NetServer&) = delete;
  NetServer& operator=(const NetServer&) = delete;

  /// Binds a port of 127.0.0.1 and starts to play; false with a reason on stderr.
  bool start();
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// When a tick was due, by steady_now(); 0: not yet.
  [[nodiscard]] wire::Nanoseconds due(std::uint32_t tick) const;

  /// Plays on for so many seconds and says what that cost.
  ServerCost measure(double seconds);
  /// Keeps a copy of everything sent in so many seconds.
  std::vector<TickDatagrams> record(double seconds);
  void stop();

 private:
  struct Playing;
  void play();
  /// Since the start. Asks the server's thread and waits for its answer.
  ServerCost total();

  std::shared_ptr<const sim::Scenario> scenario_;
  std::size_t max_clients_;
  std::unique_ptr<Playing> playing_;
  std::uint16_t port_ = 0;
  std::vector<std::atomic<wire::Nanoseconds>> due_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> asked_ = false;      // for the costs so far
  std::atomic<bool> recording_ = false;  // what is sent
  std::thread thread_;
};

/// CPU seconds that sending these datagrams takes and nothing else: one send call each, a tick's
/// at once, paced as they were.
double bare_sends(const std::vector<TickDatagrams>& ticks, wire::Nanoseconds tick_length);

}  // namespace contrail::bench
