#include <contrail/sim/frame.hpp>

#include <algorithm>

namespace contrail::sim {
namespace {

constexpr int k_log2_knot_step = 16;

Vec3 first_direction(const WideVec3& a, const WideVec3& b, const WideVec3& c) {
  return unit_or(a, unit_or(b, unit_or(c, Vec3(0, 0, k_one))));
}

/// v mirrored at the plane across the unit vector u.
WideVec3 reflect(const Vec3& v, const Vec3& u) {
  const std::int64_t twice = round24(2 * dot(v, u));
  return WideVec3(v) - round24(WideVec3(u) * twice);
}

}  // namespace

Vec3 start_tangent(const Cubic& curve) {
  const WideVec3 p0(curve[0]);
  return first_direction(WideVec3(curve[1]) - p0, WideVec3(curve[2]) - p0, WideVec3(curve[3]) - p0);
}

Vec3 end_tangent(const Cubic& curve) {
  const WideVec3 p3(curve[3]);
  return first_direction(p3 - WideVec3(curve[2]), p3 - WideVec3(curve[1]), p3 - WideVec3(curve[0]));
}

Frame start_frame(const Vec3& tangent) {
  const auto magnitude = [](std::int32_t x) { return x < 0 ? -x : x; };
  const std::int32_t x = magnitude(tangent.x);
  const std::int32_t y = magnitude(tangent.y);
  const std::int32_t z = magnitude(tangent.z);
  Vec3 axis(0, 0, k_one);
  if (x <= y && x <= z) {
    axis = Vec3(k_one, 0, 0);
  } else if (y <= z) {
    axis = Vec3(0, k_one, 0);
  }
  const Vec3 s = unit(cross24(tangent, axis));
  return {tangent, unit(cross24(s, tangent)), s};
}

Frame reflect_frame(const Frame& from, const WideVec3& chord, const Vec3& to) {
  if (is_zero(chord)) {
    return {to, from.r, from.s};
  }
  const Vec3 c = unit(chord);
  WideVec3 r = reflect(from.r, c);
  WideVec3 s = reflect(from.s, c);
  const WideVec3 difference = WideVec3(to) - reflect(from.tangent, c);
  if (!is_zero(difference)) {
    const Vec3 d = unit(difference);
    r = reflect(Vec3(r), d);
    s = reflect(Vec3(s), d);
  }
  return {to, Vec3(r), Vec3(s)};
}

CurveFrames::CurveFrames(const Cubic& curve) : hodograph_(hodograph(curve)) {
  knots_[0] = start_frame(start_tangent(curve));
  for (std::size_t i = 1; i < knots_.size(); ++i) {
    const auto b = static_cast<std::int64_t>(i) << k_log2_knot_step;
    Frame knot = step(knots_[i - 1], b - (std::int64_t{1} << k_log2_knot_step), b);
    knot.r = unit(knot.r);
    knot.s = unit(knot.s);
    knots_[i] = knot;
  }
}

Frame CurveFrames::at(std::int64_t u) const {
  const std::int64_t knot = std::min<std::int64_t>(u >> k_log2_knot_step, k_frame_knots - 1);
  return step(knots_[static_cast<std::size_t>(knot)], knot << k_log2_knot_step, u);
}

Frame CurveFrames::step(const Frame& from, std::int64_t a, std::int64_t b) const {
  // The chord's direction without cancellation: the mean of the hodograph over [a, b] is a third of
  // this sum of its blossom.
  const WideVec3 at_a = blossom(hodograph_, a, a, k_log2_curve);
  const WideVec3 at_b = blossom(hodograph_, b, b, k_log2_curve);
  const WideVec3 chord = at_a + blossom(hodograph_, a, b, k_log2_curve) + at_b;
  return reflect_frame(from, chord, unit_or(at_b, from.tangent));
}

}  // namespace contrail::sim
