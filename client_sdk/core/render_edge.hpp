#pragma once

// The only place where exact integers become floats, and floats become integers. Nothing computed
// here ever goes back into the simulation except through the checked conversions below.

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include <contrail/core/status.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::client {

/// An exact position (length units) in float metres from an exact origin (length units). The
/// difference is taken in integers, then rounded once: the result is within half a float step of
/// the distance to the origin, wherever the origin lies.
glm::vec3 metres_from(const sim::Vec3& position, const sim::Vec3& origin);
/// An exact velocity (length units per second) in metres per second.
glm::vec3 metres_per_second(const sim::Vec3& velocity);
/// The mean velocity over `span` subticks (> 0) of a displacement in length units, metres per
/// second.
glm::vec3 mean_velocity(const sim::WideVec3& displacement, sim::Subtick span);
/// The rotation that takes +Z to the basis' forward and +Y to its up axis.
glm::quat orientation_of(const sim::Basis& basis);
/// The rotation that takes +Z along a direction (any length), keeping +Y as far up as it goes.
/// The identity for a zero vector.
glm::quat looking_along(const sim::WideVec3& direction);
/// A time in seconds since session start. Exact for sessions of up to 4,000 years.
double seconds_of(sim::Subtick time);
/// A difference of times as float seconds. For short spans only: never for an absolute time.
float short_seconds(sim::Subtick span);

/// A world position given in metres (double), rounded to the nearest length unit.
/// not_finite for NaN or infinity, out_of_range beyond +-262,144 m on any axis; `out` is untouched.
Status position_from_metres(const glm::dvec3& metres, sim::Vec3& out);
/// A time given in seconds since session start, rounded to the nearest subtick.
/// not_finite for NaN or infinity, out_of_range for negative ones or beyond 2^32 s.
Status subtick_from_seconds(double seconds, sim::Subtick& out);

}  // namespace contrail::client
