// The vector a kernel computes with: one hardware vector of doubles, or two side by side. A step of
// a flight is one long chain of dependent operations, so two chains at once take little longer than
// one. Everything else in this folder is written with the names below and Highway's operators.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_VECTOR_INL
#undef CONTRAIL_SIM_LANE_VECTOR_INL
#else
#define CONTRAIL_SIM_LANE_VECTOR_INL
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include <contrail/sim/batch/blocks.hpp>

// Two vectors of two or four lanes; eight lanes fill a block already.
#undef CONTRAIL_SIM_PAIRS
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_AVX3
#define CONTRAIL_SIM_PAIRS 0
#else
#define CONTRAIL_SIM_PAIRS 1
#endif

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One hardware vector and what goes with it.
using D = hn::CappedTag<double, k_lanes>;
using DInt = hn::Rebind<std::int32_t, D>;
using DWord = hn::Rebind<std::uint32_t, D>;
using DBits = hn::RebindToUnsigned<D>;
using OneV = hn::Vec<D>;
using OneInt = hn::Vec<DInt>;
using OneWord = hn::Vec<DWord>;
using OneMask = hn::Mask<D>;
inline constexpr std::size_t k_one_width = hn::MaxLanes(D());

HWY_INLINE OneV one_set(double value) {
  return hn::Set(D(), value);
}
HWY_INLINE OneV mul_add(OneV a, OneV b, OneV c) {
  return hn::MulAdd(a, b, c);
}
HWY_INLINE OneV mul_sub(OneV a, OneV b, OneV c) {
  return hn::MulSub(a, b, c);
}
/// c - a * b.
HWY_INLINE OneV neg_mul_add(OneV a, OneV b, OneV c) {
  return hn::NegMulAdd(a, b, c);
}
HWY_INLINE OneV root_of(OneV v) {
  return hn::Sqrt(v);
}
HWY_INLINE OneV abs_of(OneV v) {
  return hn::Abs(v);
}
HWY_INLINE OneV min_of(OneV a, OneV b) {
  return hn::Min(a, b);
}
HWY_INLINE OneV max_of(OneV a, OneV b) {
  return hn::Max(a, b);
}
HWY_INLINE OneV select(OneMask m, OneV yes, OneV no) {
  return hn::IfThenElse(m, yes, no);
}
HWY_INLINE OneV select_or_zero(OneMask m, OneV yes) {
  return hn::IfThenElseZero(m, yes);
}
HWY_INLINE OneMask both(OneMask a, OneMask b) {
  return hn::And(a, b);
}
HWY_INLINE OneMask either(OneMask a, OneMask b) {
  return hn::Or(a, b);
}
HWY_INLINE OneMask but_not(OneMask a, OneMask b) {
  return hn::AndNot(b, a);
}
HWY_INLINE bool none(OneMask m) {
  return hn::AllFalse(D(), m);
}
/// Bit i: lane i.
HWY_INLINE std::uint32_t bits_of(OneMask m) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(D(), m, bytes);
  return bytes[0];
}
/// The double itself, for values within int32. (Highway's DemoteTo would saturate others first.)
HWY_INLINE OneInt to_int(OneV v) {
#if HWY_TARGET == HWY_AVX3
  return OneInt{_mm512_cvttpd_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return OneInt{_mm256_cvttpd_epi32(v.raw)};
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  return OneInt{_mm_cvttpd_epi32(v.raw)};
#else
  return hn::DemoteTo(DInt(), v);
#endif
}
HWY_INLINE OneV from_int(OneInt v) {
  return hn::PromoteTo(D(), v);
}
/// floor(v).
HWY_INLINE OneV floor_of(OneV v) {
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  // No instruction for it, and Highway's replacements count on rounding to nearest, or on doubles
  // that are no wider in a register than in memory, which is not so on an x87. By int32
  // conversions, which truncate in every mode: 26 bits at a time.
  const OneV scaled = v * one_set(0x1p-26);
  const OneV cut = from_int(to_int(scaled));
  const OneV high = cut - hn::IfThenElseZero(cut > scaled, one_set(1));
  const OneV rest = v - high * one_set(0x1p26);  // [0, 2^26)
  return high * one_set(0x1p26) + from_int(to_int(rest));
#else
  return hn::Floor(v);
#endif
}
/// 2^(24 - e) of a positive double with exponent e: exponent fields subtracted.
HWY_INLINE OneV power_to_24(OneV v) {
  const DBits bits;
  const auto exponent = hn::BitCast(bits, v) & hn::Set(bits, 0x7FF0'0000'0000'0000U);
  return hn::BitCast(D(), hn::Set(bits, std::uint64_t{2 * 1023 + 24} << 52) - exponent);
}

// 32-bit words.
template <int k_bits>
HWY_INLINE OneWord word_shift_right(OneWord x) {
  return hn::ShiftRight<k_bits>(x);
}
HWY_INLINE OneWord exclusive_or(OneWord a, OneWord b) {
  return hn::Xor(a, b);
}
HWY_INLINE OneWord word_and(OneWord a, OneWord b) {
  return hn::And(a, b);
}
/// The lower 16 bits, signed.
HWY_INLINE OneV low_half(OneWord w) {
  return from_int(hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(DInt(), w))));
}
/// The upper 16 bits, signed.
HWY_INLINE OneV high_half(OneWord w) {
  return from_int(hn::ShiftRight<16>(hn::BitCast(DInt(), w)));
}
/// The upper 16 bits, not negative.
HWY_INLINE OneV upper_half(OneWord w) {
  return from_int(hn::BitCast(DInt(), hn::ShiftRight<16>(w)));
}
/// A value within [0, 2^31).
HWY_INLINE OneWord to_word(OneV v) {
  return hn::BitCast(DWord(), to_int(v));
}

