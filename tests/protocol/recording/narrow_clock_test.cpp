#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/recording/recording_reader.hpp>

#include "sample_recording.hpp"

namespace contrail::recording {
namespace {

/// 40 ticks with a record each and a snapshot every tenth, the first of them `first`.
std::vector<std::uint8_t> recording_from(std::uint32_t first) {
  RecordingWriter writer(sample_format());
  std::vector<std::uint8_t> file;
  const auto append = [&](Bytes bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); };
  append(writer.begin(bytes_of("header"), first - 1));
  for (std::uint32_t i = 0; i < 40; ++i) {
    writer.record(first + i, bytes_of("record " + std::to_string(i)));
    if (i % 10 == 9) writer.snapshot(first + i, bytes_of("snapshot"));
    append(writer.flush());
  }
  append(writer.close());
  return file;
}

TEST(Recording, case_32_is_seekable_across_the_turns_of_ticks) {
  for (const std::uint32_t first : {1U, 0x7FFF'FFFFU - 20, 0xFFFF'FFFFU - 45}) {
    const std::vector<std::uint8_t> file = recording_from(first);
    EXPECT_FALSE(check_recording(file));
    RecordingReader reader;
    ASSERT_FALSE(reader.open(file));
    EXPECT_EQ(reader.first_tick(), first - 1);
    EXPECT_EQ(reader.last_tick(), first + 39);
    ASSERT_EQ(reader.snapshots().size(), 4U);
    EXPECT_EQ(reader.snapshots()[2].tick, first + 29);
    EntryCursor cursor(reader);
    for (const std::uint32_t i : {39U, 0U, 20U, 21U, 7U, 38U}) {
      cursor.seek(first + i);
      Entry entry;
      ASSERT_TRUE(cursor.next(entry)) << first << " + " << i;
      EXPECT_EQ(entry.tick, first + i);
      const auto expected = bytes_of("record " + std::to_string(i));
      EXPECT_EQ(std::vector<std::uint8_t>(entry.payload.begin(), entry.payload.end()), expected);
    }
    EXPECT_EQ(reader.closed(), true);
  }
}

}  // namespace
}  // namespace contrail::recording
