#include <algorithm>
#include <map>
#include <string>

#include <contrail_generated.h>
#include <gtest/gtest.h>
#include <contrail/sim/assert.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;
using R = fb::TickRecord;
using Records = std::vector<sim::TickRecord>;

std::string field_of(const CodecResult& result) {
  return std::string(describe(result.error)) + ": " + result.field;
}

/// Records of some ticks of a window, and which ticks a packet speaks of.
struct Group {
  std::uint32_t last_tick = 0;
  std::uint32_t complete = 0;
  Records records;
  [[nodiscard]] std::vector<const sim::TickRecord*> pointers() const {
    std::vector<const sim::TickRecord*> out;
    for (const sim::TickRecord& r : records) {
      out.push_back(&r);
    }
    return out;
  }
};

Group random_group(Dice& dice, int log2_tick, int most) {
  Group group;
  group.last_tick = static_cast<std::uint32_t>(dice.between(1, dice.chance(30) ? 20 : 0xFFFF'FFFF));
  const auto window = static_cast<std::uint32_t>(window_ticks(log2_tick));
  for (std::uint32_t age = window; age-- > 0;) {
    if (age >= group.last_tick || dice.chance(60)) {
      continue;
    }
    group.complete |= std::uint32_t{1} << age;
    if (dice.chance(50)) {
      group.records.push_back(samples::random_record(dice, group.last_tick - age, log2_tick, most));
    }
  }
  return group;
}

TEST(CodecPacket, AnyGroupingOfTicksGivesBackTheCanonicalRecords) {
  const std::uint64_t seed = samples::test_seed(20'002);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  std::size_t compared = 0;
  for (int i = 0; i < samples::repetitions(10'000); ++i) {
    const int log2_tick = static_cast<int>(dice.between(9, 13));
    const Group group = random_group(dice, log2_tick, 1);
    const Bytes bytes = encode_packet_body(group.pointers(), group.last_tick, log2_tick);
    if (bytes.size() > k_max_datagram_bytes) {
      continue;
    }
    Records back;
    const CodecResult result =
        decode_packet_body(bytes, group.last_tick, group.complete, log2_tick, back);
    ASSERT_TRUE(result) << field_of(result);
    ASSERT_EQ(back.size(), group.records.size());
    for (std::size_t k = 0; k < back.size(); ++k) {
      ASSERT_EQ(encode_record(back[k], log2_tick), encode_record(group.records[k], log2_tick));
      ++compared;
    }
  }
  EXPECT_GT(compared, 5'000U);
}

TEST(CodecPacket, NegativeControlAWrongAtGivesOtherRecords) {
  sim::TickRecord r;
  r.tick = 100;
  r.health.push_back({1, 50});
  const sim::TickRecord* records[] = {&r};
  Bytes bytes = encode_packet_body(records, 103, 11);
  const std::size_t at = bytes.size() - 4;  // 6 bytes of the one element, 2 of padding
  ASSERT_EQ(bytes[at], 3);
  Records back;
  ASSERT_TRUE(decode_packet_body(bytes, 103, 0xF, 11, back));
  EXPECT_EQ(encode_record(back[0], 11), encode_record(r, 11));
  bytes[at] = 2;
  ASSERT_TRUE(decode_packet_body(bytes, 103, 0xF, 11, back));
  EXPECT_NE(encode_record(back[0], 11), encode_record(r, 11));
}

TEST(CodecPacket, TheSizeIsKnownBeforeEncoding) {
  const std::uint64_t seed = samples::test_seed(20'003);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (int i = 0; i < samples::repetitions(1'000); ++i) {
    const Group group = random_group(dice, 11, 4);
    PacketBodySize size;
    EXPECT_EQ(size.bytes(), 0U);
    for (const sim::TickRecord& r : group.records) {
      const std::size_t with = size.bytes_with(r);
      size.add(r);
      ASSERT_EQ(size.bytes(), with);
    }
    ASSERT_EQ(size.bytes(), encode_packet_body(group.pointers(), group.last_tick, 11).size());
  }
}

TEST(CodecPacket, OneLaunchTakes40Bytes) {
  sim::TickRecord r;
  r.tick = 1;
  r.launches.push_back({1, 2, 3, 2048, 59, 0, 0, 16, 12});
  const sim::TickRecord* records[] = {&r};
  EXPECT_EQ(encode_packet_body(records, 1, 11).size(), 40U);
  EXPECT_EQ(record_bytes(r), 76U);
}

TEST(CodecPacket, NoRecordsAreNoBytes) {
  sim::TickRecord empty;
  empty.tick = 7;
  const sim::TickRecord* records[] = {&empty};
  EXPECT_TRUE(encode_packet_body({}, 7, 11).empty());
  EXPECT_TRUE(encode_packet_body(records, 7, 11).empty());
  Records out(3);
  EXPECT_TRUE(decode_packet_body({}, 7, 0xFFFF'FFFF, 11, out));
  EXPECT_TRUE(out.empty());
}

TEST(CodecPacket, TicksOutsideCompleteOrWindowAreRefused) {
  sim::TickRecord r;
  r.tick = 100;
  r.launches.push_back({1, 2, 3, 100 * 2048, 59, 0, 0, 16, 12});
  r.health.push_back({1, 2});
  const sim::TickRecord* records[] = {&r};
  const Bytes bytes = encode_packet_body(records, 103, 11);
  Records out;
  EXPECT_TRUE(decode_packet_body(bytes, 103, 0x8, 11, out));
  EXPECT_EQ(field_of(decode_packet_body(bytes, 103, 0xFFFF'FFF7, 11, out)),
            "a tick outside the window: launches");

  sim::TickRecord first;
  first.tick = 1;
  first.health.push_back({1, 2});
  const sim::TickRecord* early[] = {&first};
  const Bytes young = encode_packet_body(early, 3, 11);
  EXPECT_TRUE(decode_packet_body(young, 3, 0xFFFF'FFFF, 11, out));
  EXPECT_EQ(field_of(decode_packet_body(young, 2, 0xFFFF'FFFF, 11, out)),
            "a tick outside the window: health");  // tick 0 has no record
}

TEST(CodecPacket, BeyondTheWindowOf8TicksAt8HzNothingIsAccepted) {
  const std::vector<fb::Health> old{fb::Health(1, 1, 8, 0)};
  flatbuffers::FlatBufferBuilder b;
  const auto vector = b.CreateVectorOfStructs(old.data(), old.size());
  b.Finish(fb::CreateTickRecord(b, 0, 0, vector));
  Records out;
  const ByteView bytes(b.GetBufferPointer(), b.GetSize());
  EXPECT_EQ(decode_packet_body(bytes, 100, 0xFFFF'FFFF, 13, out).error, CodecError::bad_tick);
  EXPECT_TRUE(decode_packet_body(bytes, 100, 0xFFFF'FFFF, 12, out));
}

template <class Struct>
std::string answer(const std::vector<Struct>& elements, flatbuffers::voffset_t field,
                   bool with_tick = false) {
  flatbuffers::FlatBufferBuilder b;
  b.ForceDefaults(true);
  const auto vector = b.CreateVectorOfStructs(elements.data(), elements.size());
  const auto start = b.StartTable();
  b.AddOffset(field, vector);
  if (with_tick) {
    b.AddElement<std::uint32_t>(R::VT_TICK, 0, 0);
  }
  b.Finish(flatbuffers::Offset<R>(b.EndTable(start)));
  Records out;
  return field_of(
      decode_packet_body({b.GetBufferPointer(), b.GetSize()}, 100, 0xFFFF'FFFF, 11, out));
}

TEST(CodecPacket, DisorderEmptyVectorsAndATickFieldAreRefused) {
  const fb::Health old(1, 1, 5, 0);
  const fb::Health young(1, 1, 4, 0);
  EXPECT_EQ(answer<fb::Health>({old, young}, R::VT_HEALTH), "no error: ");
  EXPECT_EQ(answer<fb::Health>({young, old}, R::VT_HEALTH), "elements out of order: health");
  EXPECT_EQ(answer<fb::Health>({}, R::VT_HEALTH), "a vector without elements: health");
  EXPECT_EQ(answer<fb::Health>({old}, R::VT_HEALTH, true), "a field that must not be there: tick");
  const auto low = [](int tick) { return static_cast<std::uint16_t>(tick * 2048 - 7); };
  const fb::Launch first(1, 1, 2, low(95), 9, 0, 0, 1, 0);
  const fb::Launch second(1, 1, 2, low(96), 9, 0, 0, 1, 0);
  EXPECT_EQ(answer<fb::Launch>({first, second}, R::VT_LAUNCHES), "no error: ");
  EXPECT_EQ(answer<fb::Launch>({second, first}, R::VT_LAUNCHES), "elements out of order: launches");
  EXPECT_EQ(answer<fb::StateHash>({fb::StateHash(1, 2, 3, 4, 5, 6, 7, 1, 0),
                                   fb::StateHash(1, 2, 3, 4, 5, 6, 7, 1, 0)},
                                  R::VT_STATE_HASHES),
            "two where one may be: state_hashes");
  EXPECT_EQ(answer<fb::StateHash>({fb::StateHash(1, 2, 3, 4, 5, 6, 7, 2, 0),
                                   fb::StateHash(1, 2, 3, 4, 5, 6, 7, 1, 0)},
                                  R::VT_STATE_HASHES),
            "no error: ");
}

TEST(CodecPacket, ALaunchNearTheStartOfTimeIsNotTakenForOneBeforeIt) {
  // Low bits 60000 with last tick 2 (end 4096) would be a negative time.
  const std::vector<fb::Launch> launches{fb::Launch(1, 1, 2, 60'000, 9, 0, 0, 1, 0)};
  flatbuffers::FlatBufferBuilder b;
  const auto vector = b.CreateVectorOfStructs(launches.data(), launches.size());
  b.Finish(fb::CreateTickRecord(b, vector));
  Records out;
  EXPECT_EQ(decode_packet_body({b.GetBufferPointer(), b.GetSize()}, 2, 0xFFFF'FFFF, 11, out).error,
            CodecError::bad_tick);
}

TEST(CodecPacket, TheEncoderAssertsItsWindowAndOrder) {
  sim::TickRecord a;
  a.tick = 10;
  a.health.push_back({1, 2});
  sim::TickRecord b = a;
  b.tick = 11;
  const sim::TickRecord* ascending[] = {&a, &b};
  const sim::TickRecord* descending[] = {&b, &a};
  EXPECT_NO_THROW(encode_packet_body(ascending, 11, 11));
  EXPECT_THROW(encode_packet_body(descending, 11, 11), sim::AssertionFailure);
  EXPECT_THROW(encode_packet_body(ascending, 10, 11), sim::AssertionFailure);
  EXPECT_NO_THROW(encode_packet_body(ascending, 10 + 31, 11));
  EXPECT_THROW(encode_packet_body(ascending, 10 + 32, 11), sim::AssertionFailure);
  EXPECT_THROW(encode_packet_body(ascending, 10 + 8, 13), sim::AssertionFailure);
}

}  // namespace
}  // namespace contrail::wire
