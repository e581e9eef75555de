#pragma once

// Runs a session to its end: in real time with clients on a UDP port, or as fast as it goes.

#include <cstdint>
#include <functional>
#include <string>

#include <contrail/edge/listen_address.hpp>
#include <contrail/edge/live_session.hpp>
#include <contrail/edge/log.hpp>
#include <contrail/edge/run_summary.hpp>
#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/sim/batch/batch_self_check.hpp>

namespace contrail::server {

struct ServerAppConfig {
  SessionConfig session;
  ListenAddress listen;
  sim::Subtick duration = 0;  // subticks of session time; 0: until stopped or the scenario ends
  bool unpaced = false;       // no sockets
  sim::BatchChoice batch;     // of this process, said in the log
};

/// What the app needs of the process around it.
struct ServerAppHost {
  std::function<wire::Nanoseconds()> now;            // monotonic
  std::function<wire::UnixMilliseconds()> unix_now;  // time of day, UTC; none: it stands still
  std::function<bool()> stop_requested;              // asked at least once a tick
  std::function<void(const std::string&)> print;     // results, for stdout
};

enum class ServerEnd : std::uint8_t {
  done,         // stopped, or its time is over
  not_bound,    // the port could not be had
  not_recorded  // the recording could not be created
};

class ServerApp {
 public:
  /// `log` must outlive the app.
  ServerApp(ServerAppConfig config, ServerAppHost host, Log& log);

  /// Plays to the end. Prints the listening line once clients can join. What went wrong is logged.
  ServerEnd run();
  /// After run().
  [[nodiscard]] RunSummary summary() const;

 private:
  ServerEnd run_unpaced();
  ServerEnd run_paced();
  [[nodiscard]] bool open_recording();
  class Paced;
  /// Session time is over: by duration, or because the scenario ended.
  [[nodiscard]] bool over() const;
  void announce(const std::string& address, std::uint16_t port);

  ServerAppConfig config_;
  ServerAppHost host_;
  Log& log_;
  LiveSession session_;
  wire::Nanoseconds started_ = 0;
  wire::Nanoseconds stopped_ = 0;
  std::uint64_t dropped_ticks_ = 0;
  UdpStatistics udp_;
  std::string end_;
};

}  // namespace contrail::server
