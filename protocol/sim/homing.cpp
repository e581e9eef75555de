#include <contrail/sim/homing.hpp>

#include <contrail/sim/arith.hpp>

namespace contrail::sim {

std::int64_t ramp(Subtick t, Subtick duration) {
  if (t <= 0) {
    return 0;
  }
  if (t >= duration) {
    return k_one;
  }
  // u^3 (6 u^2 - 15 u + 10) with u in Q24, its powers in Q28.
  const std::int64_t u = floor_div(t << 24, duration);
  const std::int64_t u2 = (u * u) >> 20;
  const std::int64_t u3 = (u2 * u) >> 24;
  return (u3 * (((6 * u2) >> 4) - 15 * u + 10 * std::int64_t{k_one})) >> 28;
}

WideVec3 homing_term(const WideVec3& gap, Subtick t, Subtick duration) {
  const WideVec3 held(clamp(gap, k_homing_clamp));
  return shift_right(held * ramp(t, duration), 24);
}

Vec3 kept_velocity(const WideVec3& now, const WideVec3& before) {
  return clamp((now - before) * std::int64_t{64}, k_max_speed);
}

}  // namespace contrail::sim
