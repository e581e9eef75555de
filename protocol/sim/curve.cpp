#include <contrail/sim/curve.hpp>

namespace contrail::sim {

Vec3 cubic_velocity(const Vec3* p, std::int64_t t, int k) {
  const WideVec3 slope = blossom(hodograph({p[0], p[1], p[2], p[3]}), t, t, k);
  return clamp(shift_right(slope * std::int64_t{3 * k_subticks_per_second}, k), k_point_limit);
}

Cubic hermite(const Vec3& p0, const Vec3& v0, const Vec3& p1, const Vec3& v1, int k) {
  // A third of a second is 196608 / 3 subticks.
  const std::int64_t duration = std::int64_t{1} << k;
  const WideVec3 start = floor_div(WideVec3(v0) * duration, 196'608);
  const WideVec3 end = floor_div(WideVec3(v1) * duration, 196'608);
  return {p0, Vec3(WideVec3(p0) + start), Vec3(WideVec3(p1) - end), p1};
}

}  // namespace contrail::sim
