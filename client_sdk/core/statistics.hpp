#pragma once

#include <array>
#include <cstdint>

#include <contrail/core/playback.hpp>
#include <contrail/wire/commands.hpp>
#include <contrail/wire/time.hpp>

namespace contrail::client {

inline constexpr std::size_t k_command_statuses =
    static_cast<std::size_t>(wire::k_last_command_status) + 1;

/// Counts since the object was made, except those of the transport: these begin anew with each
/// connection.
struct Statistics {
  LogCounts log;

  // The connection in force, or the last one.
  std::uint64_t packets_in = 0;  // well formed and fresh
  std::uint64_t bytes_in = 0;    // UDP payload of those
  std::uint64_t packets_out = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t packets_lost = 0;    // of those sent: never acknowledged
  std::uint64_t packets_missed = 0;  // of the server's: never arrived so far
  std::uint64_t packets_dropped =
      0;                             // arrived and refused: malformed, repeated, not of this server
  std::uint64_t resyncs = 0;         // snapshots after the first
  std::uint64_t missile_bytes = 0;   // payload of launches and missile ends, every copy received
  wire::Nanoseconds round_trip = 0;  // lowest of the last 10 s; 0 while unknown
  wire::Nanoseconds render_delay = 0;

  std::uint64_t fire_requests = 0;
  std::array<std::uint64_t, k_command_statuses> fire_results{};  // by CommandStatus
  std::uint64_t command_requests = 0;  // steer, release, self_destruct and drive
  std::array<std::uint64_t, k_command_statuses> command_results{};  // by CommandStatus
  std::int64_t largest_correction = 0;  // of the own ship's predicted position, length units
  std::uint64_t events_dropped = 0;     // pushed out because nobody polled them
};

}  // namespace contrail::client