#if CONTRAIL_SIM_PAIRS

template <typename T>
struct Pair {
  T a, b;
};
using V = Pair<OneV>;
using M = Pair<OneMask>;
using VWord = Pair<OneWord>;
inline constexpr std::size_t k_width = 2 * k_one_width;

template <typename T>
HWY_INLINE Pair<T> operator+(const Pair<T>& x, const Pair<T>& y) {
  return {x.a + y.a, x.b + y.b};
}
template <typename T>
HWY_INLINE Pair<T> operator-(const Pair<T>& x, const Pair<T>& y) {
  return {x.a - y.a, x.b - y.b};
}
template <typename T>
HWY_INLINE Pair<T> operator*(const Pair<T>& x, const Pair<T>& y) {
  return {x.a * y.a, x.b * y.b};
}
HWY_INLINE V operator/(const V& x, const V& y) {
  return {x.a / y.a, x.b / y.b};
}
HWY_INLINE M operator<(const V& x, const V& y) {
  return {x.a < y.a, x.b < y.b};
}
HWY_INLINE M operator<=(const V& x, const V& y) {
  return {x.a <= y.a, x.b <= y.b};
}
HWY_INLINE M operator>(const V& x, const V& y) {
  return {x.a > y.a, x.b > y.b};
}
HWY_INLINE M operator>=(const V& x, const V& y) {
  return {x.a >= y.a, x.b >= y.b};
}
HWY_INLINE M operator==(const V& x, const V& y) {
  return {x.a == y.a, x.b == y.b};
}
HWY_INLINE V mul_add(const V& x, const V& y, const V& z) {
  return {mul_add(x.a, y.a, z.a), mul_add(x.b, y.b, z.b)};
}
HWY_INLINE V mul_sub(const V& x, const V& y, const V& z) {
  return {mul_sub(x.a, y.a, z.a), mul_sub(x.b, y.b, z.b)};
}
HWY_INLINE V neg_mul_add(const V& x, const V& y, const V& z) {
  return {neg_mul_add(x.a, y.a, z.a), neg_mul_add(x.b, y.b, z.b)};
}
HWY_INLINE V root_of(const V& v) {
  return {root_of(v.a), root_of(v.b)};
}
HWY_INLINE V abs_of(const V& v) {
  return {abs_of(v.a), abs_of(v.b)};
}
HWY_INLINE V min_of(const V& x, const V& y) {
  return {min_of(x.a, y.a), min_of(x.b, y.b)};
}
HWY_INLINE V max_of(const V& x, const V& y) {
  return {max_of(x.a, y.a), max_of(x.b, y.b)};
}
HWY_INLINE V select(const M& m, const V& yes, const V& no) {
  return {select(m.a, yes.a, no.a), select(m.b, yes.b, no.b)};
}
HWY_INLINE V select_or_zero(const M& m, const V& yes) {
  return {select_or_zero(m.a, yes.a), select_or_zero(m.b, yes.b)};
}
HWY_INLINE M both(const M& x, const M& y) {
  return {both(x.a, y.a), both(x.b, y.b)};
}
HWY_INLINE M either(const M& x, const M& y) {
  return {either(x.a, y.a), either(x.b, y.b)};
}
HWY_INLINE M but_not(const M& x, const M& y) {
  return {but_not(x.a, y.a), but_not(x.b, y.b)};
}
HWY_INLINE bool none(const M& m) {
  return none(either(m.a, m.b));
}
HWY_INLINE std::uint32_t bits_of(const M& m) {
  return bits_of(m.a) | (bits_of(m.b) << k_one_width);
}
HWY_INLINE V floor_of(const V& v) {
  return {floor_of(v.a), floor_of(v.b)};
}
HWY_INLINE V power_to_24(const V& v) {
  return {power_to_24(v.a), power_to_24(v.b)};
}
template <int k_bits>
HWY_INLINE VWord word_shift_right(const VWord& x) {
  return {word_shift_right<k_bits>(x.a), word_shift_right<k_bits>(x.b)};
}
HWY_INLINE VWord exclusive_or(const VWord& x, const VWord& y) {
  return {exclusive_or(x.a, y.a), exclusive_or(x.b, y.b)};
}
HWY_INLINE VWord word_and(const VWord& x, const VWord& y) {
  return {word_and(x.a, y.a), word_and(x.b, y.b)};
}
HWY_INLINE V low_half(const VWord& w) {
  return {low_half(w.a), low_half(w.b)};
}
HWY_INLINE V high_half(const VWord& w) {
  return {high_half(w.a), high_half(w.b)};
}
HWY_INLINE V upper_half(const VWord& w) {
  return {upper_half(w.a), upper_half(w.b)};
}
HWY_INLINE VWord to_word(const V& v) {
  return {to_word(v.a), to_word(v.b)};
}

