#include <contrail/replay/info.hpp>

namespace contrail::server {
namespace {

// An incomplete file is loss; a changed one is a failure.
ExitCode exit_code_of(recording::ReadError error) {
  switch (error) {
    case recording::ReadError::none:
      return ExitCode::ok;
    case recording::ReadError::not_closed:
    case recording::ReadError::truncated_record:
      return ExitCode::loss;
    default:
      return ExitCode::failure;
  }
}

}  // namespace

RecordingInfo info(const RecordedSession& session, bool check) {
  const recording::RecordingReader& reader = session.reader();
  RecordingInfo out;
  out.checked = check;
  out.bytes = reader.file().size();
  out.closed = reader.closed();
  out.first_tick = reader.first_tick();
  out.last_tick = reader.last_tick();
  out.duration_ms =
      recording::tick_time_ns(reader.last_tick() - reader.first_tick(), reader.log2_tick()) /
      1'000'000;
  for (std::size_t kind = 0; kind < recording::k_entry_kinds; ++kind) {
    out.messages[kind] = reader.count(static_cast<recording::EntryKind>(kind));
  }
  for (const recording::SnapshotPosition& snapshot : reader.snapshots()) {
    out.snapshots.push_back(snapshot.tick);
  }
  out.incompatibility = session.incompatibility();

  recording::Fault fault = reader.damage();
  if (check) {
    fault = recording::check_recording(reader.file());
    out.exit_code = exit_code_of(fault.error);
  } else if (!reader.closed()) {
    out.exit_code = ExitCode::loss;
  }
  if (fault) {
    out.fault = describe(fault);
  }
  return out;
}

}  // namespace contrail::server
