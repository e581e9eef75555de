#include <contrail/replay/verify.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include <contrail/flow/match.hpp>

#include <contrail/replay/record_diff.hpp>

namespace contrail::server {
namespace {

using recording::EntryKind;

constexpr std::array<const char*, sim::k_subsystems> k_lanes{"launches", "anchors", "tracks",
                                                             "health",   "turrets", "flights"};

/// Everything recorded of one tick.
struct RecordedTick {
  std::vector<wire::Input> inputs;
  std::optional<recording::Bytes> record;
  std::optional<recording::Bytes> snapshot;
};

class Verification {
 public:
  explicit Verification(const RecordedSession& session)
      : session_(session), cursor_(session.reader()), world_(session.scenario()) {
    if (session.scenario()->rules == StandardRules::k_name) {
      match_.emplace(session.scenario());
    }
    result_.decisions_rerun = match_.has_value();
  }

  VerifyResult run() {
    have_entry_ = cursor_.next(entry_);  // the session header
    have_entry_ = have_entry_ && cursor_.next(entry_);
    const std::uint32_t last_tick = session_.reader().last_tick();
    while (tick() < last_tick && result_.exit_code == ExitCode::ok) {
      play_tick(tick() + 1);
    }
    result_.log_hash = match_ ? match_->log().hash() : log_hash_;
    if (result_.exit_code == ExitCode::ok) {
      conclude();
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const sim::World& world() const { return match_ ? match_->world() : world_; }
  [[nodiscard]] std::uint32_t tick() const { return world().tick(); }

  void play_tick(std::uint32_t tick) {
    RecordedTick recorded;
    if (!collect(tick, recorded)) {
      return;
    }
    if (match_) {
      run_tick(tick, recorded);
    } else {
      fold_tick(tick, recorded);
    }
    if (result_.exit_code == ExitCode::ok && recorded.snapshot) {
      compare_snapshot(tick, *recorded.snapshot);
    }
  }

  void run_tick(std::uint32_t tick, const RecordedTick& recorded) {
    for (const wire::Input& input : recorded.inputs) {
      match_->submit(input.client, input.command);
    }
    const StepResult step = match_->step();
    result_.last_tick = tick;
    if (step.accepted != recorded.inputs) {
      differ(tick, "inputs", "the run refuses an input that the recorded match took");
      return;
    }
    result_.inputs += recorded.inputs.size();
    compare_record(tick, recorded, step.entry);
    if (result_.exit_code == ExitCode::ok) {
      result_.hashes += step.entry.record.state_hashes.size();
    }
  }

  /// What a record says has to fit the state, in the one stated form, and its hash to be the
  /// state's.
  void fold_tick(std::uint32_t tick, const RecordedTick& recorded) {
    result_.last_tick = tick;
    result_.inputs += recorded.inputs.size();
    if (!recorded.record) {
      world_.advance(tick);
      return;
    }
    sim::TickRecord record;
    const wire::CodecResult decoded =
        wire::decode_record(*recorded.record, session_.log2_tick(), record);
    if (!decoded) {
      differ(tick, decoded.field,
             std::string("the recorded record is refused: ") + wire::describe(decoded.error));
      return;
    }
    const wire::Bytes canonical = wire::encode_record(record, session_.log2_tick());
    if (record.tick != tick || !std::ranges::equal(canonical, *recorded.record)) {
      differ(tick, "bytes", "the record is not in the stated form, or of another tick");
      return;
    }
    const sim::FoldResult folded = world_.fold(record);
    if (folded.error != sim::FoldError::none) {
      differ(tick, "record", std::string("does not fit the state: ") + sim::describe(folded.error));
      return;
    }
    for (int lane = 0; lane < sim::k_subsystems; ++lane) {
      if (((folded.hash.differing >> lane) & 1U) != 0) {
        differ(tick, std::string("state_hashes[0].") + k_lanes[static_cast<std::size_t>(lane)],
               "the recorded hash is not the state's");
        return;
      }
    }
    ++result_.records;
    result_.hashes += record.state_hashes.size();
    log_hash_.add(tick);
    log_hash_.add_bytes(canonical.data(), canonical.size());
  }

  // The entries of `tick`; false when they can't be read.
  bool collect(std::uint32_t tick, RecordedTick& out) {
    while (have_entry_ && entry_.tick <= tick) {
      if (entry_.tick < tick) {
        return damaged("an entry of tick " + std::to_string(entry_.tick) + " is out of place");
      }
      if (entry_.kind == EntryKind::input) {
        wire::Input input;
        const wire::CodecResult decoded = wire::decode_input(entry_.payload, input);
        if (!decoded) {
          return damaged("an input of tick " + std::to_string(tick) + ": " + decoded.field + ": " +
                         wire::describe(decoded.error));
        }
        if (input.tick != tick) {
          return damaged("an input of tick " + std::to_string(input.tick) + " lies in tick " +
                         std::to_string(tick));
        }
        out.inputs.push_back(input);
      } else {
        auto& slot = entry_.kind == EntryKind::record ? out.record : out.snapshot;
        if (slot) {
          return damaged("tick " + std::to_string(tick) + " has two records or snapshots");
        }
        slot = entry_.payload;
      }
      have_entry_ = cursor_.next(entry_);
    }
    if (cursor_.fault()) {
      return damaged(describe(cursor_.fault()));
    }
    return true;
  }

  void compare_record(std::uint32_t tick, const RecordedTick& recorded, const LogEntry& played) {
    const recording::Bytes bytes = recorded.record.value_or(recording::Bytes{});
    if (std::ranges::equal(bytes, played.bytes)) {
      result_.records += recorded.record ? 1 : 0;
      return;
    }
    sim::TickRecord record;
    record.tick = tick;
    if (recorded.record) {
      const wire::CodecResult decoded = wire::decode_record(bytes, session_.log2_tick(), record);
      if (!decoded) {
        differ(tick, decoded.field,
               std::string("the recorded record is refused: ") + wire::describe(decoded.error));
        return;
      }
    }
    const auto difference = first_difference(record, played.record);
    if (difference) {
      differ(tick, difference->field,
             "recorded " + difference->recorded + ", played " + difference->played);
    } else {
      differ(tick, "bytes", "the same content in other bytes");
    }
  }

  void compare_snapshot(std::uint32_t tick, recording::Bytes bytes) {
    const wire::Bytes played = wire::encode_snapshot(world().snapshot(), session_.log2_tick());
    if (std::ranges::equal(bytes, played)) {
      ++result_.snapshots;
      return;
    }
    differ(tick, "snapshot", "the recorded snapshot is not the state of the run");
  }

  void differ(std::uint32_t tick, const std::string& field, const std::string& how) {
    result_.exit_code = ExitCode::different;
    result_.different_tick = tick;
    result_.different_field = field;
    result_.message = "tick " + std::to_string(tick) + ": " + field + ": " + how;
  }

  bool damaged(const std::string& why) {
    result_.exit_code = ExitCode::failure;
    result_.message = "damaged: " + why + "; equal up to tick " + std::to_string(tick());
    return false;
  }

  void conclude() {
    const auto& reader = session_.reader();
    if (cursor_.fault()) {
      damaged(describe(cursor_.fault()));
      return;
    }
    result_.message = "equal: " + std::to_string(result_.records) + " records and " +
                      std::to_string(result_.snapshots) + " snapshots up to tick " +
                      std::to_string(result_.last_tick);
    if (!match_) {
      result_.message += ", and " + std::to_string(result_.hashes) +
                         " state hashes; decisions were not run again: rules \"" +
                         session_.scenario()->rules + "\" are a host's own";
    }
    if (!reader.closed()) {
      result_.message += "; truncated at tick " + std::to_string(reader.last_tick()) + ": " +
                         describe(reader.damage());
      result_.exit_code = ExitCode::loss;  // what came later, if anything, is not here
    }
  }

  const RecordedSession& session_;
  recording::EntryCursor cursor_;
  std::optional<Match> match_;  // with the standard rules
  sim::World world_;            // without
  sim::Hash64 log_hash_;        // of what was folded
  recording::Entry entry_;
  bool have_entry_ = false;
  VerifyResult result_;
};

}  // namespace

VerifyResult verify(const RecordedSession& session) {
  VerifyResult refused;
  refused.exit_code = ExitCode::failure;
  refused.message = session.incompatibility();
  if (!refused.message.empty()) {
    return refused;
  }
  if (session.reader().first_tick() != 0) {
    refused.message = "begins at tick " + std::to_string(session.reader().first_tick()) +
                      ": only a recording from the start of its session can be played again";
    return refused;
  }
  if (session.reader().closed()) {
    if (const recording::Fault fault = recording::check_recording(session.reader().file())) {
      refused.message = "damaged: " + describe(fault);
      return refused;
    }
  }
  return Verification(session).run();
}

}  // namespace contrail::server
