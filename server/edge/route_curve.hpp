#pragma once

// One span of a route: a cubic Hermite curve in exact integers, before it becomes track keys.

#include <cstdint>

#include <contrail/sim/units.hpp>

namespace contrail::server {

__extension__ using Int128 = __int128;

/// numerator / denominator to the nearest; denominator > 0. The quotient must fit.
std::int64_t divide(Int128 numerator, Int128 denominator);

/// Positions in length units, velocities in length units per second, duration in subticks (up to
/// 2^33).
struct RouteCurve {
  sim::Vec3 p0{0};
  sim::Vec3 v0{0};
  sim::Vec3 p1{0};
  sim::Vec3 v1{0};
  sim::Subtick duration = 1;

  /// Position after j of n equal parts.
  [[nodiscard]] sim::WideVec3 position(std::int64_t j, std::int64_t n) const;
  /// Velocity after j of n equal parts, length units per second.
  [[nodiscard]] sim::WideVec3 velocity(std::int64_t j, std::int64_t n) const;
  /// Acceleration at the start or the end; between them it is linear. Length units per second^2.
  [[nodiscard]] sim::WideVec3 end_acceleration(bool at_end) const;
  /// Length along the curve, by 32 chords.
  [[nodiscard]] std::int64_t arc_length() const;
  /// The largest of 65 speeds.
  [[nodiscard]] std::int64_t top_speed() const;
};

}  // namespace contrail::server
