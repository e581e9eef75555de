#pragma once

// What a batch evaluation fills.

#include <cstdint>
#include <span>

#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// A missile by its salvo's launch id and its index there.
struct MissileRef {
  std::uint32_t salvo = 0;
  std::uint8_t index = 0;
  bool operator==(const MissileRef&) const = default;
};

/// The caller's arrays, entry i of each for the same missile. An empty one is not wanted, any other
/// has room for as many missiles as BatchEvaluator::follow() told.
struct BatchOutput {
  std::span<MissileRef> missiles;
  std::span<Vec3> positions;      // X(T), length units
  std::span<Vec3> velocities;     // length units per second
  std::span<Basis> orientations;  // Q24
};

}  // namespace contrail::sim
