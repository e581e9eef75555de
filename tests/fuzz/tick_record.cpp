// Input: {log2_tick u8}, then the bytes of a record.

#include <contrail/fuzz/target.hpp>

#include <contrail/wire/codec.hpp>

namespace contrail::fuzz {

Outcome run_tick_record(ByteView input) {
  Parameters parameters(input);
  const int log2_tick = parameters.log2_tick();
  const ByteView bytes = parameters.rest();
  sim::TickRecord sentinel;
  sentinel.tick = 77;
  sentinel.despawns.emplace_back();
  sim::TickRecord record;
  const Outcome outcome = check_canonical(
      bytes, sentinel,
      [&](ByteView view, sim::TickRecord& out) {
        return wire::decode_record(view, log2_tick, out);
      },
      [&](const sim::TickRecord& value) { return wire::encode_record(value, log2_tick); }, record);
  if (outcome.accepted) {
    check(!record.empty() && record.tick >= 1, "an accepted record says something");
    check(wire::record_bytes(record) == bytes.size(), "record_bytes is the size of the bytes");
  }
  return outcome;
}

}  // namespace contrail::fuzz
