#pragma once

// What a flight starts from: the missile's times, its aim and its base curve. A pure function of
// launch, anchor, weapon, hull and missile index.

#include <cstdint>

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

}  // namespace contrail::sim
