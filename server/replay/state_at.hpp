#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <contrail/sim/records.hpp>

#include <contrail/replay/exit_code.hpp>
#include <contrail/replay/recorded_session.hpp>

namespace contrail::server {

struct StateAt {
  ExitCode exit_code = ExitCode::ok;
  std::string message;  // one line where exit_code is not ok
  std::uint32_t tick = 0;
  sim::StateHash hash;   // of the state after that tick, for the roll that is next there
  sim::Hash64 combined;  // over roll and lanes
  std::optional<std::uint32_t> from_snapshot;  // tick of the snapshot the fold began with
  std::uint64_t records = 0;                   // folded
  std::uint64_t hashes_checked = 0;            // state hashes met on the way, all equal
};

/// Folds the recorded log up to `tick` and hashes the state, beginning with the newest snapshot at
/// or before it, or with the first record when `use_snapshots` is false or there is none; the hash
/// is the same either way. A recorded state hash that the fold does not reproduce ends it with
/// ExitCode::different.
StateAt state_at(const RecordedSession& session, std::uint32_t tick, bool use_snapshots = true);

}  // namespace contrail::server
