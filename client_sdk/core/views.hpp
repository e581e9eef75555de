#pragma once

// What a renderer receives: plain, trivially copyable values in metres. Positions count from the
// origin the caller chose, so they stay precise anywhere in the world and at any session age.

#include <cstdint>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include <contrail/sim/limits.hpp>
#include <contrail/sim/records.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::client {

/// Names one missile for the whole session. The same on every client.
struct MissileId {
  std::uint32_t launch = 0;  // number of the salvo in the log
  std::uint8_t index = 0;    // missile in the salvo
  /// A single value for hash maps.
  [[nodiscard]] std::uint64_t key() const { return std::uint64_t{launch} << 8 | index; }
  bool operator==(const MissileId&) const = default;
};

/// One missile in flight at one instant.
struct MissileView {
  glm::vec3 position{0.0F};           // metres from the caller's origin
  glm::quat orientation{1, 0, 0, 0};  // +Z along the flight direction, +Y up as far as possible
  glm::vec3 velocity{0.0F};           // metres per second, world axes
  MissileId id;
  std::uint8_t weapon = 0;                    // index into SessionInfo::weapons
  std::uint16_t launcher = sim::k_no_entity;  // entity that fired
  std::uint16_t target = sim::k_no_entity;    // entity of its lock, or of its last one; may be none
};

/// One entity at one instant.
struct EntityView {
  glm::vec3 position{0.0F};           // metres from the caller's origin
  glm::quat orientation{1, 0, 0, 0};  // +Z forward, +Y up
  glm::vec3 velocity{0.0F};           // metres per second, world axes
  std::uint16_t id = sim::k_no_entity;
  std::uint8_t type = 0;  // index into SessionInfo::entity_types
  std::uint8_t team = 0;
  std::uint32_t user_tag = 0;  // the host's own value of the spawn
  std::uint16_t health = 0;    // hit points, as of the events delivered so far
};

/// One turret at one instant.
struct TurretView {
  glm::vec3 position{0.0F};           // of the pivot, metres from the caller's origin
  glm::quat orientation{1, 0, 0, 0};  // of the bore in the world: +Z where it points
  float yaw = 0.0F;                   // radians in the mount, toward its right positive
  float pitch = 0.0F;                 // radians in the mount, up positive
  sim::TurretOrder order = sim::TurretOrder::rest;
  std::uint16_t target = sim::k_no_entity;  // of the order `entity`
};

/// One round in flight at one instant.
struct RoundView {
  glm::vec3 position{0.0F};                 // metres from the caller's origin
  glm::vec3 velocity{0.0F};                 // metres per second, world axes
  std::uint16_t entity = sim::k_no_entity;  // that fired
  std::uint8_t turret = 0;                  // that fired
};

/// Where to aim, and whether a turret does.
struct LeadView {
  glm::vec3 mark{0.0F};    // metres from the caller's origin: on the line the bore has to take
  bool meets = false;      // a round fired now could meet the target; else mark is the target
  bool on_target = false;  // the bore points there within the turret's tolerance
  float flight = 0.0F;     // seconds a round would fly until the meeting
};

/// One point of a smoke trail.
struct TrailPoint {
  glm::vec3 position{0.0F};  // metres from the caller's origin
  float age = 0.0F;          // seconds before the newest time asked for; >= 0
};

}  // namespace contrail::client
