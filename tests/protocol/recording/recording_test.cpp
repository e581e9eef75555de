#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/recording/recording_reader.hpp>

#include "sample_recording.hpp"

namespace contrail::recording {
namespace {

std::vector<SampleEntry> entries_of(EntryCursor& cursor) {
  std::vector<SampleEntry> entries;
  Entry entry;
  while (cursor.next(entry)) {
    entries.push_back({entry.kind, entry.tick, {entry.payload.begin(), entry.payload.end()}});
  }
  EXPECT_FALSE(cursor.fault()) << describe(cursor.fault().error);
  return entries;
}

std::vector<SampleEntry> entries_of(const RecordingReader& reader) {
  EntryCursor cursor(reader);
  return entries_of(cursor);
}

TEST(TickTime, IsExactForEveryTickLength) {
  EXPECT_EQ(tick_time_ns(0, 11), 0u);
  EXPECT_EQ(tick_time_ns(1, 11), 31'250'000u);
  EXPECT_EQ(tick_time_ns(1, 9), 7'812'500u);
  EXPECT_EQ(tick_time_ns(32, 11), 1'000'000'000u);
  EXPECT_EQ(tick_time_ns(600 * 32, 11), 600'000'000'000u);
  // The last tick at 8 Hz, 17 years: 2^32 - 1 eighths of a second.
  EXPECT_EQ(tick_time_ns(0xFFFFFFFFu, 13), 0xFFFFFFFFull * 125'000'000u);
}

TEST(Recording, ReadsBackWhatWasWritten) {
  const Sample sample = make_sample(50);
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_TRUE(reader.closed());
  EXPECT_FALSE(reader.lost_bytes());
  EXPECT_EQ(entries_of(reader), sample.entries);
  EXPECT_EQ(reader.last_tick(), 49u);
  EXPECT_EQ(reader.first_tick(), 0u);
  EXPECT_EQ(reader.log2_tick(), 11);
  EXPECT_EQ(reader.count(EntryKind::session), 1u);
  EXPECT_EQ(reader.count(EntryKind::record), 25u);
  EXPECT_EQ(reader.count(EntryKind::input), 12u);
  EXPECT_EQ(reader.count(EntryKind::snapshot), 3u);
  EXPECT_EQ(reader.about("build"), "none");
  EXPECT_EQ(reader.about("subticks_per_tick"), "2048");
  EXPECT_EQ(reader.about("nothing"), std::nullopt);
  EXPECT_FALSE(check_recording(sample.bytes));
}

TEST(Recording, HoldsASessionInWhichNothingHappened) {
  const Sample sample = make_sample(0);
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_EQ(entries_of(reader), sample.entries);
  EXPECT_EQ(reader.last_tick(), 0u);
  EXPECT_FALSE(check_recording(sample.bytes));
}

TEST(Recording, KeepsTheOrderOfEntriesInsideATick) {
  SampleWriter writer;
  writer.add(EntryKind::input, 4, "a");
  writer.add(EntryKind::input, 4, "b");
  writer.add(EntryKind::record, 4, "r");
  writer.add(EntryKind::snapshot, 4, "s");
  const Sample sample = writer.close();
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_EQ(entries_of(reader), sample.entries);
}

TEST(Recording, MayPutSeveralTicksIntoOneFlush) {
  SampleWriter writer;
  for (std::uint32_t tick = 1; tick <= 6; ++tick) writer.add(EntryKind::record, tick, "r");
  const Sample sample = writer.close();
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_EQ(entries_of(reader), sample.entries);
  EXPECT_EQ(reader.last_tick(), 6u);
  EXPECT_FALSE(check_recording(sample.bytes));
}

TEST(Recording, SeeksToEveryTickAndPastTheEnd) {
  const Sample sample = make_sample(50);
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EntryCursor cursor(reader);
  for (const std::uint32_t tick : {0u, 1u, 2u, 49u, 50u, 7u, 0xFFFFFFFFu, 3u, 24u}) {
    std::vector<SampleEntry> expected;
    for (const SampleEntry& entry : sample.entries) {
      if (entry.tick >= tick) expected.push_back(entry);
    }
    cursor.seek(tick);
    EXPECT_EQ(entries_of(cursor), expected) << tick;
  }
}

TEST(Recording, ListsItsSnapshotsAndContinuesFromThem) {
  const Sample sample = make_sample(50);
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  const auto snapshots = reader.snapshots();
  ASSERT_EQ(snapshots.size(), 3u);
  EXPECT_EQ(snapshots[0].tick, 7u);
  EXPECT_EQ(snapshots[1].tick, 23u);
  EXPECT_EQ(snapshots[2].tick, 39u);
  EntryCursor cursor(reader);
  cursor.seek_chunk(snapshots[1].chunk);
  Entry entry;
  ASSERT_TRUE(cursor.next(entry));
  EXPECT_EQ(entry.tick, 23u);
}

TEST(Recording, OpensAnUnclosedFileWithoutLoss) {
  const Sample sample = make_sample(50, false);
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_FALSE(reader.closed());
  EXPECT_FALSE(reader.lost_bytes());
  EXPECT_EQ(reader.damage().error, ReadError::not_closed);
  EXPECT_EQ(entries_of(reader), sample.entries);
  EXPECT_EQ(reader.last_tick(), 49u);
  EXPECT_EQ(reader.snapshots().size(), 3u);
  EXPECT_EQ(check_recording(sample.bytes).error, ReadError::not_closed);
}

TEST(Recording, BeginsInTheMiddleOfASession) {
  RecordingWriter writer(sample_format());
  std::vector<std::uint8_t> file;
  const auto append = [&](Bytes bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); };
  append(writer.begin(bytes_of("header"), 1'000'000));
  writer.record(1'000'001, bytes_of("r"));
  append(writer.flush());
  append(writer.close());
  RecordingReader reader;
  ASSERT_FALSE(reader.open(file));
  EXPECT_EQ(reader.first_tick(), 1'000'000u);
  EXPECT_EQ(reader.last_tick(), 1'000'001u);
  EXPECT_FALSE(check_recording(file));
}

TEST(Recording, WorksWithoutSchemas) {
  RecordingFormat format = sample_format();
  for (ChannelFormat& channel : format.channels) channel = {"x-test", "", "", {}};
  SampleWriter writer(format);
  writer.tick(1);
  const Sample sample = writer.close();
  EXPECT_FALSE(check_recording(sample.bytes));
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_TRUE(reader.index().schemas.empty());
  EXPECT_EQ(entries_of(reader), sample.entries);
}

TEST(Recording, RefusesTicksThatGoBackwardsOrJump) {
  SampleWriter backwards;
  backwards.tick(9);
  backwards.tick(7);
  EXPECT_EQ(check_recording(backwards.close().bytes).error, ReadError::tick_order);

  SampleWriter jump;
  jump.tick(9);
  jump.tick(0x7FFFFFFF);
  const Sample jumped = jump.close();
  EXPECT_EQ(check_recording(jumped.bytes).error, ReadError::tick_order);

  SampleWriter hour;
  hour.tick(9);
  hour.tick(9 + 3600 * 32);
  EXPECT_FALSE(check_recording(hour.close().bytes));
}

TEST(Recording, RecoversWhatLiesBeforeATickThatIsOutOfOrder) {
  SampleWriter writer;
  writer.tick(1);
  writer.tick(5);
  writer.tick(0x7FFFFFFF);
  const Sample sample = writer.abandon();
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_EQ(reader.damage().error, ReadError::tick_order);
  EXPECT_TRUE(reader.lost_bytes());
  EXPECT_EQ(reader.last_tick(), 5u);
  EXPECT_EQ(reader.count(EntryKind::record), 2u);
  EXPECT_EQ(entries_of(reader).size(), 3u);
}

}  // namespace
}  // namespace contrail::recording
