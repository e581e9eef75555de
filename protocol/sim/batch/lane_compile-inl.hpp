// Whole flights of one salvo, one flight a lane: every lane is at the same place of its curve, so
// what depends on the place alone is computed once. The formulas are those of flight.cpp.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_COMPILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_COMPILE_INL
#undef CONTRAIL_SIM_LANE_COMPILE_INL
#else
#define CONTRAIL_SIM_LANE_COMPILE_INL
#endif

#include "lane_knot-inl.hpp"

#include <contrail/sim/base_curve.hpp>

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

/// The noise of one vector of flights along their common time. Keeps the four knots in use.
class SalvoNoise {
 public:
  HWY_INLINE SalvoNoise(NoiseKind kind, const FlightBlock& flights, std::size_t lane)
      : kind_(kind),
        key_x_(load_words(&flights.key_x[lane])),
        key_y_(load_words(&flights.key_y[lane])) {
    knots_.fill({set(0), set(0)});
  }

  HWY_INLINE NoiseLanes at(std::int64_t cells) {
    if (kind_ == NoiseKind::perlin) {
      return {perlin_noise(key_x_, set_wide(cells)), perlin_noise(key_y_, set_wide(cells))};
    }
    const std::int64_t cell = cells >> 16;
    if (cell == cell_ + 1) {
      knots_ = {knots_[1], knots_[2], knots_[3], knot(cell + 3)};
    } else if (cell != cell_) {
      knots_ = {knot(cell), knot(cell + 1), knot(cell + 2), knot(cell + 3)};
    }
    cell_ = cell;
    return bspline_noise(knots_, set_wide(cells & 65535));
  }

 private:
  HWY_INLINE NoiseLanes knot(std::int64_t number) const {
    return noise_knot(key_x_, word(static_cast<std::uint32_t>(number)));
  }

  NoiseKind kind_;
  VWord key_x_;
  VWord key_y_;
  std::int64_t cell_ = -2;
  std::array<NoiseLanes, 4> knots_;
};

/// Control points to where they go.
class PointWriter {
 public:
  HWY_INLINE PointWriter(Vec3* const* points, std::size_t lanes) : points_(points), lanes_(lanes) {}

  HWY_INLINE void write(const V3& p) {
    alignas(64) std::int32_t packed[3 * k_width];
    store_interleaved(to_narrow(p.x), to_narrow(p.y), to_narrow(p.z), packed);
    for (std::size_t i = 0; i < lanes_; ++i) {
      points_[i][next_] = Vec3(packed[3 * i], packed[3 * i + 1], packed[3 * i + 2]);
    }
    ++next_;
  }

 private:
  Vec3* const* points_;
  std::size_t lanes_;
  std::size_t next_ = 0;
};

/// The displaced knots S_1 .. S_{N-1} in order.
class KnotWalk {
 public:
  HWY_INLINE KnotWalk(const FlightSource& source, const FlightBlock& flights, std::size_t lane)
      : source_(source),
        noise_(source.weapon.noise, flights, lane),
        curve_{load3(flights.base[0], lane), load3(flights.base[1], lane),
               load3(flights.base[2], lane), load3(flights.base[3], lane)},
        h_(hodograph(curve_)),
        amplitude_(load(&flights.amplitude[lane])),
        knot_(place_knot(
            h_, {load3(flights.tangent, lane), load3(flights.r, lane), load3(flights.s, lane)},
            set(0))) {}

  [[nodiscard]] HWY_INLINE const CurveLanes& curve() const { return curve_; }
  [[nodiscard]] HWY_INLINE const HodographLanes& h() const { return h_; }

  HWY_INLINE V3 at(std::int64_t k) {
    const std::int64_t u = (k << k_log2_curve) / source_.launch.pieces;
    while (frame_knot_ < k_frame_knots - 1 && frame_knot_ < u >> 16) {
      ++frame_knot_;
      knot_ = step_to_knot(h_, knot_, set(static_cast<double>(frame_knot_)) * set(0x1p-4));
    }
    const V t = set_wide(u) * set(0x1p-20);
    const FrameLanes frame = step_frame(h_, knot_, t).frame;
    const V reach = shift_right<16>(amplitude_ * envelope(set_wide(u)));
    const NoiseLanes n =
        noise_.at(((k << source_.launch.log2_piece) * source_.weapon.frequency) >> 16);
    return displace(curve_point(curve_, t), frame, reach, n);
  }

 private:
  const FlightSource& source_;
  SalvoNoise noise_;
  CurveLanes curve_;
  HodographLanes h_;
  V amplitude_;
  KnotLanes knot_;
  std::int64_t frame_knot_ = 0;
};

HWY_INLINE void compile_lanes(const FlightSource& source, const FlightBlock& flights,
                              std::size_t lane, PointWriter writer) {
  KnotWalk walk(source, flights, lane);
  const CurveLanes& curve = walk.curve();
  const V pieces = set_wide(source.launch.pieces);
  const V3 m0 = floor_div(walk.h().h0 * set(3), pieces);
  const V3 mn = floor_div(walk.h().h2 * set(3), pieces);
  const V two = set(2);

  // Of the piece to come: its left knot, its first control point, and the second inner control
  // point of the piece before.
  V3 left = curve.p0;
  V3 joint = curve.p0;
  V3 inner{};
  for (std::int64_t k = 1; k < source.launch.pieces; ++k) {
    const V3 right = walk.at(k);
    V3 first = third(left * two + right);
    if (k == 1) {
      left = shift_right<1>(curve.p0 * set(3) - right + m0);
      first = curve.p0 + third(m0);
    } else {
      joint = shift_right<1>(inner + first);
    }
    inner = third(left + right * two);
    writer.write(joint);
    writer.write(first);
    writer.write(inner);
    left = right;
  }
  if (source.launch.pieces == 1) {
    writer.write(curve.p0);
    writer.write(curve.p0 + third(m0));
  } else {
    const V3 last = shift_right<1>(curve.p3 * set(3) - left - mn);
    const V3 first = third(left * two + last);
    writer.write(shift_right<1>(inner + first));
    writer.write(first);
  }
  writer.write(curve.p3 - third(mn));
  writer.write(curve.p3);
}

inline void compile(const FlightSource& source, const FlightBlock& flights, std::size_t count,
                    Vec3* const* points) {
  for (std::size_t lane = 0; lane < count; lane += k_width) {
    const std::size_t present = count - lane < k_width ? count - lane : k_width;
    compile_lanes(source, flights, lane, PointWriter(points + lane, present));
  }
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
