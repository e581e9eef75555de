#pragma once

// From points in the world to demands on a turret's axes (Face), and back from a pose to the bore.

#include <contrail/sim/turret.hpp>

namespace contrail::sim {

/// Where an entity is and how it lies at some time.
struct TurretPlatform {
  Vec3 position{0};  // length units
  Basis basis;       // Q24
};

/// The direction to a point, seen from a turret's pivot in the mount's own axes.
struct TurretAim {
  bool direction = false;  // false: the point lies in the pivot; nothing below means anything
  bool heading = false;    // false: straight above or below, yaw means nothing
  std::int32_t yaw = 0;    // turret angle
  std::int32_t pitch = 0;  // turret angle
  Vec3 bore{0, 0, k_one};  // Q24, the direction itself: right, up, forward of the mount
};

/// The pivot in the world, length units.
WideVec3 turret_pivot(const TurretMount& mount, const TurretPlatform& platform);
/// Aims along a world vector of up to 2^33 an axis.
TurretAim aim_along(const TurretMount& mount, const Basis& body, const WideVec3& way);
/// Aims at a point: Face.
TurretAim aim_at(const TurretMount& mount, const TurretPlatform& platform, const WideVec3& point);

/// The demand that follows an aim: `before` is the aim one tick ago at the same target, with the
/// target and the platform where they were then. Between them lie the turns of both, so a turret on
/// a turning ship stays on its target. An axis without direction holds.
TurretDemand follow(const TurretAim& before, const TurretAim& now);

/// Axes of the bore in the world.
Basis bore_basis(const TurretMount& mount, const TurretState& state, const Basis& body);
/// A muzzle in the world, 0 <= barrel < muzzles, length units.
WideVec3 muzzle_position(const TurretMount& mount, const TurretState& state,
                         const TurretPlatform& platform, int barrel);

/// The angle between the bore and an aim, in space: 0..turn/2, turret angle. Half a turn where
/// there is no direction.
std::int32_t bore_error(const TurretState& state, const TurretAim& aim);
/// Whether a turret may fire at an aim: it has a direction and the bore is within the tolerance.
/// A solution that does not exist is no aim; don't ask.
bool on_target(const TurretMount& mount, const TurretState& state, const TurretAim& aim);

}  // namespace contrail::sim
