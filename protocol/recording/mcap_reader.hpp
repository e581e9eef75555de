#pragma once

// Reads MCAP files of the profile "contrail" from bytes the caller holds (a mapped file, a
// buffer). No byte is trusted: each function either gives a fault, or everything it returned was
// inside the file and matched what it checks. All views point into the caller's bytes.
//
//   scan          from the front, chunk by chunk: also a file that was never closed
//   read_summary  from the back: the index of a closed file, without reading its data
//   check         both, and each against the other: any changed byte is found
//   read_chunk    the messages of one chunk

#include <cstdint>
#include <optional>
#include <vector>

#include <contrail/recording/mcap_format.hpp>
#include <contrail/recording/mcap_records.hpp>
#include <contrail/recording/read_fault.hpp>

namespace contrail::recording {

inline constexpr std::string_view k_profile = "contrail";

/// What is verified. All of it, always; the tests that prove it matters turn parts off.
struct Checks {
  bool chunk_crc = true;
  bool data_crc = true;
  bool summary_crc = true;
};

struct ChunkInfo {
  std::uint64_t offset = 0;        // of the chunk record in the file
  std::uint64_t length = 0;        // of the whole chunk record
  std::uint64_t index_length = 0;  // of the message index records after it
  std::uint64_t start_time = 0;    // nanoseconds
  std::uint64_t end_time = 0;      // nanoseconds
  std::uint64_t channels = 0;      // bit i: it has messages of channel i, for ids below 64
  bool operator==(const ChunkInfo&) const = default;
};

struct McapIndex {
  HeaderRecord header;
  std::vector<SchemaRecord> schemas;
  std::vector<ChannelRecord> channels;
  std::vector<ChunkInfo> chunks;  // in file order
  StatisticsRecord statistics;
  std::uint64_t data_end = 0;  // bytes from the start that are whole, valid records of the data
};

struct FoundMessage {
  MessageRecord message;
  std::uint64_t offset = 0;  // of the message record, from the start of the chunk's records
};

/// The contents of one chunk.
struct ChunkContents {
  std::vector<SchemaRecord> schemas;
  std::vector<ChannelRecord> channels;
  std::vector<FoundMessage> messages;
};

/// Reads a file from the front up to its end-of-data record. On a fault `out` holds the valid
/// prefix; the fault not_closed at the file's end means that every byte of it was good.
[[nodiscard]] Fault scan(Bytes file, const Checks& checks, McapIndex& out);

/// The index of a closed file, as its summary has it.
[[nodiscard]] Fault read_summary(Bytes file, const Checks& checks, McapIndex& out);

/// Reads all of a closed file and compares everything that is said twice. `out` is as from scan.
[[nodiscard]] Fault check(Bytes file, const Checks& checks, McapIndex& out);

/// The contents of the chunk record at `offset`; `info` gets all but index_length.
[[nodiscard]] Fault read_chunk(Bytes file, std::uint64_t offset, const Checks& checks,
                               ChunkInfo& info, ChunkContents& out);

// The pieces scan and check are made of, shared between their files.

/// Header and magic at the front; `next` gets the offset of the record after the header.
[[nodiscard]] Fault read_file_begin(Bytes file, HeaderRecord& out, std::uint64_t& next);

/// The parsed summary of a closed file, consistent in itself.
struct Summary {
  std::vector<SchemaRecord> schemas;
  std::vector<ChannelRecord> channels;
  std::vector<ChunkInfo> chunks;
  std::vector<std::uint64_t> chunk_index_offsets;  // of the records `chunks` was read from
  std::optional<StatisticsRecord> statistics;
  std::uint64_t statistics_offset = 0;
  std::uint64_t data_end_offset = 0;  // of the end-of-data record
  std::uint32_t data_crc = 0;
  std::uint64_t start = 0;
};
[[nodiscard]] Fault parse_summary(Bytes file, const Checks& checks, Summary& out);

}  // namespace contrail::recording
