#pragma once

// How contrail lays a session into an MCAP file: four channels, told apart by topic.
//   session   the session header, once, first
//   record    a tick record of the log, at most one a tick
//   input     an input the match accepted, in the order it acted; before the record of its tick
//   snapshot  the whole state after a tick, at intervals; after the record of its tick
// A message's sequence is its tick, both its times are that tick's time. Payloads are opaque here.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <contrail/recording/mcap_format.hpp>

namespace contrail::recording {

enum class EntryKind : std::uint8_t { session = 0, record = 1, input = 2, snapshot = 3 };
inline constexpr std::size_t k_entry_kinds = 4;
inline constexpr std::array<std::string_view, k_entry_kinds> k_topics{"session", "record", "input",
                                                                      "snapshot"};
[[nodiscard]] constexpr std::string_view topic_of(EntryKind kind) {
  return k_topics[static_cast<std::size_t>(kind)];
}

/// Metadata keys of the session channel that every recording has, both decimal.
inline constexpr std::string_view k_subticks_per_tick_key = "subticks_per_tick";
inline constexpr std::string_view k_subticks_per_second_key = "subticks_per_second";

inline constexpr std::uint8_t k_min_log2_tick = 9;
inline constexpr std::uint8_t k_max_log2_tick = 13;

/// Ticks of successive entries are never further apart (a running match says something twice a
/// second), so a damaged tick can't send a reader through centuries.
inline constexpr std::uint64_t k_max_gap_subticks = 3600u * 65536u;

/// The time of a tick in nanoseconds since session start, rounded down. A subtick, 1/65536 s, is
/// 1953125/128 ns; the split keeps every intermediate below 2^64 for all ticks.
[[nodiscard]] constexpr std::uint64_t tick_time_ns(std::uint32_t tick, std::uint8_t log2_tick) {
  const std::uint64_t subticks = std::uint64_t{tick} << log2_tick;
  return (subticks >> 7) * 1953125u + (((subticks & 127u) * 1953125u) >> 7);
}

/// What a channel says about its payloads. With an empty schema name it has no schema.
struct ChannelFormat {
  std::string message_encoding;  // "flatbuffer"
  std::string schema_name;       // the payload's type, fully qualified
  std::string schema_encoding;   // "flatbuffer"
  std::vector<std::uint8_t> schema_data;
};

struct RecordingFormat {
  std::string library;                                     // program and version that writes
  std::uint8_t log2_tick = 11;                             // subticks of a tick, 9..13
  std::array<ChannelFormat, k_entry_kinds> channels;       // by EntryKind
  std::vector<std::pair<std::string, std::string>> about;  // more of the session's metadata
};

}  // namespace contrail::recording
