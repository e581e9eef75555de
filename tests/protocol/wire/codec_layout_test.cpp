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
  EXPECT_EQ(sizeof(fb::SnapTurret), 28U);
  EXPECT_EQ(sizeof(fb::SnapBurst), 68U);
  EXPECT_EQ(sizeof(fb::TurretAxis), 24U);
  EXPECT_EQ(sizeof(fb::AlignSettings), 12U);
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
  EXPECT_EQ(offsets<fb::Launch>(&fb::Launch::seed, &fb::Launch::launcher, &fb::Launch::target,
                                &fb::Launch::t0, &fb::Launch::pieces, &fb::Launch::mount,
                                &fb::Launch::weapon, &fb::Launch::count, &fb::Launch::flags),
            (Offsets{0, 4, 6, 8, 10, 12, 13, 14, 15}));
  EXPECT_EQ(offsets<fb::Outcome>(&fb::Outcome::salvo, &fb::Outcome::index, &fb::Outcome::kind,
                                 &fb::Outcome::victim, &fb::Outcome::time),
            (Offsets{0, 2, 3, 4, 6}));
  EXPECT_EQ(offsets<fb::Guidance>(&fb::Guidance::mask, &fb::Guidance::salvo, &fb::Guidance::target,
                                  &fb::Guidance::group, &fb::Guidance::kind, &fb::Guidance::at,
                                  &fb::Guidance::reserved),
            (Offsets{0, 4, 6, 8, 9, 10, 11}));
  EXPECT_EQ(offsets<fb::Health>(&fb::Health::entity, &fb::Health::health, &fb::Health::at,
                                &fb::Health::reserved),
            (Offsets{0, 2, 4, 5}));
  EXPECT_EQ(offsets<fb::Despawn>(&fb::Despawn::entity, &fb::Despawn::by_salvo, &fb::Despawn::time,
                                 &fb::Despawn::kind, &fb::Despawn::at),
            (Offsets{0, 2, 4, 6, 7}));
  EXPECT_EQ(offsets<fb::Spawn>(&fb::Spawn::user_tag, &fb::Spawn::position, &fb::Spawn::velocity,
                               &fb::Spawn::attitude, &fb::Spawn::entity, &fb::Spawn::type,
                               &fb::Spawn::team, &fb::Spawn::at, &fb::Spawn::reserved0,
                               &fb::Spawn::reserved1),
            (Offsets{0, 4, 16, 28, 36, 38, 39, 40, 41, 42}));
  EXPECT_EQ(
      offsets<fb::TurretMode>(&fb::TurretMode::bearing, &fb::TurretMode::entity,
                              &fb::TurretMode::target, &fb::TurretMode::turret,
                              &fb::TurretMode::order, &fb::TurretMode::at, &fb::TurretMode::index),
      (Offsets{0, 4, 6, 8, 9, 10, 11}));
  EXPECT_EQ(
      offsets<fb::Shot>(&fb::Shot::seed, &fb::Shot::entity, &fb::Shot::time, &fb::Shot::turret,
                        &fb::Shot::count, &fb::Shot::at, &fb::Shot::reserved),
      (Offsets{0, 4, 6, 8, 9, 10, 11}));
  EXPECT_EQ(offsets<fb::TrackKey>(&fb::TrackKey::position, &fb::TrackKey::velocity,
                                  &fb::TrackKey::entity, &fb::TrackKey::bits, &fb::TrackKey::at),
            (Offsets{0, 12, 24, 26, 27}));
  EXPECT_EQ(
      offsets<fb::RelativeKey>(&fb::RelativeKey::entity, &fb::RelativeKey::bits,
                               &fb::RelativeKey::at, &fb::RelativeKey::d, &fb::RelativeKey::dv),
      (Offsets{0, 2, 3, 4, 10}));
  EXPECT_EQ(offsets<fb::AttitudeKey>(&fb::AttitudeKey::entity, &fb::AttitudeKey::bits,
                                     &fb::AttitudeKey::at, &fb::AttitudeKey::attitude),
            (Offsets{0, 2, 3, 4}));
  EXPECT_EQ(offsets<fb::Custom>(&fb::Custom::kind, &fb::Custom::length, &fb::Custom::at),
            (Offsets{0, 2, 3}));
  EXPECT_EQ(offsets<fb::Timeline>(&fb::Timeline::epoch, &fb::Timeline::tick, &fb::Timeline::rate,
                                  &fb::Timeline::paused, &fb::Timeline::at),
            (Offsets{0, 4, 8, 10, 11}));
  EXPECT_EQ(offsets<fb::StateHash>(
                &fb::StateHash::launches, &fb::StateHash::anchors, &fb::StateHash::tracks,
                &fb::StateHash::health, &fb::StateHash::turrets, &fb::StateHash::flights,
                &fb::StateHash::roll, &fb::StateHash::at, &fb::StateHash::reserved),
            (Offsets{0, 4, 8, 12, 16, 20, 24, 25, 26}));
}

