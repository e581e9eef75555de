#pragma once

// The state of a fold at one tick, complete: a world restored from it equals a world that folded
// the whole log, member by member, by state hash and by trail over the kept history.

#include <array>
#include <cstdint>
#include <vector>

#include <contrail/sim/records.hpp>
#include <contrail/sim/turret.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// What a salvo's flights are built from, frozen at its launch time.
struct Anchor {
  Vec3 muzzle{0};             // length units
  Vec3 launcher_velocity{0};  // length units per second
  Vec3 target_position{0};
  Vec3 target_velocity{0};
  PackedBasis muzzle_basis;
  PackedBasis target_basis;
  std::uint8_t target_type = 0;
  bool operator==(const Anchor&) const = default;
};

struct SnapshotSalvo {
  Launch launch;
  std::uint32_t id = 0;
  std::uint32_t tick = 0;  // of the record that launched it
  Anchor anchor;
  bool operator==(const SnapshotSalvo&) const = default;
};

/// An end that does not follow from salvo and events: outcomes, aborts, and missiles that expired
/// because their target was destroyed inside their last tick.
struct SnapshotEnd {
  std::uint16_t salvo = 0;  // index into Snapshot::salvos
  std::uint8_t index = 0;
  EndKind kind = EndKind::hull;
  std::uint16_t victim = 0;
  Subtick time = 0;  // the wire carries tick and low 16 bits
  bool operator==(const SnapshotEnd&) const = default;
};

struct Pose {
  Vec3 position{0};
  Basis basis;
  bool operator==(const Pose&) const = default;
};

/// A guidance event with the old target's pose frozen at its tick and a back step before.
struct SnapshotEvent {
  std::uint16_t salvo = 0;       // index into Snapshot::salvos
  std::uint16_t new_target = 0;  // entity, 0xFFFF none
  std::uint8_t old_type = 0;     // type of the target lost
  std::uint8_t group = 0;
  std::uint8_t ordinal = 0;  // number of events these missiles had before
  bool was_locked = false;
  std::uint32_t mask = 0;
  std::uint32_t tick = 0;
  Pose at_event;  // zero where not locked
  Pose back_step;
  bool operator==(const SnapshotEvent&) const = default;
};

/// The oldest kept track piece of an entity, with its start state.
struct SnapshotTrack {
  std::uint16_t entity = 0;
  std::uint8_t log2_duration = 0;  // subticks; 0 with jump
  bool jump = false;
  std::uint32_t tick = 0;  // at which it starts
  Vec3 p0{0};
  Vec3 v0{0};
  Vec3 p1{0};
  Vec3 v1{0};
  PackedDirection facing{};  // at the start
  bool operator==(const SnapshotTrack&) const = default;
};

/// A later kept piece: the end state; its start follows from the piece before.
struct SnapshotKey {
  std::uint16_t entity = 0;
  std::uint8_t log2_duration = 0;
  bool jump = false;
  std::uint32_t tick = 0;
  Vec3 p1{0};
  Vec3 v1{0};
  bool operator==(const SnapshotKey&) const = default;
};

struct SnapshotAttitude {
  std::uint16_t entity = 0;
  std::uint8_t log2_duration = 0;
  std::uint32_t tick = 0;
  Quaternion from;
  Quaternion to;
  bool operator==(const SnapshotAttitude&) const = default;
};

struct SnapshotEntity {
  std::uint16_t entity = 0;
  std::uint8_t type = 0;
  std::uint8_t team = 0;
  std::uint32_t user_tag = 0;
  std::uint32_t spawn_tick = 0;
  std::uint16_t health = 0;
  bool gone = false;
  DespawnKind gone_kind = DespawnKind::removed;
  Subtick gone_time = 0;  // the wire carries tick and low 16 bits; 0 where not gone
  bool operator==(const SnapshotEntity&) const = default;
};

/// A turret with an order or away from its rest pose.
struct SnapshotTurret {
  TurretMode mode;
  TurretState state;
  bool operator==(const SnapshotTurret&) const = default;
};

/// A burst that is remembered, with what its rounds start from.
struct SnapshotBurst {
  Shot shot;              // count: rounds that left or will
  std::uint8_t type = 0;  // of the entity that fired
  Vec3 pivot{0};          // length units, of the turret, just before the shot
  Vec3 velocity{0};       // length units per second, of the entity
  Basis bore;             // Q24, axes of the bore
  bool operator==(const SnapshotBurst&) const = default;
};

struct Snapshot {
  std::uint32_t tick = 0;
  std::uint32_t next_launch = 0;  // id of the next salvo
  std::uint32_t hash_count = 0;   // state hashes so far; its low 8 bits are the next roll
  Timeline timeline;
  std::vector<SnapshotSalvo> salvos;        // by id
  std::vector<SnapshotEnd> ends;            // by salvo, index
  std::vector<SnapshotEvent> events;        // by salvo, tick, group, ordinal, mask
  std::vector<SnapshotEntity> entities;     // by entity
  std::vector<SnapshotTrack> tracks;        // by entity, one each
  std::vector<SnapshotKey> keys;            // by entity, tick
  std::vector<SnapshotAttitude> attitudes;  // by entity, tick
  std::vector<SnapshotTurret> turrets;      // by entity, turret
  std::vector<SnapshotBurst> bursts;        // in the order of the log
  std::uint32_t first_burst = 0;            // number of the first of them
  bool operator==(const Snapshot&) const = default;
};

}  // namespace contrail::sim
