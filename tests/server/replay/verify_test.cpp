#include <contrail/replay/verify.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "sample_session.hpp"

namespace contrail::server {
namespace {

using recording::EntryKind;
using support::RecordedEntry;

const SampleSession& sample() {
  static const SampleSession session = record_sample_session(400);
  return session;
}

VerifyResult verify_bytes(const std::vector<std::uint8_t>& file) {
  RecordedSession session;
  EXPECT_TRUE(session.open_bytes(file, "test.mcap")) << session.error();
  return verify(session);
}

/// The first record for which `edit` returns true is changed; gives its tick.
std::uint32_t edit_record(std::vector<std::uint8_t>& file,
                          const std::function<bool(sim::TickRecord&)>& edit) {
  std::uint32_t tick = 0;
  file = support::rewrite_recording(file, [&](std::vector<RecordedEntry>& entries) {
    for (RecordedEntry& entry : entries) {
      sim::TickRecord record;
      if (entry.kind != EntryKind::record || tick != 0) {
        continue;
      }
      ASSERT_TRUE(wire::decode_record(entry.payload, 11, record));
      if (edit(record)) {
        tick = entry.tick;
        entry.payload = wire::encode_record(record, 11);
      }
    }
  });
  EXPECT_FALSE(recording::check_recording(file));  // its CRCs are right
  return tick;
}

TEST(Verify, AnUntouchedRecordingIsEqual) {
  ASSERT_FALSE(sample().file.empty());
  const VerifyResult result = verify_bytes(sample().file);
  EXPECT_EQ(result.exit_code, ExitCode::ok) << result.message;
  EXPECT_EQ(result.records, sample().records);
  EXPECT_EQ(result.inputs, sample().inputs);
  EXPECT_GT(result.inputs, 10U);
  EXPECT_EQ(result.snapshots, 8U);
  EXPECT_EQ(result.log_hash, sample().log_hash);
}

TEST(Verify, TwiceInOneProcessGivesTheSame) {
  RecordedSession session;
  ASSERT_TRUE(session.open_bytes(sample().file, "test.mcap"));
  const VerifyResult first = verify(session);
  const VerifyResult second = verify(session);
  EXPECT_EQ(first.message, second.message);
  EXPECT_EQ(first.log_hash, second.log_hash);
}

TEST(Verify, AnEditedRecordIsNamedByTickAndField) {
  auto file = sample().file;
  const std::uint32_t tick = edit_record(file, [](sim::TickRecord& record) {
    if (record.tick < 100 || record.launches.empty()) return false;
    record.launches[0].seed ^= 1;
    return true;
  });
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, tick);
  EXPECT_EQ(result.different_field, "launches[0].seed");
  EXPECT_NE(result.message.find("tick " + std::to_string(tick) + ": launches[0].seed: recorded "),
            std::string::npos)
      << result.message;
}

TEST(Verify, case_43_AnAlteredStateHashIsNamedByItsTickAndSubsystem) {
  auto file = sample().file;
  const std::uint32_t tick = edit_record(file, [](sim::TickRecord& record) {
    if (record.tick < 200 || record.state_hashes.empty()) return false;
    record.state_hashes[0].lanes[static_cast<std::size_t>(sim::Subsystem::flights)] ^= 0x10;
    return true;
  });
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, tick);
  EXPECT_EQ(result.different_field, "state_hashes[0].flights");
}

TEST(Verify, AMissingRecordIsNamed) {
  std::uint32_t tick = 0;
  const auto file =
      support::rewrite_recording(sample().file, [&](std::vector<RecordedEntry>& entries) {
        const auto gone = std::find_if(entries.begin(), entries.end(), [](const auto& entry) {
          return entry.kind == EntryKind::record && entry.tick >= 150;
        });
        tick = gone->tick;
        entries.erase(gone);
      });
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, tick);
  EXPECT_NE(result.message.find("recorded absent, played present"), std::string::npos)
      << result.message;
}

TEST(Verify, AnAddedRecordIsNamed) {
  const auto file =
      support::rewrite_recording(sample().file, [](std::vector<RecordedEntry>& entries) {
        const auto at = std::find_if(entries.begin(), entries.end(),
                                     [](const auto& entry) { return entry.tick > 103; });
        sim::TickRecord record;
        record.tick = 103;
        record.health.push_back({0, 7});
        entries.insert(at, {EntryKind::record, 103, wire::encode_record(record, 11)});
      });
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, 103U);
  EXPECT_EQ(result.different_field, "health[0]");
}

TEST(Verify, AMissingInputShowsInTheFirstRecordItChanged) {
  std::uint32_t tick = 0;
  const auto file =
      support::rewrite_recording(sample().file, [&](std::vector<RecordedEntry>& entries) {
        const auto gone = std::find_if(entries.begin(), entries.end(), [](const auto& entry) {
          return entry.kind == EntryKind::input && entry.tick >= 100;
        });
        tick = gone->tick;
        entries.erase(gone);
      });
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, tick);
  EXPECT_EQ(result.different_field.rfind("launches[", 0), 0U) << result.different_field;
}

TEST(Verify, ARefusedRecordIsNamedByTheFieldThatIsWrong) {
  std::uint32_t tick = 0;
  const auto file =
      support::rewrite_recording(sample().file, [&](std::vector<RecordedEntry>& entries) {
        for (RecordedEntry& entry : entries) {
          if (entry.kind == EntryKind::record && entry.tick >= 100 && tick == 0) {
            tick = entry.tick;
            entry.payload.resize(entry.payload.size() - 4);
          }
        }
      });
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, tick);
  EXPECT_NE(result.message.find("the recorded record is refused"), std::string::npos);
}

