#include <contrail/flow/lock_test.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/base_curve.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/homing.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::WideVec3;

Subtick back(Subtick at, std::size_t steps) {
  return at - static_cast<Subtick>(steps) * sim::k_back_step;
}

Axes axes_of(const sim::Basis& b) {
  return {WideVec3(sim::right(b)), WideVec3(b.up), WideVec3(b.forward)};
}

/// What sim::rotate() makes of the same basis.
WideVec3 rotate(const Axes& axes, const sim::Vec3& offset) {
  return sim::round24(axes[0] * std::int64_t{offset.x} + axes[1] * std::int64_t{offset.y} +
                      axes[2] * std::int64_t{offset.z});
}

std::int64_t largest_change(const Axes& p, const Axes& q) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    most = std::max(most, sim::max_abs(p[i] - q[i]));
  }
  return most;
}

/// Largest component, over the axes, of a sum of three products with axes that changed by `turn`.
std::int64_t turned(std::int64_t turn, std::int64_t reach) {
  return ((3 * turn * reach) >> 24) + 3;  // 3: the roundings of two or three rotations
}

std::int64_t aim_reach(const sim::EntityType& type) {
  std::int64_t reach = 0;
  for (const sim::HullPart& part : type.hull) {
    const WideVec3 a(part.a);
    reach = std::max(
        reach, std::max(sim::max_abs(a), sim::max_abs(a + WideVec3(part.d))) + part.radius + 2);
  }
  return reach;
}

}  // namespace

TargetMotion target_motion(const sim::World& world, const sim::Entity& entity, Subtick at) {
  TargetMotion motion;
  for (std::size_t k = 0; k < 3; ++k) {
    const sim::Pose pose = entity.track.pose(back(at, k));
    motion.position[k] = pose.position;
    motion.axes[k] = axes_of(pose.basis);
  }
  const auto& [now, before, long_before] = motion.axes;
  motion.turn = largest_change(now, before);
  motion.turn_twice = largest_change(now, long_before);
  for (std::size_t i = 0; i < 3; ++i) {
    motion.turn_change = std::max(
        motion.turn_change, sim::max_abs(now[i] - before[i] * std::int64_t{2} + long_before[i]));
  }
  motion.aim_reach = aim_reach(world.scenario().types[entity.type]);
  return motion;
}

AnnouncedGap announced_gap(const sim::Salvo& salvo, const TargetMotion& target, Subtick at) {
  const sim::Anchor& anchor = salvo.anchor;
  AnnouncedGap out;
  for (std::size_t k = 0; k < 3; ++k) {
    const WideVec3 expected(
        sim::clamp(WideVec3(anchor.target_position) +
                       sim::drift(anchor.target_velocity, back(at, k) - salvo.launch.t0),
                   sim::k_world_limit));
    out.gap[k] = WideVec3(target.position[k]) - expected;
  }
  out.expected = axes_of(sim::thaw(anchor.target_basis));
  return out;
}

HomingSample first_lock_sample(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                               const TargetMotion& target, const AnnouncedGap& announced,
                               Subtick at) {
  const sim::EntityType& type = world.scenario().types[salvo.anchor.target_type];
  const sim::Vec3 offset = sim::aim_offset(salvo.launch.seed, index, 0, type);
  const WideVec3 expected = rotate(announced.expected, offset);
  const Subtick begin = world.missile_launch_time(salvo, index);
  const Subtick duration = world.missile_end_time(salvo, index) - begin;
  HomingSample sample;
  for (std::size_t k = 0; k < 3; ++k) {
    const WideVec3 gap = announced.gap[k] + rotate(target.axes[k], offset) - expected;
    sample.term[k] = sim::homing_term(gap, back(at, k) - begin, duration);
    if (k == 0) {
      sample.gap = gap;
    }
  }
  return sample;
}

HomingSample lock_sample(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                         Subtick at) {
  const Subtick begin = world.lock_begin(salvo, index, at);
  const Subtick duration = world.missile_end_time(salvo, index) - begin;
  HomingSample sample;
  sample.gap = world.homing_gap(salvo, index, at);
  for (std::size_t k = 0; k < 3; ++k) {
    const Subtick t = back(at, k);
    if (t > begin) {  // the ramp is 0 before, whatever the gap
      sample.term[k] = sim::homing_term(world.homing_gap(salvo, index, t), t - begin, duration);
    }
  }
  return sample;
}

bool exceeds_limits(const HomingSample& sample, const sim::Weapon& weapon) {
  const auto& [now, before, long_before] = sample.term;
  return sim::max_abs(now - before) * 64 > weapon.max_extra_speed ||
         sim::max_abs(now - before * std::int64_t{2} + long_before) * 4096 >
             weapon.max_extra_acceleration ||
         sim::max_abs(sample.gap) > weapon.max_displacement;
}

/// With H = w G at n, n-h and n-2h (0, 1, 2): H0 - H1 = w0 (G0 - G1) + (w0 - w1) G1, and
/// H0 - 2 H1 + H2 = w1 (G0 - 2 G1 + G2) + (w0 - w1) (G0 - G2) + (w0 - 2 w1 + w2) G2. The ramp has
/// w <= 1, |w'| <= 15/8 and |w''| <= 10/sqrt(3) < 5.78 a window, and is computed to 3.3 / 2^24.
bool whole_salvo_holds(const sim::World& world, const sim::Salvo& salvo, const TargetMotion& target,
                       const AnnouncedGap& announced) {
  const sim::Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
  const std::int64_t reach = target.aim_reach;
  const auto& gap = announced.gap;
  const std::int64_t turn = largest_change(target.axes[0], announced.expected);
  const std::int64_t now = sim::max_abs(gap[0]) + turned(turn, reach);
  const std::int64_t before = sim::max_abs(gap[1]) + turned(turn + target.turn, reach);
  const std::int64_t long_before = sim::max_abs(gap[2]) + turned(turn + target.turn_twice, reach);
  if (std::max({now, before, long_before}) > sim::k_homing_clamp) {
    return false;  // where the term saturates the differences above don't hold
  }
  const std::int64_t step = sim::max_abs(gap[0] - gap[1]) + turned(target.turn, reach);
  const std::int64_t two_steps = sim::max_abs(gap[0] - gap[2]) + turned(target.turn_twice, reach);
  const std::int64_t change =
      sim::max_abs(gap[0] - gap[1] * std::int64_t{2} + gap[2]) + turned(target.turn_change, reach);
  const Subtick duration = Subtick{salvo.launch.pieces} << salvo.launch.log2_piece;
  constexpr std::int64_t k_slope = 15 * sim::k_back_step << 21;                 // 15/8 h, Q24
  constexpr std::int64_t k_bend = 96'972'309 * std::int64_t{sim::k_back_step};  // 5.78 h, Q24
  const std::int64_t rise = std::min<std::int64_t>(k_slope / duration + 8, sim::k_one);
  const std::int64_t bend =
      std::min<std::int64_t>(k_bend / duration * sim::k_back_step / duration + 32, 4 * sim::k_one);
  const std::int64_t speed = step + ((rise * before) >> 24) + 3;
  const std::int64_t acceleration =
      change + ((rise * two_steps) >> 24) + ((bend * long_before) >> 24) + 6;
  return speed * 64 <= weapon.max_extra_speed &&
         acceleration * 4096 <= weapon.max_extra_acceleration && now <= weapon.max_displacement;
}

}  // namespace contrail::server
