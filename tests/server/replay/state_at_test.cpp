#include <contrail/replay/state_at.hpp>

#include <gtest/gtest.h>

#include "sample_session.hpp"

namespace contrail::server {
namespace {

using recording::EntryKind;
using support::RecordedEntry;

const SampleSession& sample() {
  static const SampleSession session = record_sample_session(300);
  return session;
}

TEST(StateAt, EqualsTheStateOfTheMatchAtEveryTick) {
  RecordedSession session;
  ASSERT_TRUE(session.open_bytes(sample().file, "test.mcap"));
  const std::uint32_t last = session.reader().last_tick();
  ASSERT_GE(last, 280U);
  for (std::uint32_t tick = 0; tick <= last; ++tick) {
    const StateAt state = state_at(session, tick);
    ASSERT_EQ(state.exit_code, ExitCode::ok) << state.message;
    ASSERT_EQ(state.hash, sample().states[tick]) << "tick " << tick;
    EXPECT_EQ(state.from_snapshot.has_value(), tick >= 50);
  }
}

TEST(StateAt, IsTheSameFromTheStartAndFromASnapshot) {
  RecordedSession session;
  ASSERT_TRUE(session.open_bytes(sample().file, "test.mcap"));
  for (const std::uint32_t tick : {50U, 51U, 99U, 100U, 217U}) {
    const StateAt quick = state_at(session, tick);
    const StateAt slow = state_at(session, tick, false);
    EXPECT_EQ(quick.combined, slow.combined) << tick;
    EXPECT_EQ(quick.from_snapshot, tick / 50 * 50);
    EXPECT_FALSE(slow.from_snapshot.has_value());
    EXPECT_GT(slow.records, quick.records);
  }
  EXPECT_GT(state_at(session, 217, false).hashes_checked, 10U);
}

TEST(StateAt, DistinguishesStates) {
  RecordedSession session;
  ASSERT_TRUE(session.open_bytes(sample().file, "test.mcap"));
  EXPECT_NE(state_at(session, 100).combined, state_at(session, 101).combined);
}

TEST(StateAt, RefusesATickThatIsNotInTheRecording) {
  RecordedSession session;
  ASSERT_TRUE(session.open_bytes(sample().file, "test.mcap"));
  const StateAt state = state_at(session, 5000);
  EXPECT_EQ(state.exit_code, ExitCode::usage);
  EXPECT_NE(state.message.find("tick 5000 is not in the recording"), std::string::npos);
  EXPECT_EQ(state_at(session, 0xFFFFFFFF).exit_code, ExitCode::usage);
}

TEST(StateAt, case_43_ReportsTheTickOfAnAlteredStateHash) {
  std::uint32_t tick = 0;
  const auto file =
      support::rewrite_recording(sample().file, [&](std::vector<RecordedEntry>& entries) {
        for (RecordedEntry& entry : entries) {
          sim::TickRecord record;
          if (entry.kind != EntryKind::record || entry.tick < 210 || tick != 0) continue;
          ASSERT_TRUE(wire::decode_record(entry.payload, 11, record));
          if (record.state_hashes.empty()) continue;
          record.state_hashes[0].lanes[2] ^= 1;
          entry.payload = wire::encode_record(record, 11);
          tick = entry.tick;
        }
      });
  RecordedSession session;
  ASSERT_TRUE(session.open_bytes(file, "test.mcap"));
  const StateAt state = state_at(session, tick);
  EXPECT_EQ(state.exit_code, ExitCode::different);
  EXPECT_EQ(state.message.rfind("desync at tick " + std::to_string(tick) + ":", 0), 0U)
      << state.message;
  EXPECT_NE(state.message.find("tracks"), std::string::npos);
  EXPECT_EQ(state_at(session, tick - 1).exit_code, ExitCode::ok);
}

}  // namespace
}  // namespace contrail::server
