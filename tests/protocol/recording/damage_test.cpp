// What becomes of a recording when bytes change or are missing.

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/recording/crc32.hpp>
#include <contrail/recording/recording_reader.hpp>

#include "sample_recording.hpp"

namespace contrail::recording {
namespace {

struct FlipCount {
  int flips = 0;
  int detected = 0;
};

FlipCount count_flips(std::vector<std::uint8_t> file, const Checks& checks) {
  FlipCount count;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const unsigned flip : {0xFFu, 0x01u, 0x80u}) {
      file[at] = static_cast<std::uint8_t>(file[at] ^ flip);
      ++count.flips;
      if (check_recording(file, checks)) ++count.detected;
      file[at] = static_cast<std::uint8_t>(file[at] ^ flip);
    }
  }
  return count;
}

TEST(Damage, EveryFlippedByteOfAClosedRecordingIsDetected) {
  const Sample sample = make_sample(9);
  ASSERT_FALSE(check_recording(sample.bytes));
  const FlipCount count = count_flips(sample.bytes, {});
  std::printf("flips=%d detected=%d\n", count.flips, count.detected);
  EXPECT_EQ(count.detected, count.flips);
}

TEST(Damage, FlipsGoUnseenWithoutTheCrcOfTheData) {  // the control of the test above
  const Sample sample = make_sample(9);
  Checks weakened;
  weakened.data_crc = false;
  const FlipCount count = count_flips(sample.bytes, weakened);
  std::printf("without the data CRC: flips=%d detected=%d\n", count.flips, count.detected);
  EXPECT_LT(count.detected, count.flips);
}

TEST(Damage, FlippedPayloadsGoUnseenWithoutTheCrcsOverThem) {
  const Sample sample = make_sample(9);
  Checks weakened;
  weakened.data_crc = false;
  weakened.chunk_crc = false;
  FlipCount both = count_flips(sample.bytes, weakened);
  weakened.chunk_crc = true;
  EXPECT_LT(both.detected, count_flips(sample.bytes, weakened).detected);
}

std::size_t entries_in(const RecordingReader& reader, const std::vector<SampleEntry>& written) {
  EntryCursor cursor(reader);
  Entry entry;
  std::size_t count = 0;
  while (cursor.next(entry)) {
    EXPECT_LT(count, written.size());
    if (count >= written.size()) break;
    EXPECT_EQ(entry.tick, written[count].tick);
    EXPECT_TRUE(std::ranges::equal(entry.payload, written[count].payload));
    ++count;
  }
  return count;
}

// Opens the file cut to `size` bytes: everything flushed before the cut has to be there, and
// nothing that was not written. Gives whether it could be opened.
bool expect_prefix(const Sample& sample, std::size_t size) {
  const Bytes cut = Bytes(sample.bytes).first(size);
  const bool flushed = size >= sample.flushes.front().file_size;
  RecordingReader reader;
  const Fault fault = reader.open(cut);
  if (fault) {
    EXPECT_FALSE(flushed) << "cut at " << size << ": " << describe(fault.error);
    return false;
  }
  std::size_t complete = 0;
  for (const Sample::Flush& flush : sample.flushes) {
    if (flush.file_size <= size) complete = flush.entries;
  }
  const std::size_t found = entries_in(reader, sample.entries);
  EXPECT_GE(found, complete) << "cut at " << size;
  EXPECT_EQ(reader.closed(), size == sample.bytes.size()) << "cut at " << size;
  return true;
}

TEST(Damage, case_42_EveryTruncationOfARecordingGivesItsValidPrefix) {
  const Sample sample = make_sample(25);
  int opened = 0;
  for (std::size_t size = 0; size <= sample.bytes.size(); ++size) {
    opened += expect_prefix(sample, size) ? 1 : 0;
  }
  EXPECT_GT(opened, 1000);
}

