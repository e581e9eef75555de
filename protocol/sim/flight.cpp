#include <contrail/sim/flight.hpp>

#include <algorithm>
#include <bit>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/frame.hpp>
#include <contrail/sim/noise.hpp>

namespace contrail::sim {
namespace {

constexpr std::int64_t k_point_limit = 2'147'483'647;

/// A direction within a cone around the unit vector f.
Vec3 cone_direction(const Cone& cone, const Vec3& f, std::uint32_t key) {
  const WideVec3 random = WideVec3(ball(key, 0)) * std::int64_t{512};  // Q24
  const WideVec3 sum = WideVec3(f) * std::int64_t{cone.along} + random * std::int64_t{cone.across};
  return unit_or(shift_right(sum, 14), f);
}

/// fraction (Q16) of a length, without a product of 2^53.
std::int64_t fraction_of(std::int64_t length, std::int64_t fraction) {
  return ((length >> 4) * fraction) >> 12;
}

/// How far the approach point moves aside when the missile starts away from its target: 5/4 of the
/// chord times the cosine beyond the right angle. Less lets the curve stall on its way round.
WideVec3 turn_aside(const Vec3& start, const Vec3& chord, std::int64_t chord_length,
                    std::int64_t cosine) {
  WideVec3 across = WideVec3(start) - round24(WideVec3(chord) * cosine);
  if (max_abs(across) < (1 << 20)) {
    across = WideVec3(start_frame(chord).r);
  }
  const std::int64_t reach = ((fraction_of(chord_length, 81'920) >> 4) * -cosine) >> 20;
  return along(unit(across), reach);
}

/// 16 u^2 (1 - u)^2 at u (20 bits), Q16.
std::int64_t envelope(std::int64_t u) {
  const std::int64_t w = u >> 4;
  const std::int64_t e = (4 * w * (65536 - w)) >> 16;
  return (e * e) >> 16;
}

/// The knots S_1 .. S_{N-1} at index 1 .. N-1; indices 0 and N are left for the ends.
std::vector<WideVec3> displaced_knots(const FlightSource& source, const BaseCurve& base) {
  const int count = source.launch.pieces;
  std::vector<WideVec3> knots(static_cast<std::size_t>(count) + 1);
  if (count == 1) {
    return knots;
  }
  const CurveFrames frames(base.p);
  const Noise noise(source.weapon.noise, source.launch.seed, source.index);
  for (std::int64_t k = 1; k < count; ++k) {
    const std::int64_t u = floor_div(k << k_log2_curve, count);
    const std::int64_t reach = (base.amplitude * envelope(u)) >> 16;
    const Noise2 n = noise.at(((k << source.launch.log2_piece) * source.weapon.frequency) >> 16);
    const std::int64_t nx = floor_div(reach * n.x, k_noise_one);
    const std::int64_t ny = floor_div(reach * n.y, k_noise_one);
    const Frame frame = frames.at(u);
    const WideVec3 aside = round24(WideVec3(frame.r) * nx + WideVec3(frame.s) * ny);
    const WideVec3 knot = WideVec3(cubic_point(base.p, u, k_log2_curve)) + aside;
    knots[static_cast<std::size_t>(k)] = WideVec3(clamp(knot, k_point_limit));
  }
  return knots;
}

}  // namespace

Subtick launch_time(const Launch& launch, const Weapon& weapon, std::uint8_t index) {
  return launch.t0 + Subtick{index} * weapon.ripple_interval;
}

Subtick end_time(const Launch& launch, const Weapon& weapon, std::uint8_t index) {
  return launch_time(launch, weapon, index) + (Subtick{launch.pieces} << launch.log2_piece);
}

Vec3 aim_offset(std::uint32_t seed, std::uint8_t index, std::uint32_t lock,
                const EntityType& type) {
  require(!type.hull.empty(), "an entity type has a hull part");
  const std::uint32_t own = key(seed, Stream::aim_offset, index + 256U * lock);
  const std::size_t chosen = (std::uint64_t{draw(own, 0)} * type.hull.size()) >> 32;
  const HullPart& part = type.hull[chosen];
  const std::int64_t q = draw(own, 1) >> 16;
  const std::int64_t reach = (7 * std::int64_t{part.radius}) >> 3;
  return Vec3(WideVec3(part.a) + shift_right(WideVec3(part.d) * q, 16) +
              shift_right(WideVec3(ball(own, 2)) * reach, 15));
}

WideVec3 predicted_aim(const FlightSource& source, const Vec3& offset, Subtick t) {
  const Anchor& anchor = source.anchor;
  const WideVec3 coasted =
      WideVec3(anchor.target_position) + drift(anchor.target_velocity, t - source.launch.t0);
  return WideVec3(clamp(coasted, k_world_limit)) + rotate(thaw(anchor.target_basis), offset);
}

BaseCurve base_curve(const FlightSource& source) {
  const Launch& launch = source.launch;
  const Weapon& weapon = source.weapon;
  const Subtick start = launch_time(launch, weapon, source.index);
  const Subtick end = end_time(launch, weapon, source.index);
  const Vec3 offset = aim_offset(launch.seed, source.index, 0, source.target_type);

  const WideVec3 p0(clamp(
      WideVec3(source.anchor.muzzle) + drift(source.anchor.launcher_velocity, start - launch.t0),
      k_world_limit));
  const WideVec3 p3 = predicted_aim(source, offset, end);
  const WideVec3 chord = p3 - p0;
  const std::int64_t chord_length = length(chord);
  const Vec3 muzzle_forward = thaw(source.anchor.muzzle_basis.forward);
  const Vec3 chord_direction = unit_or(chord, muzzle_forward);

  const Vec3 leave = cone_direction(weapon.muzzle_cone, muzzle_forward,
                                    key(launch.seed, Stream::muzzle_spread, source.index));
  const Vec3 arrive = cone_direction(weapon.approach_cone, -chord_direction,
                                     key(launch.seed, Stream::approach_spread, source.index));
  const WideVec3 p1 = p0 + along(leave, fraction_of(chord_length, weapon.muzzle_handle));
  WideVec3 p2 = p3 + along(arrive, fraction_of(chord_length, weapon.approach_handle));
  const std::int64_t cosine = dot24(leave, chord_direction);
  if (cosine < 0) {
    p2 += turn_aside(leave, chord_direction, chord_length, cosine);
  }

  BaseCurve base;
  base.p = {clamp(p0, k_point_limit), clamp(p1, k_point_limit), clamp(p2, k_point_limit),
            clamp(p3, k_point_limit)};
  base.amplitude =
      static_cast<std::int32_t>(std::min<std::int64_t>(weapon.amplitude, max_abs(chord) >> 3));
  return base;
}

Flight::Flight(const FlightSource& source) : log2_piece_(source.launch.log2_piece) {
  const std::int64_t count = source.launch.pieces;
  require(count >= 1 && count <= k_max_flight_pieces, "a flight has 1 to 960 pieces");
  require(log2_piece_ >= k_min_log2_flight_piece && log2_piece_ <= k_max_log2_flight_piece,
          "a flight's piece lasts 2^8 to 2^13 subticks");
  const BaseCurve base = base_curve(source);
  const WideVec3 p0(base.p[0]);
  const WideVec3 p3(base.p[3]);
  const WideVec3 m0 = floor_div((WideVec3(base.p[1]) - p0) * std::int64_t{3}, count);
  const WideVec3 mn = floor_div((p3 - WideVec3(base.p[2])) * std::int64_t{3}, count);

  std::vector<WideVec3> knots = displaced_knots(source, base);
  const auto last = static_cast<std::size_t>(count);
  if (count > 1) {
    // The end knots are those whose spline starts and ends exactly at P0 and P3, with m0 and mn.
    knots[0] = shift_right(p0 * std::int64_t{3} - knots[1] + m0, 1);
    knots[last] = shift_right(p3 * std::int64_t{3} - knots[last - 1] - mn, 1);
  }
  points_.resize(3 * last + 1);
  for (std::size_t k = 0; k < last; ++k) {
    const WideVec3& a = knots[k];
    const WideVec3& b = knots[k + 1];
    points_[3 * k + 1] = Vec3(floor_div(a * std::int64_t{2} + b, 3));
    points_[3 * k + 2] = Vec3(floor_div(a + b * std::int64_t{2}, 3));
  }
  points_[1] = Vec3(p0 + floor_div(m0, 3));
  points_[3 * last - 1] = Vec3(p3 - floor_div(mn, 3));
  points_.front() = base.p[0];
  points_.back() = base.p[3];
  for (std::size_t k = 1; k < last; ++k) {
    const WideVec3 sum = WideVec3(points_[3 * k - 1]) + WideVec3(points_[3 * k + 1]);
    points_[3 * k] = Vec3(shift_right(sum, 1));
  }
}

Vec3 Flight::position(Subtick t) const {
  require(!points_.empty(), "a flight that is evaluated was compiled");
  const Subtick local = std::clamp(t, Subtick{0}, duration());
  const Subtick piece = std::min<Subtick>(local >> log2_piece_, pieces() - 1);
  return cubic_point(&points_[static_cast<std::size_t>(3 * piece)], local - (piece << log2_piece_),
                     log2_piece_);
}

Vec3 Flight::velocity(Subtick t) const {
  require(!points_.empty(), "a flight that is evaluated was compiled");
  const Subtick local = std::clamp(t, Subtick{0}, duration());
  const Subtick piece = std::min<Subtick>(local >> log2_piece_, pieces() - 1);
  const Vec3* p = &points_[static_cast<std::size_t>(3 * piece)];
  const Subtick inside = local - (piece << log2_piece_);
  const WideVec3 slope = blossom(hodograph({p[0], p[1], p[2], p[3]}), inside, inside, log2_piece_);
  return clamp(shift_right(slope * std::int64_t{3 * k_subticks_per_second}, log2_piece_),
               k_point_limit);
}

void Flight::displace_point(std::size_t index, const Vec3& by) {
  require(index < points_.size(), "a displaced control point exists");
  points_[index] += by;
}

int log2_piece_for(Subtick duration) {
  require(duration > 0, "a flight takes time");
  const int log2 = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(duration))) - 1;
  return std::clamp(log2 - 4, k_min_log2_flight_piece, k_max_log2_flight_piece);
}

}  // namespace contrail::sim
