#pragma once

// A missile's own flight, before homing: base curve, frames, wobble, and the C2 spline through the
// displaced knots. A pure function of launch, anchor, weapon, hull and missile index.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <contrail/sim/curve.hpp>
#include <contrail/sim/scenario.hpp>
#include <contrail/sim/snapshot.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// Everything a flight is made from. Referenced objects must outlive the call only.
struct FlightSource {
  const Launch& launch;
  const Anchor& anchor;
  const Weapon& weapon;
  const EntityType& target_type;
  std::uint8_t index = 0;  // missile in the salvo
};

/// T0_i, the missile's own launch time.
Subtick launch_time(const Launch& launch, const Weapon& weapon, std::uint8_t index);
/// Tend_i = T0_i + pieces * 2^J.
Subtick end_time(const Launch& launch, const Weapon& weapon, std::uint8_t index);

/// Aim offset in body axes of the target type's hull, |offset| <= 7/8 of a part's radius around its
/// axis. `lock` is the number of guidance events before this lock (0: the announced target).
Vec3 aim_offset(std::uint32_t seed, std::uint8_t index, std::uint32_t lock, const EntityType& type);

/// Where the announced target's aim point is expected at T, its anchor state continued.
WideVec3 predicted_aim(const FlightSource& source, const Vec3& offset, Subtick t);

/// Control points and amplitude of one flight's base curve.
struct BaseCurve {
  Cubic p{};                   // length units
  std::int32_t amplitude = 0;  // length units, effective
  bool operator==(const BaseCurve&) const = default;
};
BaseCurve base_curve(const FlightSource& source);

/// One compiled flight: `pieces` cubic Bezier pieces of 2^J subticks.
class Flight {
 public:
  Flight() = default;
  explicit Flight(const FlightSource& source);

  /// Position t subticks after the missile's launch, clamped to [0, duration]; length units.
  [[nodiscard]] Vec3 position(Subtick t) const;
  /// Derivative of the piece ruling t, length units per second; for rendering and bounds.
  [[nodiscard]] Vec3 velocity(Subtick t) const;
  [[nodiscard]] Subtick duration() const { return Subtick{pieces()} << log2_piece_; }
  [[nodiscard]] int pieces() const { return static_cast<int>(points_.size() / 3); }
  [[nodiscard]] int log2_piece() const { return log2_piece_; }
  /// 3 * pieces + 1 control points, length units.
  [[nodiscard]] const std::vector<Vec3>& points() const { return points_; }

  /// Test seam: moves control point `index` by `by` (length units). Negative controls plant a fault
  /// with it; nothing else calls it.
  void displace_point(std::size_t index, const Vec3& by);

 private:
  std::vector<Vec3> points_;
  int log2_piece_ = 8;
};

/// J for a wanted duration: clamp(floor(log2 duration) - 4, 8, 13).
int log2_piece_for(Subtick duration);

}  // namespace contrail::sim
