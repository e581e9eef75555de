#include <contrail/replay/record_diff.hpp>

#include <gtest/gtest.h>

#include <string>

namespace contrail::server {
namespace {

/// One element in every vector.
sim::TickRecord full_record() {
  sim::TickRecord record;
  record.tick = 600;
  record.launches.resize(2);
  record.outcomes.resize(1);
  record.guidance.resize(1);
  record.health.resize(1);
  record.despawns.resize(1);
  record.spawns.resize(1);
  record.turret_modes.resize(1);
  record.shots.resize(1);
  record.track_keys.resize(1);
  record.relative_keys.resize(1);
  record.attitude_keys.resize(1);
  record.customs.resize(1);
  record.customs[0].bytes = {1, 2, 3};
  record.timelines.resize(1);
  record.state_hashes.resize(1);
  return record;
}

template <class Edit>
std::string field_after(Edit edit) {
  const sim::TickRecord recorded = full_record();
  sim::TickRecord played = recorded;
  edit(played);
  const auto difference = first_difference(recorded, played);
  return difference ? difference->field : "";
}

TEST(RecordDiff, FindsNothingInEqualRecords) {
  EXPECT_FALSE(first_difference(full_record(), full_record()));
  EXPECT_FALSE(first_difference({}, {}));
}

TEST(RecordDiff, NamesTheFieldInEveryVector) {
  using R = sim::TickRecord;
  EXPECT_EQ(field_after([](R& r) { r.tick = 7; }), "tick");
  EXPECT_EQ(field_after([](R& r) { r.launches[1].seed = 7; }), "launches[1].seed");
  EXPECT_EQ(field_after([](R& r) { r.launches[0].t0 = 7; }), "launches[0].t0");
  EXPECT_EQ(field_after([](R& r) { r.launches[0].log2_piece = 9; }), "launches[0].log2_piece");
  EXPECT_EQ(field_after([](R& r) { r.outcomes[0].kind = sim::EndKind::obstacle; }),
            "outcomes[0].kind");
  EXPECT_EQ(field_after([](R& r) { r.guidance[0].mask = 7; }), "guidance[0].mask");
  EXPECT_EQ(field_after([](R& r) { r.health[0].health = 7; }), "health[0].health");
  EXPECT_EQ(field_after([](R& r) { r.despawns[0].by_salvo = 7; }), "despawns[0].by_salvo");
  EXPECT_EQ(field_after([](R& r) { r.spawns[0].position.z = 7; }), "spawns[0].position.z");
  EXPECT_EQ(field_after([](R& r) { r.spawns[0].attitude.w = 7; }), "spawns[0].attitude.w");
  EXPECT_EQ(field_after([](R& r) { r.turret_modes[0].bearing = 7; }),
            "turret_modes[0].bearing");
  EXPECT_EQ(field_after([](R& r) { r.shots[0].count = 7; }), "shots[0].count");
  EXPECT_EQ(field_after([](R& r) { r.track_keys[0].jump = true; }), "track_keys[0].jump");
  EXPECT_EQ(field_after([](R& r) { r.relative_keys[0].dv[1] = 7; }), "relative_keys[0].dv.y");
  EXPECT_EQ(field_after([](R& r) { r.attitude_keys[0].log2_ticks = 7; }),
            "attitude_keys[0].log2_ticks");
  EXPECT_EQ(field_after([](R& r) { r.customs[0].bytes[2] = 7; }), "customs[0].bytes[2]");
  EXPECT_EQ(field_after([](R& r) { r.customs[0].bytes.pop_back(); }), "customs[0].bytes.size");
  EXPECT_EQ(field_after([](R& r) { r.timelines[0].rate = 7; }), "timelines[0].rate");
  EXPECT_EQ(field_after([](R& r) { r.state_hashes[0].lanes[5] = 7; }), "state_hashes[0].flights");
  EXPECT_EQ(field_after([](R& r) { r.state_hashes[0].roll = 7; }), "state_hashes[0].roll");
}

TEST(RecordDiff, NamesTheFirstInTheOrderOfTheFold) {
  EXPECT_EQ(field_after([](sim::TickRecord& r) {
              r.state_hashes[0].lanes[0] = 7;
              r.health[0].entity = 7;
            }),
            "health[0].entity");
}

TEST(RecordDiff, NamesAnElementOnlyOneSideHas) {
  sim::TickRecord shorter = full_record();
  shorter.launches.pop_back();
  EXPECT_EQ(first_difference(full_record(), shorter),
            (RecordDifference{"launches[1]", "present", "absent"}));
  EXPECT_EQ(first_difference(shorter, full_record()),
            (RecordDifference{"launches[1]", "absent", "present"}));
}

TEST(RecordDiff, GivesBothValues) {
  sim::TickRecord played = full_record();
  played.spawns[0].velocity.x = -12;
  EXPECT_EQ(first_difference(full_record(), played),
            (RecordDifference{"spawns[0].velocity.x", "0", "-12"}));
}

}  // namespace
}  // namespace contrail::server
