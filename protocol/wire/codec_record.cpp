#include <utility>

#include <contrail/wire/codec.hpp>
#include <contrail/wire/record_builder.hpp>
#include <contrail/wire/record_reader.hpp>

namespace contrail::wire {

Bytes encode_record(const sim::TickRecord& record, int log2_tick) {
  sim::require(!record.empty(), "an empty record is not written");
  RecordBuilder builder;
  builder.add(record, 0, log2_tick);
  Bytes bytes = builder.finish_record(record.tick);
  sim::require(bytes.size() <= k_max_record_bytes, "a record fits into k_max_record_bytes");
  return bytes;
}

CodecResult decode_record(ByteView bytes, int log2_tick, sim::TickRecord& out) {
  const AlignedBytes aligned(bytes, k_max_record_bytes);
  const fb::TickRecord* table = nullptr;
  if (const CodecResult opened = open_message(aligned, k_record_identifier, table); !opened) {
    return opened;
  }
  if (table->tick() == 0) {
    return {CodecError::missing, "tick"};
  }
  std::vector<sim::TickRecord> records;
  const CodecResult result =
      read_records(*table, bytes.size(), {table->tick(), 1, log2_tick}, records);
  if (!result) {
    return result;
  }
  if (records.empty()) {
    return {CodecError::empty_record, "message"};
  }
  // Unknown fields, other layouts and trailing bytes are caught here. The size goes first: tables
  // laid over the contents of a vector may decode to a record that is too large to encode.
  if (record_bytes(records.front()) != bytes.size() ||
      !same_bytes(encode_record(records.front(), log2_tick), bytes)) {
    return {CodecError::not_canonical, "message"};
  }
  out = std::move(records.front());
  return k_decoded;
}

}  // namespace contrail::wire
