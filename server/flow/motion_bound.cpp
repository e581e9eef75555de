#include <contrail/flow/motion_bound.hpp>

#include <algorithm>
#include <limits>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

constexpr std::int64_t k_any_spin = std::numeric_limits<std::int64_t>::max();
constexpr int k_spin_bits = 40;

/// Speed of a Hermite piece: its derivative is a Bezier curve with control points v0, m, v1.
std::int64_t piece_speed(const sim::TrackPiece& piece, Subtick begin) {
  const Subtick length = piece.jump ? 0 : Subtick{1} << piece.log2_duration;
  if (begin >= piece.start + length) {
    return length_above(WideVec3(piece.v1));
  }
  const WideVec3 chord = WideVec3(piece.p1) - WideVec3(piece.p0);
  WideVec3 middle{0};
  for (int axis = 0; axis < 3; ++axis) {
    middle[axis] = ((3 * chord[axis] * sim::k_subticks_per_second) >> piece.log2_duration) -
                   piece.v0[axis] - piece.v1[axis];
  }
  // One unit per subtick covers the floors of the inner control points.
  return std::max({length_above(WideVec3(piece.v0)), length_above(middle),
                   length_above(WideVec3(piece.v1))}) +
         8;
}

/// Of the facing of a piece while it turns: normalised lerp of f0 to f1. Below 90 degrees the rate
/// is at most 2 tan(angle / 2) / duration <= 3/2 |f1 - f0| / duration; beyond it goes through the
/// middle direction, each half at most 90 degrees: 4 / duration.
std::int64_t facing_rate(const sim::TrackPiece& piece, const Vec3& f0, const Vec3& f1) {
  if (sim::dot24(f0, f1) < 0) {
    return std::int64_t{4} << (k_spin_bits - piece.log2_duration);
  }
  const std::int64_t chord = length_above(WideVec3(f1) - WideVec3(f0)) + 4;  // Q24
  return ((3 * chord) << (k_spin_bits - 24 - 1)) >> piece.log2_duration;
}

/// The level basis turns with the facing and about it: at most (1 + 1/h) times as fast, h the
/// horizontal part of the facing.
std::int64_t level_basis_rate(std::int64_t rate, const Vec3& facing, Subtick span) {
  const std::int64_t horizontal =
      sim::length(WideVec3(facing.x, 0, facing.z)) - ((rate >> 16) * span) - 4;  // Q24
  constexpr std::int64_t k_least = sim::k_one / 16;
  if (horizontal < k_least) {
    return k_any_spin;
  }
  return rate + (rate / (horizontal >> 12) + 1) * 4096;
}

}  // namespace

std::int64_t length_above(const WideVec3& v) {
  const std::int64_t l = sim::length(v);
  return l + (l >> 22) + 2;
}

std::int64_t MotionBound::displacement(Subtick span) const {
  const std::int64_t travel = ((speed * span) >> 16) + 1;
  if (spin == 0 || spin_radius == 0) {
    return travel;
  }
  const std::int64_t whole = 2 * spin_radius;
  if (spin >= (std::int64_t{1} << (k_spin_bits + 1)) / std::max<Subtick>(span, 1)) {
    return travel + whole;
  }
  const std::int64_t turned = (((spin * span) >> 16) + 1) * spin_radius;  // Q24
  return travel + std::min(whole, (turned >> 24) + 1);
}

std::int64_t spin_bound(const sim::Track& track, Subtick begin, Subtick end) {
  if (track.own_attitude()) {
    const sim::AttitudePiece& piece = track.attitudes().back();
    const bool turning = begin < piece.start + (Subtick{1} << piece.log2_duration);
    return turning ? std::int64_t{4} << (k_spin_bits - piece.log2_duration) : 0;
  }
  const sim::TrackPiece& piece = track.pieces().back();
  if (piece.jump || begin >= piece.start + (Subtick{1} << piece.log2_duration)) {
    return 0;
  }
  const Vec3 f0 = sim::thaw(piece.facing);
  const Vec3 f1 = sim::piece_facing(piece, piece.start + (Subtick{1} << piece.log2_duration));
  const std::int64_t rate = facing_rate(piece, f0, f1);
  return rate == 0 ? 0 : level_basis_rate(rate, sim::piece_facing(piece, end), end - begin);
}

MotionBound hull_motion(const sim::Entity& entity, std::int64_t reach, Subtick begin, Subtick end) {
  return {piece_speed(entity.track.pieces().back(), begin), reach,
          spin_bound(entity.track, begin, end)};
}

std::int64_t hull_reach(const sim::EntityType& type) {
  std::int64_t reach = 0;
  for (const sim::HullPart& part : type.hull) {
    reach = std::max(
        {reach, length_above(WideVec3(part.a)), length_above(WideVec3(part.a) + WideVec3(part.d))});
  }
  return reach;
}

MotionBound missile_motion(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                           Subtick first, Subtick last) {
  const sim::CompiledMissile& missile = world.compiled(salvo, index);
  const sim::Flight& flight = missile.flight;
  const Subtick launched = world.missile_launch_time(salvo, index);

  // Own flight: 3 |P[i+1] - P[i]| per piece duration bounds the derivative of a Bezier piece.
  const auto piece_of = [&](Subtick t) {
    return std::clamp<Subtick>((t - launched) >> flight.log2_piece(), 0, flight.pieces() - 1);
  };
  std::int64_t step = 0;
  for (Subtick k = piece_of(first); k <= piece_of(last); ++k) {
    const Vec3* points = flight.piece(static_cast<int>(k));
    for (int i = 0; i < 3; ++i) {
      step = std::max(step, length_above(WideVec3(points[i + 1]) - WideVec3(points[i])));
    }
  }
  MotionBound bound;
  bound.speed = ((3 * step * sim::k_subticks_per_second) >> flight.log2_piece()) + 1 +
                length_above(world.kept_velocity(salvo, index, first));

  const sim::Missile& state = salvo.missiles[index];
  const sim::Entity* target = state.locked ? world.find_entity(state.target) : nullptr;
  if (target == nullptr) {
    return bound;
  }
  // Homing w * G: |(wG)'| <= w' |G| + w |G'|, w' <= 15/8 per window, w <= 1.
  const Subtick begin = world.time();
  const Subtick end = begin + world.scenario().tick_length();
  const MotionBound own =
      hull_motion(*target, hull_reach(world.scenario().types[target->type]), begin, end);
  const std::int64_t gap_speed =
      own.speed + (state.events == 0 ? length_above(WideVec3(salvo.anchor.target_velocity)) : 0);
  const MotionBound gap_motion{gap_speed, own.spin_radius, own.spin};
  const std::int64_t clamped = 2 * std::int64_t{sim::k_homing_clamp};
  const std::int64_t gap = std::min(clamped, length_above(world.homing_gap(salvo, index, first)) +
                                                 gap_motion.displacement(last - first));
  const Subtick window =
      world.missile_end_time(salvo, index) - world.lock_begin(salvo, index, last);
  bound.speed += ((gap * 15) << 13) / std::max<Subtick>(window, 1) + 1 + gap_speed;
  bound.spin_radius = own.spin_radius;
  bound.spin = own.spin;
  return bound;
}

}  // namespace contrail::server
