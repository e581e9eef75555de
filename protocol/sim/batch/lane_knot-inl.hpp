// Wobble and the knots it displaces, one flight a lane. The formulas are those of noise.cpp and
// flight.cpp.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_KNOT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_KNOT_INL
#undef CONTRAIL_SIM_LANE_KNOT_INL
#else
#define CONTRAIL_SIM_LANE_KNOT_INL
#endif

#include <array>

#include "lane_frame-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

struct NoiseLanes {
  V x, y;
};

/// Six times the weights of a uniform cubic B-spline at t, Q16.
using WeightLanes = std::array<V, 4>;
HWY_INLINE WeightLanes bspline_weights(V t) {
  const V one = set(65536);
  const V s = one - t;
  const V w0 = shift_right<16>(shift_right<16>(s * s) * s);
  const V w3 = shift_right<16>(shift_right<16>(t * t) * t);
  const V w2 = one + shift_right<16>(t * set(3) * (one + shift_right<16>(t * s)));
  return {w0, set(6 * 65536) - w0 - w2 - w3, w2, w3};
}

/// A knot of the noise, Q15 in the unit disc.
HWY_INLINE NoiseLanes noise_knot(VWord key, VWord number) {
  const VWord drawn = draw(key, number);
  const V x = low_half(drawn);
  const V y = high_half(drawn);
  const M outside = mul_add(x, x, y * y) > set(0x1p30);
  return {select(outside, shift_right<1>(x), x), select(outside, shift_right<1>(y), y)};
}

HWY_INLINE NoiseLanes bspline_noise(const std::array<NoiseLanes, 4>& knots, V t) {
  const WeightLanes w = bspline_weights(t);
  NoiseLanes sum{w[0] * knots[0].x, w[0] * knots[0].y};
  for (std::size_t i = 1; i < 4; ++i) {
    sum.x = mul_add(w[i], knots[i].x, sum.x);
    sum.y = mul_add(w[i], knots[i].y, sum.y);
  }
  return {shift_right<16>(sum.x), shift_right<16>(sum.y)};
}

/// Gradient noise of one channel; cells (Q16) by lane.
HWY_INLINE V perlin_noise(VWord key, V cells) {
  const V shifted = cells + upper_half(draw(key, 0U));
  const V whole = shift_right<16>(shifted);
  const V t = shifted - whole * set(65536);
  const VWord cell = to_word(whole);
  const V left = low_half(draw(key, cell + word(1))) * t;
  const V right = low_half(draw(key, cell + word(2))) * (t - set(65536));
  const V t2 = shift_right<16>(t * t);
  const V t3 = shift_right<16>(t2 * t);
  const V fade = shift_right<16>(t3 * (t2 * set(6) - t * set(15) + set(10 * 65536)));
  const V value = left + shift_right<16>((right - left) * fade);
  return shift_right<30>(value * set(139'022));
}

/// 16 u^2 (1 - u)^2, Q16, of u in 2^-20.
HWY_INLINE V envelope(V u) {
  const V w = shift_right<4>(u);
  const V e = shift_right<16>(w * set(4) * (set(65536) - w));
  return shift_right<16>(e * e);
}

/// The point of the base curve moved aside by noise times reach.
HWY_INLINE V3 displace(const V3& point, const FrameLanes& frame, V reach, const NoiseLanes& n) {
  // floor(x / (6 * 2^15)) = floor(floor(x / 2^16) / 3).
  const V nx = third(shift_right<16>(reach * n.x));
  const V ny = third(shift_right<16>(reach * n.y));
  const V3 aside = round24(frame.r * nx + frame.s * ny);
  return clamp(point + aside, set(2147483647.0));
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
