#include <contrail/sim/flight_knots.hpp>

#include <contrail/sim/assert.hpp>

namespace contrail::sim {
namespace {

/// 16 u^2 (1 - u)^2 at u (20 bits), Q16.
std::int64_t envelope(std::int64_t u) {
  const std::int64_t w = u >> 4;
  const std::int64_t e = (4 * w * (65536 - w)) >> 16;
  return (e * e) >> 16;
}

}  // namespace

SplineEnds::SplineEnds(const Cubic& curve, std::int64_t pieces)
    : start(curve[0]),
      end(curve[3]),
      m0(floor_div((WideVec3(curve[1]) - start) * std::int64_t{3}, pieces)),
      mn(floor_div((end - WideVec3(curve[2])) * std::int64_t{3}, pieces)) {
  after_start = start + floor_div(m0, 3);
  before_end = end - floor_div(mn, 3);
}

WideVec3 SplineEnds::first_knot(const WideVec3& second) const {
  return shift_right(start * std::int64_t{3} - second + m0, 1);
}

WideVec3 SplineEnds::last_knot(const WideVec3& second_last) const {
  return shift_right(end * std::int64_t{3} - second_last - mn, 1);
}

FlightShape flight_shape(const FlightSource& source) {
  const Launch& launch = source.launch;
  require(launch.pieces >= 1 && launch.pieces <= k_max_flight_pieces,
          "a flight has 1 to 960 pieces");
  require(
      launch.log2_piece >= k_min_log2_flight_piece && launch.log2_piece <= k_max_log2_flight_piece,
      "a flight's piece lasts 2^8 to 2^13 subticks");
  return {base_curve(source), Noise(source.weapon.noise, launch.seed, source.index).keys(),
          std::int64_t{launch.pieces}, launch.log2_piece, std::int64_t{source.weapon.frequency}};
}

KnotWalk::KnotWalk(const FlightShape& shape) : KnotWalk(shape, FrameWalk(shape.base.p)) {}

KnotWalk::KnotWalk(const FlightShape& shape, const FrameWalk& frames)
    : shape_(shape), frames_(frames), noise_(Noise(shape.noise)) {}

WideVec3 KnotWalk::at(std::int64_t k) {
  // Both are below 2^31, and 32 bits divide faster than 64.
  const std::int64_t u =
      static_cast<std::uint32_t>(k << k_log2_curve) / static_cast<std::uint32_t>(shape_.pieces);
  const std::int64_t reach = (shape_.base.amplitude * envelope(u)) >> 16;
  const Noise2 n = noise_.at(((k << shape_.log2_piece) * shape_.frequency) >> 16);
  const std::int64_t nx = floor_div(reach * n.x, k_noise_one);
  const std::int64_t ny = floor_div(reach * n.y, k_noise_one);
  const Frame frame = frames_.at(u);
  const WideVec3 aside = round24(WideVec3(frame.r) * nx + WideVec3(frame.s) * ny);
  const WideVec3 knot = WideVec3(cubic_point(shape_.base.p, u, k_log2_curve)) + aside;
  return WideVec3(clamp(knot, k_point_limit));
}

Cubic spline_piece(const FlightShape& shape, const KnotWindow& window, std::int64_t k) {
  const SplineEnds& ends = shape.ends;
  const std::int64_t last = shape.pieces - 1;
  const WideVec3 left = k == 0 ? ends.first_knot(window[2]) : window[1];
  const WideVec3 right = k == last ? ends.last_knot(window[1]) : window[2];
  const WideVec3 q1 = k == 0 ? ends.after_start : first_inner(left, right);
  const WideVec3 q2 = k == last ? ends.before_end : second_inner(left, right);
  Cubic piece{Vec3(ends.start), Vec3(q1), Vec3(q2), Vec3(ends.end)};
  if (k > 0) {
    const WideVec3 before = k == 1 ? ends.first_knot(left) : window[0];
    piece[0] = Vec3(shift_right(second_inner(before, left) + q1, 1));
  }
  if (k < last) {
    const WideVec3 behind = k + 1 == last ? ends.last_knot(right) : window[3];
    piece[3] = Vec3(shift_right(q2 + first_inner(right, behind), 1));
  }
  return piece;
}

}  // namespace contrail::sim
