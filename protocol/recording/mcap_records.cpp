#include <cassert>
#include <concepts>
#include <cstring>

#include <contrail/recording/mcap_records.hpp>

namespace contrail::recording {
namespace {

template <std::unsigned_integral T>
void put(Buffer& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
}

void put_bytes(Buffer& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void put_string(Buffer& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out.insert(out.end(), text.begin(), text.end());
}

// Fills in a length once what it measures has been appended.
template <std::unsigned_integral T>
class LengthSlot {
 public:
  explicit LengthSlot(Buffer& out) : out_(out), at_(out.size()) { put(out, T{0}); }
  LengthSlot(const LengthSlot&) = delete;
  LengthSlot& operator=(const LengthSlot&) = delete;
  ~LengthSlot() {
    const std::uint64_t length = out_.size() - at_ - sizeof(T);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      out_[at_ + i] = static_cast<std::uint8_t>(length >> (8 * i));
    }
  }

 private:
  Buffer& out_;
  std::size_t at_;
};

class RecordSlot {
 public:
  RecordSlot(Buffer& out, Opcode opcode) : length_(open(out, opcode)) {}

 private:
  static Buffer& open(Buffer& out, Opcode opcode) {
    out.push_back(static_cast<std::uint8_t>(opcode));
    return out;
  }
  LengthSlot<std::uint64_t> length_;
};

// Takes fields from the front of a content. Past its end every take fails and stays failed.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : rest_(bytes) {}

  template <std::unsigned_integral T>
  T take() {
    const Bytes raw = take_bytes(sizeof(T));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) value |= std::uint64_t{raw[i]} << (8 * i);
    return static_cast<T>(value);
  }

  Bytes take_bytes(std::uint64_t count) {
    if (failed_ || count > rest_.size()) {
      failed_ = true;
      return {};
    }
    const Bytes taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return taken;
  }

  std::string_view take_string() {
    const Bytes raw = take_bytes(take<std::uint32_t>());
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }

  [[nodiscard]] bool has_more() const { return !failed_ && !rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }
  /// All fields were there and nothing is left over.
  [[nodiscard]] bool finished() const { return !failed_ && rest_.empty(); }
  Bytes take_rest() { return take_bytes(rest_.size()); }

 private:
  Bytes rest_;
  bool failed_ = false;
};

bool take_counts(Cursor& cursor, std::vector<std::pair<std::uint16_t, std::uint64_t>>& out) {
  out.clear();
  Cursor entries(cursor.take_bytes(cursor.take<std::uint32_t>()));
  while (entries.has_more()) {
    const auto key = entries.take<std::uint16_t>();
    out.emplace_back(key, entries.take<std::uint64_t>());
  }
  return entries.finished();
}

void put_counts(Buffer& out, const std::vector<std::pair<std::uint16_t, std::uint64_t>>& counts) {
  const LengthSlot<std::uint32_t> length(out);
  for (const auto& [key, value] : counts) {
    put(out, key);
    put(out, value);
  }
}

}  // namespace

void append_magic(Buffer& out) {
  put_bytes(out, k_magic);
}

void append_header(Buffer& out, const HeaderRecord& record) {
  const RecordSlot slot(out, Opcode::header);
  put_string(out, record.profile);
  put_string(out, record.library);
}

void append_schema(Buffer& out, const SchemaRecord& record) {
  const RecordSlot slot(out, Opcode::schema);
  put(out, record.id);
  put_string(out, record.name);
  put_string(out, record.encoding);
  put(out, static_cast<std::uint32_t>(record.data.size()));
  put_bytes(out, record.data);
}

void append_channel(Buffer& out, const ChannelRecord& record) {
  const RecordSlot slot(out, Opcode::channel);
  put(out, record.id);
  put(out, record.schema_id);
  put_string(out, record.topic);
  put_string(out, record.message_encoding);
  const LengthSlot<std::uint32_t> length(out);
  for (const auto& [key, value] : record.metadata) {
    put_string(out, key);
    put_string(out, value);
  }
}

