#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <contrail/recording/mcap_reader.hpp>
#include <contrail/recording/recording_format.hpp>

namespace contrail::recording {

struct Entry {
  EntryKind kind = EntryKind::record;
  std::uint32_t tick = 0;
  Bytes payload;             // a view into the file, at any alignment
  std::uint64_t offset = 0;  // of the chunk that holds it
};

struct SnapshotPosition {
  std::uint32_t tick = 0;
  std::size_t chunk = 0;  // index of the chunk it is in
};

/// A recording over bytes the caller keeps for as long (a mapped file). A closed recording is
/// opened by its index; of one that was not closed, or is damaged, the valid prefix is found and
/// opened. Chunks are verified when their entries are read. Reading is const and thread-safe.
class RecordingReader {
 public:
  /// Fails only where not even the session header can be read.
  [[nodiscard]] Fault open(Bytes file, const Checks& checks = {});

  /// none for a closed recording; else why it ends where it does. not_closed at the very end of
  /// the file means that nothing was cut off: every byte there was a whole, valid record.
  [[nodiscard]] const Fault& damage() const { return damage_; }
  [[nodiscard]] bool closed() const { return damage_.error == ReadError::none; }
  /// Bytes lie after the valid prefix that could not be read as part of it.
  [[nodiscard]] bool lost_bytes() const;

  [[nodiscard]] Bytes session() const { return session_; }
  [[nodiscard]] std::uint32_t first_tick() const { return first_tick_; }
  [[nodiscard]] std::uint32_t last_tick() const { return last_tick_; }
  [[nodiscard]] std::uint8_t log2_tick() const { return log2_tick_; }
  /// A value of the session channel's metadata; nothing where it is not there.
  [[nodiscard]] std::optional<std::string_view> about(std::string_view key) const;
  /// Messages of the kind in the file (or its valid prefix).
  [[nodiscard]] std::uint64_t count(EntryKind kind) const;
  [[nodiscard]] const McapIndex& index() const { return index_; }
  [[nodiscard]] Bytes file() const { return file_; }

  /// All snapshots in order of tick. Reads the chunks that hold them; a damaged one is left out.
  [[nodiscard]] std::vector<SnapshotPosition> snapshots() const;

 private:
  friend class EntryCursor;
  [[nodiscard]] Fault find_channels();
  [[nodiscard]] Fault check_chunk_order() const;
  [[nodiscard]] Fault read_session();
  void cut_to_readable_prefix();
  void find_last_tick();

  Bytes file_;
  Checks checks_;
  McapIndex index_;
  Fault damage_;
  std::array<std::uint16_t, k_entry_kinds> channel_ids_{};
  std::uint8_t log2_tick_ = 0;
  Bytes session_;
  std::uint32_t first_tick_ = 0;
  std::uint32_t last_tick_ = 0;
};

/// Walks the entries in file order: session header, then by tick. The reader outlives it.
class EntryCursor {
 public:
  explicit EntryCursor(const RecordingReader& reader) : reader_(reader) {}

  /// Continues with the first entry of `tick` or later.
  void seek(std::uint32_t tick);
  /// Continues with the first entry of a chunk.
  void seek_chunk(std::size_t chunk);
  /// False at the end and at a fault, which then is not none.
  [[nodiscard]] bool next(Entry& out);
  [[nodiscard]] const Fault& fault() const { return fault_; }
  /// Index of the chunk the last entry came from.
  [[nodiscard]] std::size_t chunk() const { return chunk_ == 0 ? 0 : chunk_ - 1; }

 private:
  bool load_next_chunk();
  [[nodiscard]] ReadError take(const FoundMessage& found, Entry& out, bool& known);

  const RecordingReader& reader_;
  std::size_t chunk_ = 0;    // the next one to load
  std::size_t message_ = 0;  // of the loaded one
  ChunkContents contents_;
  std::uint32_t skip_before_ = 0;
  std::optional<std::uint32_t> previous_tick_;
  Fault fault_;
};

/// Verifies a closed recording whole: every CRC, every index against what it indexes, every tick
/// against its time. A single changed byte anywhere gives a fault.
[[nodiscard]] Fault check_recording(Bytes file, const Checks& checks = {});

}  // namespace contrail::recording
