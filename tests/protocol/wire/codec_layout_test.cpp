// The layout of every struct, held number by number: flatc's --conform does not see a struct grow.

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <contrail_generated.h>
#include <gtest/gtest.h>
#include <contrail/wire/codec.hpp>

namespace contrail::wire {
namespace {

/// Offset of a struct's member, through the accessor: a struct of bytes 0, 1, 2, .. in which the
/// member's first byte in memory is its offset (sizes stay below 256).
template <class Struct, class Value>
std::size_t offset_of(Value (Struct::*accessor)() const) {
  Struct object;
  std::uint8_t bytes[sizeof(Struct)];
  for (std::size_t i = 0; i < sizeof(Struct); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i);
  }
  std::memcpy(&object, bytes, sizeof(Struct));
  if constexpr (std::is_reference_v<Value>) {
    return static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(&(object.*accessor)()) -
                                    reinterpret_cast<const std::uint8_t*>(&object));
  } else {
    return static_cast<std::size_t>((object.*accessor)()) & 0xFFU;
  }
}

using Offsets = std::vector<std::size_t>;
template <class Struct, class... A>
Offsets offsets(A... accessors) {
  return {offset_of<Struct>(accessors)...};
}

TEST(CodecLayout, LogStructsHaveTheirStatedSizes) {
  EXPECT_EQ(sizeof(fb::Vec3), 12U);
  EXPECT_EQ(sizeof(fb::ShortVec3), 6U);
  EXPECT_EQ(sizeof(fb::Quaternion), 8U);
  EXPECT_EQ(sizeof(fb::Launch), 16U);
  EXPECT_EQ(sizeof(fb::Outcome), 8U);
  EXPECT_EQ(sizeof(fb::Guidance), 12U);
  EXPECT_EQ(sizeof(fb::Health), 6U);
  EXPECT_EQ(sizeof(fb::Despawn), 8U);
  EXPECT_EQ(sizeof(fb::Spawn), 44U);
  EXPECT_EQ(sizeof(fb::TurretMode), 12U);
  EXPECT_EQ(sizeof(fb::Shot), 12U);
  EXPECT_EQ(sizeof(fb::TrackKey), 28U);
  EXPECT_EQ(sizeof(fb::RelativeKey), 16U);
  EXPECT_EQ(sizeof(fb::AttitudeKey), 12U);
  EXPECT_EQ(sizeof(fb::Custom), 4U);
  EXPECT_EQ(sizeof(fb::Timeline), 12U);
  EXPECT_EQ(sizeof(fb::StateHash), 28U);
}

TEST(CodecLayout, OtherStructsHaveTheirStatedSizes) {
  EXPECT_EQ(sizeof(fb::SnapSalvo), 100U);
  EXPECT_EQ(sizeof(fb::SnapEnd), 12U);
  EXPECT_EQ(sizeof(fb::Pose), 36U);
  EXPECT_EQ(sizeof(fb::SnapEvent), 88U);
  EXPECT_EQ(sizeof(fb::SnapEntity), 24U);
  EXPECT_EQ(sizeof(fb::SnapTrack), 64U);
  EXPECT_EQ(sizeof(fb::SnapKey), 32U);
  EXPECT_EQ(sizeof(fb::SnapAttitude), 24U);
  EXPECT_EQ(sizeof(fb::Cone), 8U);
  EXPECT_EQ(sizeof(fb::HullPart), 28U);
  EXPECT_EQ(sizeof(fb::RouteKey), 28U);
  EXPECT_EQ(sizeof(fb::Fire), 20U);
}

TEST(CodecLayout, NoStructOfAVectorNeedsMoreThanFourByteAlignment) {
  EXPECT_LE(alignof(fb::Launch), 4U);
  EXPECT_LE(alignof(fb::Outcome), 4U);
  EXPECT_LE(alignof(fb::StateHash), 4U);
  EXPECT_LE(alignof(fb::SnapSalvo), 4U);
  EXPECT_LE(alignof(fb::SnapEvent), 4U);
  EXPECT_LE(alignof(fb::SnapEntity), 4U);
  EXPECT_LE(alignof(fb::SnapTrack), 4U);
  EXPECT_LE(alignof(fb::Fire), 4U);
}

