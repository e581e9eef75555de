#pragma once

// Orientation: bases, quaternions, and the 16-bit forms in which they are frozen.

#include <contrail/sim/arith.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// The right axis, cross24(up, forward), Q24.
Vec3 right(const Basis& b);
/// A body-axes offset (x right, y up, z forward, length units) in world axes.
WideVec3 rotate(const Basis& b, const Vec3& offset);
/// A basis given in the axes of another, in the world (mount in body).
Basis compose(const Basis& outer, const Basis& inner);
PackedBasis freeze(const Basis& b);
Basis thaw(const PackedBasis& b);
PackedDirection freeze(const Vec3& direction);
Vec3 thaw(const PackedDirection& d);
/// The level basis that looks along f (Q24 unit); its right axis is horizontal.
Basis face_basis(const Vec3& f);
/// The level basis that looks along a vector of any length; along `otherwise` where it is zero,
/// along +Z where both are.
Basis looking_along(const WideVec3& v, const WideVec3& otherwise);
/// The horizontal direction to the right of f; +X where f is vertical.
Vec3 level_right(const Vec3& f);

/// A quaternion of length 1, components in Q24.
struct NormalisedQuaternion {
  WideVec3 xyz{0};
  std::int64_t w = k_one;
};
/// Components of magnitude up to 2^25, not all zero, to length 1.
NormalisedQuaternion normalise(const WideVec3& xyz, std::int64_t w);
/// To Q14, nearest.
Quaternion freeze(const NormalisedQuaternion& q);

/// The basis of a quaternion of length 1 with components in Q24.
Basis quaternion_basis(const WideVec3& xyz, std::int64_t w);
/// The basis of a quaternion, normalised first. q must not be zero.
Basis basis_of(const Quaternion& q);
/// Yaw from +Z toward +X, then pitch up positive, then roll, positive with the right side down;
/// binary angles. For compiling mounts.
Basis basis_of_angles(std::int32_t yaw, std::int32_t pitch, std::int32_t roll);
Quaternion quaternion_of_angles(std::int32_t yaw, std::int32_t pitch, std::int32_t roll);
/// | |q|^2 - 2^28 | <= 2^16.
bool is_unit(const Quaternion& q);

}  // namespace contrail::sim
