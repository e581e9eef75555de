#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <contrail/sim/world.hpp>

#include <contrail/replay/exit_code.hpp>
#include <contrail/replay/recorded_session.hpp>

namespace contrail::server {

struct ExportResult {
  ExitCode exit_code = ExitCode::ok;
  std::string message;  // one line where exit_code is not ok
  std::uint64_t positions = 0;
};

/// Folds a log and writes what another implementation of the fold checks itself with, one JSON
/// object a line: first {"scenario"}; then in the order of the log {"record"} and, after all
/// records up to its time, {"time", "missiles": [[launch id, index, x, y, z], ...]}, the position
/// in length units of every missile in flight at that subtick.
class VectorWriter {
 public:
  /// `times`: subticks, ascending, above 0. `out` outlives this object.
  VectorWriter(std::shared_ptr<const sim::Scenario> scenario, std::vector<sim::Subtick> times,
               std::ostream& out);
  /// Records come by ascending tick. False, with error(), where one can't be folded or says a state
  /// hash that is not the fold's.
  [[nodiscard]] bool record(const sim::TickRecord& record);
  /// Through silent ticks up to and including `tick`.
  void advance(std::uint32_t tick);

  [[nodiscard]] std::uint64_t positions() const { return positions_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  void write_positions();

  const std::vector<sim::Subtick> times_;
  std::ostream& out_;
  sim::World world_;
  std::size_t next_ = 0;  // of times_
  std::uint64_t positions_ = 0;
  std::string error_;
};

/// `count` times for a VectorWriter, each in 1..last. The same seed gives the same ones.
std::vector<sim::Subtick> random_times(std::uint32_t count, std::uint64_t seed, sim::Subtick last);

/// Writes a recorded session with the positions at `times` random times.
ExportResult export_vectors(const RecordedSession& session, std::uint32_t times, std::uint64_t seed,
                            std::ostream& out);

}  // namespace contrail::server
