// The canonical form written by hand from SPEC.md, "The canonical record", without FlatBuffers. It
// fails if another version of FlatBuffers lays messages out in another way.

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <contrail/wire/record_elements.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;

void put(Bytes& out, std::size_t value, int width) {
  for (int i = 0; i < width; ++i) {
    out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}
void pad(Bytes& out) {
  while (out.size() % 4 != 0) {
    out.push_back(0);
  }
}

/// One vector: count, elements, padding; no bytes without elements.
template <class Element>
Bytes vector_bytes(const std::vector<Element>& elements, std::uint8_t at) {
  Bytes out;
  if (elements.empty()) {
    return out;
  }
  put(out, elements.size(), 4);
  for (const Element& element : elements) {
    const auto packed = pack(element, at);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&packed);
    out.insert(out.end(), bytes, bytes + sizeof(packed));
  }
  pad(out);
  return out;
}

std::vector<Bytes> all_vectors(const sim::TickRecord& r, std::uint8_t at) {
  Bytes custom;
  for (const sim::Custom& c : r.customs) {
    custom.insert(custom.end(), c.bytes.begin(), c.bytes.end());
  }
  Bytes custom_bytes;
  if (!custom.empty()) {
    put(custom_bytes, custom.size(), 4);
    custom_bytes.insert(custom_bytes.end(), custom.begin(), custom.end());
    pad(custom_bytes);
  }
  return {vector_bytes(r.launches, at),      vector_bytes(r.outcomes, at),
          vector_bytes(r.health, at),        vector_bytes(r.relative_keys, at),
          vector_bytes(r.guidance, at),      vector_bytes(r.turret_modes, at),
          vector_bytes(r.shots, at),         vector_bytes(r.despawns, at),
          vector_bytes(r.spawns, at),        vector_bytes(r.track_keys, at),
          vector_bytes(r.attitude_keys, at), vector_bytes(r.state_hashes, at),
          vector_bytes(r.customs, at),       custom_bytes,
          vector_bytes(r.timelines, at)};
}

/// A record (tick > 0) or the body of a packet with one record (tick 0).
Bytes by_hand(const sim::TickRecord& record, std::uint32_t tick, std::uint8_t at) {
  const std::vector<Bytes> vectors = all_vectors(record, at);
  std::size_t fields = tick > 0 ? vectors.size() + 1 : 0;
  std::size_t present = tick > 0 ? 1 : 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (!vectors[i].empty()) {
      fields = std::max(fields, i + 1);
      ++present;
    }
  }
  const std::size_t header = tick > 0 ? 8 : 4;
  const std::size_t vtable_bytes = 4 + 2 * fields;
  const std::size_t table = (header + vtable_bytes + 3) / 4 * 4;
  const std::size_t table_bytes = 4 + 4 * present;
  Bytes out;
  put(out, table, 4);
  if (tick > 0) {
    out.insert(out.end(), {'C', 'T', 'R', 'L'});
  }
  out.resize(table - vtable_bytes);
  put(out, vtable_bytes, 2);
  put(out, table_bytes, 2);
  Bytes table_fields;
  std::size_t next_vector = table + table_bytes;
  for (std::size_t i = 0; i < fields; ++i) {
    const bool is_tick = i == vectors.size();
    const bool here = is_tick || !vectors[i].empty();
    const std::size_t offset = 4 + table_fields.size();
    put(out, here ? offset : 0, 2);
    if (is_tick) {
      put(table_fields, tick, 4);
    } else if (here) {
      put(table_fields, next_vector - (table + offset), 4);
      next_vector += vectors[i].size();
    }
  }
  put(out, vtable_bytes, 4);
  out.insert(out.end(), table_fields.begin(), table_fields.end());
  for (const Bytes& bytes : vectors) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

TEST(CodecCanonical, RecordsHaveTheLayoutOfTheSpecification) {
  const std::uint64_t seed = samples::test_seed(20'021);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (int i = 0; i < samples::repetitions(2'000); ++i) {
    const auto tick = static_cast<std::uint32_t>(dice.between(1, 0xFFFF'FFFF));
    const sim::TickRecord record = samples::random_record(dice, tick, 11, 3);
    ASSERT_EQ(encode_record(record, 11), by_hand(record, tick, 0));
  }
}

TEST(CodecCanonical, PacketBodiesHaveTheLayoutOfTheSpecification) {
  const std::uint64_t seed = samples::test_seed(20'022);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (int i = 0; i < samples::repetitions(2'000); ++i) {
    const sim::TickRecord record = samples::random_record(dice, 500, 11, 3);
    const auto age = static_cast<std::uint8_t>(dice.between(0, 31));
    const sim::TickRecord* records[] = {&record};
    ASSERT_EQ(encode_packet_body(records, 500 + std::uint32_t{age}, 11), by_hand(record, 0, age));
  }
}

}  // namespace
}  // namespace contrail::wire