TEST(Damage, case_42_ALongRecordingCutInItsHeaderOrLastRecordsIsRecovered) {
  const Sample sample = make_sample(20'000, false);
  ASSERT_EQ(sample.flushes.size(), 10'001u);
  for (std::size_t size = 0; size <= sample.flushes.front().file_size + 1; ++size) {
    expect_prefix(sample, size);
  }
  const std::size_t begin = sample.flushes[sample.flushes.size() - 4].file_size;
  const Bytes file = sample.bytes;
  for (std::size_t size = begin; size <= file.size(); ++size) {
    RecordingReader reader;
    ASSERT_FALSE(reader.open(file.first(size)));
    std::size_t complete = 0;
    for (std::size_t back = 4; back >= 1; --back) {
      const Sample::Flush& flush = sample.flushes[sample.flushes.size() - back];
      if (flush.file_size <= size) complete = flush.entries;
    }
    ASSERT_GE(reader.index().statistics.message_count, complete) << size;
    ASSERT_GE(reader.last_tick(), sample.entries[complete - 1].tick) << size;
  }
}

TEST(Damage, TinyAndForeignFilesAreRefusedWithTheirReason) {
  const auto error_of = [](std::vector<std::uint8_t> file) {
    RecordingReader reader;
    return reader.open(file).error;
  };
  EXPECT_EQ(error_of({}), ReadError::empty_file);
  EXPECT_EQ(error_of({0x89}), ReadError::not_mcap);
  EXPECT_EQ(error_of(bytes_of("a text file, longer than the magic")), ReadError::not_mcap);
  std::vector<std::uint8_t> magic(k_magic.begin(), k_magic.end());
  EXPECT_EQ(error_of(magic), ReadError::truncated_record);
  magic[5] = '1';
  EXPECT_EQ(error_of(magic), ReadError::wrong_version);
  std::vector<std::uint8_t> swapped(k_magic.rbegin(), k_magic.rend());
  EXPECT_EQ(error_of(swapped), ReadError::not_mcap);

  McapWriter foreign("ros2", "somebody else");
  const Bytes file = foreign.close();
  EXPECT_EQ(error_of({file.begin(), file.end()}), ReadError::not_contrail);
  McapWriter without_channels("contrail", "somebody else");
  const Bytes bare = without_channels.close();
  EXPECT_EQ(error_of({bare.begin(), bare.end()}), ReadError::missing_channel);
}

TEST(Damage, case_42_NonsenseInAnyLengthFieldEndsThePrefixThere) {
  const Sample sample = make_sample(25, false);
  const auto& flushes = sample.flushes;
  for (std::size_t i = 1; i < flushes.size(); ++i) {
    // The chunk record of flush i begins where flush i - 1 ended.
    const std::uint64_t chunk = flushes[i - 1].file_size;
    for (const std::uint64_t length :
         {0ull, 1ull, 0x7FFFFFFFull, 0xFFFFFFFFull, ~0ull, ~0ull - 8}) {
      auto file = sample.bytes;
      for (std::size_t k = 0; k < 8; ++k) {
        file[chunk + 1 + k] = static_cast<std::uint8_t>(length >> (8 * k));
      }
      RecordingReader reader;
      ASSERT_FALSE(reader.open(file));
      ASSERT_TRUE(reader.lost_bytes());
      ASSERT_EQ(reader.damage().offset, chunk) << describe(reader.damage().error);
      ASSERT_EQ(entries_in(reader, sample.entries), flushes[i - 1].entries);
    }
  }
}

TEST(Damage, LengthsInsideAChunkAreCheckedEvenUnderAGoodCrc) {
  const Sample sample = make_sample(1, false);
  const std::uint64_t chunk = sample.flushes[0].file_size;
  const std::size_t records = chunk + 9 + 40;  // prefix and fields of the chunk
  for (const unsigned low : {0x00u, 0x15u, 0x16u, 0x40u, 0xFFu}) {
    auto file = sample.bytes;
    file[records + 1] =
        static_cast<std::uint8_t>(low);  // length of the message record in the chunk
    ChunkRecord parsed;
    RawRecord raw;
    ASSERT_EQ(read_record(file, chunk, raw), ReadError::none);
    ASSERT_TRUE(parse_chunk(raw.content, parsed));
    const std::uint32_t crc = crc32(parsed.records);
    for (std::size_t k = 0; k < 4; ++k) {
      file[chunk + 9 + 24 + k] = static_cast<std::uint8_t>(crc >> (8 * k));
    }
    RecordingReader reader;
    ASSERT_FALSE(reader.open(file));
    EXPECT_EQ(entries_in(reader, sample.entries), 1u);
    EXPECT_TRUE(reader.lost_bytes());
    EXPECT_NE(reader.damage().error, ReadError::chunk_crc);
  }
}

TEST(Damage, AnUnknownRecordKindIsSkipped) {  // written by a later minor version
  Sample sample = make_sample(9, false);
  const std::vector<std::uint8_t> unknown{0x90, 3, 0, 0, 0, 0, 0, 0, 0, 'n', 'e', 'w'};
  const auto where =
      sample.bytes.begin() + static_cast<std::ptrdiff_t>(sample.flushes[2].file_size);
  sample.bytes.insert(where, unknown.begin(), unknown.end());
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_FALSE(reader.lost_bytes());
  EXPECT_EQ(entries_in(reader, sample.entries), sample.entries.size());
}

TEST(Damage, AChunkWhoseKindWasFlippedIsNotSkippedUnseen) {
  Sample sample = make_sample(9, false);
  const std::uint64_t chunk = sample.flushes[1].file_size;
  sample.bytes[chunk] ^= 0x80;
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_TRUE(reader.lost_bytes());
  EXPECT_EQ(entries_in(reader, sample.entries), sample.flushes[1].entries);
}

TEST(Damage, ADamagedSummaryLeavesAllEntriesReadable) {
  Sample sample = make_sample(25);
  sample.bytes[sample.bytes.size() - 30] ^= 0x01;  // in the footer
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));
  EXPECT_FALSE(reader.closed());
  EXPECT_EQ(entries_in(reader, sample.entries), sample.entries.size());
}

