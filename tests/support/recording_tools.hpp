#pragma once

// Recordings as tests take them apart and put them together again. Link contrail_recording.

#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <contrail/recording/recording_reader.hpp>
#include <contrail/recording/recording_writer.hpp>

namespace contrail::support {

inline std::vector<std::uint8_t> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

struct RecordedEntry {
  recording::EntryKind kind = recording::EntryKind::record;
  std::uint32_t tick = 0;
  std::vector<std::uint8_t> payload;
};

/// Everything a recording holds, its session header first.
inline std::vector<RecordedEntry> entries_of(recording::Bytes file) {
  recording::RecordingReader reader;
  if (reader.open(file)) {
    throw std::runtime_error("not a recording");
  }
  std::vector<RecordedEntry> entries;
  recording::EntryCursor cursor(reader);
  recording::Entry entry;
  while (cursor.next(entry)) {
    entries.push_back({entry.kind, entry.tick, {entry.payload.begin(), entry.payload.end()}});
  }
  return entries;
}

/// The recording written again with what `edit` made of its entries: as if it had been recorded so,
/// every CRC and index right.
inline std::vector<std::uint8_t> rewrite_recording(
    recording::Bytes file, const std::function<void(std::vector<RecordedEntry>&)>& edit) {
  recording::RecordingReader reader;
  if (reader.open(file)) {
    throw std::runtime_error("not a recording");
  }
  recording::RecordingFormat format;
  format.library = std::string(reader.index().header.library);
  format.log2_tick = reader.log2_tick();
  for (std::size_t kind = 0; kind < recording::k_entry_kinds; ++kind) {
    for (const recording::ChannelRecord& channel : reader.index().channels) {
      if (channel.topic != recording::k_topics[kind]) {
        continue;
      }
      format.channels[kind].message_encoding = std::string(channel.message_encoding);
      for (const recording::SchemaRecord& schema : reader.index().schemas) {
        if (schema.id == channel.schema_id) {
          format.channels[kind].schema_name = std::string(schema.name);
          format.channels[kind].schema_encoding = std::string(schema.encoding);
          format.channels[kind].schema_data.assign(schema.data.begin(), schema.data.end());
        }
      }
    }
  }
  std::vector<RecordedEntry> entries = entries_of(file);
  edit(entries);

  std::vector<std::uint8_t> out;
  const auto append = [&](recording::Bytes bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  };
  recording::RecordingWriter writer(format);
  append(writer.begin(entries.front().payload, entries.front().tick));
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const RecordedEntry& entry = entries[i];
    if (entry.kind == recording::EntryKind::record) writer.record(entry.tick, entry.payload);
    if (entry.kind == recording::EntryKind::input) writer.input(entry.tick, entry.payload);
    if (entry.kind == recording::EntryKind::snapshot) writer.snapshot(entry.tick, entry.payload);
    if (i + 1 == entries.size() || entries[i + 1].tick != entry.tick) append(writer.flush());
  }
  append(writer.close());
  return out;
}

}  // namespace contrail::support
