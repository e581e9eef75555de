#include <contrail/sim/hit.hpp>

#include <algorithm>

namespace contrail::sim {
namespace {

std::int64_t dot(const WideVec3& a, const WideVec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Outside the axis box grown by the radius sum: cannot touch, whatever the distance rule says.
bool outside_box(const WorldCapsule& c, const WideVec3& p) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t low = std::min<std::int64_t>(0, c.d[axis]) - c.radius_sum;
    const std::int64_t high = std::max<std::int64_t>(0, c.d[axis]) + c.radius_sum;
    if (p[axis] < low || p[axis] > high) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::int32_t contact_radius(const Weapon& weapon) {
  return weapon.fuse_radius > 0 ? weapon.fuse_radius : weapon.radius;
}

std::int64_t radius_sum(const HullPart& part, const Weapon& weapon) {
  return std::max<std::int64_t>(std::int64_t{part.radius} + contact_radius(weapon),
                                k_min_radius_sum);
}

WorldCapsule place(const HullPart& part, const Weapon& weapon, const Pose& pose) {
  return {WideVec3(pose.position) + rotate(pose.basis, part.a), rotate(pose.basis, part.d),
          radius_sum(part, weapon)};
}

WorldCapsule obstacle_capsule(const HullPart& obstacle, const Weapon& weapon) {
  return {WideVec3(obstacle.a), WideVec3(obstacle.d), radius_sum(obstacle, weapon)};
}

WideVec3 closest_axis_point(const WorldCapsule& capsule, const WideVec3& point) {
  const WideVec3& d = capsule.d;
  const std::int64_t along = dot(point - capsule.a, d);
  std::int64_t square = dot(d, d);
  if (along <= 0 || square == 0) {
    return capsule.a;
  }
  if (along >= square) {
    return capsule.a + d;
  }
  int shift = 0;
  while ((square >> shift) >= (std::int64_t{1} << 36)) {
    ++shift;
  }
  square >>= shift;
  const std::int64_t q = std::min<std::int64_t>(((along >> shift) * 65536) / square, 65536);
  return capsule.a + WideVec3((d.x * q) >> 16, (d.y * q) >> 16, (d.z * q) >> 16);
}

bool touches(const WorldCapsule& capsule, const WideVec3& point) {
  if (outside_box(capsule, point - capsule.a)) {
    return false;
  }
  const WideVec3 gap = point - closest_axis_point(capsule, point);
  const std::int64_t r = capsule.radius_sum;
  for (int axis = 0; axis < 3; ++axis) {
    if (gap[axis] < -r || gap[axis] > r) {
      return false;
    }
  }
  return dot(gap, gap) <= r * r;
}

bool touches_hull(const EntityType& type, const Pose& pose, const Weapon& weapon,
                  const Vec3& point) {
  return std::any_of(type.hull.begin(), type.hull.end(), [&](const HullPart& part) {
    return touches(place(part, weapon, pose), WideVec3(point));
  });
}

bool touches_ground(std::int32_t ground, const Weapon& weapon, const Vec3& point) {
  return ground > -k_world_limit && std::int64_t{point.y} - contact_radius(weapon) <= ground;
}

}  // namespace contrail::sim
