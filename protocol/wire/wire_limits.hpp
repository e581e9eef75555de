#pragma once

// Limits of messages. The simulation's own are in sim/limits.hpp.

#include <cstddef>
#include <cstdint>

#include <contrail/sim/limits.hpp>

namespace contrail::wire {

inline constexpr std::uint16_t k_version_major = 0;
inline constexpr std::uint16_t k_version_minor = 1;
/// Revision of the specified arithmetic (SPEC.md).
inline constexpr std::uint16_t k_path_revision = 1;

/// UDP payload: clear header, sealed header, body and tag together.
inline constexpr std::size_t k_max_datagram_bytes = 1200;
inline constexpr std::size_t k_max_record_bytes = sim::k_max_record_bytes;
inline constexpr std::size_t k_max_session_header_bytes = 1 << 20;
inline constexpr std::size_t k_max_snapshot_bytes = 64 << 20;
inline constexpr std::size_t k_max_input_bytes = 1200;

inline constexpr std::size_t k_max_commands = 32;  // of one message
inline constexpr std::size_t k_max_name_bytes = 64;
inline constexpr std::size_t k_max_launchers = 64;  // of one entity type
inline constexpr std::size_t k_max_routes = 4096;
inline constexpr std::size_t k_max_route_keys = 32'768;  // of all routes together

// Ranges of scenario values that no other limit gives; lengths in 1/4096 m.
inline constexpr std::int32_t k_max_amplitude = 1 << 28;            // length units
inline constexpr std::int32_t k_max_acceleration = (1 << 26) - 1;   // of a ship, units per s^2
inline constexpr std::int32_t k_most_extra_acceleration = 1 << 28;  // of homing, units per s^2
inline constexpr std::int32_t k_max_blast = 1 << 24;                // length units, 4 km
inline constexpr sim::Subtick k_min_flight_time = 1 << 8;           // one shortest piece
inline constexpr sim::Subtick k_max_flight_time = 960 << 13;        // all longest pieces
inline constexpr sim::Subtick k_max_wait = 0x7FFF'FFFF;             // of reload and first launch

/// A packet speaks of at most this many ticks: one second, at most 32 ticks.
constexpr int window_ticks(int log2_tick) {
  const int rate = 1 << (16 - log2_tick);
  return rate < 32 ? rate : 32;
}

}  // namespace contrail::wire
