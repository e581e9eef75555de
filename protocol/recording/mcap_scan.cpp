#include <algorithm>

#include <contrail/recording/crc32.hpp>
#include <contrail/recording/mcap_reader.hpp>

namespace contrail::recording {
namespace {

bool same(const SchemaRecord& a, const SchemaRecord& b) {
  return a.id == b.id && a.name == b.name && a.encoding == b.encoding &&
         std::ranges::equal(a.data, b.data);
}

bool same(const ChannelRecord& a, const ChannelRecord& b) {
  return a.id == b.id && a.schema_id == b.schema_id && a.topic == b.topic &&
         a.message_encoding == b.message_encoding && a.metadata == b.metadata;
}

// Reads the data section record by record into the index.
class Scanner {
 public:
  Scanner(Bytes file, const Checks& checks, McapIndex& out)
      : file_(file), checks_(checks), out_(out) {}

  Fault run() {
    out_ = {};
    if (const Fault fault = read_file_begin(file_, out_.header, at_)) return fault;
    out_.data_end = at_;
    while (true) {
      if (at_ == file_.size()) return {ReadError::not_closed, at_};
      RawRecord record;
      if (const ReadError error = read_record(file_, at_, record); error != ReadError::none) {
        return {error, at_};
      }
      if (record.opcode == Opcode::data_end) return {};
      if (const Fault fault = take(record)) return fault;
      out_.data_end = at_;
    }
  }

 private:
  Fault take(const RawRecord& record) {
    if (record.opcode == Opcode::chunk) return take_chunk();
    if (record.opcode == Opcode::attachment) {
      ++out_.statistics.attachment_count;
    } else if (record.opcode == Opcode::metadata) {
      ++out_.statistics.metadata_count;
    } else if (record.opcode <= Opcode::data_end) {
      return {ReadError::unexpected_record, at_};
    }
    at_ = record.end();  // a kind of a later minor version
    return {};
  }

  Fault take_chunk() {
    ChunkInfo info;
    if (const Fault fault = read_chunk(file_, at_, checks_, info, contents_)) return fault;
    // Declarations and channel ids first: a chunk counts as a whole or not at all.
    const std::size_t schemas = out_.schemas.size();
    const std::size_t channels = out_.channels.size();
    ReadError error = declare();
    if (error == ReadError::none && !all_channels_known()) error = ReadError::unknown_channel;
    if (error != ReadError::none) {
      out_.schemas.resize(schemas);
      out_.channels.resize(channels);
      return {error, at_};
    }
    count();
    out_.chunks.push_back(info);
    at_ += info.length;
    out_.data_end = at_;
    const Fault fault = take_message_indexes();
    out_.chunks.back().index_length = at_ - info.offset - info.length;
    return fault;
  }

  ReadError declare() {
    for (const SchemaRecord& schema : contents_.schemas) {
      const bool twice = std::ranges::any_of(
          out_.schemas, [&](const SchemaRecord& known) { return known.id == schema.id; });
      if (schema.id == 0 || twice || out_.schemas.size() >= k_max_declarations) {
        return ReadError::bad_declaration;
      }
      out_.schemas.push_back(schema);
    }
    for (const ChannelRecord& channel : contents_.channels) {
      const bool ascends = out_.channels.empty() || out_.channels.back().id < channel.id;
      const bool has_schema = channel.schema_id == 0 ||
                              std::ranges::any_of(out_.schemas, [&](const SchemaRecord& schema) {
                                return schema.id == channel.schema_id;
                              });
      if (!ascends || !has_schema || out_.channels.size() >= k_max_declarations) {
        return ReadError::bad_declaration;
      }
      out_.channels.push_back(channel);
    }
    return ReadError::none;
  }

  bool all_channels_known() const {
    return std::ranges::all_of(contents_.messages, [&](const FoundMessage& found) {
      return std::ranges::any_of(out_.channels, [&](const ChannelRecord& channel) {
        return channel.id == found.message.channel_id;
      });
    });
  }

  void count() {
    StatisticsRecord& statistics = out_.statistics;
    statistics.schema_count = static_cast<std::uint16_t>(out_.schemas.size());
    statistics.channel_count = static_cast<std::uint32_t>(out_.channels.size());
    ++statistics.chunk_count;
    for (const ChannelRecord& channel : contents_.channels) {
      statistics.channel_message_counts.emplace_back(channel.id, 0);
    }
    for (const FoundMessage& found : contents_.messages) {
      const std::uint64_t time = found.message.log_time;
      const bool first = statistics.message_count++ == 0;
      statistics.start_time = first ? time : std::min(statistics.start_time, time);
      statistics.end_time = std::max(statistics.end_time, time);
      for (auto& [channel_id, messages] : statistics.channel_message_counts) {
        if (channel_id == found.message.channel_id) ++messages;
      }
    }
  }

  // One index record for each channel with messages in the chunk, by channel id.
  Fault take_message_indexes() {
    for (const ChannelRecord& channel : out_.channels) {
      expected_.clear();
      for (const FoundMessage& found : contents_.messages) {
        if (found.message.channel_id != channel.id) continue;
        expected_.push_back({found.message.log_time, found.offset});
      }
      if (expected_.empty()) continue;
      RawRecord raw;
      if (const ReadError error = read_record(file_, at_, raw); error != ReadError::none) {
        return {error, at_};
      }
      if (raw.opcode != Opcode::message_index || !parse_message_index(raw.content, index_) ||
          index_.channel_id != channel.id || index_.entries != expected_) {
        return {ReadError::message_index, at_};
      }
      at_ = raw.end();
    }
    return {};
  }