void append_message(Buffer& out, const MessageRecord& record) {
  const RecordSlot slot(out, Opcode::message);
  put(out, record.channel_id);
  put(out, record.sequence);
  put(out, record.log_time);
  put(out, record.publish_time);
  put_bytes(out, record.data);
}

void append_chunk(Buffer& out, const ChunkRecord& record) {
  const RecordSlot slot(out, Opcode::chunk);
  put(out, record.start_time);
  put(out, record.end_time);
  put(out, record.uncompressed_size);
  put(out, record.uncompressed_crc);
  put_string(out, record.compression);
  put(out, std::uint64_t{record.records.size()});
  put_bytes(out, record.records);
}

void append_message_index(Buffer& out, const MessageIndexRecord& record) {
  const RecordSlot slot(out, Opcode::message_index);
  put(out, record.channel_id);
  const LengthSlot<std::uint32_t> length(out);
  for (const MessageIndexEntry& entry : record.entries) {
    put(out, entry.log_time);
    put(out, entry.offset);
  }
}

void append_chunk_index(Buffer& out, const ChunkIndexRecord& record) {
  const RecordSlot slot(out, Opcode::chunk_index);
  put(out, record.start_time);
  put(out, record.end_time);
  put(out, record.chunk_offset);
  put(out, record.chunk_length);
  put_counts(out, record.message_index_offsets);
  put(out, record.message_index_length);
  put_string(out, record.compression);
  put(out, record.compressed_size);
  put(out, record.uncompressed_size);
}

void append_statistics(Buffer& out, const StatisticsRecord& record) {
  const RecordSlot slot(out, Opcode::statistics);
  put(out, record.message_count);
  put(out, record.schema_count);
  put(out, record.channel_count);
  put(out, record.attachment_count);
  put(out, record.metadata_count);
  put(out, record.chunk_count);
  put(out, record.start_time);
  put(out, record.end_time);
  put_counts(out, record.channel_message_counts);
}

void append_summary_offset(Buffer& out, const SummaryOffsetRecord& record) {
  const RecordSlot slot(out, Opcode::summary_offset);
  put(out, record.group_opcode);
  put(out, record.group_start);
  put(out, record.group_length);
}

void append_data_end(Buffer& out, std::uint32_t data_section_crc) {
  const RecordSlot slot(out, Opcode::data_end);
  put(out, data_section_crc);
}

void append_footer(Buffer& out, const FooterRecord& record) {
  const RecordSlot slot(out, Opcode::footer);
  put(out, record.summary_start);
  put(out, record.summary_offset_start);
  put(out, record.summary_crc);
}

bool parse_header(Bytes content, HeaderRecord& out) {
  Cursor cursor(content);
  out.profile = cursor.take_string();
  out.library = cursor.take_string();
  return cursor.finished();
}

bool parse_schema(Bytes content, SchemaRecord& out) {
  Cursor cursor(content);
  out.id = cursor.take<std::uint16_t>();
  out.name = cursor.take_string();
  out.encoding = cursor.take_string();
  out.data = cursor.take_bytes(cursor.take<std::uint32_t>());
  return cursor.finished();
}

bool parse_channel(Bytes content, ChannelRecord& out) {
  Cursor cursor(content);
  out.id = cursor.take<std::uint16_t>();
  out.schema_id = cursor.take<std::uint16_t>();
  out.topic = cursor.take_string();
  out.message_encoding = cursor.take_string();
  out.metadata.clear();
  Cursor pairs(cursor.take_bytes(cursor.take<std::uint32_t>()));
  while (pairs.has_more()) {
    const std::string_view key = pairs.take_string();
    out.metadata.emplace_back(key, pairs.take_string());
  }
  return cursor.finished() && pairs.finished();
}

bool parse_message(Bytes content, MessageRecord& out) {
  Cursor cursor(content);
  out.channel_id = cursor.take<std::uint16_t>();
  out.sequence = cursor.take<std::uint32_t>();
  out.log_time = cursor.take<std::uint64_t>();
  out.publish_time = cursor.take<std::uint64_t>();
  out.data = cursor.take_rest();
  return cursor.finished();
}

