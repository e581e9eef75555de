#pragma once

// What a run of the server came to.

#include <cstdint>
#include <optional>
#include <string>

#include <contrail/edge/broadcaster.hpp>
#include <contrail/edge/recorder.hpp>
#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/flow/event_log.hpp>
#include <contrail/flow/match.hpp>

namespace contrail::server {

struct RunSummary {
  std::string scenario;
  std::uint64_t seed = 0;
  std::uint64_t session_id = 0;
  std::string fingerprint;  // 16 hex digits
  std::string end;          // why it ended: "stopped", "duration", "scenario"
  std::uint64_t ticks = 0;
  double seconds = 0.0;  // of session time
  double wall_seconds = 0.0;
  MatchCounters match;
  LogCounters log;
  std::string log_hash;                 // 16 hex digits, over every record
  double missile_seconds = 0.0;         // flown
  double client_missile_seconds = 0.0;  // the same, counted once a client that followed
  BroadcasterStatistics network;
  UdpStatistics udp;
  std::uint64_t dropped_ticks = 0;  // of session time, after stalls
  std::string recording;            // path; empty: none
  RecorderStatistics recorder;
};

/// Launch and outcome payload sent, every copy, over the missile seconds of every client that
/// followed; nothing without clients.
std::optional<double> missile_bytes_per_missile_second(const RunSummary& summary);

/// One JSON object without a line end.
std::string to_json(const RunSummary& summary);
/// A table.
std::string to_text(const RunSummary& summary);

}  // namespace contrail::server
