#include <algorithm>
#include <functional>
#include <string>

#include <contrail_generated.h>
#include <gtest/gtest.h>
#include <contrail/sim/assert.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;
constexpr int k_log2_tick = 11;

sim::TickRecord one_launch(std::uint32_t tick) {
  sim::TickRecord r;
  r.tick = tick;
  r.launches.push_back(
      {0x04030201, 0x0605, 0x0807, sim::Subtick{tick} * 2048 - 16, 0x0123, 7, 9, 16, 13});
  return r;
}

/// The record's error after `change`, which may produce what the encoder would refuse.
std::string field_of(const CodecResult& result) {
  return std::string(describe(result.error)) + ": " + result.field;
}

TEST(CodecRecord, OneLaunchHasTheBytesOfTheSpecification) {
  const Bytes expected{
      44, 0, 0,  0, 'C', 'T', 'R', 'L',                             // root table, identifier
      36, 0, 12, 0, 4,   0,                                         // vtable: sizes, launches
      0,  0, 0,  0, 0,   0,   0,   0,   0,    0,    0,    0, 0, 0,  // absent fields
      0,  0, 0,  0, 0,   0,   0,   0,   0,    0,    0,    0, 0, 0,
      8,  0,                                                  // absent fields, tick
      36, 0, 0,  0, 8,   0,   0,   0,   5,    0,    0,    0,  // table
      1,  0, 0,  0,                                           // one launch
      1,  2, 3,  4, 5,   6,   7,   8,   0xF0, 0x27, 0x23, 1, 7, 9,
      16, 5};  // 5 * 2048 - 16 = 0x27F0
  EXPECT_EQ(encode_record(one_launch(5), k_log2_tick), expected);
}

TEST(CodecRecord, RandomRecordsOfAllKindsComeBackEqual) {
  const std::uint64_t seed = samples::test_seed(20'001);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (int i = 0; i < samples::repetitions(10'000); ++i) {
    const int log2_tick = static_cast<int>(dice.between(9, 13));
    const auto tick = static_cast<std::uint32_t>(
        dice.chance(10) ? 0xFFFF'FFFF : dice.between(1, dice.chance(50) ? 100 : 0xFFFF'FFFF));
    const sim::TickRecord record = samples::random_record(dice, tick, log2_tick, 6);
    const Bytes bytes = encode_record(record, log2_tick);
    ASSERT_EQ(bytes.size(), record_bytes(record));
    sim::TickRecord back;
    const CodecResult result = decode_record(bytes, log2_tick, back);
    ASSERT_TRUE(result) << field_of(result);
    ASSERT_EQ(back, record);
    ASSERT_EQ(encode_record(back, log2_tick), bytes);
  }
}

TEST(CodecRecord, BytesAtAnyAlignmentAreRead) {
  Dice dice(3);
  const sim::TickRecord record = samples::random_record(dice, 77, k_log2_tick, 5);
  const Bytes bytes = encode_record(record, k_log2_tick);
  for (std::size_t shift = 0; shift < 17; ++shift) {
    Bytes moved(shift, 0xAA);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    sim::TickRecord back;
    EXPECT_TRUE(decode_record(ByteView(moved).subspan(shift), k_log2_tick, back));
    EXPECT_EQ(back, record);
  }
}

TEST(CodecRecord, TheOutputIsUnchangedOnAnError) {
  Bytes bytes = encode_record(one_launch(5), k_log2_tick);
  bytes[72] = 200;  // no such mount
  sim::TickRecord out = one_launch(9);
  const CodecResult result = decode_record(bytes, k_log2_tick, out);
  EXPECT_EQ(field_of(result), "a value out of range: launches.mount");
  EXPECT_EQ(out, one_launch(9));
}

