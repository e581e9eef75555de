#include <algorithm>

#include <contrail/flow/exact_contact.hpp>
#include <contrail/sim/arith.hpp>

namespace contrail::server {

using sim::Subtick;
using sim::WideVec3;

MissileMotion::MissileMotion(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                             Subtick first, Subtick last, int error_percent)
    : world_(world),
      salvo_(salvo),
      index_(index),
      weapon_(world.scenario().weapons[salvo.launch.weapon]),
      first_(first),
      last_(last),
      error_percent_(error_percent),
      launched_(world.missile_launch_time(salvo, index)) {
  const sim::LockInForce lock = world.lock_in_force(salvo, index, first);
  kept_speed_ = length_above(lock.velocity);
  locked_ = lock.locked;
  if (locked_) {
    look_at_target(lock);
  }
}

void MissileMotion::look_at_target(const sim::LockInForce& lock) {
  const sim::Entity* target = world_.find_entity(lock.target);
  if (target == nullptr) {
    locked_ = false;
    return;
  }
  const sim::EntityType& type = world_.scenario().types[target->type];
  const Subtick begin = world_.time();
  const Subtick end = begin + world_.scenario().tick_length();
  homing_.track = arc_of(target->track, begin);
  homing_.spin = spin_bound(target->track, begin, end);
  homing_.arm = arm_of(sim::aim_offset(salvo_.launch.seed, index_, lock.number, type));
  homing_.gap_speed =
      homing_.track.speed +
      (lock.number == 0 ? length_above(WideVec3(salvo_.anchor.target_velocity)) : 0);
  homing_.gap = length_above(world_.homing_gap(salvo_, index_, first_)) +
                ((homing_.gap_speed * (last_ - first_)) >> 16) + 1 +
                homing_.spin.moved(homing_.arm, last_ - first_) + k_rounding_slack;
  homing_.window = std::max<Subtick>(world_.missile_end_time(salvo_, index_) - lock.begin, 1);
  // Where something is held at a border, only speeds bound it.
  const auto inside = [&](const WideVec3& p) {
    return sim::max_abs(p) + ((homing_.gap_speed * (end - begin)) >> 16) + 64 < sim::k_world_limit;
  };
  homing_.smooth =
      homing_.gap < sim::k_homing_clamp && inside(WideVec3(target->track.position(first_)));
  if (lock.number == 0) {
    const WideVec3 coasted = WideVec3(salvo_.anchor.target_position) +
                             sim::drift(salvo_.anchor.target_velocity, first_ - salvo_.launch.t0);
    homing_.smooth = homing_.smooth && inside(coasted);
  }
  homing_.gap = std::min(homing_.gap, 2 * std::int64_t{sim::k_homing_clamp});
}

const Arc& MissileMotion::arc_at(Subtick t) const {
  const sim::Flight& flight = world_.compiled(salvo_, index_).flight;
  const Subtick local = std::clamp<Subtick>(t - launched_, 0, flight.duration() - 1);
  const int piece = static_cast<int>(local >> flight.log2_piece());
  if (piece != arc_piece_) {
    arc_piece_ = piece;
    arc_ = arc_of(flight.piece(piece), flight.log2_piece());
  }
  return arc_;
}

Subtick MissileMotion::piece_end(Subtick t) const {
  const int log2_piece = salvo_.launch.log2_piece;
  const Subtick next = (((t - launched_) >> log2_piece) + 1) << log2_piece;
  return std::min(last_, launched_ + next);
}

std::int64_t MissileMotion::deviation(Subtick a, Subtick b, const WideVec3& at_a,
                                      const WideVec3& at_b) const {
  const Subtick h = b - a;
  const Arc& own = arc_at(a);
  const std::int64_t limit = sim::k_world_limit;
  const bool at_border = sim::max_abs(at_a) >= limit || sim::max_abs(at_b) >= limit;
  const std::int64_t turned = locked_ ? homing_.spin.moved(homing_.arm, h) : 0;
  std::int64_t sum = 0;
  if (at_border || (locked_ && !homing_.smooth)) {
    // |x(T) - chord| <= twice how far x gets from its start.
    std::int64_t speed = own.speed + kept_speed_;
    if (locked_) {
      speed += homing_.gap_speed + ((homing_.gap * 15) << 13) / homing_.window + 1;
    }
    sum = 2 * (((speed * h) >> 16) + 1 + turned);
  } else {
    sum = own.deviation(h);
    if (locked_) {
      const std::int64_t r = ((h << 20) / homing_.window) + 1;  // Q20
      const std::int64_t ramped = (((3 * homing_.gap) >> 2) * (((r * r) >> 20) + 1)) >> 20;
      const std::int64_t moved = ((homing_.gap_speed * h) >> 16) + 1 + turned;
      sum += homing_.track.deviation(h) + 2 * turned + ramped + ((moved * r) >> 21) + 2;
    }
  }
  return (sum + k_rounding_slack) * error_percent_ / 100;
}

}  // namespace contrail::server
