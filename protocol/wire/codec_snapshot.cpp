#include <tuple>
#include <utility>

#include <contrail/wire/codec.hpp>
#include <contrail/wire/snapshot_elements.hpp>

namespace contrail::wire {
namespace {

constexpr CodecResult unsorted(const char* field) {
  return {CodecError::unsorted, field};
}

/// Every neighbour pair satisfies `before`.
template <class Elements, class Before>
bool ordered(const Elements& elements, Before before) {
  for (std::size_t i = 1; i < elements.size(); ++i) {
    if (!before(elements[i - 1], elements[i])) {
      return false;
    }
  }
  return true;
}

CodecResult check_order(const sim::Snapshot& s) {
  const auto by_entity = [](const auto& a, const auto& b) { return a.entity < b.entity; };
  const auto by_entity_tick = [](const auto& a, const auto& b) {
    return std::tie(a.entity, a.tick) < std::tie(b.entity, b.tick);
  };
  if (!ordered(s.salvos, [](const auto& a, const auto& b) { return a.id < b.id; })) {
    return unsorted("salvos");
  }
  if (!ordered(s.ends, [](const auto& a, const auto& b) {
        return std::tie(a.salvo, a.index) < std::tie(b.salvo, b.index);
      })) {
    return unsorted("ends");
  }
  if (!ordered(s.events, [](const auto& a, const auto& b) {
        return std::tie(a.salvo, a.tick) <= std::tie(b.salvo, b.tick);
      })) {
    return unsorted("events");
  }
  if (!ordered(s.entities, by_entity)) {
    return unsorted("entities");
  }
  if (!ordered(s.tracks, by_entity)) {
    return unsorted("tracks");
  }
  if (!ordered(s.keys, by_entity_tick)) {
    return unsorted("keys");
  }
  if (!ordered(s.attitudes, by_entity_tick)) {
    return unsorted("attitudes");
  }
  if (!ordered(s.turrets, [](const auto& a, const auto& b) {
        return std::tie(a.mode.entity, a.mode.turret) < std::tie(b.mode.entity, b.mode.turret);
      })) {
    return unsorted("turrets");
  }
  return ordered(s.bursts, [](const auto& a, const auto& b) { return a.shot.time <= b.shot.time; })
             ? k_decoded
             : unsorted("bursts");
}

/// What one element says about another.
CodecResult check_references(const sim::Snapshot& s) {
  if (s.salvos.size() > static_cast<std::size_t>(sim::k_max_salvos)) {
    return {CodecError::too_many, "salvos"};
  }
  if (s.entities.size() > static_cast<std::size_t>(sim::k_max_entities)) {
    return {CodecError::too_many, "entities"};
  }
  if (!s.salvos.empty() && s.salvos.back().id >= s.next_launch) {
    return {CodecError::out_of_range, "salvos.id"};
  }
  for (const sim::SnapshotEnd& end : s.ends) {
    if (end.salvo >= s.salvos.size() || end.index >= s.salvos[end.salvo].launch.count) {
      return {CodecError::bad_reference, "ends.salvo"};
    }
  }
  for (const sim::SnapshotEvent& event : s.events) {
    if (event.salvo >= s.salvos.size()) {
      return {CodecError::bad_reference, "events.salvo"};
    }
  }
  if (s.tracks.size() != s.entities.size()) {
    return {CodecError::bad_reference, "tracks"};
  }
  for (std::size_t i = 0; i < s.tracks.size(); ++i) {
    if (s.tracks[i].entity != s.entities[i].entity) {
      return {CodecError::bad_reference, "tracks.entity"};
    }
  }
  return k_decoded;
}

template <class Struct, class Element>
CodecResult read(const flatbuffers::Vector<const Struct*>* vector, const Place& now,
                 const char* name, std::vector<Element>& out) {
  if (vector == nullptr) {
    return k_decoded;
  }
  if (vector->size() == 0) {
    return {CodecError::empty_vector, name};
  }
  out.reserve(vector->size());
  for (const Struct* element : *vector) {
    if (const CodecResult result = unpack(*element, now, out.emplace_back()); !result) {
      return result;
    }
  }
  return k_decoded;
}

CodecResult read_table(const fb::Snapshot& table, const Place& now, sim::Snapshot& out) {
  CodecResult result = k_decoded;
  const auto good = [&](CodecResult next) { return static_cast<bool>(result = next); };
  static_cast<void>(good(unpack(*table.timeline(), now, out.timeline)) &&
                    good(read(table.salvos(), now, "salvos", out.salvos)) &&
                    good(read(table.ends(), now, "ends", out.ends)) &&
                    good(read(table.events(), now, "events", out.events)) &&
                    good(read(table.entities(), now, "entities", out.entities)) &&
                    good(read(table.tracks(), now, "tracks", out.tracks)) &&
                    good(read(table.keys(), now, "keys", out.keys)) &&
                    good(read(table.attitudes(), now, "attitudes", out.attitudes)) &&
                    good(read(table.turrets(), now, "turrets", out.turrets)) &&
                    good(read(table.bursts(), now, "bursts", out.bursts)) &&
                    good(check_order(out)) && good(check_references(out)));
  return result;
}

std::size_t vector_bytes(const fb::Snapshot& table) {
  return bytes_of(table.salvos()) + bytes_of(table.ends()) + bytes_of(table.events()) +
         bytes_of(table.entities()) + bytes_of(table.tracks()) + bytes_of(table.keys()) +
         bytes_of(table.attitudes()) + bytes_of(table.turrets()) + bytes_of(table.bursts());
}

template <class Struct, class Element>
flatbuffers::Offset<flatbuffers::Vector<const Struct*>> write(
    flatbuffers::FlatBufferBuilder& builder, const std::vector<Element>& elements,
    const Place& now) {
  if (elements.empty()) {
    return 0;
  }
  std::vector<Struct> packed;
  packed.reserve(elements.size());
  for (const Element& element : elements) {
    packed.push_back(pack(element, now));
    Element back;
    sim::require(static_cast<bool>(unpack(packed.back(), now, back)) && back == element,
                 "every element of a snapshot is inside its ranges");
  }
  return builder.CreateVectorOfStructs(packed.data(), packed.size());
}

/// The one stated form, however large.
Bytes build(const sim::Snapshot& snapshot, int log2_tick) {
  sim::require(
      static_cast<bool>(check_order(snapshot)) && static_cast<bool>(check_references(snapshot)),
      "the parts of a snapshot are in order and fit together");
  const Place now{snapshot.tick, log2_tick};
  const fb::Timeline timeline = pack(snapshot.timeline, std::uint8_t{0});
  sim::require(snapshot.timeline.rate >= 1, "a timeline has a rate");
  flatbuffers::FlatBufferBuilder builder;
  const auto bursts = write<fb::SnapBurst>(builder, snapshot.bursts, now);
  const auto turrets = write<fb::SnapTurret>(builder, snapshot.turrets, now);
  const auto attitudes = write<fb::SnapAttitude>(builder, snapshot.attitudes, now);
  const auto keys = write<fb::SnapKey>(builder, snapshot.keys, now);
  const auto tracks = write<fb::SnapTrack>(builder, snapshot.tracks, now);
  const auto entities = write<fb::SnapEntity>(builder, snapshot.entities, now);
  const auto events = write<fb::SnapEvent>(builder, snapshot.events, now);
  const auto ends = write<fb::SnapEnd>(builder, snapshot.ends, now);
  const auto salvos = write<fb::SnapSalvo>(builder, snapshot.salvos, now);

  fb::SnapshotBuilder table(builder);
  table.add_first_burst(snapshot.first_burst);
  table.add_bursts(bursts);
  table.add_turrets(turrets);
  table.add_attitudes(attitudes);
  table.add_keys(keys);
  table.add_tracks(tracks);
  table.add_entities(entities);
  table.add_events(events);
  table.add_ends(ends);
  table.add_salvos(salvos);
  table.add_timeline(&timeline);
  table.add_hash_count(snapshot.hash_count);
  table.add_next_launch(snapshot.next_launch);
  table.add_tick(snapshot.tick);
  builder.Finish(table.Finish(), k_snapshot_identifier);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace

Bytes encode_snapshot(const sim::Snapshot& snapshot, int log2_tick) {
  Bytes bytes = build(snapshot, log2_tick);
  sim::require(bytes.size() <= k_max_snapshot_bytes, "a snapshot fits into its limit");
  return bytes;
}

CodecResult decode_snapshot(ByteView bytes, int log2_tick, sim::Snapshot& out) {
  const AlignedBytes aligned(bytes, k_max_snapshot_bytes);
  const fb::Snapshot* table = nullptr;
  if (const CodecResult opened = open_message(aligned, k_snapshot_identifier, table); !opened) {
    return opened;
  }
  if (vector_bytes(*table) > bytes.size()) {
    return {CodecError::overlapping, "message"};
  }
  if (table->timeline() == nullptr) {
    return {CodecError::missing, "timeline"};
  }
  sim::Snapshot snapshot;
  snapshot.tick = table->tick();
  snapshot.next_launch = table->next_launch();
  snapshot.hash_count = table->hash_count();
  snapshot.first_burst = table->first_burst();
  if (const CodecResult result = read_table(*table, {snapshot.tick, log2_tick}, snapshot);
      !result) {
    return result;
  }
  if (!same_bytes(build(snapshot, log2_tick), bytes)) {
    return {CodecError::not_canonical, "message"};
  }
  out = std::move(snapshot);
  return k_decoded;
}

}  // namespace contrail::wire
