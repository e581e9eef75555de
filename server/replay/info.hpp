#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <contrail/replay/exit_code.hpp>
#include <contrail/replay/recorded_session.hpp>

namespace contrail::server {

/// What a recording holds.
struct RecordingInfo {
  ExitCode exit_code = ExitCode::ok;
  bool checked = false;  // every byte was verified
  std::string fault;     // what is wrong with the file, or empty
  std::uint64_t bytes = 0;
  bool closed = false;
  std::uint32_t first_tick = 0;
  std::uint32_t last_tick = 0;
  std::uint64_t duration_ms = 0;                                   // of session time
  std::array<std::uint64_t, recording::k_entry_kinds> messages{};  // by EntryKind
  std::vector<std::uint32_t> snapshots;                            // ticks
  std::string incompatibility;  // why this program can't play it again, or empty
};

/// With `check` every byte is verified; without, the index is believed.
RecordingInfo info(const RecordedSession& session, bool check);

}  // namespace contrail::server
