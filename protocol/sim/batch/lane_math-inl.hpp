// Integers in lanes of doubles. Every value is an integer below 2^53 in magnitude, or such an
// integer times a power of two, so + - * and floor are exact: in any rounding mode, with or without
// fused operations, in any order a compiler may choose. What isn't exact by itself, a quotient or a
// root, is an estimate off by at most one and followed by an exact correction.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_MATH_INL
#undef CONTRAIL_SIM_LANE_MATH_INL
#else
#define CONTRAIL_SIM_LANE_MATH_INL
#endif

#include "lane_vector-inl.hpp"

#include <contrail/sim/arith.hpp>

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

struct V3 {
  V x, y, z;
};

/// An integer below 2^53.
HWY_INLINE V set_wide(std::int64_t value) {
  return set(static_cast<double>(value));
}
HWY_INLINE V3 set3(const WideVec3& v) {
  return {set_wide(v.x), set_wide(v.y), set_wide(v.z)};
}
HWY_INLINE V3 set3(const Vec3& v) {
  return set3(WideVec3(v));
}

HWY_INLINE V3 load3(const VectorLanes& from, std::size_t lane) {
  return {load(&from[0][lane]), load(&from[1][lane]), load(&from[2][lane])};
}
HWY_INLINE V load_wide(const std::int64_t* from) {
  alignas(64) double lanes[k_width];
  for (std::size_t i = 0; i < k_width; ++i) {
    lanes[i] = static_cast<double>(from[i]);
  }
  return load_doubles(lanes);
}
HWY_INLINE V3 load_wide3(const WideVectorLanes& from, std::size_t lane) {
  return {load_wide(&from[0][lane]), load_wide(&from[1][lane]), load_wide(&from[2][lane])};
}
HWY_INLINE void store3(const V3& v, VectorLanes& to, std::size_t lane) {
  store(v.x, &to[0][lane]);
  store(v.y, &to[1][lane]);
  store(v.z, &to[2][lane]);
}
HWY_INLINE V3 operator+(const V3& a, const V3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
HWY_INLINE V3 operator-(const V3& a, const V3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
HWY_INLINE V3 operator*(const V3& a, V b) {
  return {a.x * b, a.y * b, a.z * b};
}
HWY_INLINE V3 select(M m, const V3& yes, const V3& no) {
  return {select(m, yes.x, no.x), select(m, yes.y, no.y), select(m, yes.z, no.z)};
}
HWY_INLINE V3 negate(const V3& v) {
  return V3{set(0), set(0), set(0)} - v;
}

/// floor(v / 2^bits), v may already carry a fraction that ends at 2^-bits.
template <int k_bits>
HWY_INLINE V shift_right(V v) {
  static_assert(k_bits > 0 && k_bits < 53);
  constexpr double k_scale = 1.0 / static_cast<double>(std::int64_t{1} << k_bits);
  return floor_of(v * set(k_scale));
}
template <int k_bits>
HWY_INLINE V3 shift_right(const V3& v) {
  return {shift_right<k_bits>(v.x), shift_right<k_bits>(v.y), shift_right<k_bits>(v.z)};
}
HWY_INLINE V3 floor_of(const V3& v) {
  return {floor_of(v.x), floor_of(v.y), floor_of(v.z)};
}
/// (v + 2^23) >> 24.
HWY_INLINE V round24(V v) {
  return floor_of(mul_add(v, set(0x1p-24), set(0.5)));
}
HWY_INLINE V3 round24(const V3& v) {
  return {round24(v.x), round24(v.y), round24(v.z)};
}

/// a + floor((b - a) * t), t a fraction with at most 20 bits.
HWY_INLINE V lerp(V a, V b, V t) {
  return a + floor_of((b - a) * t);
}
HWY_INLINE V3 lerp(const V3& a, const V3& b, V t) {
  return {lerp(a.x, b.x, t), lerp(a.y, b.y, t), lerp(a.z, b.z, t)};
}
/// de Casteljau with lerp.
HWY_INLINE V cubic_point(V p0, V p1, V p2, V p3, V t) {
  const V a = lerp(p0, p1, t);
  const V b = lerp(p1, p2, t);
  const V c = lerp(p2, p3, t);
  return lerp(lerp(a, b, t), lerp(b, c, t), t);
}

HWY_INLINE V clamp(V v, V limit) {
  return min_of(max_of(v, set(0) - limit), limit);
}
HWY_INLINE V3 clamp(const V3& v, V limit) {
  return {clamp(v.x, limit), clamp(v.y, limit), clamp(v.z, limit)};
}

/// The exact floor(a / b), from an estimate at most one off. The remainder is its witness.
HWY_INLINE V correct_quotient(V estimate, V a, V b) {
  const V rest = neg_mul_add(estimate, b, a);
  const V up = select_or_zero(rest >= b, set(1));
  const V down = select_or_zero(rest < set(0), set(1));
  return estimate + up - down;
}
/// floor(a / b); |a| < 2^52, 0 < b < 2^27.
HWY_INLINE V floor_div(V a, V b) {
  return correct_quotient(floor_of(a / b), a, b);
}
HWY_INLINE V3 floor_div(const V3& a, V b) {
  return {floor_div(a.x, b), floor_div(a.y, b), floor_div(a.z, b)};
}
/// The same by something whose reciprocal is at hand.
HWY_INLINE V floor_div(V a, V b, V reciprocal) {
  return correct_quotient(floor_of(a * reciprocal), a, b);
}
/// floor(a / 3), |a| < 2^40. (a + 1/2) / 3 is at least 1/6 away from every integer, so an estimate
/// with an error below 2^-10 is exact: no correction follows.
HWY_INLINE V third(V a) {
  return floor_of(mul_add(a, set(1.0 / 3.0), set(1.0 / 6.0)));
}
HWY_INLINE V3 third(const V3& a) {
  return {third(a.x), third(a.y), third(a.z)};
}

/// floor(sqrt(x)), 0 <= x < 2^52.
HWY_INLINE V isqrt(V x) {
  const V root = floor_of(root_of(x));
  const V rest = neg_mul_add(root, root, x);
  const V up = select_or_zero(rest > root + root, set(1));
  const V down = select_or_zero(rest < set(0), set(1));
  return root + up - down;
}

HWY_INLINE V dot(const V3& a, const V3& b) {
  return mul_add(a.x, b.x, mul_add(a.y, b.y, a.z * b.z));
}
HWY_INLINE V3 cross24(const V3& a, const V3& b) {
  return round24(
      V3{mul_sub(a.y, b.z, a.z * b.y), mul_sub(a.z, b.x, a.x * b.z), mul_sub(a.x, b.y, a.y * b.x)});
}
HWY_INLINE V max_abs(const V3& v) {
  return max_of(max_of(abs_of(v.x), abs_of(v.y)), abs_of(v.z));
}

/// v brought to 25 bits, its length there, and the power of two that did it.
struct Scaled {
  V3 w;
  V length;
  V factor;
};
/// v must not be zero in any lane.
HWY_INLINE Scaled scale(const V3& v) {
  Scaled result;
  result.factor = power_to_24(max_abs(v));
  result.w = floor_of(v * result.factor);
  result.length = isqrt(dot(result.w, result.w));
  return result;
}
/// Direction of v, Q24; v must not be zero in any lane.
HWY_INLINE V3 unit(const V3& v) {
  const Scaled s = scale(v);
  const V reciprocal = set(1) / s.length;
  const V half = shift_right<1>(s.length);
  const V one = set(0x1p24);
  return {floor_div(mul_add(s.w.x, one, half), s.length, reciprocal),
          floor_div(mul_add(s.w.y, one, half), s.length, reciprocal),
          floor_div(mul_add(s.w.z, one, half), s.length, reciprocal)};
}
/// Lanes of vectors that have no direction, and whether there are any: there hardly ever are.
struct ZeroLanes {
  M mask;
  bool any;
};
/// No axis reaches `least` > 0.
HWY_INLINE ZeroLanes smaller(const V3& v, V least) {
  const M mask = max_abs(v) < least;
  return {mask, !none(mask)};
}
HWY_INLINE ZeroLanes zeros(const V3& v) {
  return smaller(v, set(1));
}
/// v, or something harmless where it is zero, so that no lane divides by zero.
HWY_INLINE V3 nonzero(const V3& v, const ZeroLanes& zero) {
  return HWY_UNLIKELY(zero.any) ? V3{select(zero.mask, set(1), v.x), v.y, v.z} : v;
}
HWY_INLINE V3 unless(const ZeroLanes& zero, const V3& where_zero, const V3& v) {
  return HWY_UNLIKELY(zero.any) ? select(zero.mask, where_zero, v) : v;
}
HWY_INLINE V3 unit_or(const V3& v, const V3& fallback) {
  const ZeroLanes zero = zeros(v);
  return unless(zero, fallback, unit(nonzero(v, zero)));
}
/// Length of v to about 25 significant bits; 0 for zero.
HWY_INLINE V length_of(const V3& v) {
  const ZeroLanes zero = zeros(v);
  const Scaled s = scale(nonzero(v, zero));
  // The factor is a power of two: its reciprocal is exact.
  return select(zero.mask, set(0), floor_of(s.length * (set(1) / s.factor)));
}

/// floor(v * t / 65536), t an integer that may be negative.
HWY_INLINE V drift(V velocity, V whole, V part) {
  return mul_add(velocity, whole, shift_right<16>(velocity * part));
}
HWY_INLINE V3 drift(const V3& velocity, V t) {
  const V whole = shift_right<16>(t);
  const V part = t - whole * set(65536);
  return {drift(velocity.x, whole, part), drift(velocity.y, whole, part),
          drift(velocity.z, whole, part)};
}
/// d (Q24) scaled to a length.
HWY_INLINE V3 along(const V3& d, V length) {
  return shift_right<20>(d * shift_right<4>(length));
}

// 32-bit words, for hashing.
HWY_INLINE VWord mix(VWord x) {
  x = exclusive_or(x, word_shift_right<17>(x)) * word(0xED5AD4BBU);
  x = exclusive_or(x, word_shift_right<11>(x)) * word(0xAC4C1B51U);
  x = exclusive_or(x, word_shift_right<15>(x)) * word(0x31848BABU);
  return exclusive_or(x, word_shift_right<14>(x));
}
HWY_INLINE VWord draw(VWord key, VWord number) {
  return mix(key + number * word(0x9E3779B9U) + word(1));
}
HWY_INLINE VWord draw(VWord key, std::uint32_t number) {
  return mix(key + word(number * 0x9E3779B9U + 1U));
}
/// A point of the unit ball, Q15, from draws number and number + 1.
HWY_INLINE V3 ball(VWord key, std::uint32_t number) {
  const VWord a = draw(key, number);
  const VWord b = draw(key, number + 1);
  const V3 p{low_half(a), high_half(a), low_half(b)};
  return select(dot(p, p) > set(0x1p30), shift_right<1>(p), p);
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