bool parse_chunk(Bytes content, ChunkRecord& out) {
  Cursor cursor(content);
  out.start_time = cursor.take<std::uint64_t>();
  out.end_time = cursor.take<std::uint64_t>();
  out.uncompressed_size = cursor.take<std::uint64_t>();
  out.uncompressed_crc = cursor.take<std::uint32_t>();
  out.compression = cursor.take_string();
  out.records = cursor.take_bytes(cursor.take<std::uint64_t>());
  return cursor.finished();
}

bool parse_message_index(Bytes content, MessageIndexRecord& out) {
  Cursor cursor(content);
  out.channel_id = cursor.take<std::uint16_t>();
  out.entries.clear();
  Cursor entries(cursor.take_bytes(cursor.take<std::uint32_t>()));
  while (entries.has_more()) {
    const auto log_time = entries.take<std::uint64_t>();
    out.entries.push_back({log_time, entries.take<std::uint64_t>()});
  }
  return cursor.finished() && entries.finished();
}

bool parse_chunk_index(Bytes content, ChunkIndexRecord& out) {
  Cursor cursor(content);
  out.start_time = cursor.take<std::uint64_t>();
  out.end_time = cursor.take<std::uint64_t>();
  out.chunk_offset = cursor.take<std::uint64_t>();
  out.chunk_length = cursor.take<std::uint64_t>();
  const bool counts_fit = take_counts(cursor, out.message_index_offsets);
  out.message_index_length = cursor.take<std::uint64_t>();
  out.compression = cursor.take_string();
  out.compressed_size = cursor.take<std::uint64_t>();
  out.uncompressed_size = cursor.take<std::uint64_t>();
  return cursor.finished() && counts_fit;
}

bool parse_statistics(Bytes content, StatisticsRecord& out) {
  Cursor cursor(content);
  out.message_count = cursor.take<std::uint64_t>();
  out.schema_count = cursor.take<std::uint16_t>();
  out.channel_count = cursor.take<std::uint32_t>();
  out.attachment_count = cursor.take<std::uint32_t>();
  out.metadata_count = cursor.take<std::uint32_t>();
  out.chunk_count = cursor.take<std::uint32_t>();
  out.start_time = cursor.take<std::uint64_t>();
  out.end_time = cursor.take<std::uint64_t>();
  const bool counts_fit = take_counts(cursor, out.channel_message_counts);
  return cursor.finished() && counts_fit;
}

bool parse_summary_offset(Bytes content, SummaryOffsetRecord& out) {
  Cursor cursor(content);
  out.group_opcode = cursor.take<std::uint8_t>();
  out.group_start = cursor.take<std::uint64_t>();
  out.group_length = cursor.take<std::uint64_t>();
  return cursor.finished();
}

bool parse_data_end(Bytes content, std::uint32_t& data_section_crc) {
  Cursor cursor(content);
  data_section_crc = cursor.take<std::uint32_t>();
  return cursor.finished();
}

bool parse_footer(Bytes content, FooterRecord& out) {
  Cursor cursor(content);
  out.summary_start = cursor.take<std::uint64_t>();
  out.summary_offset_start = cursor.take<std::uint64_t>();
  out.summary_crc = cursor.take<std::uint32_t>();
  return cursor.finished();
}

ReadError read_record(Bytes bytes, std::uint64_t offset, RawRecord& out) {
  assert(offset <= bytes.size());
  Cursor cursor(bytes.subspan(static_cast<std::size_t>(offset)));
  out.offset = offset;
  out.opcode = static_cast<Opcode>(cursor.take<std::uint8_t>());
  out.content = cursor.take_bytes(cursor.take<std::uint64_t>());
  if (cursor.failed()) return ReadError::truncated_record;
  if (static_cast<std::uint8_t>(out.opcode) == 0) return ReadError::unexpected_record;
  return ReadError::none;
}

}  // namespace contrail::recording