TEST(Damage, ADamagedChunkOfAnIndexedFileIsNamedWhenItIsRead) {
  Sample sample = make_sample(25);
  const std::uint64_t chunk = sample.flushes[4].file_size;
  sample.bytes[chunk + 60] ^= 0x10;
  RecordingReader reader;
  ASSERT_FALSE(reader.open(sample.bytes));  // the index says nothing of it
  EntryCursor cursor(reader);
  Entry entry;
  std::size_t read = 0;
  while (cursor.next(entry)) ++read;
  EXPECT_EQ(read, sample.flushes[4].entries);
  EXPECT_EQ(cursor.fault(), (Fault{ReadError::chunk_crc, chunk}));
}

// Changes `file` in one of the ways files and fuzzers change.
void mutate(std::vector<std::uint8_t>& file, std::mt19937_64& random) {
  const auto pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  const int kind = static_cast<int>(pick(6));
  if (file.empty()) return;
  const std::size_t at = pick(file.size());
  if (kind == 0) file[at] = static_cast<std::uint8_t>(random());
  if (kind == 1) file.resize(at);
  if (kind == 2) {  // a length made enormous
    for (std::size_t k = at; k < std::min(at + 8, file.size()); ++k) file[k] = 0xFF;
  }
  if (kind == 3) {  // a piece from elsewhere
    const std::size_t from = pick(file.size());
    const std::size_t count = std::min(pick(200), file.size() - std::max(at, from));
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(from), count,
                file.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (kind == 4) {  // a piece removed
    const std::size_t count = std::min(pick(100), file.size() - at);
    const auto first = file.begin() + static_cast<std::ptrdiff_t>(at);
    file.erase(first, first + static_cast<std::ptrdiff_t>(count));
  }
  if (kind == 5) {  // a byte inserted
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(at),
                static_cast<std::uint8_t>(random()));
  }
}

// Sets the CRC of every chunk that still parses, so that mutations reach what lies behind it.
void repair_chunk_crcs(std::vector<std::uint8_t>& file) {
  for (std::uint64_t at = k_magic.size(); at < file.size();) {
    RawRecord raw;
    if (read_record(file, at, raw) != ReadError::none) return;
    ChunkRecord chunk;
    if (raw.opcode == Opcode::chunk && parse_chunk(raw.content, chunk)) {
      const std::uint32_t crc = crc32(chunk.records);
      for (std::size_t k = 0; k < 4; ++k) {
        file[at + 9 + 24 + k] = static_cast<std::uint8_t>(crc >> (8 * k));
      }
    }
    at = raw.end();
  }
}

TEST(Damage, TwentyThousandRandomMutationsAreReadWithoutHarm) {
  const std::uint64_t seed = 0x5EED0042;
  std::printf("seed=%#" PRIx64 "\n", seed);
  std::mt19937_64 random(seed);
  const Sample closed = make_sample(17);
  const Sample unclosed = make_sample(17, false);
  int refused = 0, prefixes = 0, whole = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> file = (i & 1) != 0 ? closed.bytes : unclosed.bytes;
    for (std::uint64_t k = 0; k <= random() % 3; ++k) mutate(file, random);
    if (random() % 2 == 0) repair_chunk_crcs(file);
    RecordingReader reader;
    if (reader.open(file)) {
      ++refused;
      continue;
    }
    EntryCursor cursor(reader);
    Entry entry;
    std::uint64_t sum = 0;
    while (cursor.next(entry)) sum += entry.payload.empty() ? 0u : entry.payload.back();
    EXPECT_LT(sum, 1u << 20);
    (void)reader.snapshots();
    (void)check_recording(file);
    ++(reader.lost_bytes() ? prefixes : whole);
  }
  std::printf("refused=%d prefixes=%d whole=%d\n", refused, prefixes, whole);
  EXPECT_GT(refused, 100);
  EXPECT_GT(prefixes, 1000);
}

TEST(Damage, NoMutationOfAClosedFilePassesTheCheck) {
  const std::uint64_t seed = 0x5EED0043;
  std::printf("seed=%#" PRIx64 "\n", seed);
  std::mt19937_64 random(seed);
  const Sample closed = make_sample(9);
  for (int i = 0; i < 10'000; ++i) {
    std::vector<std::uint8_t> file = closed.bytes;
    mutate(file, random);
    if (file == closed.bytes) continue;
    ASSERT_TRUE(check_recording(file)) << "mutation " << i;
  }
}

}  // namespace
}  // namespace contrail::recording
