// Input: {log2_tick u8, last_tick u32, complete_bits u32}, then the bytes of a packet body.

#include <contrail/fuzz/target.hpp>

#include <contrail/wire/codec.hpp>

namespace contrail::fuzz {
namespace {

// Of the encoder's form: root, vtable, table, lengths and paddings of all vectors.
constexpr std::size_t k_most_overhead = 8 + 36 + 4 + 16 * 4 + 16 * 8;

using Records = std::vector<sim::TickRecord>;

Bytes encode(const Records& records, std::uint32_t last_tick, int log2_tick) {
  std::vector<const sim::TickRecord*> pointers;
  pointers.reserve(records.size());
  for (const sim::TickRecord& record : records) pointers.push_back(&record);
  return wire::encode_packet_body(pointers, last_tick, log2_tick);
}

/// Oldest first, inside the window, only of complete ticks, none without content.
void check_ticks(const Records& records, std::uint32_t last_tick, std::uint32_t complete,
                 int log2_tick) {
  std::uint32_t after = 0;
  for (const sim::TickRecord& record : records) {
    check(record.tick > after && record.tick <= last_tick, "ticks of a packet ascend to its last");
    const std::uint32_t age = last_tick - record.tick;
    check(age < static_cast<std::uint32_t>(wire::window_ticks(log2_tick)) &&
              (complete >> age & 1) != 0,
          "a packet has records of complete ticks only");
    check(!record.empty(), "a packet gives no empty records");
    after = record.tick;
  }
}

}  // namespace

Outcome run_packet_body(ByteView input) {
  Parameters parameters(input);
  const int log2_tick = parameters.log2_tick();
  const std::uint32_t last_tick = parameters.reader.u32();
  const std::uint32_t complete = parameters.reader.u32();
  const ByteView bytes = parameters.rest();
  const auto decode = [&](ByteView view, Records& out) {
    return wire::decode_packet_body(view, last_tick, complete, log2_tick, out);
  };
  Records sentinel(1);
  sentinel[0].tick = 77;
  Records records = sentinel;
  Records shifted_records = sentinel;
  const ExactCopy aligned(bytes);
  const ExactCopy shifted(bytes, 1);
  const wire::CodecResult result = decode(aligned.view(), records);
  check(decode(shifted.view(), shifted_records).error == result.error && records == shifted_records,
        "the answer depends on where the bytes lie");
  if (!result) {
    check(records == sentinel, "a refused packet changed the output");
    return outcome_of(result);
  }
  check_ticks(records, last_tick, complete, log2_tick);

  // A packet body has more than one form; the encoder's is one, and says the same.
  const Bytes encoded = encode(records, last_tick, log2_tick);
  wire::PacketBodySize size;
  for (const sim::TickRecord& record : records) size.add(record);
  check(size.bytes() == encoded.size(), "PacketBodySize counts what the encoder writes");
  check(encoded.size() <= bytes.size() + k_most_overhead, "the elements were all in the message");
  Records again;
  check(static_cast<bool>(decode(encoded, again)) && again == records,
        "an encoded packet body gives the same records");
  check(encode(again, last_tick, log2_tick) == encoded, "the encoder's form is stable");
  return k_accepted;
}

}  // namespace contrail::fuzz
