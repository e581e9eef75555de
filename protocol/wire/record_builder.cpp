#include <contrail/sim/limits.hpp>
#include <contrail/wire/record_builder.hpp>

namespace contrail::wire {
namespace {

/// Adds the packed elements, each only if a reader gives it back unchanged.
template <class Element, class Struct>
void append(const std::vector<Element>& elements, const Place& place, std::uint8_t at,
            std::vector<Struct>& out) {
  for (const Element& element : elements) {
    const Struct packed = pack(element, at);
    Element back;
    const CodecResult result = unpack(packed, place, back);
    if constexpr (requires { back.bytes; }) {
      back.bytes = element.bytes;
    }
    sim::require(static_cast<bool>(result) && back == element,
                 "every element of a record is inside its ranges");
    out.push_back(packed);
  }
}

template <class Struct>
flatbuffers::Offset<flatbuffers::Vector<const Struct*>> vector_of(
    flatbuffers::FlatBufferBuilder& builder, const std::vector<Struct>& elements) {
  return elements.empty() ? 0 : builder.CreateVectorOfStructs(elements.data(), elements.size());
}

}  // namespace

void RecordBuilder::add(const sim::TickRecord& record, std::uint8_t at, int log2_tick) {
  sim::require(record.tick >= 1, "the first record has tick 1");
  const Place place{record.tick, log2_tick};
  append(record.launches, place, at, launches_);
  append(record.outcomes, place, at, outcomes_);
  append(record.health, place, at, health_);
  append(record.relative_keys, place, at, relative_keys_);
  append(record.guidance, place, at, guidance_);
  append(record.turret_modes, place, at, turret_modes_);
  append(record.shots, place, at, shots_);
  append(record.despawns, place, at, despawns_);
  append(record.spawns, place, at, spawns_);
  append(record.track_keys, place, at, track_keys_);
  append(record.attitude_keys, place, at, attitude_keys_);
  append(record.state_hashes, place, at, state_hashes_);
  append(record.timelines, place, at, timelines_);
  sim::require(record.timelines.size() <= 1 && record.state_hashes.size() <= 1,
               "a record has at most one timeline and one state hash");
  for (const sim::Custom& custom : record.customs) {
    sim::require(custom.bytes.size() <= static_cast<std::size_t>(sim::k_max_custom_bytes),
                 "a custom element has at most 200 bytes");
    custom_bytes_.insert(custom_bytes_.end(), custom.bytes.begin(), custom.bytes.end());
  }
  append(record.customs, place, at, customs_);
  empty_ = empty_ && record.empty();
}

Bytes RecordBuilder::finish_record(std::uint32_t tick) const {
  return finish(tick, k_record_identifier);
}

Bytes RecordBuilder::finish_packet_body() const {
  return finish(0, nullptr);
}

// A FlatBuffer grows from its end to its start: what is created last lies first.
Bytes RecordBuilder::finish(std::uint32_t tick, const char* identifier) const {
  flatbuffers::FlatBufferBuilder builder;
  const auto timelines = vector_of(builder, timelines_);
  const flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> custom_bytes =
      custom_bytes_.empty() ? 0 : builder.CreateVector(custom_bytes_);
  const auto customs = vector_of(builder, customs_);
  const auto state_hashes = vector_of(builder, state_hashes_);
  const auto attitude_keys = vector_of(builder, attitude_keys_);
  const auto track_keys = vector_of(builder, track_keys_);
  const auto spawns = vector_of(builder, spawns_);
  const auto despawns = vector_of(builder, despawns_);
  const auto shots = vector_of(builder, shots_);
  const auto turret_modes = vector_of(builder, turret_modes_);
  const auto guidance = vector_of(builder, guidance_);
  const auto relative_keys = vector_of(builder, relative_keys_);
  const auto health = vector_of(builder, health_);
  const auto outcomes = vector_of(builder, outcomes_);
  const auto launches = vector_of(builder, launches_);

  fb::TickRecordBuilder table(builder);
  table.add_tick(tick);
  table.add_timelines(timelines);
  table.add_custom_bytes(custom_bytes);
  table.add_customs(customs);
  table.add_state_hashes(state_hashes);
  table.add_attitude_keys(attitude_keys);
  table.add_track_keys(track_keys);
  table.add_spawns(spawns);
  table.add_despawns(despawns);
  table.add_shots(shots);
  table.add_turret_modes(turret_modes);
  table.add_guidance(guidance);
  table.add_relative_keys(relative_keys);
  table.add_health(health);
  table.add_outcomes(outcomes);
  table.add_launches(launches);
  builder.Finish(table.Finish(), identifier);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace contrail::wire
