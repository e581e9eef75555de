#pragma once

// Upper bounds of how far things move inside one tick. Integers only; every bound errs upwards.

#include <cstdint>

#include <contrail/sim/world.hpp>

namespace contrail::server {

/// Bounds |x(T1) - x(T2)| for two subticks of the interval it was made for.
struct MotionBound {
  std::int64_t speed = 0;        // length units per second
  std::int64_t spin_radius = 0;  // length units, arm that rotates
  std::int64_t spin = 0;         // radians per subtick, Q40
  /// Displacement within `span` subticks, length units.
  [[nodiscard]] std::int64_t displacement(sim::Subtick span) const;
};

/// What all roundings of positions and of the axis point together can add: length units. Terms:
/// flight piece 3, knots and homing ramp 28 (gap 2^26 * sqrt(3) * 3.3 / 2^24), track 4, basis
/// (2^22 length * 2^-22) 4, axis point 2 * |d| / 65536 <= 128 and its shift 64; rest is reserve.
inline constexpr std::int64_t k_rounding_slack = 512;

/// Rotation bound of an entity's basis in the tick (begin, end], Q40 radians per subtick; the
/// largest value means "any rotation".
std::int64_t spin_bound(const sim::Track& track, sim::Subtick begin, sim::Subtick end);
/// Of a point of the hull within `reach` of the entity's position, in (begin, end].
MotionBound hull_motion(const sim::Entity& entity, std::int64_t reach, sim::Subtick begin,
                        sim::Subtick end);
/// Of a missile in [first, last], a part of the world's next tick.
MotionBound missile_motion(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                           sim::Subtick first, sim::Subtick last);
/// Largest distance of a hull axis point from the entity's position, length units.
std::int64_t hull_reach(const sim::EntityType& type);
/// Length, rounded up.
std::int64_t length_above(const sim::WideVec3& v);

}  // namespace contrail::server
