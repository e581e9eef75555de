#pragma once

#include <cstdint>

#include <contrail/recording/mcap_writer.hpp>
#include <contrail/recording/recording_format.hpp>

namespace contrail::recording {

/// Makes the bytes of a recording for a caller who appends them to a file. After the bytes of a
/// flush are in the file, everything added before it survives the writer.
///
///   append(writer.begin(header));
///   every tick: writer.input(...); writer.record(...); append(writer.flush());
///   append(writer.close());
///
/// Ticks never decrease. Payloads are copied. The spans returned are valid until the next call.
/// Not thread-safe.
class RecordingWriter {
 public:
  explicit RecordingWriter(const RecordingFormat& format);

  /// The beginning of the file: declarations and session header. `first_tick` is the tick from
  /// which on the recording has the log, 0 for a whole session.
  [[nodiscard]] Bytes begin(Bytes session_header, std::uint32_t first_tick = 0);

  void record(std::uint32_t tick, Bytes payload) { add(EntryKind::record, tick, payload); }
  void input(std::uint32_t tick, Bytes payload) { add(EntryKind::input, tick, payload); }
  void snapshot(std::uint32_t tick, Bytes payload) { add(EntryKind::snapshot, tick, payload); }

  /// Bytes to append for everything added since the last flush; empty when nothing was.
  [[nodiscard]] Bytes flush() { return mcap_.flush(); }
  /// The bytes of the last flush could not be written: the recording ends before them.
  void take_back() { mcap_.take_back(); }
  /// Flushes the rest and ends the file. Nothing may be added afterwards.
  [[nodiscard]] Bytes close() { return mcap_.close(); }
  /// Bytes of the file up to and including the last flush.
  [[nodiscard]] std::uint64_t file_size() const { return mcap_.file_size(); }

 private:
  void add(EntryKind kind, std::uint32_t tick, Bytes payload);
  void declare(const RecordingFormat& format);

  McapWriter mcap_;
  std::uint8_t log2_tick_;
};

}  // namespace contrail::recording
