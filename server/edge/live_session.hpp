#pragma once

// One session being played: match, recording and clients, tick by tick. No sockets and no clock of
// its own: datagrams and times are given, so tests drive it in virtual time.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <contrail/edge/broadcaster.hpp>
#include <contrail/edge/log.hpp>
#include <contrail/edge/recorder.hpp>
#include <contrail/edge/run_summary.hpp>
#include <contrail/flow/match.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <contrail/wire/time.hpp>

namespace contrail::server {

struct SessionConfig {
  std::shared_ptr<const sim::Scenario> scenario;
  std::uint64_t session_id = 0;
  sim::Hash64 fingerprint;  // of this process
  wire::Entropy secret{};   // random; for the broadcaster
  bool clients = true;      // false: nobody can join
  std::size_t max_clients = 256;
  AdmissionConfig admission;  // who may join
  std::string record;         // file or directory; empty: none
};

/// One thread at a time.
class LiveSession {
 public:
  /// `log` must outlive the session.
  LiveSession(const SessionConfig& config, Log& log);
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;
  ~LiveSession();

  /// Creates the recording, if one is wanted. Empty, or why it can't be.
  [[nodiscard]] std::string open_recording();

  /// Before the first datagram, and now and then later.
  void set_wall_clock(wire::UnixMilliseconds unix_now, wire::Nanoseconds now);
  /// Addresses that tokens may name this server by, where the configuration has none.
  void set_addresses(std::vector<wire::Address> addresses);
  /// A datagram from a client.
  void receive(const wire::Address& from, std::span<const std::uint8_t> datagram,
               wire::Nanoseconds now);
  /// Plays the next tick: commands, match, recording, and only then the broadcast. `due`: when the
  /// tick was due.
  void tick(wire::Nanoseconds due);
  /// Sends what is due.
  void poll_outgoing(wire::Nanoseconds now, DatagramSink& sink);

  /// A command of the host's own for the next tick; its id, which names it in the answers. Whoever
  /// embeds the session drives, steers, spawns and removes entities with it.
  std::uint32_t submit(wire::Command command);
  /// Answers to submit() since the last call, in the order of ids.
  std::vector<wire::CommandResult> take_results();

  /// The scenario's own end was reached.
  [[nodiscard]] bool ended() const { return match_.ended(); }
  /// Says good-bye to every client; keep polling while says_goodbye().
  void say_goodbye();
  [[nodiscard]] bool says_goodbye() const;
  /// Ends the recording with its index.
  void close_recording();

  [[nodiscard]] const Match& match() const { return match_; }
  [[nodiscard]] std::size_t clients() const;
  [[nodiscard]] const std::string& recording_path() const;
  /// Of everything but times and dropped ticks, which the caller knows.
  [[nodiscard]] RunSummary summary() const;

 private:
  void take_commands();
  void record(const StepResult& step);
  void log_clients();
  void let_go(const ClientEvent& pilot);
  [[nodiscard]] wire::Bytes snapshot() const;

  SessionConfig config_;
  Log& log_;
  wire::Bytes header_;
  Match match_;
  std::unique_ptr<Broadcaster> broadcaster_;  // none: nobody can join
  std::unique_ptr<Recorder> recorder_;        // none: not wanted
  std::uint32_t last_command_ = 0;            // of the host
  std::vector<wire::CommandResult> results_;  // for the host
  std::int64_t client_missile_subticks_ = 0;
};

}  // namespace contrail::server