TEST(CodecLayout, LogStructsHaveTheirStatedOffsets) {
  using namespace fb;
  EXPECT_EQ(offsets<fb::Launch>(&Launch::seed, &Launch::launcher, &Launch::target, &Launch::t0,
                                &Launch::pieces, &Launch::mount, &Launch::weapon, &Launch::count,
                                &Launch::flags),
            (Offsets{0, 4, 6, 8, 10, 12, 13, 14, 15}));
  EXPECT_EQ(offsets<Outcome>(&Outcome::salvo, &Outcome::index, &Outcome::kind, &Outcome::victim,
                             &Outcome::time),
            (Offsets{0, 2, 3, 4, 6}));
  EXPECT_EQ(
      offsets<Guidance>(&Guidance::mask, &Guidance::salvo, &Guidance::target, &Guidance::group,
                        &Guidance::kind, &Guidance::at, &Guidance::reserved),
      (Offsets{0, 4, 6, 8, 9, 10, 11}));
  EXPECT_EQ(offsets<Health>(&Health::entity, &Health::health, &Health::at, &Health::reserved),
            (Offsets{0, 2, 4, 5}));
  EXPECT_EQ(offsets<Despawn>(&Despawn::entity, &Despawn::by_salvo, &Despawn::time, &Despawn::kind,
                             &Despawn::at),
            (Offsets{0, 2, 4, 6, 7}));
  EXPECT_EQ(offsets<Spawn>(&Spawn::user_tag, &Spawn::position, &Spawn::velocity, &Spawn::attitude,
                           &Spawn::entity, &Spawn::type, &Spawn::team, &Spawn::at,
                           &Spawn::reserved0, &Spawn::reserved1),
            (Offsets{0, 4, 16, 28, 36, 38, 39, 40, 41, 42}));
  EXPECT_EQ(offsets<TurretMode>(&TurretMode::error_seed, &TurretMode::entity, &TurretMode::target,
                                &TurretMode::turret, &TurretMode::mode, &TurretMode::at,
                                &TurretMode::reserved),
            (Offsets{0, 4, 6, 8, 9, 10, 11}));
  EXPECT_EQ(offsets<Shot>(&Shot::seed, &Shot::entity, &Shot::time, &Shot::turret, &Shot::count,
                          &Shot::at, &Shot::reserved),
            (Offsets{0, 4, 6, 8, 9, 10, 11}));
  EXPECT_EQ(offsets<TrackKey>(&TrackKey::position, &TrackKey::velocity, &TrackKey::entity,
                              &TrackKey::bits, &TrackKey::at),
            (Offsets{0, 12, 24, 26, 27}));
  EXPECT_EQ(offsets<RelativeKey>(&RelativeKey::entity, &RelativeKey::bits, &RelativeKey::at,
                                 &RelativeKey::d, &RelativeKey::dv),
            (Offsets{0, 2, 3, 4, 10}));
  EXPECT_EQ(offsets<AttitudeKey>(&AttitudeKey::entity, &AttitudeKey::bits, &AttitudeKey::at,
                                 &AttitudeKey::attitude),
            (Offsets{0, 2, 3, 4}));
  EXPECT_EQ(offsets<Custom>(&Custom::kind, &Custom::length, &Custom::at), (Offsets{0, 2, 3}));
  EXPECT_EQ(offsets<Timeline>(&Timeline::epoch, &Timeline::tick, &Timeline::rate, &Timeline::paused,
                              &Timeline::at),
            (Offsets{0, 4, 8, 10, 11}));
  EXPECT_EQ(offsets<fb::StateHash>(&StateHash::launches, &StateHash::anchors, &StateHash::tracks,
                                   &StateHash::health, &StateHash::turrets, &StateHash::flights,
                                   &StateHash::roll, &StateHash::at, &StateHash::reserved),
            (Offsets{0, 4, 8, 12, 16, 20, 24, 25, 26}));
}