TEST(Verify, AnEditedSnapshotIsNamed) {
  const auto file =
      support::rewrite_recording(sample().file, [](std::vector<RecordedEntry>& entries) {
        for (RecordedEntry& entry : entries) {
          sim::Snapshot snapshot;
          if (entry.kind != EntryKind::snapshot || entry.tick != 200) continue;
          ASSERT_TRUE(wire::decode_snapshot(entry.payload, 11, snapshot));
          ++snapshot.hash_count;
          entry.payload = wire::encode_snapshot(snapshot, 11);
        }
      });
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, 200U);
  EXPECT_EQ(result.different_field, "snapshot");
}

TEST(Verify, AnotherFingerprintIsRefusedNamingBoth) {
  const auto file =
      support::rewrite_recording(sample().file, [](std::vector<RecordedEntry>& entries) {
        wire::SessionHeader header;
        ASSERT_TRUE(wire::decode_session_header(entries[0].payload, header));
        header.fingerprint = {0x01234567, 0x89ABCDEF};
        entries[0].payload = wire::encode_session_header(header);
      });
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::failure);
  EXPECT_NE(result.message.find("0123456789abcdef"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find(sim::compute_fingerprint().all.hex()), std::string::npos);
}

TEST(Verify, ADamagedClosedRecordingIsRefusedBeforeItIsPlayed) {
  auto file = sample().file;
  file[file.size() / 2] ^= 0x04;
  const VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::failure);
  EXPECT_NE(result.message.find("damaged"), std::string::npos);
}

TEST(Verify, APrefixIsVerifiedAsFarAsItGoes) {
  // Killed between two writes: nothing is lost.
  auto whole_ticks = sample().file;
  whole_ticks.resize(sample().sizes[300]);
  const VerifyResult clean = verify_bytes(whole_ticks);
  EXPECT_EQ(clean.exit_code, ExitCode::loss) << clean.message;
  EXPECT_GT(clean.records, 20U);
  EXPECT_NE(clean.message.find("truncated at tick "), std::string::npos) << clean.message;

  // Killed, or cut, inside one.
  auto torn = sample().file;
  torn.resize(sample().sizes[300] + 20);
  const VerifyResult cut = verify_bytes(torn);
  EXPECT_EQ(cut.exit_code, ExitCode::loss) << cut.message;
  EXPECT_EQ(cut.records, clean.records);
}

/// Rules no replay tool knows: every hit costs 7 points, and every third target is holy.
class HouseRules final : public Rules {
 public:
  [[nodiscard]] std::string_view name() const override { return "house"; }
  [[nodiscard]] wire::CommandStatus may_fire(const FireRequest& request) const override {
    return request.target.id % 3 == 2 ? wire::CommandStatus::refused_rules
                                      : wire::CommandStatus::launched;
  }
  [[nodiscard]] bool is_enemy(const sim::Entity& a, const sim::Entity& b) const override {
    return a.team != b.team;
  }
  [[nodiscard]] std::uint16_t damage(const DamageRequest&) const override { return 7; }
  [[nodiscard]] bool is_destroyed(const sim::World&, const sim::Entity&) const override {
    return true;
  }
};

TEST(Verify, UnderAHostsRulesRecordsFlightsAndHashesAreCheckedAndDecisionsAreNot) {
  const SampleSession played = record_sample_session(400, std::make_shared<const HouseRules>());
  const VerifyResult result = verify_bytes(played.file);
  EXPECT_EQ(result.exit_code, ExitCode::ok) << result.message;
  EXPECT_FALSE(result.decisions_rerun);
  EXPECT_EQ(result.records, played.records);
  EXPECT_EQ(result.snapshots, 8U);
  EXPECT_EQ(result.hashes, 25U);
  EXPECT_EQ(result.log_hash, played.log_hash);
  EXPECT_NE(result.message.find("decisions were not run again: rules \"house\""), std::string::npos)
      << result.message;
  EXPECT_TRUE(verify_bytes(sample().file).decisions_rerun);
}

TEST(Verify, UnderAHostsRulesAnEditedStateHashRecordOrSnapshotIsStillFound) {
  const SampleSession played = record_sample_session(400, std::make_shared<const HouseRules>());
  std::vector<std::uint8_t> file = played.file;
  std::uint32_t tick = edit_record(file, [](sim::TickRecord& record) {
    if (record.state_hashes.empty()) return false;
    record.state_hashes[0].lanes[2] ^= 1U;
    return true;
  });
  VerifyResult result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, tick);
  EXPECT_EQ(result.different_field, "state_hashes[0].tracks");

  // Another seed of a launch: another flight, which the hashes show.
  file = played.file;
  tick = edit_record(file, [](sim::TickRecord& record) {
    if (record.launches.empty()) return false;
    record.launches[0].seed ^= 1U;
    return true;
  });
  result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_GT(result.different_tick, tick);
  EXPECT_EQ(result.different_field.substr(0, 16), "state_hashes[0].");

  // A target that is not there does not fit the state.
  file = played.file;
  tick = edit_record(file, [](sim::TickRecord& record) {
    if (record.launches.empty()) return false;
    record.launches[0].target = 4000;
    return true;
  });
  result = verify_bytes(file);
  EXPECT_EQ(result.exit_code, ExitCode::different);
  EXPECT_EQ(result.different_tick, tick);
  EXPECT_EQ(result.different_field, "record");
}

}  // namespace
}  // namespace contrail::server