  Bytes file_;
  const Checks& checks_;
  McapIndex& out_;
  std::uint64_t at_ = 0;
  ChunkContents contents_;
  std::vector<MessageIndexEntry> expected_;
  MessageIndexRecord index_;
};

// The channel ids and offsets the chunk index has to name, from the records themselves, which the
// scan has found good.
void find_message_indexes(Bytes file, const ChunkInfo& chunk, ChunkIndexRecord& out) {
  const std::uint64_t end = chunk.offset + chunk.length + chunk.index_length;
  for (std::uint64_t at = chunk.offset + chunk.length; at < end;) {
    RawRecord raw;
    MessageIndexRecord index;
    if (read_record(file, at, raw) != ReadError::none) return;
    if (!parse_message_index(raw.content, index)) return;
    out.message_index_offsets.emplace_back(index.channel_id, at);
    at = raw.end();
  }
}

Fault compare_chunk_index(Bytes file, const ChunkInfo& chunk, std::uint64_t offset) {
  RawRecord raw;
  ChunkIndexRecord claimed;
  ChunkRecord contents;
  RawRecord chunk_raw;
  if (read_record(file, offset, raw) != ReadError::none ||
      !parse_chunk_index(raw.content, claimed) ||
      read_record(file, chunk.offset, chunk_raw) != ReadError::none ||
      !parse_chunk(chunk_raw.content, contents)) {
    return {ReadError::chunk_index, offset};
  }
  ChunkIndexRecord actual;
  find_message_indexes(file, chunk, actual);
  const bool equal = claimed.start_time == chunk.start_time && claimed.end_time == chunk.end_time &&
                     claimed.chunk_offset == chunk.offset && claimed.chunk_length == chunk.length &&
                     claimed.message_index_offsets == actual.message_index_offsets &&
                     claimed.message_index_length == chunk.index_length &&
                     claimed.compression == contents.compression &&
                     claimed.compressed_size == contents.records.size() &&
                     claimed.uncompressed_size == contents.uncompressed_size;
  return equal ? Fault{} : Fault{ReadError::chunk_index, offset};
}

}  // namespace

Fault read_file_begin(Bytes file, HeaderRecord& out, std::uint64_t& next) {
  next = 0;
  if (file.empty()) return {ReadError::empty_file, 0};
  if (file.size() < k_magic.size()) return {ReadError::not_mcap, 0};
  constexpr std::size_t k_version_at = 5;
  for (std::size_t i = 0; i < k_magic.size(); ++i) {
    if (file[i] == k_magic[i]) continue;
    return {i == k_version_at ? ReadError::wrong_version : ReadError::not_mcap, i};
  }
  RawRecord raw;
  const std::uint64_t at = k_magic.size();
  if (const ReadError error = read_record(file, at, raw); error != ReadError::none) {
    return {error, at};
  }
  if (raw.opcode != Opcode::header) return {ReadError::unexpected_record, at};
  if (!parse_header(raw.content, out)) return {ReadError::bad_length, at};
  if (out.profile != k_profile) return {ReadError::not_contrail, at};
  next = raw.end();
  return {};
}

Fault scan(Bytes file, const Checks& checks, McapIndex& out) {
  return Scanner(file, checks, out).run();
}

Fault check(Bytes file, const Checks& checks, McapIndex& out) {
  if (const Fault fault = scan(file, checks, out)) return fault;
  Summary summary;
  if (const Fault fault = parse_summary(file, checks, summary)) return fault;
  if (summary.data_end_offset != out.data_end) return {ReadError::bad_data_end, out.data_end};
  const Bytes data = file.first(static_cast<std::size_t>(out.data_end));
  if (checks.data_crc && crc32(data) != summary.data_crc) {
    return {ReadError::data_crc, out.data_end};
  }
  const auto same_schema = [](const SchemaRecord& a, const SchemaRecord& b) { return same(a, b); };
  const auto same_channel = [](const ChannelRecord& a, const ChannelRecord& b) {
    return same(a, b);
  };
  if (!std::ranges::equal(summary.schemas, out.schemas, same_schema) ||
      !std::ranges::equal(summary.channels, out.channels, same_channel)) {
    return {ReadError::summary_declaration, summary.start};
  }
  if (summary.chunks.size() != out.chunks.size()) return {ReadError::chunk_index, summary.start};
  for (std::size_t i = 0; i < out.chunks.size(); ++i) {
    const std::uint64_t offset = summary.chunk_index_offsets[i];
    if (const Fault fault = compare_chunk_index(file, out.chunks[i], offset)) return fault;
  }
  if (summary.statistics != out.statistics) {
    return {ReadError::statistics, summary.statistics_offset};
  }
  return {};
}

Fault read_summary(Bytes file, const Checks& checks, McapIndex& out) {
  out = {};
  std::uint64_t data_begin = 0;
  if (const Fault fault = read_file_begin(file, out.header, data_begin)) return fault;
  Summary summary;
  if (const Fault fault = parse_summary(file, checks, summary)) return fault;
  if (!summary.statistics) return {ReadError::statistics, summary.start};
  out.schemas = std::move(summary.schemas);
  out.channels = std::move(summary.channels);
  out.chunks = std::move(summary.chunks);
  out.statistics = std::move(*summary.statistics);
  out.data_end = summary.data_end_offset;
  return {};
}

}  // namespace contrail::recording