TEST(CodecLayout, SnapshotStructsHaveTheirStatedOffsets) {
  using namespace fb;
  EXPECT_EQ(
      offsets<SnapSalvo>(&SnapSalvo::launch, &SnapSalvo::id, &SnapSalvo::tick, &SnapSalvo::muzzle,
                         &SnapSalvo::launcher_velocity, &SnapSalvo::target_position,
                         &SnapSalvo::target_velocity, &SnapSalvo::muzzle_forward,
                         &SnapSalvo::muzzle_up, &SnapSalvo::target_forward, &SnapSalvo::target_up,
                         &SnapSalvo::target_type, &SnapSalvo::reserved0, &SnapSalvo::reserved1),
      (Offsets{0, 16, 20, 24, 36, 48, 60, 72, 78, 84, 90, 96, 97, 98}));
  EXPECT_EQ(offsets<SnapEnd>(&SnapEnd::tick, &SnapEnd::salvo, &SnapEnd::victim, &SnapEnd::time,
                             &SnapEnd::index, &SnapEnd::kind),
            (Offsets{0, 4, 6, 8, 10, 11}));
  EXPECT_EQ(offsets<SnapEvent>(&SnapEvent::mask, &SnapEvent::tick, &SnapEvent::at_event,
                               &SnapEvent::back_step, &SnapEvent::salvo, &SnapEvent::new_target,
                               &SnapEvent::old_type, &SnapEvent::group, &SnapEvent::ordinal,
                               &SnapEvent::was_locked),
            (Offsets{0, 4, 8, 44, 80, 82, 84, 85, 86, 87}));
  EXPECT_EQ(offsets<SnapEntity>(&SnapEntity::user_tag, &SnapEntity::spawn_tick,
                                &SnapEntity::gone_tick, &SnapEntity::gone_time, &SnapEntity::entity,
                                &SnapEntity::health, &SnapEntity::type, &SnapEntity::team,
                                &SnapEntity::gone, &SnapEntity::gone_kind, &SnapEntity::reserved),
            (Offsets{0, 4, 8, 12, 14, 16, 18, 19, 20, 21, 22}));
  EXPECT_EQ(offsets<SnapTrack>(&SnapTrack::tick, &SnapTrack::p0, &SnapTrack::v0, &SnapTrack::p1,
                               &SnapTrack::v1, &SnapTrack::facing, &SnapTrack::entity,
                               &SnapTrack::log2_duration, &SnapTrack::jump, &SnapTrack::reserved),
            (Offsets{0, 4, 16, 28, 40, 52, 58, 60, 61, 62}));
  EXPECT_EQ(offsets<SnapKey>(&SnapKey::tick, &SnapKey::p1, &SnapKey::v1, &SnapKey::entity,
                             &SnapKey::log2_duration, &SnapKey::jump),
            (Offsets{0, 4, 16, 28, 30, 31}));
  EXPECT_EQ(offsets<SnapAttitude>(&SnapAttitude::tick, &SnapAttitude::from, &SnapAttitude::to,
                                  &SnapAttitude::entity, &SnapAttitude::log2_duration,
                                  &SnapAttitude::reserved),
            (Offsets{0, 4, 12, 20, 22, 23}));
  EXPECT_EQ(offsets<Fire>(&Fire::command, &Fire::at_low, &Fire::at_high, &Fire::entity,
                          &Fire::target, &Fire::launcher, &Fire::reserved0, &Fire::reserved1),
            (Offsets{0, 4, 8, 12, 14, 16, 17, 18}));
}

TEST(CodecLayout, FieldsOfTheRecordTableKeepTheirNumbers) {
  using R = fb::TickRecord;
  const Offsets fields{R::VT_LAUNCHES, R::VT_OUTCOMES,     R::VT_HEALTH,        R::VT_RELATIVE_KEYS,
                       R::VT_GUIDANCE, R::VT_TURRET_MODES, R::VT_SHOTS,         R::VT_DESPAWNS,
                       R::VT_SPAWNS,   R::VT_TRACK_KEYS,   R::VT_ATTITUDE_KEYS, R::VT_STATE_HASHES,
                       R::VT_CUSTOMS,  R::VT_CUSTOM_BYTES, R::VT_TIMELINES,     R::VT_TICK};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(fields[i], 4 + 2 * i);
  }
}

TEST(CodecLayout, TheSchemaIsEmbeddedAsTextAndCompiled) {
  EXPECT_NE(schema_text().find("table TickRecord"), std::string_view::npos);
  EXPECT_NE(schema_text().find("file_identifier \"CTRL\""), std::string_view::npos);
  ASSERT_GT(schema_binary().size(), 8U);
  EXPECT_EQ(std::memcmp(schema_binary().data() + 4, "BFBS", 4), 0);
}

}  // namespace
}  // namespace contrail::wire
