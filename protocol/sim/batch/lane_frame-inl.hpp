// Frames of base curves, one curve a lane. The steps are those of frame.cpp; degenerate lanes are
// masked instead of branched on.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_FRAME_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_FRAME_INL
#undef CONTRAIL_SIM_LANE_FRAME_INL
#else
#define CONTRAIL_SIM_LANE_FRAME_INL
#endif

#include "lane_math-inl.hpp"

#include <contrail/sim/frame.hpp>

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

struct CurveLanes {
  V3 p0, p1, p2, p3;
};
struct FrameLanes {
  V3 tangent, r, s;
};
struct HodographLanes {
  V3 h0, h1, h2;
};

HWY_INLINE HodographLanes hodograph(const CurveLanes& c) {
  return {c.p1 - c.p0, c.p2 - c.p1, c.p3 - c.p2};
}
HWY_INLINE V3 curve_point(const CurveLanes& c, V t) {
  return {cubic_point(c.p0.x, c.p1.x, c.p2.x, c.p3.x, t),
          cubic_point(c.p0.y, c.p1.y, c.p2.y, c.p3.y, t),
          cubic_point(c.p0.z, c.p1.z, c.p2.z, c.p3.z, t)};
}

/// v mirrored at the plane across the unit vector u.
HWY_INLINE V3 reflect(const V3& v, const V3& u) {
  const V twice = round24(dot(v, u) * set(2));
  return v - round24(u * twice);
}

/// The first frame along a tangent: axes from the world axis least aligned with it.
HWY_INLINE FrameLanes start_frame(const V3& t) {
  const V x = abs_of(t.x);
  const V y = abs_of(t.y);
  const V z = abs_of(t.z);
  const M along_x = both(x <= y, x <= z);
  const M along_y = but_not(y <= z, along_x);
  const V zero = set(0);
  // cross24(tangent, axis): the axis is exactly one, so the products round to themselves.
  const V3 across_x{zero, t.z, zero - t.y};
  const V3 across_y{zero - t.z, zero, t.x};
  const V3 across_z{t.y, zero - t.x, zero};
  const V3 s = unit(select(along_x, across_x, select(along_y, across_y, across_z)));
  return {t, unit(cross24(s, t)), s};
}

/// The direction of the curve at its start.
HWY_INLINE V3 start_tangent(const CurveLanes& c) {
  const V3 ahead{set(0), set(0), set(0x1p24)};
  const V3 last = c.p3 - c.p0;
  const V3 middle = c.p2 - c.p0;
  const V3 first = c.p1 - c.p0;
  const V3 chosen = unless(zeros(first), unless(zeros(middle), last, middle), first);
  return unit_or(chosen, ahead);
}

/// Carries the axes of `from` along a chord to the tangent `to`.
HWY_INLINE FrameLanes reflect_frame(const FrameLanes& from, const V3& chord, const V3& to) {
  const ZeroLanes no_chord = zeros(chord);
  const V3 c = unit(nonzero(chord, no_chord));
  const V3 r1 = reflect(from.r, c);
  const V3 s1 = reflect(from.s, c);
  const V3 difference = to - reflect(from.tangent, c);
  const ZeroLanes no_difference = smaller(difference, set(0x1p12));
  const V3 d = unit(nonzero(difference, no_difference));
  const V3 r2 = unless(no_difference, r1, reflect(r1, d));
  const V3 s2 = unless(no_difference, s1, reflect(s1, d));
  return {to, unless(no_chord, from.r, r2), unless(no_chord, from.s, s2)};
}

/// A frame, and the blossom of the hodograph at its parameter: with 0, with 1, with itself.
struct KnotLanes {
  FrameLanes frame;
  V3 left, right, slope;
};

HWY_INLINE KnotLanes place_knot(const HodographLanes& h, const FrameLanes& frame, V at) {
  const V3 left = lerp(h.h0, h.h1, at);
  const V3 right = lerp(h.h1, h.h2, at);
  return {frame, left, right, lerp(left, right, at)};
}

/// The frame at u, a fraction of the curve, one step from a knot below.
HWY_INLINE KnotLanes step_frame(const HodographLanes& h, const KnotLanes& from, V u) {
  KnotLanes to = place_knot(h, from.frame, u);
  const V3 chord = from.slope + lerp(from.left, from.right, u) + to.slope;
  to.frame = reflect_frame(from.frame, chord, unit_or(to.slope, from.frame.tangent));
  return to;
}

/// The same to the next knot, where the axes are normalised again.
HWY_INLINE KnotLanes step_to_knot(const HodographLanes& h, const KnotLanes& from, V u) {
  KnotLanes to = step_frame(h, from, u);
  to.frame.r = unit(to.frame.r);
  to.frame.s = unit(to.frame.s);
  return to;
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
