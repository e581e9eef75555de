// Positions in int32 lanes, eight where doubles have four: for flights that keep away from the
// limits of int32, which is all but those beyond the world's edge. De Casteljau's products have 45
// bits and are taken of every second lane at a time.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_NARROW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_NARROW_INL
#undef CONTRAIL_SIM_LANE_NARROW_INL
#else
#define CONTRAIL_SIM_LANE_NARROW_INL
#endif

#include "lane_vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

struct Narrow3 {
  Narrow x, y, z;
};

// A vector of one lane has no second one; with eight lanes of doubles nothing is won.
#undef CONTRAIL_SIM_NARROW
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_AVX3
#define CONTRAIL_SIM_NARROW 0
#else
#define CONTRAIL_SIM_NARROW 1

using DWide = hn::RepartitionToWide<DNarrow>;
using DWideBits = hn::RebindToUnsigned<DWide>;

/// Lanes 1, 3, 5 ... in the place of 0, 2, 4 ...
HWY_INLINE Narrow odd_lanes(Narrow v) {
  return hn::BitCast(DNarrow(), hn::ShiftRight<32>(hn::BitCast(DWideBits(), v)));
}

/// floor(a * b / 2^kBits), within int32; `odd_b` is odd_lanes(b).
template <int kBits>
HWY_INLINE Narrow product_shifted(Narrow a, Narrow b, Narrow odd_b) {
  const auto even = hn::BitCast(DWideBits(), hn::MulEven(a, b));
  const auto odd = hn::BitCast(DWideBits(), hn::MulEven(odd_lanes(a), odd_b));
  // Bits kBits to kBits + 31 of the products: into the lower half for even lanes, the upper one for
  // odd lanes.
  const Narrow low = hn::BitCast(DNarrow(), hn::ShiftRight<kBits>(even));
  const Narrow high = hn::BitCast(DNarrow(), hn::ShiftLeft<32 - kBits>(odd));
  return hn::OddEven(high, low);
}

/// A fraction of a piece, times 2^31: of the even lanes and of the odd ones.
struct NarrowTime {
  Narrow even, odd;
};

/// a + floor((b - a) * t / 2^31); a, b and b - a within int32, 0 <= t < 2^31.
HWY_INLINE Narrow lerp(Narrow a, Narrow b, const NarrowTime& t) {
  return a + product_shifted<31>(b - a, t.even, t.odd);
}

HWY_INLINE Narrow cubic_point(const PieceBlock& block, std::size_t axis, std::size_t lane,
                              const NarrowTime& t) {
  const Narrow p0 = load_narrow(&block.points[0][axis][lane]);
  const Narrow p1 = load_narrow(&block.points[1][axis][lane]);
  const Narrow p2 = load_narrow(&block.points[2][axis][lane]);
  const Narrow p3 = load_narrow(&block.points[3][axis][lane]);
  const Narrow a = lerp(p0, p1, t);
  const Narrow b = lerp(p1, p2, t);
  const Narrow c = lerp(p2, p3, t);
  return lerp(lerp(a, b, t), lerp(b, c, t), t);
}

/// Positions at `inside` subticks of the pieces in force, fewer than they last.
HWY_INLINE Narrow3 narrow_position(const PieceBlock& block, std::size_t lane, Narrow inside,
                                   int log2_piece) {
  const Narrow fraction = hn::ShiftLeftSame(inside, 31 - log2_piece);
  const NarrowTime t{fraction, odd_lanes(fraction)};
  return {cubic_point(block, 0, lane, t), cubic_point(block, 1, lane, t),
          cubic_point(block, 2, lane, t)};
}

#endif

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
