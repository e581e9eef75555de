// Input: {checks u8: bits 0..2 leave out the CRC of chunks, data, summary}, then a recording. A
// changed byte would hardly get past the CRCs otherwise.

#include <contrail/fuzz/target.hpp>

#include <contrail/recording/mcap_reader.hpp>
#include <contrail/recording/recording_reader.hpp>

namespace contrail::fuzz {
namespace {

using recording::Fault;

bool inside(ByteView part, ByteView file) {
  return part.empty() ||
         (part.data() >= file.data() && part.data() + part.size() <= file.data() + file.size());
}

void check_index(const recording::McapIndex& index, ByteView file) {
  check(index.data_end <= file.size(), "the valid prefix is inside the file");
  std::uint64_t after = 0;
  for (const recording::ChunkInfo& chunk : index.chunks) {
    check(chunk.offset >= after && chunk.offset <= file.size() &&
              chunk.length <= file.size() - chunk.offset,
          "chunks are inside the file, one after the other");
    after = chunk.offset + chunk.length;
  }
}

/// Walks everything; the number of entries.
std::size_t walk(const recording::RecordingReader& reader, ByteView file) {
  recording::EntryCursor cursor(reader);
  recording::Entry entry;
  std::size_t entries = 0;
  std::uint32_t tick = 0;
  while (cursor.next(entry)) {
    ++entries;
    check(inside(entry.payload, file), "a payload is inside the file");
    check(entry.tick >= tick, "ticks do not go back");
    tick = entry.tick;
    check(entries <= file.size(), "entries come to an end");
  }
  return entries;
}

}  // namespace

Outcome run_recording(ByteView input) {
  Parameters parameters(input);
  const std::uint8_t left_out = parameters.reader.u8();
  const recording::Checks checks{(left_out & 1) == 0, (left_out & 2) == 0, (left_out & 4) == 0};
  const ExactCopy copy(parameters.rest());
  const ByteView file = copy.view();

  recording::McapIndex scanned;
  const Fault scan_fault = scan(file, checks, scanned);
  check_index(scanned, file);
  recording::McapIndex indexed;
  static_cast<void>(read_summary(file, checks, indexed));
  recording::McapIndex checked;
  const Fault fault = check(file, checks, checked);
  check(!fault || fault.offset <= file.size(), "a fault lies in the file");
  if (!fault) {
    check(!scan_fault && !read_summary(file, checks, indexed), "check is the strictest");
    check(checked.chunks == indexed.chunks && checked.statistics == indexed.statistics,
          "what is checked is what the index says");
  }

  recording::RecordingReader reader;
  const Fault opened = reader.open(file, checks);
  if (opened) return {false, describe(opened.error), {}};
  check(inside(reader.session(), file), "the session header is inside the file");
  check(reader.first_tick() <= reader.last_tick(), "the last tick is not before the first");
  const std::size_t entries = walk(reader, file);
  for (const recording::SnapshotPosition& position : reader.snapshots()) {
    check(position.chunk < reader.index().chunks.size(), "snapshots are in chunks");
    recording::EntryCursor cursor(reader);
    cursor.seek_chunk(position.chunk);
    recording::Entry entry;
    static_cast<void>(cursor.next(entry));
  }
  recording::EntryCursor cursor(reader);
  cursor.seek(reader.last_tick());
  recording::Entry entry;
  static_cast<void>(cursor.next(entry));
  const Fault whole = recording::check_recording(file, checks);
  check(whole || (reader.closed() && entries > 0), "a checked recording can be read");
  return whole ? Outcome{false, describe(whole.error), {}} : k_accepted;
}

}  // namespace contrail::fuzz
