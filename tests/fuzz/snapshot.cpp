// Input: {log2_tick u8}, then the bytes of a snapshot.

#include <contrail/fuzz/target.hpp>

#include <contrail/wire/codec.hpp>

namespace contrail::fuzz {

Outcome run_snapshot(ByteView input) {
  Parameters parameters(input);
  const int log2_tick = parameters.log2_tick();
  sim::Snapshot sentinel;
  sentinel.tick = 77;
  sim::Snapshot snapshot;
  return check_canonical(
      parameters.rest(), sentinel,
      [&](ByteView view, sim::Snapshot& out) {
        return wire::decode_snapshot(view, log2_tick, out);
      },
      [&](const sim::Snapshot& value) { return wire::encode_snapshot(value, log2_tick); },
      snapshot);
}

}  // namespace contrail::fuzz
