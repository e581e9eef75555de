#include <contrail/sim/frame.hpp>

#include <algorithm>

namespace contrail::sim {
namespace {

constexpr int k_log2_knot_step = 16;
constexpr std::int64_t k_least_difference = 1 << 12;  // Q24

Vec3 first_direction(const WideVec3& a, const WideVec3& b, const WideVec3& c) {
  return unit_or(a, unit_or(b, unit_or(c, Vec3(0, 0, k_one))));
}

/// v mirrored at the plane across the unit vector u.
[[gnu::always_inline]] inline WideVec3 reflect(const WideVec3& v, const WideVec3& u) {
  const std::int64_t twice = round24(2 * (v.x * u.x + v.y * u.y + v.z * u.z));
  return v - round24(u * twice);
}

[[gnu::always_inline]] inline FrameKnot place_knot(const Hodograph& h, const Frame& frame,
                                                   std::int64_t u) {
  const WideVec3 left = lerp(h[0], h[1], u, k_log2_curve);
  const WideVec3 right = lerp(h[1], h[2], u, k_log2_curve);
  return {frame, left, right, lerp(left, right, u, k_log2_curve)};
}

/// The frame at u, one step from a knot.
FrameKnot step(const Hodograph& h, const FrameKnot& from, std::int64_t u) {
  // The chord's direction without cancellation: the mean of the hodograph between two parameters is
  // a third of the sum of its blossom at (a, a), (a, b), (b, b).
  FrameKnot to = place_knot(h, {}, u);
  const WideVec3 chord = from.slope + lerp(from.left, from.right, u, k_log2_curve) + to.slope;
  to.frame = reflect_frame(from.frame, chord, unit_or(to.slope, from.frame.tangent));
  return to;
}

FrameKnot first_knot(const Cubic& curve, const Hodograph& h) {
  return place_knot(h, start_frame(start_tangent(curve)), 0);
}

FrameKnot next_knot(const Hodograph& h, const FrameKnot& from, std::int64_t number) {
  FrameKnot to = step(h, from, number << k_log2_knot_step);
  to.frame.r = unit(to.frame.r);
  to.frame.s = unit(to.frame.s);
  return to;
}

std::int64_t knot_below(std::int64_t u) {
  return std::min<std::int64_t>(u >> k_log2_knot_step, k_frame_knots - 1);
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
  const WideVec3 c = wide_unit(chord);
  WideVec3 r = reflect(WideVec3(from.r), c);
  WideVec3 s = reflect(WideVec3(from.s), c);
  const WideVec3 difference = WideVec3(to) - reflect(WideVec3(from.tangent), c);
  // A difference of a few units is rounding: its direction says nothing, and mirroring at it would
  // tilt the axes. Reached only where a curve turns right back.
  if (max_abs(difference) >= k_least_difference) {
    const WideVec3 d = wide_unit(difference);
    r = reflect(r, d);
    s = reflect(s, d);
  }
  return {to, Vec3(r), Vec3(s)};
}

CurveFrames::CurveFrames(const Cubic& curve) : hodograph_(hodograph(curve)) {
  knots_[0] = first_knot(curve, hodograph_);
  for (std::size_t i = 1; i < knots_.size(); ++i) {
    knots_[i] = next_knot(hodograph_, knots_[i - 1], static_cast<std::int64_t>(i));
  }
}

Frame CurveFrames::at(std::int64_t u) const {
  return step(hodograph_, knots_[static_cast<std::size_t>(knot_below(u))], u).frame;
}

FrameWalk::FrameWalk(const Cubic& curve)
    : curve_(curve), hodograph_(hodograph(curve)), knot_(first_knot(curve, hodograph_)) {}

FrameWalk::FrameWalk(const Cubic& curve, int knot, const Frame& at_knot)
    : curve_(curve),
      hodograph_(hodograph(curve)),
      knot_(place_knot(hodograph_, at_knot, std::int64_t{knot} << k_log2_knot_step)),
      number_(knot) {}

Frame FrameWalk::at(std::int64_t u) {
  const auto wanted = static_cast<int>(knot_below(u));
  if (wanted < number_) {
    knot_ = first_knot(curve_, hodograph_);
    number_ = 0;
  }
  while (number_ < wanted) {
    ++number_;
    knot_ = next_knot(hodograph_, knot_, number_);
  }
  return step(hodograph_, knot_, u).frame;
}

}  // namespace contrail::sim
