#include <contrail/sim/turret_aim.hpp>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/sim/trig.hpp>

namespace contrail::sim {
namespace {

/// The same direction with its largest axis in 2^24 .. 2^25 - 1: no square sum reaches 2^52.
WideVec3 scaled(WideVec3 v) {
  while (max_abs(v) >= std::int64_t{1} << 25) {
    v = shift_right(v, 1);
  }
  while (max_abs(v) < std::int64_t{1} << 24) {
    v = v * std::int64_t{2};
  }
  return v;
}

std::int64_t dot_wide(const Vec3& axis, const WideVec3& v) {
  return round24(std::int64_t{axis.x} * v.x + std::int64_t{axis.y} * v.y +
                 std::int64_t{axis.z} * v.z);
}

/// The bore's direction in the mount's axes, Q24.
Vec3 bore_direction(const TurretState& state) {
  return basis_of_angles(binary_angle(state.yaw.angle), binary_angle(state.pitch.angle), 0).forward;
}

AxisDemand follow(bool known, bool known_before, std::int32_t before, std::int32_t now) {
  const std::int64_t turned =
      known_before ? wrap_turret_angle(std::int64_t{now} - before) : std::int64_t{0};
  return {now, static_cast<std::int32_t>(turned), !known};
}

}  // namespace

WideVec3 turret_pivot(const TurretMount& mount, const TurretPlatform& platform) {
  return WideVec3(platform.position) + rotate(platform.basis, mount.pivot);
}

TurretAim aim_along(const TurretMount& mount, const Basis& body, const WideVec3& way) {
  TurretAim aim;
  if (is_zero(way)) {
    return aim;
  }
  const Basis axes = compose(body, mount.orientation);
  const WideVec3 v = scaled(way);
  const std::int64_t x = dot_wide(right(axes), v);
  const std::int64_t y = dot_wide(axes.up, v);
  const std::int64_t z = dot_wide(axes.forward, v);
  const std::int64_t level = isqrt(x * x + z * z);
  aim.direction = true;
  aim.heading = level != 0;
  aim.yaw = turret_angle(atan2_angle(x, z));
  aim.pitch = turret_angle(atan2_angle(y, level));
  aim.bore = unit(WideVec3(x, y, z));
  return aim;
}

TurretAim aim_at(const TurretMount& mount, const TurretPlatform& platform, const WideVec3& point) {
  return aim_along(mount, platform.basis, point - turret_pivot(mount, platform));
}

TurretDemand follow(const TurretAim& before, const TurretAim& now) {
  return {
      follow(now.direction && now.heading, before.direction && before.heading, before.yaw, now.yaw),
      follow(now.direction, before.direction, before.pitch, now.pitch)};
}

Basis bore_basis(const TurretMount& mount, const TurretState& state, const Basis& body) {
  return compose(
      compose(body, mount.orientation),
      basis_of_angles(binary_angle(state.yaw.angle), binary_angle(state.pitch.angle), 0));
}

WideVec3 muzzle_position(const TurretMount& mount, const TurretState& state,
                         const TurretPlatform& platform, int barrel) {
  require(barrel >= 0 && static_cast<std::size_t>(barrel) < mount.muzzles.size(),
          "a barrel is one of the turret's");
  return turret_pivot(mount, platform) + rotate(bore_basis(mount, state, platform.basis),
                                                mount.muzzles[static_cast<std::size_t>(barrel)]);
}

std::int32_t bore_error(const TurretState& state, const TurretAim& aim) {
  if (!aim.direction) {
    return k_turret_turn / 2;
  }
  const Vec3 bore = bore_direction(state);
  const Vec3 across = cross24(bore, aim.bore);
  // Half a turn wraps to -2^31. The arc tangent of both, not the arc cosine: that has no digits
  // left at small angles.
  const std::int32_t angle = atan2_angle(isqrt(dot(across, across)), dot24(bore, aim.bore));
  return angle < 0 ? k_turret_turn / 2 : turret_angle(angle);
}

bool on_target(const TurretMount& mount, const TurretState& state, const TurretAim& aim) {
  return aim.direction && bore_error(state, aim) <= mount.tolerance;
}

}  // namespace contrail::sim
