#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/recording/crc32.hpp>
#include <contrail/recording/mcap_reader.hpp>
#include <contrail/recording/mcap_writer.hpp>

#include "sample_recording.hpp"

namespace contrail::recording {
namespace {

// The file's records by a walk of its own, the magic at both ends left out.
std::vector<RawRecord> records_of(Bytes file) {
  std::vector<RawRecord> records;
  for (std::uint64_t at = k_magic.size(); at < file.size() - k_magic.size();) {
    RawRecord record;
    EXPECT_EQ(read_record(file, at, record), ReadError::none);
    if (record.end() <= at) break;
    records.push_back(record);
    at = record.end();
  }
  return records;
}

std::vector<int> opcodes_of(const std::vector<RawRecord>& records) {
  std::vector<int> opcodes;
  for (const RawRecord& record : records) opcodes.push_back(static_cast<int>(record.opcode));
  return opcodes;
}

std::uint32_t u32_at(Bytes bytes, std::size_t at) {
  return bytes[at] | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 3]} << 24;
}

TEST(McapWriter, LaysAClosedFileOutAsTheFormatWantsIt) {
  const Sample sample = make_sample(3);
  const Bytes file = sample.bytes;
  EXPECT_TRUE(std::ranges::equal(file.first(8), k_magic));
  EXPECT_TRUE(std::ranges::equal(file.last(8), k_magic));
  const std::vector<int> expected{0x01,                    // header
                                  0x06, 0x07,              // declarations and session
                                  0x06, 0x07,              // tick 1: record
                                  0x06, 0x07, 0x07,        // tick 3: two inputs, record
                                  0x0F,                    // end of data
                                  0x03, 0x03, 0x03, 0x03,  // schemas
                                  0x04, 0x04, 0x04, 0x04,  // channels
                                  0x08, 0x08, 0x08,        // a chunk index each
                                  0x0B,                    // statistics
                                  0x0E, 0x0E, 0x0E, 0x0E,  // a summary offset for each group
                                  0x02};                   // footer
  EXPECT_EQ(opcodes_of(records_of(file)), expected);
}

TEST(McapWriter, FillsInEveryCrcTheFormatHas) {
  const Sample sample = make_sample(3);
  const Bytes file = sample.bytes;
  const auto records = records_of(file);
  int chunks = 0;
  for (const RawRecord& record : records) {
    if (record.opcode == Opcode::chunk) {
      // start, end, size, CRC, empty compression, length, records
      const Bytes contents = record.content.subspan(8 + 8 + 8 + 4 + 4 + 8);
      EXPECT_EQ(u32_at(record.content, 24), crc32(contents));
      EXPECT_NE(crc32(contents), 0u);
      ++chunks;
    }
    if (record.opcode == Opcode::data_end) {
      EXPECT_EQ(u32_at(record.content, 0), crc32(file.first(record.offset)));
    }
  }
  EXPECT_EQ(chunks, 3);
  const auto summary_begin = std::ranges::find(records, Opcode::schema, &RawRecord::opcode)->offset;
  const std::uint64_t crc_at = file.size() - 8 - 4;
  EXPECT_EQ(u32_at(file, crc_at), crc32(file.subspan(summary_begin, crc_at - summary_begin)));
}

TEST(McapWriter, CountsMessagesByChannelInTheStatistics) {
  const Sample sample = make_sample(9);
  McapIndex index;
  ASSERT_FALSE(read_summary(sample.bytes, {}, index));
  EXPECT_EQ(index.statistics.message_count, sample.entries.size());
  EXPECT_EQ(index.statistics.schema_count, 4);
  EXPECT_EQ(index.statistics.channel_count, 4u);
  EXPECT_EQ(index.statistics.chunk_count, 6u);
  EXPECT_EQ(index.statistics.start_time, 0u);
  EXPECT_EQ(index.statistics.end_time, 9u * 31'250'000u);  // 32 ticks a second
  const std::vector<std::pair<std::uint16_t, std::uint64_t>> counts{{1, 1}, {2, 5}, {3, 2}, {4, 1}};
  EXPECT_EQ(index.statistics.channel_message_counts, counts);
}

TEST(McapWriter, EveryFlushLeavesAFileThatReadsBackWhole) {
  SampleWriter writer;
  for (std::uint32_t tick = 1; tick < 40; tick += 2) {
    writer.tick(tick);
    const Sample so_far = writer.abandon();
    McapIndex index;
    const Fault fault = scan(so_far.bytes, {}, index);
    EXPECT_EQ(fault, (Fault{ReadError::not_closed, so_far.bytes.size()}));
    EXPECT_EQ(index.statistics.message_count, so_far.entries.size());
    EXPECT_EQ(index.data_end, so_far.bytes.size());
    EXPECT_EQ(writer.writer().file_size(), so_far.bytes.size());
  }
}

TEST(McapWriter, FlushesNothingWhenNothingWasAdded) {
  SampleWriter writer;
  writer.tick(1);
  EXPECT_TRUE(writer.writer().flush().empty());
  EXPECT_TRUE(writer.writer().flush().empty());
}

TEST(McapWriter, ClosesWithMessagesThatWereNotFlushed) {
  SampleWriter writer;
  writer.tick(1);
  writer.add(EntryKind::record, 2, "not flushed");
  const Sample sample = writer.close();
  McapIndex index;
  EXPECT_FALSE(check(sample.bytes, {}, index));
  EXPECT_EQ(index.statistics.message_count, 3u);
}

TEST(McapWriter, ClosesConsistentlyAfterAFlushWasTakenBack) {
  SampleWriter writer;
  writer.tick(1);
  writer.writer().record(3, bytes_of("the disk was full"));
  ASSERT_FALSE(writer.writer().flush().empty());
  writer.writer().take_back();
  writer.tick(5);
  const Sample sample = writer.close();
  McapIndex index;
  EXPECT_FALSE(check(sample.bytes, {}, index));
  EXPECT_EQ(index.statistics.message_count, 3u);
}

TEST(McapWriter, HoldsMessagesOfAnySizeIncludingNone) {
  SampleWriter writer;
  writer.add(EntryKind::record, 1, "");
  writer.add(EntryKind::snapshot, 1, std::string(3'000'000, 's'));
  writer.append(writer.writer().flush());
  const Sample sample = writer.close();
  McapIndex index;
  EXPECT_FALSE(check(sample.bytes, {}, index));
  EXPECT_EQ(index.statistics.message_count, 3u);
}

}  // namespace
}  // namespace contrail::recording
