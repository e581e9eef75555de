#pragma once

// Makes the bytes of an MCAP file, in order, for a caller who writes them. Every flush is one
// whole chunk with its CRC and its message indexes: once those bytes are in the file, its
// messages can be read back and verified, whatever happens to the writer afterwards.

#include <cstdint>
#include <string>
#include <vector>

#include <contrail/recording/mcap_format.hpp>
#include <contrail/recording/mcap_records.hpp>

namespace contrail::recording {

/// Append-only; not thread-safe. The spans returned are valid until the next call.
class McapWriter {
 public:
  McapWriter(std::string profile, std::string library);

  /// Schemas and channels are written with the next flush and again in the summary. Ids ascend;
  /// a channel's schema is added before it, a message's channel before that.
  void add_schema(const SchemaRecord& schema);
  void add_channel(const ChannelRecord& channel);

  /// Puts a message into the chunk being built. Everything is copied.
  void add_message(const MessageRecord& message);

  /// What has to be appended to the file so that it holds everything added so far; empty when it
  /// already does. The first flush begins the file.
  [[nodiscard]] Bytes flush();

  /// Forgets the last flush, whose bytes could not be written: the file ends before it again. Not
  /// for the first flush of a file, which holds its schemas and channels.
  void take_back();

  /// The end of the file: the rest of the messages, end of data, summary and footer. Nothing may
  /// be added afterwards.
  [[nodiscard]] Bytes close();

  /// Bytes of the file up to and including the last flush.
  [[nodiscard]] std::uint64_t file_size() const { return state_.file_size; }

 private:
  // What a flush changes, and take_back restores.
  struct State {
    std::uint64_t file_size = 0;
    std::uint32_t crc = 0;  // of the file so far
    std::size_t chunk_index_bytes = 0;
    StatisticsRecord statistics;
  };
  struct Entry {
    std::uint16_t channel_id;
    MessageIndexEntry index;
  };

  void append_pending_chunk();
  void count(const std::vector<Entry>& entries);
  void append_summary(std::uint64_t summary_start);
  void append_group(Opcode opcode, Bytes records, std::uint64_t start, Buffer& offsets);

  std::string profile_;
  std::string library_;
  State state_;
  State before_flush_;
  Buffer chunk_;                // records of the chunk being built
  std::vector<Entry> entries_;  // its messages
  Buffer schemas_;              // as the summary repeats them
  Buffer channels_;
  Buffer chunk_indexes_;
  Buffer out_;
};

}  // namespace contrail::recording
