#include <functional>
#include <string>

#include <contrail_generated.h>
#include <gtest/gtest.h>
#include <contrail/sim/assert.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;
using sim::Snapshot;

std::string field_of(const CodecResult& result) {
  return std::string(describe(result.error)) + ": " + result.field;
}

TEST(CodecSnapshot, RandomSnapshotsComeBackEqual) {
  const std::uint64_t seed = samples::test_seed(20'005);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (int i = 0; i < samples::repetitions(1'000); ++i) {
    const int log2_tick = static_cast<int>(dice.between(9, 13));
    const Snapshot snapshot = samples::random_snapshot(dice, log2_tick);
    const Bytes bytes = encode_snapshot(snapshot, log2_tick);
    Snapshot back;
    const CodecResult result = decode_snapshot(bytes, log2_tick, back);
    ASSERT_TRUE(result) << field_of(result);
    ASSERT_EQ(back, snapshot);
    ASSERT_EQ(encode_snapshot(back, log2_tick), bytes);
  }
}

TEST(CodecSnapshot, SnapshotsOfWorldsComeBackEqual) {
  const std::uint64_t seed = samples::test_seed(20'006);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  std::size_t salvos = 0;
  for (int i = 0; i < samples::repetitions(20); ++i) {
    const auto scenario = support::random_scenario(dice);
    sim::World world(scenario);
    for (int tick = 0; tick < 100; ++tick) {
      const sim::TickRecord record = support::random_record(world, dice);
      ASSERT_EQ(world.fold(record).error, sim::FoldError::none);
      if (!record.empty()) {
        sim::TickRecord back;
        ASSERT_TRUE(
            decode_record(encode_record(record, scenario->log2_tick), scenario->log2_tick, back));
        ASSERT_EQ(back, record);
      }
    }
    const Snapshot snapshot = world.snapshot();
    salvos += snapshot.salvos.size();
    Snapshot back;
    const CodecResult result =
        decode_snapshot(encode_snapshot(snapshot, scenario->log2_tick), scenario->log2_tick, back);
    ASSERT_TRUE(result) << field_of(result);
    ASSERT_EQ(back, snapshot);
  }
  EXPECT_GT(salvos, 0U);
}

TEST(CodecSnapshot, AnEmptySessionHasASnapshotAtTickZero) {
  Snapshot back;
  back.tick = 9;
  ASSERT_TRUE(decode_snapshot(encode_snapshot({}, 11), 11, back));
  EXPECT_EQ(back, Snapshot{});
}

/// One of everything, in a state the codec accepts.
Snapshot small_snapshot() {
  Snapshot s;
  s.tick = 100;
  s.next_launch = 8;
  s.salvos.push_back({{1, 1, 2, 50 * 2048, 10, 0, 0, 4, 12}, 7, 50, {}});
  s.ends.push_back({0, 3, sim::EndKind::hull, 2, 60 * 2048 - 5});
  sim::SnapshotEvent event;
  event.mask = 3;
  event.tick = 55;
  s.events.push_back(event);
  for (std::uint16_t id = 1; id <= 2; ++id) {
    s.entities.push_back({id, 0, 0, 0, 1, 10, false, sim::DespawnKind::removed, 0});
    s.tracks.push_back(
        {id, 0, true, 1, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 16'384}});
  }
  s.keys.push_back({1, 13, false, 40, {0, 0, 0}, {0, 0, 0}});
  s.attitudes.push_back({1, 13, 40, {}, {}});
  s.turrets.push_back({{2, 3, sim::TurretOrder::entity, 1, 0, 0}, {{9, 1}, {-9, 0}}});
  s.bursts.push_back({{2, 3, 4, 98 * 2048 + 1, 7}, 0, {1, 2, 3}, {4, 5, 6}, {}});
  return s;
}

TEST(CodecSnapshot, TheEncoderAssertsOrderReferencesAndRanges) {
  const auto refused = [](const char* what, const std::function<void(Snapshot&)>& change) {
    Snapshot s = small_snapshot();
    change(s);
    EXPECT_THROW(encode_snapshot(s, 11), sim::AssertionFailure) << what;
  };
  EXPECT_NO_THROW(encode_snapshot(small_snapshot(), 11));
  refused("salvo id", [](Snapshot& s) { s.next_launch = 7; });
  refused("salvo twice", [](Snapshot& s) { s.salvos.push_back(s.salvos[0]); });
  refused("salvo tick", [](Snapshot& s) { s.salvos[0].tick = 51; });
  refused("salvo late", [](Snapshot& s) { s.tick = 49; });
  refused("anchor", [](Snapshot& s) { s.salvos[0].anchor.muzzle_basis.up = {0, 0, 16'384}; });
  refused("end index", [](Snapshot& s) { s.ends[0].index = 4; });
  refused("end salvo", [](Snapshot& s) { s.ends[0].salvo = 1; });
  refused("end alive", [](Snapshot& s) { s.ends[0].kind = sim::EndKind::alive; });
  refused("end twice", [](Snapshot& s) { s.ends.push_back(s.ends[0]); });
  refused("event salvo", [](Snapshot& s) { s.events[0].salvo = 1; });
  refused("event mask", [](Snapshot& s) { s.events[0].mask = 0; });
  refused("event ordinal", [](Snapshot& s) { s.events[0].ordinal = 3; });
  refused("event pose", [](Snapshot& s) { s.events[0].at_event.position.x = 1; });
  refused("entity order", [](Snapshot& s) { std::swap(s.entities[0], s.entities[1]); });
  refused("entity unborn", [](Snapshot& s) { s.entities[0].spawn_tick = 0; });
  refused("entity gone", [](Snapshot& s) { s.entities[0].gone_time = 2048; });
  refused("entity early", [](Snapshot& s) {
    s.entities[0].gone = true;
    s.entities[0].gone_time = 2048;
  });
  refused("track missing", [](Snapshot& s) { s.tracks.pop_back(); });
  refused("track of another", [](Snapshot& s) { s.tracks[1].entity = 3; });
  refused("track length", [](Snapshot& s) { s.tracks[0].log2_duration = 1; });
  refused("track facing", [](Snapshot& s) { s.tracks[0].facing = {}; });
  refused("key length", [](Snapshot& s) { s.keys[0].log2_duration = 10; });
  refused("key order", [](Snapshot& s) { s.keys.push_back(s.keys[0]); });
  refused("attitude", [](Snapshot& s) { s.attitudes[0].to.w = 0; });
  refused("turret", [](Snapshot& s) { s.turrets[0].mode.turret = 8; });
  refused("turret order", [](Snapshot& s) { s.turrets[0].mode.target = sim::k_no_entity; });
  refused("turret twice", [](Snapshot& s) { s.turrets.push_back(s.turrets[0]); });
  refused("turret yaw", [](Snapshot& s) { s.turrets[0].state.yaw.angle = sim::k_turret_turn + 1; });
  refused("turret rate",
          [](Snapshot& s) { s.turrets[0].state.pitch.rate = -sim::k_max_turret_rate - 1; });
  refused("burst late", [](Snapshot& s) { s.bursts[0].shot.time = 100 * 2048 + 1; });
  refused("burst place", [](Snapshot& s) { s.bursts[0].pivot.x = sim::k_world_limit + 1; });
  refused("burst velocity", [](Snapshot& s) { s.bursts[0].velocity.x = 0x7FFF'FFFF; });
  refused("burst bore", [](Snapshot& s) { s.bursts[0].bore.up = s.bursts[0].bore.forward; });
  refused("burst turret", [](Snapshot& s) { s.bursts[0].shot.turret = 8; });
  refused("burst order", [](Snapshot& s) {
    s.bursts.push_back(s.bursts[0]);
    s.bursts[1].shot.time -= 2048;
  });
  refused("timeline", [](Snapshot& s) { s.timeline.rate = 0; });
}

TEST(CodecSnapshot, EventsOfALockCarryPosesWithUnitAxes) {
  Snapshot s = small_snapshot();
  s.events[0].was_locked = true;
  s.events[0].old_type = 4;
  s.events[0].at_event.position = {5, 6, 7};
  EXPECT_NO_THROW(encode_snapshot(s, 11));
  s.events[0].at_event.basis.forward.z = 0;
  EXPECT_THROW(encode_snapshot(s, 11), sim::AssertionFailure);
}

TEST(CodecSnapshot, AnotherTickLengthOrIdentifierIsRefused) {
  const Bytes bytes = encode_snapshot(small_snapshot(), 11);
  Snapshot out;
  EXPECT_FALSE(decode_snapshot(bytes, 12, out));
  sim::TickRecord record;
  EXPECT_EQ(decode_record(bytes, 11, record).error, CodecError::bad_identifier);
}

TEST(CodecSnapshot, SizesAreTheSumOfTheStructs) {
  const std::size_t none = encode_snapshot({}, 11).size();
  Snapshot s = small_snapshot();
  s.next_launch = 9;
  const std::size_t one = encode_snapshot(s, 11).size();
  s.salvos.push_back(s.salvos[0]);
  s.salvos[1].id = 8;
  EXPECT_EQ(encode_snapshot(s, 11).size(), one + 100);
  EXPECT_LT(none, 100U);
}

}  // namespace
}  // namespace contrail::wire
