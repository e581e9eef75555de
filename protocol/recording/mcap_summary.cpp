#include <algorithm>

#include <contrail/recording/crc32.hpp>
#include <contrail/recording/mcap_reader.hpp>

namespace contrail::recording {
namespace {

// The footer, which says where everything else is, and the end-of-data record before the summary.
struct FileEnd {
  FooterRecord footer;
  std::uint64_t footer_offset = 0;
};

Fault read_file_end(Bytes file, FileEnd& out) {
  if (file.size() < k_magic.size() + k_file_end_bytes) return {ReadError::not_closed, file.size()};
  const std::uint64_t magic_offset = file.size() - k_magic.size();
  if (!std::ranges::equal(file.last(k_magic.size()), k_magic)) {
    return {ReadError::not_closed, magic_offset};
  }
  out.footer_offset = file.size() - k_file_end_bytes;
  RawRecord raw;
  const Bytes before_magic = file.first(static_cast<std::size_t>(magic_offset));
  if (read_record(before_magic, out.footer_offset, raw) != ReadError::none ||
      raw.opcode != Opcode::footer || !parse_footer(raw.content, out.footer) ||
      raw.end() != magic_offset) {
    return {ReadError::bad_footer, out.footer_offset};
  }
  constexpr std::size_t k_data_end_bytes = k_record_prefix_bytes + k_data_end_content_bytes;
  const FooterRecord& footer = out.footer;
  if (footer.summary_start < k_magic.size() + k_data_end_bytes ||
      footer.summary_offset_start <= footer.summary_start ||
      footer.summary_offset_start > out.footer_offset) {
    return {ReadError::bad_footer, out.footer_offset};
  }
  return {};
}

Fault read_data_end(Bytes file, std::uint64_t summary_start, Summary& out) {
  constexpr std::size_t k_data_end_bytes = k_record_prefix_bytes + k_data_end_content_bytes;
  out.data_end_offset = summary_start - k_data_end_bytes;
  RawRecord raw;
  const Bytes before_summary = file.first(static_cast<std::size_t>(summary_start));
  if (read_record(before_summary, out.data_end_offset, raw) != ReadError::none ||
      raw.opcode != Opcode::data_end || !parse_data_end(raw.content, out.data_crc) ||
      raw.end() != summary_start) {
    return {ReadError::bad_data_end, out.data_end_offset};
  }
  return {};
}

void add_chunk(const ChunkIndexRecord& index, Summary& out) {
  ChunkInfo info;
  info.offset = index.chunk_offset;
  info.length = index.chunk_length;
  info.index_length = index.message_index_length;
  info.start_time = index.start_time;
  info.end_time = index.end_time;
  for (const auto& indexed : index.message_index_offsets) {
    if (indexed.first < 64) info.channels |= std::uint64_t{1} << indexed.first;
  }
  out.chunks.push_back(info);
}

ReadError take_summary_record(const RawRecord& record, ChunkIndexRecord& scratch, Summary& out) {
  switch (record.opcode) {
    case Opcode::schema: {
      SchemaRecord schema;
      if (!parse_schema(record.content, schema)) return ReadError::bad_length;
      if (out.schemas.size() >= k_max_declarations) return ReadError::bad_declaration;
      out.schemas.push_back(schema);
      return ReadError::none;
    }
    case Opcode::channel: {
      ChannelRecord channel;
      if (!parse_channel(record.content, channel)) return ReadError::bad_length;
      if (out.channels.size() >= k_max_declarations) return ReadError::bad_declaration;
      out.channels.push_back(std::move(channel));
      return ReadError::none;
    }
    case Opcode::chunk_index:
      if (!parse_chunk_index(record.content, scratch)) return ReadError::bad_length;
      out.chunk_index_offsets.push_back(record.offset);
      add_chunk(scratch, out);
      return ReadError::none;
    case Opcode::statistics: {
      if (out.statistics) return ReadError::statistics;
      StatisticsRecord statistics;
      if (!parse_statistics(record.content, statistics)) return ReadError::bad_length;
      out.statistics = std::move(statistics);
      out.statistics_offset = record.offset;
      return ReadError::none;
    }
    case Opcode::attachment_index:
    case Opcode::metadata_index:
      return ReadError::none;
    default:
      return record.opcode > Opcode::data_end ? ReadError::none : ReadError::unexpected_record;
  }
}

// The records up to the summary offsets; `groups` gets where each kind lies.
Fault read_groups(Bytes file, const FooterRecord& footer, std::vector<SummaryOffsetRecord>& groups,
                  Summary& out) {
  const Bytes summary = file.first(static_cast<std::size_t>(footer.summary_offset_start));
  ChunkIndexRecord scratch;
  for (std::uint64_t at = footer.summary_start; at < summary.size();) {
    RawRecord record;
    ReadError error = read_record(summary, at, record);
    if (error == ReadError::none) error = take_summary_record(record, scratch, out);
    if (error != ReadError::none) return {error, at};
    const auto opcode = static_cast<std::uint8_t>(record.opcode);
    if (groups.empty() || groups.back().group_opcode != opcode) {
      const bool again = std::ranges::any_of(
          groups, [&](const SummaryOffsetRecord& group) { return group.group_opcode == opcode; });
      if (again) return {ReadError::unexpected_record, at};
      groups.push_back({opcode, at, 0});
    }
    groups.back().group_length += record.end() - at;
    at = record.end();
  }
  return {};
}

Fault compare_summary_offsets(Bytes file, const FileEnd& end,
                              const std::vector<SummaryOffsetRecord>& groups) {
  const Bytes section = file.first(static_cast<std::size_t>(end.footer_offset));
  std::uint64_t at = end.footer.summary_offset_start;
  for (const SummaryOffsetRecord& group : groups) {
    RawRecord record;
    SummaryOffsetRecord claimed;
    if (read_record(section, at, record) != ReadError::none ||
        record.opcode != Opcode::summary_offset || !parse_summary_offset(record.content, claimed) ||
        claimed != group) {
      return {ReadError::summary_offset, at};
    }
    at = record.end();
  }
  return at == section.size() ? Fault{} : Fault{ReadError::summary_offset, at};
}

}  // namespace

Fault parse_summary(Bytes file, const Checks& checks, Summary& out) {
  out = {};
  FileEnd end;
  if (const Fault fault = read_file_end(file, end)) return fault;
  out.start = end.footer.summary_start;
  if (const Fault fault = read_data_end(file, out.start, out)) return fault;

  // The CRC covers the summary and the footer up to itself.
  const std::uint64_t covered_end = file.size() - k_magic.size() - sizeof(std::uint32_t);
  const Bytes covered = file.subspan(static_cast<std::size_t>(out.start),
                                     static_cast<std::size_t>(covered_end - out.start));
  if (checks.summary_crc && crc32(covered) != end.footer.summary_crc) {
    return {ReadError::summary_crc, out.start};
  }
  std::vector<SummaryOffsetRecord> groups;
  if (const Fault fault = read_groups(file, end.footer, groups, out)) return fault;
  return compare_summary_offsets(file, end, groups);
}

}  // namespace contrail::recording
