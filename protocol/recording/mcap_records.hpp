#pragma once

// The records of an MCAP file in decoded form, one struct each, with the two directions:
// append_* adds the whole record (opcode, length, content) to a buffer; parse_* reads a content
// and refuses whatever is not exactly as long as its fields say. Decoded strings and data are
// views into the bytes they were read from.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <contrail/recording/mcap_format.hpp>
#include <contrail/recording/read_fault.hpp>

namespace contrail::recording {

using Buffer = std::vector<std::uint8_t>;
using StringPairs = std::vector<std::pair<std::string_view, std::string_view>>;

struct HeaderRecord {
  std::string_view profile;
  std::string_view library;
};

struct SchemaRecord {
  std::uint16_t id = 0;  // not 0
  std::string_view name;
  std::string_view encoding;
  Bytes data;
};

struct ChannelRecord {
  std::uint16_t id = 0;
  std::uint16_t schema_id = 0;  // 0: none
  std::string_view topic;
  std::string_view message_encoding;
  StringPairs metadata;
};

struct MessageRecord {
  std::uint16_t channel_id = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time = 0;      // nanoseconds
  std::uint64_t publish_time = 0;  // nanoseconds
  Bytes data;
};

struct ChunkRecord {
  std::uint64_t start_time = 0;  // earliest log time of its messages, 0 if it has none
  std::uint64_t end_time = 0;    // latest
  std::uint64_t uncompressed_size = 0;
  std::uint32_t uncompressed_crc = 0;
  std::string_view compression;
  Bytes records;
};

struct MessageIndexEntry {
  std::uint64_t log_time = 0;
  std::uint64_t offset = 0;  // of the message record, from the start of the chunk's records
  bool operator==(const MessageIndexEntry&) const = default;
};

struct MessageIndexRecord {
  std::uint16_t channel_id = 0;
  std::vector<MessageIndexEntry> entries;
};

struct ChunkIndexRecord {
  std::uint64_t start_time = 0;
  std::uint64_t end_time = 0;
  std::uint64_t chunk_offset = 0;  // of the chunk record
  std::uint64_t chunk_length = 0;  // of the whole chunk record
  std::vector<std::pair<std::uint16_t, std::uint64_t>> message_index_offsets;  // by channel
  std::uint64_t message_index_length = 0;  // of all message index records of the chunk
  std::string_view compression;
  std::uint64_t compressed_size = 0;
  std::uint64_t uncompressed_size = 0;
};

struct StatisticsRecord {
  std::uint64_t message_count = 0;
  std::uint16_t schema_count = 0;
  std::uint32_t channel_count = 0;
  std::uint32_t attachment_count = 0;
  std::uint32_t metadata_count = 0;
  std::uint32_t chunk_count = 0;
  std::uint64_t start_time = 0;  // of the earliest message, 0 if there is none
  std::uint64_t end_time = 0;
  std::vector<std::pair<std::uint16_t, std::uint64_t>> channel_message_counts;  // by channel id
  bool operator==(const StatisticsRecord&) const = default;
};

struct SummaryOffsetRecord {
  std::uint8_t group_opcode = 0;
  std::uint64_t group_start = 0;
  std::uint64_t group_length = 0;
  bool operator==(const SummaryOffsetRecord&) const = default;
};

struct FooterRecord {
  std::uint64_t summary_start = 0;
  std::uint64_t summary_offset_start = 0;
  std::uint32_t summary_crc = 0;
};

void append_magic(Buffer& out);
void append_header(Buffer& out, const HeaderRecord& record);
void append_schema(Buffer& out, const SchemaRecord& record);
void append_channel(Buffer& out, const ChannelRecord& record);
void append_message(Buffer& out, const MessageRecord& record);
void append_chunk(Buffer& out, const ChunkRecord& record);
void append_message_index(Buffer& out, const MessageIndexRecord& record);
void append_chunk_index(Buffer& out, const ChunkIndexRecord& record);
void append_statistics(Buffer& out, const StatisticsRecord& record);
void append_summary_offset(Buffer& out, const SummaryOffsetRecord& record);
void append_data_end(Buffer& out, std::uint32_t data_section_crc);
void append_footer(Buffer& out, const FooterRecord& record);

// Each returns false when a length does not fit; `out` is then unspecified.
[[nodiscard]] bool parse_header(Bytes content, HeaderRecord& out);
[[nodiscard]] bool parse_schema(Bytes content, SchemaRecord& out);
[[nodiscard]] bool parse_channel(Bytes content, ChannelRecord& out);
[[nodiscard]] bool parse_message(Bytes content, MessageRecord& out);
[[nodiscard]] bool parse_chunk(Bytes content, ChunkRecord& out);
[[nodiscard]] bool parse_message_index(Bytes content, MessageIndexRecord& out);
[[nodiscard]] bool parse_chunk_index(Bytes content, ChunkIndexRecord& out);
[[nodiscard]] bool parse_statistics(Bytes content, StatisticsRecord& out);
[[nodiscard]] bool parse_summary_offset(Bytes content, SummaryOffsetRecord& out);
[[nodiscard]] bool parse_data_end(Bytes content, std::uint32_t& data_section_crc);
[[nodiscard]] bool parse_footer(Bytes content, FooterRecord& out);

/// One record as it lies in a file or chunk, its content not yet looked into.
struct RawRecord {
  Opcode opcode{};           // may be a value the enumeration does not name
  std::uint64_t offset = 0;  // of the opcode, from the start of `bytes`
  Bytes content;
  [[nodiscard]] std::uint64_t end() const {
    return offset + k_record_prefix_bytes + content.size();
  }
};

/// The record that begins at `offset` of `bytes`: truncated_record where it does not end inside
/// them, unexpected_record for opcode 0. Nothing is allocated, whatever the length claims.
[[nodiscard]] ReadError read_record(Bytes bytes, std::uint64_t offset, RawRecord& out);

}  // namespace contrail::recording