HWY_INLINE V set(double value) {
  return {one_set(value), one_set(value)};
}
HWY_INLINE VWord word(std::uint32_t value) {
  return {hn::Set(DWord(), value), hn::Set(DWord(), value)};
}
/// first, first + 1, ...
HWY_INLINE VWord count_from(std::uint32_t first) {
  return {hn::Iota(DWord(), first),
          hn::Iota(DWord(), first + static_cast<std::uint32_t>(k_one_width))};
}
HWY_INLINE V load(const std::int32_t* from) {
  return {from_int(hn::Load(DInt(), from)), from_int(hn::Load(DInt(), from + k_one_width))};
}
HWY_INLINE VWord load_words(const std::uint32_t* from) {
  return {hn::Load(DWord(), from), hn::Load(DWord(), from + k_one_width)};
}
HWY_INLINE V load_doubles(const double* from) {
  return {hn::Load(D(), from), hn::Load(D(), from + k_one_width)};
}
HWY_INLINE void store(const V& v, std::int32_t* to) {
  hn::Store(to_int(v.a), DInt(), to);
  hn::Store(to_int(v.b), DInt(), to + k_one_width);
}
HWY_INLINE void store_words(const VWord& v, std::uint32_t* to) {
  hn::Store(v.a, DWord(), to);
  hn::Store(v.b, DWord(), to + k_one_width);
}
#else

using V = OneV;
using M = OneMask;
using VWord = OneWord;
inline constexpr std::size_t k_width = k_one_width;

HWY_INLINE V set(double value) {
  return one_set(value);
}
HWY_INLINE VWord word(std::uint32_t value) {
  return hn::Set(DWord(), value);
}
HWY_INLINE VWord count_from(std::uint32_t first) {
  return hn::Iota(DWord(), first);
}
HWY_INLINE V load(const std::int32_t* from) {
  return from_int(hn::Load(DInt(), from));
}
HWY_INLINE VWord load_words(const std::uint32_t* from) {
  return hn::Load(DWord(), from);
}
HWY_INLINE V load_doubles(const double* from) {
  return hn::Load(D(), from);
}
HWY_INLINE void store(V v, std::int32_t* to) {
  hn::Store(to_int(v), DInt(), to);
}
HWY_INLINE void store_words(VWord v, std::uint32_t* to) {
  hn::Store(v, DWord(), to);
}

#endif  // CONTRAIL_SIM_PAIRS

// The same lanes as int32, in one hardware vector.
using DNarrow = hn::CappedTag<std::int32_t, k_width>;
using Narrow = hn::Vec<DNarrow>;
static_assert(hn::MaxLanes(DNarrow()) == k_width);

HWY_INLINE Narrow set_narrow(std::int32_t value) {
  return hn::Set(DNarrow(), value);
}
HWY_INLINE Narrow load_narrow(const std::int32_t* from) {
  return hn::Load(DNarrow(), from);
}
/// Values within int32.
HWY_INLINE Narrow to_narrow(const V& v) {
#if CONTRAIL_SIM_PAIRS
  return hn::Combine(DNarrow(), to_int(v.b), to_int(v.a));
#else
  return to_int(v);
#endif
}
HWY_INLINE V from_narrow(Narrow v) {
#if CONTRAIL_SIM_PAIRS
  return {from_int(hn::LowerHalf(v)), from_int(hn::UpperHalf(DInt(), v))};
#else
  return from_int(v);
#endif
}
HWY_INLINE std::uint32_t narrow_bits_of(hn::Mask<DNarrow> m) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(DNarrow(), m, bytes);
  return bytes[0];
}
/// x0, y0, z0, x1, y1, z1, ...
HWY_INLINE void store_interleaved(Narrow x, Narrow y, Narrow z, std::int32_t* to) {
  hn::StoreInterleaved3(x, y, z, DNarrow(), to);
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
