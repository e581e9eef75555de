#include <array>
#include <utility>

#include <contrail/wire/codec.hpp>
#include <contrail/wire/record_builder.hpp>
#include <contrail/wire/record_reader.hpp>

namespace contrail::wire {
namespace {

/// Bytes of one element, in the order of the table's fields.
constexpr std::array<std::size_t, PacketBodySize::k_vectors> k_element_bytes{
    sizeof(fb::Launch),      sizeof(fb::Outcome),
    sizeof(fb::Health),      sizeof(fb::RelativeKey),
    sizeof(fb::Guidance),    sizeof(fb::TurretMode),
    sizeof(fb::Shot),        sizeof(fb::Despawn),
    sizeof(fb::Spawn),       sizeof(fb::TrackKey),
    sizeof(fb::AttitudeKey), sizeof(fb::StateHash),
    sizeof(fb::Custom),      1,
    sizeof(fb::Timeline)};

using Counts = PacketBodySize::Counts;

void add_counts(const sim::TickRecord& r, Counts& counts) {
  std::size_t custom_bytes = 0;
  for (const sim::Custom& custom : r.customs) {
    custom_bytes += custom.bytes.size();
  }
  const Counts more{r.launches.size(),      r.outcomes.size(),      r.health.size(),
                    r.relative_keys.size(), r.guidance.size(),      r.turret_modes.size(),
                    r.shots.size(),         r.despawns.size(),      r.spawns.size(),
                    r.track_keys.size(),    r.attitude_keys.size(), r.state_hashes.size(),
                    r.customs.size(),       custom_bytes,           r.timelines.size()};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] += more[i];
  }
}

constexpr std::size_t round_up_4(std::size_t n) {
  return (n + 3) & ~std::size_t{3};
}

/// Header and vtable, the table, and each vector with its length; all in steps of 4 bytes.
std::size_t layout_bytes(const Counts& counts, bool is_record) {
  std::size_t present = 0;
  std::size_t last = 0;  // fields of the vtable
  std::size_t elements = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) {
      ++present;
      last = i + 1;
      elements += 4 + round_up_4(counts[i] * k_element_bytes[i]);
    }
  }
  if (is_record) {
    ++present;
    last = counts.size() + 1;
  }
  const std::size_t header = is_record ? 8 : 4;
  return round_up_4(header + 4 + 2 * last) + 4 + 4 * present + elements;
}

}  // namespace

std::size_t record_bytes(const sim::TickRecord& record) {
  Counts counts{};
  add_counts(record, counts);
  return layout_bytes(counts, true);
}

void PacketBodySize::add(const sim::TickRecord& record) {
  add_counts(record, counts_);
}

std::size_t PacketBodySize::bytes() const {
  return counts_ == Counts{} ? 0 : layout_bytes(counts_, false);
}

std::size_t PacketBodySize::bytes_with(const sim::TickRecord& record) const {
  PacketBodySize with = *this;
  with.add(record);
  return with.bytes();
}

Bytes encode_packet_body(std::span<const sim::TickRecord* const> records, std::uint32_t last_tick,
                         int log2_tick) {
  RecordBuilder builder;
  std::uint32_t after = 0;
  for (const sim::TickRecord* record : records) {
    sim::require(record->tick > after && record->tick <= last_tick &&
                     last_tick - record->tick < static_cast<std::uint32_t>(window_ticks(log2_tick)),
                 "records of a packet ascend inside its window");
    after = record->tick;
    builder.add(*record, static_cast<std::uint8_t>(last_tick - record->tick), log2_tick);
  }
  return builder.empty() ? Bytes{} : builder.finish_packet_body();
}

CodecResult decode_packet_body(ByteView bytes, std::uint32_t last_tick, std::uint32_t complete_bits,
                               int log2_tick, std::vector<sim::TickRecord>& out) {
  if (bytes.empty()) {
    out.clear();
    return k_decoded;
  }
  const AlignedBytes aligned(bytes, k_max_datagram_bytes);
  const fb::TickRecord* table = nullptr;
  if (const CodecResult opened = open_message(aligned, nullptr, table); !opened) {
    return opened;
  }
  if (has_field(*table, fb::TickRecord::VT_TICK)) {
    return {CodecError::unexpected, "tick"};
  }
  std::vector<sim::TickRecord> records;
  const CodecResult result =
      read_records(*table, bytes.size(), {last_tick, complete_bits, log2_tick}, records);
  if (!result) {
    return result;
  }
  if (records.empty()) {
    return {CodecError::empty_record, "message"};
  }
  out = std::move(records);
  return k_decoded;
}

}  // namespace contrail::wire
