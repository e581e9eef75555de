#include <algorithm>
#include <cassert>
#include <utility>

#include <contrail/recording/crc32.hpp>
#include <contrail/recording/mcap_writer.hpp>

namespace contrail::recording {

McapWriter::McapWriter(std::string profile, std::string library)
    : profile_(std::move(profile)), library_(std::move(library)) {}

void McapWriter::add_schema(const SchemaRecord& schema) {
  append_schema(chunk_, schema);
  append_schema(schemas_, schema);
  ++state_.statistics.schema_count;
}

void McapWriter::add_channel(const ChannelRecord& channel) {
  auto& counts = state_.statistics.channel_message_counts;
  assert(counts.empty() || counts.back().first < channel.id);
  append_channel(chunk_, channel);
  append_channel(channels_, channel);
  ++state_.statistics.channel_count;
  counts.emplace_back(channel.id, 0);
}

void McapWriter::add_message(const MessageRecord& message) {
  entries_.push_back({message.channel_id, {message.log_time, chunk_.size()}});
  append_message(chunk_, message);
}

void McapWriter::count(const std::vector<Entry>& entries) {
  StatisticsRecord& statistics = state_.statistics;
  ++statistics.chunk_count;
  for (const Entry& entry : entries) {
    const std::uint64_t time = entry.index.log_time;
    const bool first = statistics.message_count++ == 0;
    statistics.start_time = first ? time : std::min(statistics.start_time, time);
    statistics.end_time = first ? time : std::max(statistics.end_time, time);
    for (auto& [channel_id, messages] : statistics.channel_message_counts) {
      if (channel_id == entry.channel_id) ++messages;
    }
  }
}

void McapWriter::append_pending_chunk() {
  ChunkRecord chunk;
  chunk.uncompressed_size = chunk_.size();
  chunk.uncompressed_crc = crc32(chunk_);
  chunk.records = chunk_;
  if (!entries_.empty()) {
    const auto [first, last] = std::minmax_element(
        entries_.begin(), entries_.end(),
        [](const Entry& a, const Entry& b) { return a.index.log_time < b.index.log_time; });
    chunk.start_time = first->index.log_time;
    chunk.end_time = last->index.log_time;
  }

  ChunkIndexRecord index;
  index.start_time = chunk.start_time;
  index.end_time = chunk.end_time;
  index.chunk_offset = state_.file_size + out_.size();
  index.compressed_size = chunk.records.size();
  index.uncompressed_size = chunk.uncompressed_size;
  append_chunk(out_, chunk);
  const std::uint64_t chunk_end = state_.file_size + out_.size();
  index.chunk_length = chunk_end - index.chunk_offset;
  for (const auto& declared : state_.statistics.channel_message_counts) {
    MessageIndexRecord messages{declared.first, {}};
    for (const Entry& entry : entries_) {
      if (entry.channel_id == messages.channel_id) messages.entries.push_back(entry.index);
    }
    if (messages.entries.empty()) continue;
    index.message_index_offsets.emplace_back(messages.channel_id, state_.file_size + out_.size());
    append_message_index(out_, messages);
  }
  index.message_index_length = state_.file_size + out_.size() - chunk_end;
  append_chunk_index(chunk_indexes_, index);
  count(entries_);
  chunk_.clear();
  entries_.clear();
}

Bytes McapWriter::flush() {
  out_.clear();
  if (state_.file_size == 0) {
    append_magic(out_);
    append_header(out_, {profile_, library_});
  }
  before_flush_ = state_;
  if (!chunk_.empty()) append_pending_chunk();
  state_.file_size += out_.size();
  state_.crc = crc32(out_, state_.crc);
  state_.chunk_index_bytes = chunk_indexes_.size();
  return out_;
}

void McapWriter::take_back() {
  assert(before_flush_.file_size != 0);
  state_ = before_flush_;
  chunk_indexes_.resize(state_.chunk_index_bytes);
}

void McapWriter::append_group(Opcode opcode, Bytes records, std::uint64_t start, Buffer& offsets) {
  if (records.empty()) return;
  append_summary_offset(offsets, {static_cast<std::uint8_t>(opcode), start, records.size()});
  out_.insert(out_.end(), records.begin(), records.end());
}

void McapWriter::append_summary(std::uint64_t summary_start) {
  const std::size_t begin = out_.size();
  const auto here = [&] { return summary_start + (out_.size() - begin); };
  Buffer statistics;
  append_statistics(statistics, state_.statistics);
  Buffer offsets;
  append_group(Opcode::schema, schemas_, here(), offsets);
  append_group(Opcode::channel, channels_, here(), offsets);
  append_group(Opcode::chunk_index, chunk_indexes_, here(), offsets);
  append_group(Opcode::statistics, statistics, here(), offsets);

  FooterRecord footer{summary_start, here(), 0};
  out_.insert(out_.end(), offsets.begin(), offsets.end());
  // The CRC covers the footer up to itself, its last field.
  const std::size_t footer_begin = out_.size();
  append_footer(out_, footer);
  const Bytes covered = Bytes(out_).subspan(begin, out_.size() - begin - sizeof(std::uint32_t));
  footer.summary_crc = crc32(covered);
  out_.resize(footer_begin);
  append_footer(out_, footer);
}

Bytes McapWriter::close() {
  (void)flush();  // leaves its bytes in out_
  append_data_end(out_, state_.crc);
  append_summary(before_flush_.file_size + out_.size());
  append_magic(out_);
  return out_;
}

}  // namespace contrail::recording
