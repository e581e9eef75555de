#pragma once

// Recordings for the tests, made by the writer under test from payloads that only count.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <contrail/recording/recording_format.hpp>
#include <contrail/recording/recording_writer.hpp>

namespace contrail::recording {

inline std::vector<std::uint8_t> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

struct SampleEntry {
  EntryKind kind = EntryKind::record;
  std::uint32_t tick = 0;
  std::vector<std::uint8_t> payload;
  bool operator==(const SampleEntry&) const = default;
};

/// What was written, and where in the file each flush ended.
struct Sample {
  std::vector<std::uint8_t> bytes;
  std::vector<SampleEntry> entries;
  struct Flush {
    std::uint64_t file_size = 0;
    std::size_t entries = 0;  // in the file by then
  };
  std::vector<Flush> flushes;
};

inline RecordingFormat sample_format() {
  RecordingFormat format;
  format.library = "contrail test";
  format.log2_tick = 11;
  const auto schema = bytes_of("stands for a binary schema");
  format.channels = {ChannelFormat{"flatbuffer", "test.Session", "flatbuffer", schema},
                     ChannelFormat{"flatbuffer", "test.Record", "flatbuffer", schema},
                     ChannelFormat{"flatbuffer", "test.Input", "flatbuffer", schema},
                     ChannelFormat{"flatbuffer", "test.Snapshot", "flatbuffer", schema}};
  format.about = {{"build", "none"}};
  return format;
}

/// Tick 1..ticks in steps of two: a record each; an input before every fourth; a snapshot after
/// every eighth.
class SampleWriter {
 public:
  explicit SampleWriter(const RecordingFormat& format = sample_format()) : writer_(format) {
    const auto header = bytes_of("session header");
    sample_.entries.push_back({EntryKind::session, 0, header});
    append(writer_.begin(header));
  }

  void tick(std::uint32_t tick) {
    const std::string number = std::to_string(tick);
    if (tick % 8 == 3) add(EntryKind::input, tick, "fire " + number);
    if (tick % 8 == 3) add(EntryKind::input, tick, "turn " + number);
    add(EntryKind::record, tick, "record " + number);
    if (tick % 16 == 7) add(EntryKind::snapshot, tick, "snapshot " + number);
    append(writer_.flush());
  }

  void add(EntryKind kind, std::uint32_t tick, const std::string& text) {
    const auto payload = bytes_of(text);
    if (kind == EntryKind::record) writer_.record(tick, payload);
    if (kind == EntryKind::input) writer_.input(tick, payload);
    if (kind == EntryKind::snapshot) writer_.snapshot(tick, payload);
    sample_.entries.push_back({kind, tick, payload});
  }

  void append(Bytes bytes) {
    sample_.bytes.insert(sample_.bytes.end(), bytes.begin(), bytes.end());
    sample_.flushes.push_back({sample_.bytes.size(), sample_.entries.size()});
  }

  /// Ends the file; flushes has no entry for what close adds.
  Sample close() {
    const Bytes end = writer_.close();
    sample_.bytes.insert(sample_.bytes.end(), end.begin(), end.end());
    return sample_;
  }
  Sample abandon() { return sample_; }
  RecordingWriter& writer() { return writer_; }

 private:
  RecordingWriter writer_;
  Sample sample_;
};

inline Sample make_sample(std::uint32_t ticks, bool closed = true) {
  SampleWriter writer;
  for (std::uint32_t tick = 1; tick <= ticks; tick += 2) writer.tick(tick);
  return closed ? writer.close() : writer.abandon();
}

}  // namespace contrail::recording
