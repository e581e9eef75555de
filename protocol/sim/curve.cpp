#include <contrail/sim/curve.hpp>

namespace contrail::sim {

Hodograph hodograph(const Cubic& p) {
  return {WideVec3(p[1]) - WideVec3(p[0]), WideVec3(p[2]) - WideVec3(p[1]),
          WideVec3(p[3]) - WideVec3(p[2])};
}

WideVec3 blossom(const Hodograph& h, std::int64_t a, std::int64_t b, int k) {
  return lerp(lerp(h[0], h[1], a, k), lerp(h[1], h[2], a, k), b, k);
}

Cubic hermite(const Vec3& p0, const Vec3& v0, const Vec3& p1, const Vec3& v1, int k) {
  // A third of a second is 196608 / 3 subticks.
  const std::int64_t duration = std::int64_t{1} << k;
  const WideVec3 start = floor_div(WideVec3(v0) * duration, 196'608);
  const WideVec3 end = floor_div(WideVec3(v1) * duration, 196'608);
  return {p0, Vec3(WideVec3(p0) + start), Vec3(WideVec3(p1) - end), p1};
}

}  // namespace contrail::sim
