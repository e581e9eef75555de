#include <contrail/sim/frame.hpp>

#include <algorithm>

#include <contrail/sim/inline_unit.hpp>

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

[[gnu::always_inline]] inline void place_knot(const Hodograph& h, std::int64_t u, FrameKnot& knot) {
  knot.left = lerp(h[0], h[1], u, k_log2_curve);
  knot.right = lerp(h[1], h[2], u, k_log2_curve);
  knot.slope = lerp(knot.left, knot.right, u, k_log2_curve);
}

/// Axes carried from one frame to another, not rounded to int32 yet.
struct Axes {
  WideVec3 r{0};
  WideVec3 s{0};
};

[[gnu::always_inline]] inline Axes carry(const Frame& from, const WideVec3& chord,
                                         const WideVec3& to) {
  Axes axes{WideVec3(from.r), WideVec3(from.s)};
  if (is_zero(chord)) {
    return axes;
  }
  const WideVec3 c = inline_unit(chord);
  axes.r = reflect(axes.r, c);
  axes.s = reflect(axes.s, c);
  const WideVec3 difference = to - reflect(WideVec3(from.tangent), c);
  // A difference of a few units is rounding: its direction says nothing, and mirroring at it would
  // tilt the axes. Reached only where a curve turns right back.
  if (max_abs(difference) >= k_least_difference) {
    const WideVec3 d = inline_unit(difference);
    axes.r = reflect(axes.r, d);
    axes.s = reflect(axes.s, d);
  }
  return axes;
}

/// Everything at u, one step from a knot, but for the axes, which are returned. (Structures are
/// written member by member and never copied: that would cost as much as a direction.)
[[gnu::always_inline]] inline Axes step(const Hodograph& h, const FrameKnot& from, std::int64_t u,
                                        FrameKnot& to) {
  place_knot(h, u, to);
  // The chord's direction without cancellation: the mean of the hodograph between two parameters is
  // a third of the sum of its blossom at (a, a), (a, b), (b, b).
  const WideVec3 chord = from.slope + lerp(from.left, from.right, u, k_log2_curve) + to.slope;
  const WideVec3 tangent = is_zero(to.slope) ? WideVec3(from.frame.tangent) : inline_unit(to.slope);
  to.frame.tangent = Vec3(tangent);
  return carry(from.frame, chord, tangent);
}

/// The frame at u, one step from a knot.
void step_frame(const Hodograph& h, const FrameKnot& from, std::int64_t u, Frame& frame) {
  FrameKnot to;
  const Axes axes = step(h, from, u, to);
  frame.tangent = to.frame.tangent;
  frame.r = Vec3(axes.r);
  frame.s = Vec3(axes.s);
}

void first_knot(const Cubic& curve, const Hodograph& h, FrameKnot& knot) {
  knot.frame = start_frame(start_tangent(curve));
  place_knot(h, 0, knot);
}

void next_knot(const Hodograph& h, const FrameKnot& from, std::int64_t number, FrameKnot& to) {
  const Axes axes = step(h, from, number << k_log2_knot_step, to);
  to.frame.r = unit(axes.r);
  to.frame.s = unit(axes.s);
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
  const Axes axes = carry(from, chord, WideVec3(to));
  return {to, Vec3(axes.r), Vec3(axes.s)};
}

CurveFrames::CurveFrames(const Cubic& curve) : hodograph_(hodograph(curve)) {
  first_knot(curve, hodograph_, knots_[0]);
  for (std::size_t i = 1; i < knots_.size(); ++i) {
    next_knot(hodograph_, knots_[i - 1], static_cast<std::int64_t>(i), knots_[i]);
  }
}

Frame CurveFrames::at(std::int64_t u) const {
  Frame frame;
  step_frame(hodograph_, knots_[static_cast<std::size_t>(knot_below(u))], u, frame);
  return frame;
}

FrameWalk::FrameWalk(const Cubic& curve) : curve_(curve), hodograph_(hodograph(curve)) {
  first_knot(curve, hodograph_, knots_[0]);
}

FrameWalk::FrameWalk(const Cubic& curve, int knot, const Frame& at_knot)
    : curve_(curve), hodograph_(hodograph(curve)), number_(knot) {
  knots_[0].frame = at_knot;
  place_knot(hodograph_, std::int64_t{knot} << k_log2_knot_step, knots_[0]);
}

Frame FrameWalk::at(std::int64_t u) {
  const auto wanted = static_cast<int>(knot_below(u));
  if (wanted < number_) {
    first_knot(curve_, hodograph_, knots_[current_]);
    number_ = 0;
  }
  while (number_ < wanted) {
    ++number_;
    next_knot(hodograph_, knots_[current_], number_, knots_[current_ ^ 1U]);
    current_ ^= 1U;
  }
  Frame frame;
  step_frame(hodograph_, knots_[current_], u, frame);
  return frame;
}

}  // namespace contrail::sim
