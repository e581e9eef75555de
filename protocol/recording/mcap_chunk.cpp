#include <algorithm>

#include <contrail/recording/crc32.hpp>
#include <contrail/recording/mcap_reader.hpp>

namespace contrail::recording {
namespace {

// Where a view into the file begins, for the offsets of faults.
std::uint64_t offset_in(Bytes file, Bytes part) {
  return static_cast<std::uint64_t>(part.data() - file.data());
}

ReadError take_contained(const RawRecord& record, ChunkContents& out) {
  switch (record.opcode) {
    case Opcode::schema: {
      SchemaRecord schema;
      if (!parse_schema(record.content, schema)) return ReadError::bad_length;
      out.schemas.push_back(schema);
      return ReadError::none;
    }
    case Opcode::channel: {
      ChannelRecord channel;
      if (!parse_channel(record.content, channel)) return ReadError::bad_length;
      out.channels.push_back(std::move(channel));
      return ReadError::none;
    }
    case Opcode::message: {
      FoundMessage found;
      if (!parse_message(record.content, found.message)) return ReadError::bad_length;
      found.offset = record.offset;
      out.messages.push_back(found);
      return ReadError::none;
    }
    default:
      // Kinds of later minor versions are skipped; those of this version belong elsewhere.
      return record.opcode > Opcode::data_end ? ReadError::none : ReadError::unexpected_record;
  }
}

void summarise(const ChunkContents& contents, ChunkInfo& info) {
  info.start_time = 0;
  info.end_time = 0;
  info.channels = 0;
  for (std::size_t i = 0; i < contents.messages.size(); ++i) {
    const MessageRecord& message = contents.messages[i].message;
    info.start_time = i == 0 ? message.log_time : std::min(info.start_time, message.log_time);
    info.end_time = std::max(info.end_time, message.log_time);
    if (message.channel_id < 64) info.channels |= std::uint64_t{1} << message.channel_id;
  }
}

}  // namespace

Fault read_chunk(Bytes file, std::uint64_t offset, const Checks& checks, ChunkInfo& info,
                 ChunkContents& out) {
  out.schemas.clear();
  out.channels.clear();
  out.messages.clear();
  if (offset > file.size()) return {ReadError::chunk_index, offset};
  RawRecord raw;
  if (const ReadError error = read_record(file, offset, raw); error != ReadError::none) {
    return {error, offset};
  }
  if (raw.opcode != Opcode::chunk) return {ReadError::unexpected_record, offset};
  if (raw.content.size() > k_max_chunk_bytes) return {ReadError::too_large, offset};
  ChunkRecord chunk;
  if (!parse_chunk(raw.content, chunk)) return {ReadError::bad_length, offset};
  if (!chunk.compression.empty()) return {ReadError::unsupported_compression, offset};
  if (chunk.uncompressed_size != chunk.records.size()) return {ReadError::chunk_header, offset};
  if (checks.chunk_crc && crc32(chunk.records) != chunk.uncompressed_crc) {
    return {ReadError::chunk_crc, offset};
  }

  const std::uint64_t begin = offset_in(file, chunk.records);
  for (std::uint64_t at = 0; at < chunk.records.size();) {
    RawRecord contained;
    ReadError error = read_record(chunk.records, at, contained);
    if (error == ReadError::none) error = take_contained(contained, out);
    if (error != ReadError::none) return {error, begin + at};
    at = contained.end();
  }
  info.offset = offset;
  info.length = raw.end() - offset;
  summarise(out, info);
  if (info.start_time != chunk.start_time || info.end_time != chunk.end_time) {
    return {ReadError::chunk_header, offset};
  }
  return {};
}

}  // namespace contrail::recording
