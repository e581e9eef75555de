#pragma once

#include <cstdint>
#include <string>

#include <contrail/replay/exit_code.hpp>
#include <contrail/replay/recorded_session.hpp>

namespace contrail::server {

struct VerifyResult {
  ExitCode exit_code = ExitCode::ok;
  /// One line: what was equal, or what was not and where.
  std::string message;
  std::uint32_t last_tick = 0;       // played up to here
  std::uint64_t records = 0;         // compared and equal
  std::uint64_t inputs = 0;          // played
  std::uint64_t snapshots = 0;       // compared and equal
  std::uint64_t hashes = 0;          // state hashes compared and equal
  bool decisions_rerun = true;       // false: the rules are a host's own
  std::uint32_t different_tick = 0;  // with ExitCode::different
  std::string different_field;       // "launches[0].seed"
  sim::Hash64 log_hash;              // of the run
};

/// Plays the match again from the recorded session header and inputs, and compares every record
/// and snapshot byte by byte with the recorded ones. Stops at the first difference. Decisions of
/// rules that are not the standard ones can't be made again: then the records are folded, and every
/// record's form, state hash and snapshot is checked.
VerifyResult verify(const RecordedSession& session);

}  // namespace contrail::server
