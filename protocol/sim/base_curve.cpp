#include <contrail/sim/base_curve.hpp>

#include <algorithm>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/frame.hpp>

namespace contrail::sim {
namespace {

/// A direction within a cone around the unit vector f.
Vec3 cone_direction(const Cone& cone, const Vec3& f, std::uint32_t key) {
  const WideVec3 random = WideVec3(ball(key, 0)) * std::int64_t{512};  // Q24
  const WideVec3 sum = WideVec3(f) * std::int64_t{cone.along} + random * std::int64_t{cone.across};
  return unit_or(shift_right(sum, 14), f);
}

/// fraction (Q16) of a length, without a product of 2^53.
std::int64_t fraction_of(std::int64_t length, std::int64_t fraction) {
  return ((length >> 4) * fraction) >> 12;
}

/// How far the approach point moves aside when the missile starts away from its target: 5/4 of the
/// chord times the cosine beyond the right angle. Less lets the curve stall on its way round.
WideVec3 turn_aside(const Vec3& start, const Vec3& chord, std::int64_t chord_length,
                    std::int64_t cosine) {
  WideVec3 across = WideVec3(start) - round24(WideVec3(chord) * cosine);
  if (max_abs(across) < (1 << 20)) {
    across = WideVec3(start_frame(chord).r);
  }
  const std::int64_t reach = ((fraction_of(chord_length, 81'920) >> 4) * -cosine) >> 20;
  return along(unit(across), reach);
}

}  // namespace

Subtick launch_time(const Launch& launch, const Weapon& weapon, std::uint8_t index) {
  return launch.t0 + Subtick{index} * weapon.ripple_interval;
}

Subtick end_time(const Launch& launch, const Weapon& weapon, std::uint8_t index) {
  return launch_time(launch, weapon, index) + (Subtick{launch.pieces} << launch.log2_piece);
}

Vec3 aim_offset(std::uint32_t seed, std::uint8_t index, std::uint32_t lock,
                const EntityType& type) {
  require(!type.hull.empty(), "an entity type has a hull part");
  const std::uint32_t own = key(seed, Stream::aim_offset, index + 256U * lock);
  const std::size_t chosen = (std::uint64_t{draw(own, 0)} * type.hull.size()) >> 32;
  const HullPart& part = type.hull[chosen];
  const std::int64_t q = draw(own, 1) >> 16;
  const std::int64_t reach = (7 * std::int64_t{part.radius}) >> 3;
  return Vec3(WideVec3(part.a) + shift_right(WideVec3(part.d) * q, 16) +
              shift_right(WideVec3(ball(own, 2)) * reach, 15));
}

WideVec3 predicted_aim(const FlightSource& source, const Vec3& offset, Subtick t) {
  const Anchor& anchor = source.anchor;
  const WideVec3 coasted =
      WideVec3(anchor.target_position) + drift(anchor.target_velocity, t - source.launch.t0);
  return WideVec3(clamp(coasted, k_world_limit)) + rotate(thaw(anchor.target_basis), offset);
}

BaseCurve base_curve(const FlightSource& source) {
  const Launch& launch = source.launch;
  const Weapon& weapon = source.weapon;
  const Subtick start = launch_time(launch, weapon, source.index);
  const Subtick end = end_time(launch, weapon, source.index);
  const Vec3 offset = aim_offset(launch.seed, source.index, 0, source.target_type);

  const WideVec3 p0(clamp(
      WideVec3(source.anchor.muzzle) + drift(source.anchor.launcher_velocity, start - launch.t0),
      k_world_limit));
  const WideVec3 p3 = predicted_aim(source, offset, end);
  const WideVec3 chord = p3 - p0;
  const std::int64_t chord_length = length(chord);
  const Vec3 muzzle_forward = thaw(source.anchor.muzzle_basis.forward);
  const Vec3 chord_direction = unit_or(chord, muzzle_forward);

  const Vec3 leave = cone_direction(weapon.muzzle_cone, muzzle_forward,
                                    key(launch.seed, Stream::muzzle_spread, source.index));
  const Vec3 arrive = cone_direction(weapon.approach_cone, -chord_direction,
                                     key(launch.seed, Stream::approach_spread, source.index));
  const WideVec3 p1 = p0 + along(leave, fraction_of(chord_length, weapon.muzzle_handle));
  WideVec3 p2 = p3 + along(arrive, fraction_of(chord_length, weapon.approach_handle));
  const std::int64_t cosine = dot24(leave, chord_direction);
  if (cosine < 0) {
    p2 += turn_aside(leave, chord_direction, chord_length, cosine);
  }

  BaseCurve base;
  base.p = {clamp(p0, k_point_limit), clamp(p1, k_point_limit), clamp(p2, k_point_limit),
            clamp(p3, k_point_limit)};
  base.amplitude =
      static_cast<std::int32_t>(std::min<std::int64_t>(weapon.amplitude, max_abs(chord) >> 3));
  return base;
}

}  // namespace contrail::sim
