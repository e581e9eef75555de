#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include <contrail/replay/exit_code.hpp>
#include <contrail/replay/recorded_session.hpp>

namespace contrail::server {

struct ExportResult {
  ExitCode exit_code = ExitCode::ok;
  std::string message;  // one line where exit_code is not ok
  std::uint64_t records = 0;
  std::uint64_t positions = 0;
};

/// Writes what another implementation of the fold checks itself with, one JSON object a line: first
/// {"scenario"}; then in the order of the log {"record"} and, after all records up to its time,
/// {"time", "missiles": [[launch id, index, x, y, z], ...]}, the position in length units of every
/// missile in flight at one of `times` random subticks. The same seed gives the same times.
ExportResult export_vectors(const RecordedSession& session, std::uint32_t times, std::uint64_t seed,
                            std::ostream& out);

}  // namespace contrail::server
