#pragma once

// When a missile touches something: the definition, one subtick at a time.

#include <cstdint>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/scenario.hpp>
#include <contrail/sim/snapshot.hpp>

namespace contrail::sim {

/// A capsule in the world at one subtick: axis from a to a + d, length units.
struct WorldCapsule {
  WideVec3 a{0};
  WideVec3 d{0};
  std::int64_t radius_sum = 0;  // of hull part and missile
};

/// Radius at which a missile goes off: its fuse's where it has one, else its own; length units.
std::int32_t contact_radius(const Weapon& weapon);
/// Sum of a hull part's radius and a missile's contact radius, at least 0.3 m; length units.
std::int64_t radius_sum(const HullPart& part, const Weapon& weapon);
WorldCapsule place(const HullPart& part, const Weapon& weapon, const Pose& pose);
/// A static capsule, given in world axes.
WorldCapsule obstacle_capsule(const HullPart& obstacle, const Weapon& weapon);
/// The axis point the distance is measured to, by the shifted-quotient rule; world axes. The offset
/// of `point` from a must be below 2^26 per axis.
WideVec3 closest_axis_point(const WorldCapsule& capsule, const WideVec3& point);
/// Does a missile at `point` touch the capsule: distance <= radius sum.
bool touches(const WorldCapsule& capsule, const WideVec3& point);
/// Does a missile at `point` touch any part of the hull.
bool touches_hull(const EntityType& type, const Pose& pose, const Weapon& weapon,
                  const Vec3& point);
/// Does a missile at `point` touch the ground half-space below y = ground.
bool touches_ground(std::int32_t ground, const Weapon& weapon, const Vec3& point);

}  // namespace contrail::sim
