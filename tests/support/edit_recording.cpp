// Changes one value of a recording and writes it again with every CRC and index right: what no
// checksum finds and `contrail-replay verify` has to.
//
//   edit_recording IN OUT TICK     adds 1 to a value of the first record at or after TICK: the seed
//                                  of its first launch if it has one, else a lane of its state hash

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <contrail/support/recording_tools.hpp>
#include <contrail/wire/codec.hpp>

namespace {

using contrail::recording::EntryKind;
using contrail::support::RecordedEntry;

// The name of the changed field, or empty when the record has none of them.
std::string edit(RecordedEntry& entry, int log2_tick) {
  contrail::sim::TickRecord record;
  if (!contrail::wire::decode_record(entry.payload, log2_tick, record)) {
    return {};
  }
  std::string field;
  if (!record.launches.empty()) {
    ++record.launches[0].seed;
    field = "launches[0].seed";
  } else if (!record.state_hashes.empty()) {
    ++record.state_hashes[0].lanes[0];
    field = "state_hashes[0].launches";
  }
  if (!field.empty()) {
    entry.payload = contrail::wire::encode_record(record, log2_tick);
  }
  return field;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: edit_recording IN OUT TICK\n", stderr);
    return 2;
  }
  const auto from = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  const std::vector<std::uint8_t> file = contrail::support::read_file(argv[1]);
  contrail::recording::RecordingReader reader;
  if (const contrail::recording::Fault fault = reader.open(file)) {
    std::fprintf(stderr, "edit_recording: %s: %s\n", argv[1],
                 std::string(contrail::recording::describe(fault.error)).c_str());
    return 1;
  }
  std::string changed;
  const auto edited =
      contrail::support::rewrite_recording(file, [&](std::vector<RecordedEntry>& entries) {
        for (RecordedEntry& entry : entries) {
          if (entry.kind != EntryKind::record || entry.tick < from || !changed.empty()) {
            continue;
          }
          const std::string field = edit(entry, reader.log2_tick());
          if (!field.empty()) {
            changed = "tick " + std::to_string(entry.tick) + ": " + field;
          }
        }
      });
  if (changed.empty()) {
    std::fputs("edit_recording: no record there to change\n", stderr);
    return 1;
  }
  contrail::support::write_file(argv[2], edited);
  std::printf("%s\n", changed.c_str());
  return 0;
}