TEST(CodecRecord, ShortBuffersAreRefusedByLengthBeforeIdentifier) {
  const Bytes bytes = encode_record(one_launch(5), k_log2_tick);
  sim::TickRecord out;
  EXPECT_EQ(decode_record({}, k_log2_tick, out).error, CodecError::too_short);
  for (std::size_t n = 0; n < 12; ++n) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(decode_record(cut, k_log2_tick, out).error, CodecError::too_short) << n;
  }
}

TEST(CodecRecord, LongBuffersForeignIdentifiersAndTrailingBytesAreRefused) {
  Bytes bytes = encode_record(one_launch(5), k_log2_tick);
  sim::TickRecord out;
  Bytes longer = bytes;
  longer.resize(k_max_record_bytes + 1);
  EXPECT_EQ(decode_record(longer, k_log2_tick, out).error, CodecError::too_long);
  longer = bytes;
  longer.resize(bytes.size() + 4);
  EXPECT_EQ(decode_record(longer, k_log2_tick, out).error, CodecError::not_canonical);
  bytes[7] = 'X';
  EXPECT_EQ(decode_record(bytes, k_log2_tick, out).error, CodecError::bad_identifier);
}

/// Bytes of a record with one vector, as any FlatBuffers program might write it.
template <class Struct>
Bytes raw_record(const std::vector<Struct>& elements, flatbuffers::voffset_t field,
                 std::uint32_t tick = 5) {
  flatbuffers::FlatBufferBuilder b;
  const auto vector = b.CreateVectorOfStructs(elements.data(), elements.size());
  const auto start = b.StartTable();
  b.AddElement<std::uint32_t>(fb::TickRecord::VT_TICK, tick, 0);
  b.AddOffset(field, vector);
  const flatbuffers::Offset<fb::TickRecord> table(b.EndTable(start));
  b.Finish(table, "CTRL");
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

template <class Struct>
std::string answer(const Struct& element, flatbuffers::voffset_t field,
                   int log2_tick = k_log2_tick) {
  sim::TickRecord out;
  return field_of(decode_record(raw_record<Struct>({element}, field), log2_tick, out));
}

using R = fb::TickRecord;
constexpr std::uint16_t k_time = 5 * 2048 - 10;  // inside tick 5

TEST(CodecRecord, EveryRangeOfALaunchIsChecked) {
  const auto launch = [](std::uint16_t launcher, std::uint16_t target, std::uint16_t t0,
                         std::uint16_t pieces, std::uint8_t mount, std::uint8_t count,
                         std::uint8_t flags) {
    return answer(fb::Launch(1, launcher, target, t0, pieces, mount, 255, count, flags),
                  R::VT_LAUNCHES);
  };
  EXPECT_EQ(launch(1, 2, k_time, 960, 63, 255, 5), "no error: ");
  EXPECT_EQ(launch(65535, 2, k_time, 960, 0, 1, 0), "a value out of range: launches.launcher");
  EXPECT_EQ(launch(1, 65535, k_time, 960, 0, 1, 0), "a value out of range: launches.target");
  EXPECT_EQ(launch(1, 2, 5 * 2048 + 1, 960, 0, 1, 0), "a tick outside the window: launches");
  EXPECT_EQ(launch(1, 2, 4 * 2048, 960, 0, 1, 0), "a tick outside the window: launches");
  EXPECT_EQ(launch(1, 2, k_time, 0, 0, 1, 0), "a value out of range: launches.pieces");
  EXPECT_EQ(launch(1, 2, k_time, 961, 0, 1, 0), "a value out of range: launches.pieces");
  EXPECT_EQ(launch(1, 2, k_time, 1, 64, 1, 0), "a value out of range: launches.mount");
  EXPECT_EQ(launch(1, 2, k_time, 1, 0, 0, 0), "a value out of range: launches.count");
  EXPECT_EQ(launch(1, 2, k_time, 1, 0, 1, 6), "a value out of range: launches.flags");
  EXPECT_EQ(launch(1, 2, k_time, 1, 0, 1, 8), "a reserved bit that is not 0: launches.flags");
  EXPECT_EQ(launch(1, 2, k_time, 1, 0, 1, 128), "a reserved bit that is not 0: launches.flags");
}

TEST(CodecRecord, EveryRangeOfEndsAndGuidanceIsChecked) {
  const auto outcome = [](std::uint8_t index, int kind, std::uint16_t time) {
    return answer(fb::Outcome(1, index, static_cast<fb::EndKind>(kind), 2, time), R::VT_OUTCOMES);
  };
  EXPECT_EQ(outcome(254, 8, k_time), "no error: ");
  EXPECT_EQ(outcome(255, 8, k_time), "a value out of range: outcomes.index");
  EXPECT_EQ(outcome(0, 3, k_time), "a value out of range: outcomes.kind");
  EXPECT_EQ(outcome(0, 9, k_time), "a value out of range: outcomes.kind");
  EXPECT_EQ(outcome(0, 4, 3 * 2048), "a tick outside the window: outcomes");
  const auto guidance = [](std::uint32_t mask, std::uint16_t target, std::uint8_t group, int kind,
                           std::uint8_t reserved = 0) {
    return answer(
        fb::Guidance(mask, 1, target, group, static_cast<fb::GuidanceKind>(kind), 0, reserved),
        R::VT_GUIDANCE);
  };
  EXPECT_EQ(guidance(1, 65535, 7, 0), "no error: ");
  EXPECT_EQ(guidance(1, 3, 7, 2), "no error: ");
  EXPECT_EQ(guidance(0, 65535, 0, 0), "a value out of range: guidance.mask");
  EXPECT_EQ(guidance(1, 65535, 8, 0), "a value out of range: guidance.group");
  EXPECT_EQ(guidance(1, 3, 0, 3), "a value out of range: guidance.kind");
  EXPECT_EQ(guidance(1, 3, 0, 0), "a value out of range: guidance.target");
  EXPECT_EQ(guidance(1, 65535, 0, 1), "a value out of range: guidance.target");
  EXPECT_EQ(guidance(1, 3, 0, 1, 1), "a reserved bit that is not 0: guidance.reserved");
  EXPECT_EQ(answer(fb::Health(65535, 1, 0, 0), R::VT_HEALTH),
            "a value out of range: health.entity");
  EXPECT_EQ(answer(fb::Health(1, 1, 0, 9), R::VT_HEALTH),
            "a reserved bit that is not 0: health.reserved");
  EXPECT_EQ(answer(fb::Health(1, 1, 1, 0), R::VT_HEALTH), "a tick outside the window: health");
}

TEST(CodecRecord, EveryRangeOfDespawnsAndSpawnsIsChecked) {
  const auto despawn = [](std::uint16_t entity, std::uint16_t time, int kind) {
    return answer(fb::Despawn(entity, 65535, time, static_cast<fb::DespawnKind>(kind), 0),
                  R::VT_DESPAWNS);
  };
  EXPECT_EQ(despawn(1, k_time, 1), "no error: ");
  EXPECT_EQ(despawn(1, 5 * 2048, 0), "no error: ");
  EXPECT_EQ(despawn(1, k_time, 0), "a time outside its tick: despawns.time");
  EXPECT_EQ(despawn(1, 4 * 2048, 1), "a time outside its tick: despawns.time");
  EXPECT_EQ(despawn(1, k_time, 2), "a value out of range: despawns.kind");
  EXPECT_EQ(despawn(65535, k_time, 1), "a value out of range: despawns.entity");
  const auto spawn = [](fb::Vec3 position, fb::Vec3 velocity, fb::Quaternion q,
                        std::uint16_t entity, int reserved) {
    return answer(fb::Spawn(1, position, velocity, q, entity, 1, 1, 0,
                            static_cast<std::uint8_t>(reserved), 0),
                  R::VT_SPAWNS);
  };
  const fb::Quaternion unit(0, 0, 0, 16384);
  const fb::Vec3 zero(0, 0, 0);
  const fb::Vec3 corner(1 << 30, -(1 << 30), 1 << 30);
  EXPECT_EQ(spawn(corner, fb::Vec3(-40'960'000, 0, 40'960'000), unit, 1, 0), "no error: ");
  EXPECT_EQ(spawn(fb::Vec3(0, (1 << 30) + 1, 0), zero, unit, 1, 0),
            "a value out of range: spawns.position");
  EXPECT_EQ(spawn(zero, fb::Vec3(0, 0, -40'960'001), unit, 1, 0),
            "a value out of range: spawns.velocity");
  EXPECT_EQ(spawn(zero, zero, fb::Quaternion(0, 0, 0, 0), 1, 0),
            "a value out of range: spawns.attitude");
  EXPECT_EQ(spawn(zero, zero, unit, 65535, 0), "a value out of range: spawns.entity");
  EXPECT_EQ(spawn(zero, zero, unit, 1, 1), "a reserved bit that is not 0: spawns.reserved");
}

TEST(CodecRecord, EveryRangeOfTurretsShotsAndKeysIsChecked) {
  const auto mode = [](std::uint32_t bearing, int target, int turret, int order, int index) {
    return answer(
        fb::TurretMode(bearing, 1, static_cast<std::uint16_t>(target),
                       static_cast<std::uint8_t>(turret), static_cast<std::uint8_t>(order), 0,
                       static_cast<std::uint8_t>(index)),
        R::VT_TURRET_MODES);
  };
  EXPECT_EQ(mode(0, 65535, 7, 0, 0), "no error: ");
  EXPECT_EQ(mode(0, 65535, 7, 1, 0), "no error: ");
  EXPECT_EQ(mode(0, 2, 7, 2, 0), "no error: ");
  EXPECT_EQ(mode(0, 65535, 7, 3, 255), "no error: ");
  EXPECT_EQ(mode(9, 65535, 7, 4, 0), "no error: ");
  EXPECT_EQ(mode(0, 65535, 8, 0, 0), "a value out of range: turret_modes.turret");
  EXPECT_EQ(mode(0, 65535, 7, 5, 0), "a value out of range: turret_modes.order");
  EXPECT_EQ(mode(0, 2, 7, 1, 0), "a value out of range: turret_modes.target");
  EXPECT_EQ(mode(0, 65535, 7, 2, 0), "a value out of range: turret_modes.target");
  EXPECT_EQ(mode(0, 2, 7, 2, 1), "a value out of range: turret_modes.index");
  EXPECT_EQ(mode(9, 65535, 7, 0, 0), "a value out of range: turret_modes.bearing");
  EXPECT_EQ(answer(fb::Shot(1, 1, k_time, 7, 1, 0, 0), R::VT_SHOTS), "no error: ");
  EXPECT_EQ(answer(fb::Shot(1, 1, k_time, 8, 1, 0, 0), R::VT_SHOTS),
            "a value out of range: shots.turret");
  EXPECT_EQ(answer(fb::Shot(1, 1, k_time, 7, 0, 0, 0), R::VT_SHOTS),
            "a value out of range: shots.count");
  EXPECT_EQ(answer(fb::Shot(1, 1, 4 * 2048, 7, 1, 0, 0), R::VT_SHOTS),
            "a time outside its tick: shots.time");
  const fb::Vec3 zero(0, 0, 0);
  const auto key = [&](int bits, int log2_tick) {
    return answer(fb::TrackKey(zero, zero, 1, static_cast<std::uint8_t>(bits), 0), R::VT_TRACK_KEYS,
                  log2_tick);
  };
  EXPECT_EQ(key(9, 11), "no error: ");
  EXPECT_EQ(key(16, 11), "no error: ");
  EXPECT_EQ(key(10, 9), "a value out of range: track_keys.bits");
  EXPECT_EQ(key(8, 13), "a value out of range: track_keys.bits");
  EXPECT_EQ(key(17, 11), "a value out of range: track_keys.bits");
  EXPECT_EQ(key(32, 11), "a reserved bit that is not 0: track_keys.bits");
  const fb::ShortVec3 extreme(-32768, 32767, 0);
  EXPECT_EQ(answer(fb::RelativeKey(1, 0xF9, 0, extreme, extreme), R::VT_RELATIVE_KEYS),
            "no error: ");
  EXPECT_EQ(answer(fb::RelativeKey(1, 0x0A, 0, extreme, extreme), R::VT_RELATIVE_KEYS),
            "a value out of range: relative_keys.bits");
  const fb::Quaternion unit(0, 0, 0, 16384);
  EXPECT_EQ(answer(fb::AttitudeKey(1, 9, 0, unit), R::VT_ATTITUDE_KEYS), "no error: ");
  EXPECT_EQ(answer(fb::AttitudeKey(1, 0x10, 0, unit), R::VT_ATTITUDE_KEYS),
            "a reserved bit that is not 0: attitude_keys.bits");
  EXPECT_EQ(answer(fb::AttitudeKey(1, 9, 0, fb::Quaternion(1, 0, 0, 0)), R::VT_ATTITUDE_KEYS),
            "a value out of range: attitude_keys.attitude");
  EXPECT_EQ(answer(fb::Timeline(1, 1, 0, 0, 0), R::VT_TIMELINES),
            "a value out of range: timelines.rate");
  EXPECT_EQ(answer(fb::Timeline(1, 1, 1, 2, 0), R::VT_TIMELINES),
            "a value out of range: timelines.paused");
  EXPECT_EQ(answer(fb::StateHash(1, 2, 3, 4, 5, 6, 7, 0, 1), R::VT_STATE_HASHES),
            "a reserved bit that is not 0: state_hashes.reserved");
}

TEST(CodecRecord, WhatARecordMayNotBeHasItsReason) {
  sim::TickRecord out;
  const fb::Health health(1, 1, 0, 0);
  const fb::Timeline timeline(1, 1, 1, 0, 0);
  EXPECT_EQ(
      field_of(decode_record(raw_record<fb::Health>({health}, R::VT_HEALTH, 0), k_log2_tick, out)),
      "a field is missing: tick");
  EXPECT_EQ(field_of(decode_record(raw_record<fb::Health>({}, R::VT_HEALTH), k_log2_tick, out)),
            "a vector without elements: health");
  EXPECT_EQ(field_of(decode_record(raw_record<fb::Timeline>({timeline, timeline}, R::VT_TIMELINES),
                                   k_log2_tick, out)),
            "two where one may be: timelines");
  EXPECT_EQ(field_of(decode_record(raw_record<fb::Custom>({fb::Custom(1, 1, 0)}, R::VT_CUSTOMS),
                                   k_log2_tick, out)),
            "lengths that do not add up: custom_bytes");
  EXPECT_EQ(field_of(decode_record(raw_record<fb::Custom>({fb::Custom(1, 201, 0)}, R::VT_CUSTOMS),
                                   k_log2_tick, out)),
            "a value out of range: customs.length");

  flatbuffers::FlatBufferBuilder b;
  b.Finish(fb::CreateTickRecord(b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5), "CTRL");
  EXPECT_EQ(field_of(decode_record({b.GetBufferPointer(), b.GetSize()}, k_log2_tick, out)),
            "a record that says nothing: message");
}

TEST(CodecRecord, VectorsThatShareBytesAreRefused) {
  flatbuffers::FlatBufferBuilder b;
  const std::vector<fb::Health> health(40, fb::Health(1, 1, 0, 0));
  const auto vector = b.CreateVectorOfStructs(health.data(), health.size());
  const auto start = b.StartTable();
  b.AddElement<std::uint32_t>(R::VT_TICK, 5, 0);
  b.AddOffset(R::VT_HEALTH, vector);
  b.AddOffset(R::VT_CUSTOM_BYTES, vector);
  b.AddOffset(R::VT_CUSTOMS, vector);
  const flatbuffers::Offset<fb::TickRecord> table(b.EndTable(start));
  b.Finish(table, "CTRL");
  sim::TickRecord out;
  EXPECT_EQ(decode_record({b.GetBufferPointer(), b.GetSize()}, k_log2_tick, out).error,
            CodecError::overlapping);
}

TEST(CodecRecord, AVtableInsideCustomBytesIsRefusedAndNotAsserted) {
  // 10,280 custom elements of 200 bytes. The vtable lies in those bytes, so the message stays
  // within the limit while its canonical form would not.
  constexpr std::size_t k_customs = 10'280;
  constexpr std::size_t k_table = 8;
  constexpr std::size_t k_custom_vector = k_table + 16;
  constexpr std::size_t k_byte_vector = k_custom_vector + 4 + 4 * k_customs;
  constexpr std::size_t k_vtable = k_byte_vector + 80;
  Bytes bytes(k_byte_vector + 4 + 200 * k_customs, 0);
  ASSERT_LE(bytes.size(), k_max_record_bytes);
  const auto put = [&](std::size_t at, std::size_t value, int width) {
    for (int i = 0; i < width; ++i) {
      bytes[at + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  };
  put(0, k_table, 4);
  std::copy_n("CTRL", 4, bytes.begin() + 4);
  put(k_table, k_table - k_vtable, 4);
  put(k_table + 4, k_custom_vector - (k_table + 4), 4);
  put(k_table + 8, k_byte_vector - (k_table + 8), 4);
  put(k_table + 12, 5, 4);
  put(k_custom_vector, k_customs, 4);
  for (std::size_t i = 0; i < k_customs; ++i) {
    put(k_custom_vector + 4 + 4 * i + 2, 200, 1);
  }
  put(k_byte_vector, 200 * k_customs, 4);
  put(k_vtable, 36, 2);
  put(k_vtable + 2, 16, 2);
  put(k_vtable + R::VT_CUSTOMS, 4, 2);
  put(k_vtable + R::VT_CUSTOM_BYTES, 8, 2);
  put(k_vtable + R::VT_TICK, 12, 2);
  sim::TickRecord out;
  EXPECT_EQ(field_of(decode_record(bytes, k_log2_tick, out)), "not the canonical bytes: message");
}

TEST(CodecRecord, TheEncoderAssertsWhatTheReaderWouldRefuse) {
  const auto refused = [](const std::function<void(sim::TickRecord&)>& change) {
    sim::TickRecord r = one_launch(5);
    change(r);
    EXPECT_THROW(encode_record(r, k_log2_tick), sim::AssertionFailure);
  };
  EXPECT_NO_THROW(encode_record(one_launch(5), k_log2_tick));
  refused([](sim::TickRecord& r) { r.launches.clear(); });
  refused([](sim::TickRecord& r) { r.tick = 0; });
  refused([](sim::TickRecord& r) { r.tick = 6; });
  refused([](sim::TickRecord& r) { r.launches[0].count = 0; });
  refused([](sim::TickRecord& r) { r.launches[0].log2_piece = 7; });
  refused([](sim::TickRecord& r) { r.launches[0].t0 += 65'536; });
  refused([](sim::TickRecord& r) { r.relative_keys.push_back({1, 0, 16, {}, {}}); });
  refused([](sim::TickRecord& r) { r.relative_keys.push_back({1, 16, 0, {}, {}}); });
  refused([](sim::TickRecord& r) { r.customs.push_back({1, Bytes(201)}); });
  refused([](sim::TickRecord& r) { r.timelines.resize(2); });
  refused([](sim::TickRecord& r) { r.health.resize(360'000); });
}

}  // namespace
}  // namespace contrail::wire
