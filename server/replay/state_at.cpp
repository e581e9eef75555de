#include <contrail/replay/state_at.hpp>

#include <string_view>
#include <vector>

#include <contrail/sim/world.hpp>

namespace contrail::server {
namespace {

using recording::EntryKind;

constexpr std::string_view k_subsystem_names[sim::k_subsystems] = {
    "launches", "anchors", "tracks", "health", "turrets", "flights"};

class Fold {
 public:
  Fold(const RecordedSession& session, std::uint32_t tick)
      : session_(session), cursor_(session.reader()) {
    result_.tick = tick;
  }

  StateAt run(bool use_snapshots) {
    if (use_snapshots) {
      restore_newest_snapshot();
    }
    if (!world_ && result_.exit_code == ExitCode::ok) {
      if (session_.reader().first_tick() != 0) {
        fail(ExitCode::failure, "no snapshot at or before tick " + std::to_string(result_.tick));
      } else {
        world_.emplace(session_.scenario());
      }
    }
    if (result_.exit_code == ExitCode::ok) {
      fold_records();
    }
    if (result_.exit_code == ExitCode::ok) {
      world_->advance(result_.tick);
      result_.hash = world_->state_hash();
      result_.combined.add(result_.hash.roll);
      for (const std::uint32_t lane : result_.hash.lanes) {
        result_.combined.add(lane);
      }
    }
    return std::move(result_);
  }

 private:
  void restore_newest_snapshot() {
    std::optional<recording::SnapshotPosition> newest;
    for (const recording::SnapshotPosition& snapshot : session_.reader().snapshots()) {
      if (snapshot.tick <= result_.tick) {
        newest = snapshot;
      }
    }
    if (!newest) {
      return;
    }
    cursor_.seek_chunk(newest->chunk);
    recording::Entry entry;
    while (cursor_.next(entry)) {
      if (entry.kind == EntryKind::snapshot && entry.tick == newest->tick) {
        restore(entry);
        return;
      }
    }
    fail(ExitCode::failure, "damaged: " + describe(cursor_.fault()));
  }

  void restore(const recording::Entry& entry) {
    sim::Snapshot snapshot;
    const std::string where = "the snapshot of tick " + std::to_string(entry.tick);
    const wire::CodecResult decoded =
        wire::decode_snapshot(entry.payload, session_.log2_tick(), snapshot);
    if (!decoded || snapshot.tick != entry.tick) {
      fail(ExitCode::failure, where + ": " + (decoded ? "tick" : decoded.field) + ": " +
                                  (decoded ? "another tick's" : wire::describe(decoded.error)));
      return;
    }
    const sim::FoldError error = sim::World::restore(session_.scenario(), snapshot, world_);
    if (error != sim::FoldError::none) {
      fail(ExitCode::failure, where + ": " + sim::describe(error));
      return;
    }
    result_.from_snapshot = entry.tick;
  }

  // From where the cursor stands up to the wanted tick.
  void fold_records() {
    recording::Entry entry;
    while (result_.exit_code == ExitCode::ok && cursor_.next(entry)) {
      if (entry.tick > result_.tick) {
        return;
      }
      // A snapshot's own record lies before it, and is part of it.
      if (entry.kind == EntryKind::record && entry.tick > world_->tick()) {
        fold(entry);
      }
    }
    if (cursor_.fault()) {
      fail(ExitCode::failure, "damaged: " + describe(cursor_.fault()));
    }
  }

  void fold(const recording::Entry& entry) {
    sim::TickRecord record;
    const std::string where = "tick " + std::to_string(entry.tick);
    const wire::CodecResult decoded =
        wire::decode_record(entry.payload, session_.log2_tick(), record);
    if (!decoded || record.tick != entry.tick) {
      fail(ExitCode::failure, where + ": " + (decoded ? "tick" : decoded.field) + ": " +
                                  (decoded ? "another tick's" : wire::describe(decoded.error)));
      return;
    }
    const sim::FoldResult folded = world_->fold(record);
    if (folded.error != sim::FoldError::none) {
      fail(ExitCode::failure, where + ": " + sim::describe(folded.error));
      return;
    }
    ++result_.records;
    result_.hashes_checked += folded.hash.present ? 1 : 0;
    for (std::size_t lane = 0; lane < sim::k_subsystems; ++lane) {
      if (((folded.hash.differing >> lane) & 1) != 0) {
        fail(ExitCode::different, "desync at " + where + ": the recorded state hash of " +
                                      std::string(k_subsystem_names[lane]) +
                                      " is not that of the fold");
        return;
      }
    }
  }

  void fail(ExitCode code, const std::string& message) {
    result_.exit_code = code;
    result_.message = message;
  }

  const RecordedSession& session_;
  recording::EntryCursor cursor_;
  std::optional<sim::World> world_;
  StateAt result_;
};

}  // namespace

StateAt state_at(const RecordedSession& session, std::uint32_t tick, bool use_snapshots) {
  StateAt refused;
  refused.tick = tick;
  const auto& reader = session.reader();
  if (tick < reader.first_tick() || tick > reader.last_tick()) {
    refused.exit_code = ExitCode::usage;
    refused.message =
        "tick " + std::to_string(tick) + " is not in the recording, which has ticks " +
        std::to_string(reader.first_tick()) + ".." + std::to_string(reader.last_tick());
    return refused;
  }
  refused.exit_code = ExitCode::failure;
  refused.message = session.incompatibility();
  if (!refused.message.empty()) {
    return refused;
  }
  return Fold(session, tick).run(use_snapshots);
}

}  // namespace contrail::server
