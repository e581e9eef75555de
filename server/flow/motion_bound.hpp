#pragma once

// Upper bounds of how far things move: integers only, and every bound errs upwards. MARGINS.md
// derives each of them.

#include <cstdint>

#include <contrail/sim/world.hpp>

namespace contrail::server {

/// Roundings of the specified operations between two exact positions, length units (MARGINS.md,
/// "Rounding").
inline constexpr std::int64_t k_rounding_slack = 160;
/// "It may be anywhere": farther than any two points of the world, length units.
inline constexpr std::int64_t k_anywhere = std::int64_t{1} << 33;

/// Length, rounded up.
std::int64_t length_above(const sim::WideVec3& v);
/// At least the length, at most 16 % more: largest axis and half the others.
inline std::int64_t roughly_above(const sim::WideVec3& v) {
  const auto magnitude = [](std::int64_t x) { return x < 0 ? -x : x; };
  const std::int64_t x = magnitude(v.x);
  const std::int64_t y = magnitude(v.y);
  const std::int64_t z = magnitude(v.z);
  const std::int64_t most = x > y ? (x > z ? x : z) : (y > z ? y : z);
  return (x + y + z + most + 1) / 2;
}
/// Largest distance of a point of the hull's axes from the entity's position, length units.
std::int64_t hull_reach(const sim::EntityType& type);

/// How far a point is from a body's position, along its forward axis and across it; length units.
struct Arm {
  std::int64_t along = 0;
  std::int64_t across = 0;
};
Arm arm_of(const sim::Vec3& offset);
/// Of the points of a hull's axes, the largest of each.
Arm hull_arm(const sim::EntityType& type);

/// How a basis can turn inside one tick. What lies on the forward axis turns with the facing alone:
/// a ship that climbs straight up may spin about it as fast as it likes.
struct Spin {
  std::int64_t facing = 0;  // radians per subtick, Q40, of the forward axis
  std::int64_t rate = 0;    // the same, of all axes
  bool any = false;         // no bound of the latter
  /// How far the end of the arm moves in `span` subticks, length units.
  [[nodiscard]] std::int64_t moved(const Arm& arm, sim::Subtick span) const;
};
/// Of an entity's basis in (begin, end], a tick that its track is final in.
Spin spin_bound(const sim::Track& track, sim::Subtick begin, sim::Subtick end);

/// A cubic piece that is flown, or a straight line.
struct Arc {
  std::int64_t bend = 0;   // largest second difference of the control points, length units
  std::int64_t speed = 0;  // length units per second
  int log2_duration = 0;   // subticks
  /// Largest distance from the chord between two times `span` subticks apart, length units.
  [[nodiscard]] std::int64_t deviation(sim::Subtick span) const;
};
Arc arc_of(const sim::Vec3* points, int log2_duration);
/// The same of something the world's border may hold, `a` and `b` where it is `span` subticks
/// apart.
std::int64_t position_deviation(const Arc& arc, const sim::Vec3& a, const sim::Vec3& b,
                                sim::Subtick span);
/// Of the track's newest piece, for times in (begin, begin + a tick].
Arc arc_of(const sim::Track& track, sim::Subtick begin);
/// Largest second derivative of a track piece, length units per second^2; 0 for a jump, and where a
/// quick look says that it is not above `enough`.
std::int64_t acceleration_of(const sim::TrackPiece& piece, std::int64_t enough);

}  // namespace contrail::server
