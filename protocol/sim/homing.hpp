#pragma once

// How a flight follows its target: a quintic ramp over the gap between the target's aim point and
// where it was expected.

#include <contrail/sim/units.hpp>

namespace contrail::sim {

/// Quintic ramp, Q24: 0 for t <= 0, 1 for t >= duration. Both in subticks, duration >= 1.
std::int64_t ramp(Subtick t, Subtick duration);
/// (ramp * clamp(gap, HOMING_CLAMP)) >> 24 per axis.
WideVec3 homing_term(const WideVec3& gap, Subtick t, Subtick duration);
/// clamp((now - before) * 64, VMAX): the velocity a lost lock keeps, from H(L) and H(L - h).
Vec3 kept_velocity(const WideVec3& now, const WideVec3& before);

}  // namespace contrail::sim
