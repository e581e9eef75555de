#pragma once

// Cubic Bezier pieces: evaluation by de Casteljau, derivative, Hermite form.

#include <array>

#include <contrail/sim/arith.hpp>

namespace contrail::sim {

/// Control points of a cubic piece, length units.
using Cubic = std::array<Vec3, 4>;
/// Control differences of a cubic: P1 - P0, P2 - P1, P3 - P2. The derivative by the parameter is
/// three times the quadratic Bezier over them.
using Hodograph = std::array<WideVec3, 3>;

/// The point at t / 2^k, 0 <= t <= 2^k, k <= 20. Exact at both ends; never outside the box of the
/// control points.
inline Vec3 cubic_point(const Vec3* p, std::int64_t t, int k) {
  const WideVec3 p0(p[0]);
  const WideVec3 p1(p[1]);
  const WideVec3 p2(p[2]);
  const WideVec3 p3(p[3]);
  const WideVec3 a = lerp(p0, p1, t, k);
  const WideVec3 b = lerp(p1, p2, t, k);
  const WideVec3 c = lerp(p2, p3, t, k);
  return Vec3(lerp(lerp(a, b, t, k), lerp(b, c, t, k), t, k));
}
inline Vec3 cubic_point(const Cubic& p, std::int64_t t, int k) {
  return cubic_point(p.data(), t, k);
}

inline Hodograph hodograph(const Cubic& p) {
  return {WideVec3(p[1]) - WideVec3(p[0]), WideVec3(p[2]) - WideVec3(p[1]),
          WideVec3(p[3]) - WideVec3(p[2])};
}
/// The blossom of the hodograph at two parameters a / 2^k and b / 2^k; symmetric up to rounding.
inline WideVec3 blossom(const Hodograph& h, std::int64_t a, std::int64_t b, int k) {
  return lerp(lerp(h[0], h[1], a, k), lerp(h[1], h[2], a, k), b, k);
}

/// The velocity at t subticks of a cubic that takes 2^k of them, length units per second per axis
/// within int32. A point comes from de Casteljau, a velocity from the blossom of the hodograph.
Vec3 cubic_velocity(const Vec3* p, std::int64_t t, int k);

/// The cubic from p0 to p1 over 2^k subticks with velocities v0, v1 (length units per second) at
/// its ends. Positions within the world limit, speeds within the speed limit.
Cubic hermite(const Vec3& p0, const Vec3& v0, const Vec3& p1, const Vec3& v1, int k);

}  // namespace contrail::sim