TEST(CodecLayout, SnapshotStructsHaveTheirStatedOffsets) {
  EXPECT_EQ(offsets<fb::SnapSalvo>(&fb::SnapSalvo::launch, &fb::SnapSalvo::id, &fb::SnapSalvo::tick,
                                   &fb::SnapSalvo::muzzle, &fb::SnapSalvo::launcher_velocity,
                                   &fb::SnapSalvo::target_position, &fb::SnapSalvo::target_velocity,
                                   &fb::SnapSalvo::muzzle_forward, &fb::SnapSalvo::muzzle_up,
                                   &fb::SnapSalvo::target_forward, &fb::SnapSalvo::target_up,
                                   &fb::SnapSalvo::target_type, &fb::SnapSalvo::reserved0,
                                   &fb::SnapSalvo::reserved1),
            (Offsets{0, 16, 20, 24, 36, 48, 60, 72, 78, 84, 90, 96, 97, 98}));
  EXPECT_EQ(offsets<fb::SnapEnd>(&fb::SnapEnd::tick, &fb::SnapEnd::salvo, &fb::SnapEnd::victim,
                                 &fb::SnapEnd::time, &fb::SnapEnd::index, &fb::SnapEnd::kind),
            (Offsets{0, 4, 6, 8, 10, 11}));
  EXPECT_EQ(offsets<fb::SnapEvent>(&fb::SnapEvent::mask, &fb::SnapEvent::tick,
                                   &fb::SnapEvent::at_event, &fb::SnapEvent::back_step,
                                   &fb::SnapEvent::salvo, &fb::SnapEvent::new_target,
                                   &fb::SnapEvent::old_type, &fb::SnapEvent::group,
                                   &fb::SnapEvent::ordinal, &fb::SnapEvent::was_locked),
            (Offsets{0, 4, 8, 44, 80, 82, 84, 85, 86, 87}));
  EXPECT_EQ(offsets<fb::SnapEntity>(
                &fb::SnapEntity::user_tag, &fb::SnapEntity::spawn_tick, &fb::SnapEntity::gone_tick,
                &fb::SnapEntity::gone_time, &fb::SnapEntity::entity, &fb::SnapEntity::health,
                &fb::SnapEntity::type, &fb::SnapEntity::team, &fb::SnapEntity::gone,
                &fb::SnapEntity::gone_kind, &fb::SnapEntity::reserved),
            (Offsets{0, 4, 8, 12, 14, 16, 18, 19, 20, 21, 22}));
  EXPECT_EQ(offsets<fb::SnapTrack>(&fb::SnapTrack::tick, &fb::SnapTrack::p0, &fb::SnapTrack::v0,
                                   &fb::SnapTrack::p1, &fb::SnapTrack::v1, &fb::SnapTrack::facing,
                                   &fb::SnapTrack::entity, &fb::SnapTrack::log2_duration,
                                   &fb::SnapTrack::jump, &fb::SnapTrack::reserved),
            (Offsets{0, 4, 16, 28, 40, 52, 58, 60, 61, 62}));
  EXPECT_EQ(
      offsets<fb::SnapKey>(&fb::SnapKey::tick, &fb::SnapKey::p1, &fb::SnapKey::v1,
                           &fb::SnapKey::entity, &fb::SnapKey::log2_duration, &fb::SnapKey::jump),
      (Offsets{0, 4, 16, 28, 30, 31}));
  EXPECT_EQ(
      offsets<fb::SnapAttitude>(&fb::SnapAttitude::tick, &fb::SnapAttitude::from,
                                &fb::SnapAttitude::to, &fb::SnapAttitude::entity,
                                &fb::SnapAttitude::log2_duration, &fb::SnapAttitude::reserved),
      (Offsets{0, 4, 12, 20, 22, 23}));
  EXPECT_EQ(offsets<fb::SnapTurret>(&fb::SnapTurret::mode, &fb::SnapTurret::yaw,
                                    &fb::SnapTurret::yaw_rate, &fb::SnapTurret::pitch,
                                    &fb::SnapTurret::pitch_rate),
            (Offsets{0, 12, 16, 20, 24}));
  EXPECT_EQ(offsets<fb::SnapBurst>(
                &fb::SnapBurst::shot, &fb::SnapBurst::tick, &fb::SnapBurst::pivot,
                &fb::SnapBurst::velocity, &fb::SnapBurst::forward, &fb::SnapBurst::up,
                &fb::SnapBurst::type, &fb::SnapBurst::reserved0, &fb::SnapBurst::reserved1),
            (Offsets{0, 12, 16, 28, 40, 52, 64, 65, 66}));
  EXPECT_EQ(offsets<fb::TurretAxis>(&fb::TurretAxis::low, &fb::TurretAxis::high,
                                    &fb::TurretAxis::rest, &fb::TurretAxis::max_speed,
                                    &fb::TurretAxis::max_acceleration, &fb::TurretAxis::full_turn,
                                    &fb::TurretAxis::reserved0, &fb::TurretAxis::reserved1),
            (Offsets{0, 4, 8, 12, 16, 20, 21, 22}));
  EXPECT_EQ(offsets<fb::Fire>(&fb::Fire::command, &fb::Fire::at_low, &fb::Fire::at_high,
                              &fb::Fire::entity, &fb::Fire::target, &fb::Fire::launcher,
                              &fb::Fire::reserved0, &fb::Fire::reserved1),
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
