#include <cassert>
#include <string>

#include <contrail/recording/mcap_reader.hpp>
#include <contrail/recording/recording_writer.hpp>

namespace contrail::recording {
namespace {

// Channel and schema of a kind share their id.
std::uint16_t id_of(EntryKind kind) {
  return static_cast<std::uint16_t>(static_cast<std::uint16_t>(kind) + 1);
}

}  // namespace

RecordingWriter::RecordingWriter(const RecordingFormat& format)
    : mcap_(std::string(k_profile), format.library), log2_tick_(format.log2_tick) {
  assert(format.log2_tick >= k_min_log2_tick && format.log2_tick <= k_max_log2_tick);
  declare(format);
}

void RecordingWriter::declare(const RecordingFormat& format) {
  const std::string tick_length = std::to_string(1u << format.log2_tick);
  for (std::size_t i = 0; i < k_entry_kinds; ++i) {
    const auto kind = static_cast<EntryKind>(i);
    const ChannelFormat& channel = format.channels[i];
    ChannelRecord record{id_of(kind), 0, topic_of(kind), channel.message_encoding, {}};
    if (!channel.schema_name.empty()) {
      record.schema_id = id_of(kind);
      mcap_.add_schema(
          {record.schema_id, channel.schema_name, channel.schema_encoding, channel.schema_data});
    }
    if (kind == EntryKind::session) {
      record.metadata.emplace_back(k_subticks_per_tick_key, tick_length);
      record.metadata.emplace_back(k_subticks_per_second_key, "65536");
      for (const auto& [key, value] : format.about) record.metadata.emplace_back(key, value);
    }
    mcap_.add_channel(record);
  }
}

void RecordingWriter::add(EntryKind kind, std::uint32_t tick, Bytes payload) {
  const std::uint64_t time = tick_time_ns(tick, log2_tick_);
  mcap_.add_message({id_of(kind), tick, time, time, payload});
}

Bytes RecordingWriter::begin(Bytes session_header, std::uint32_t first_tick) {
  assert(mcap_.file_size() == 0);
  add(EntryKind::session, first_tick, session_header);
  return mcap_.flush();
}

}  // namespace contrail::recording
