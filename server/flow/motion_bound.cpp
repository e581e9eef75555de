#include <contrail/flow/motion_bound.hpp>

#include <algorithm>
#include <cstdlib>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/curve.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

constexpr int k_spin_bits = 40;

/// Of the facing of a piece while it turns: normalised lerp of f0 to f1. Below 90 degrees the rate
/// is at most 2 tan(angle / 2) / duration <= 3/2 |f1 - f0| / duration; beyond it goes through the
/// middle direction, each half at most 90 degrees: 4 / duration, and a fourth more because the
/// first facing is stored in 16 bits.
std::int64_t facing_rate(const sim::TrackPiece& piece, const Vec3& f0, const Vec3& f1) {
  if (sim::dot24(f0, f1) < 0) {
    return std::int64_t{5} << (k_spin_bits - piece.log2_duration);
  }
  const std::int64_t chord = length_above(WideVec3(f1) - WideVec3(f0)) + 4;  // Q24
  return ((3 * chord) << (k_spin_bits - 24 - 1)) >> piece.log2_duration;
}

/// The level basis turns with the facing and about it: at most (1 + 1/h) times as fast, h the
/// horizontal part of the facing.
Spin level_basis_spin(std::int64_t rate, const Vec3& facing, Subtick span) {
  const std::int64_t horizontal =
      sim::length(WideVec3(facing.x, 0, facing.z)) - ((rate >> 16) + 1) * span - 4;  // Q24
  constexpr std::int64_t k_least = sim::k_one / 4096;
  if (horizontal < k_least) {
    return {rate, 0, true};
  }
  return {rate, rate + (rate / (horizontal >> 6) + 1) * 262144, false};
}

std::int64_t largest_bend(const WideVec3& p0, const WideVec3& p1, const WideVec3& p2,
                          const WideVec3& p3) {
  return std::max(length_above(p0 - p1 - p1 + p2), length_above(p1 - p2 - p2 + p3));
}

sim::Cubic control_points(const sim::TrackPiece& piece) {
  return sim::hermite(piece.p0, piece.v0, piece.p1, piece.v1, piece.log2_duration);
}

}  // namespace

std::int64_t length_above(const WideVec3& v) {
  const std::int64_t l = sim::length(v);
  return l + (l >> 22) + 2;
}

std::int64_t hull_reach(const sim::EntityType& type) {
  std::int64_t reach = 0;
  for (const sim::HullPart& part : type.hull) {
    reach = std::max(
        {reach, length_above(WideVec3(part.a)), length_above(WideVec3(part.a) + WideVec3(part.d))});
  }
  return reach;
}

Arm arm_of(const Vec3& offset) {
  return {std::abs(std::int64_t{offset.z}), length_above(WideVec3(offset.x, offset.y, 0))};
}

Arm hull_arm(const sim::EntityType& type) {
  Arm most;
  for (const sim::HullPart& part : type.hull) {
    for (const Vec3& end : {part.a, part.a + part.d}) {
      const Arm arm = arm_of(end);
      most = {std::max(most.along, arm.along), std::max(most.across, arm.across)};
    }
  }
  return most;
}

std::int64_t Spin::moved(const Arm& arm, Subtick span) const {
  const auto turned = [span](std::int64_t speed, std::int64_t length) {
    const std::int64_t whole = 2 * length + 2;
    if (speed >= (std::int64_t{1} << (k_spin_bits + 1)) / std::max<Subtick>(span, 1)) {
      return whole;
    }
    const std::int64_t way = (((speed * span) >> 16) + 1) * length;  // Q24
    return std::min(whole, (way >> 24) + 1);
  };
  return turned(facing, arm.along) + (any ? 2 * arm.across + 2 : turned(rate, arm.across));
}

Spin spin_bound(const sim::Track& track, Subtick begin, Subtick end) {
  if (track.own_attitude()) {
    const sim::AttitudePiece& piece = track.attitudes().back();
    const bool turning = begin < piece.start + (Subtick{1} << piece.log2_duration);
    const std::int64_t rate = turning ? std::int64_t{5} << (k_spin_bits - piece.log2_duration) : 0;
    return {rate, rate, false};
  }
  const sim::TrackPiece& piece = track.pieces().back();
  if (piece.jump || begin >= piece.start + (Subtick{1} << piece.log2_duration)) {
    return {};
  }
  const Vec3 f0 = sim::thaw(piece.facing);
  const Vec3 f1 = sim::piece_facing(piece, piece.start + (Subtick{1} << piece.log2_duration));
  const std::int64_t rate = facing_rate(piece, f0, f1);
  return rate == 0 ? Spin{} : level_basis_spin(rate, sim::piece_facing(piece, end), end - begin);
}

std::int64_t Arc::deviation(Subtick span) const {
  if (bend == 0) {
    return 1;
  }
  // |x''| h^2 / 8 with |x''| <= 6 bend / 2^2k.
  return ((3 * bend * span * span) >> (2 * log2_duration + 2)) + 1;
}

std::int64_t position_deviation(const Arc& arc, const Vec3& a, const Vec3& b, Subtick span) {
  // A chord inside the world is no farther from a held point than from a free one; a held end is.
  const bool at_border = sim::max_abs(WideVec3(a)) >= sim::k_world_limit ||
                         sim::max_abs(WideVec3(b)) >= sim::k_world_limit;
  return at_border ? 2 * (((arc.speed * span) >> 16) + 1) : arc.deviation(span);
}

Arc arc_of(const Vec3* points, int log2_duration) {
  const WideVec3 p0(points[0]);
  const WideVec3 p1(points[1]);
  const WideVec3 p2(points[2]);
  const WideVec3 p3(points[3]);
  const std::int64_t step =
      std::max({length_above(p1 - p0), length_above(p2 - p1), length_above(p3 - p2)});
  return {largest_bend(p0, p1, p2, p3),
          ((3 * step * sim::k_subticks_per_second) >> log2_duration) + 1, log2_duration};
}

Arc arc_of(const sim::Track& track, Subtick begin) {
  const sim::TrackPiece& piece = track.pieces().back();
  if (piece.jump || begin >= piece.start + (Subtick{1} << piece.log2_duration)) {
    return {0, length_above(WideVec3(piece.v1)), 0};
  }
  return arc_of(control_points(piece).data(), piece.log2_duration);
}

std::int64_t acceleration_of(const sim::TrackPiece& piece, std::int64_t enough) {
  if (piece.jump) {
    return 0;
  }
  const sim::Cubic p = control_points(piece);
  // 6 bend / duration^2, the duration 2^(k - 16) seconds.
  const int shift = 32 - 2 * piece.log2_duration;
  const auto acceleration = [shift](std::int64_t bend) {
    return shift >= 0 ? (6 * bend) << shift : ((6 * bend) >> -shift) + 1;
  };
  const WideVec3 first = WideVec3(p[0]) - WideVec3(p[1]) - WideVec3(p[1]) + WideVec3(p[2]);
  const WideVec3 second = WideVec3(p[1]) - WideVec3(p[2]) - WideVec3(p[2]) + WideVec3(p[3]);
  const std::int64_t rough = acceleration(std::max(roughly_above(first), roughly_above(second)));
  return rough <= enough ? 0 : acceleration(std::max(length_above(first), length_above(second)));
}

}  // namespace contrail::server
