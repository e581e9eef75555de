// From one piece of a flight to another, one flight a lane, each at its own place. The formulas are
// those of flight.cpp.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_ADVANCE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_ADVANCE_INL
#undef CONTRAIL_SIM_LANE_ADVANCE_INL
#else
#define CONTRAIL_SIM_LANE_ADVANCE_INL
#endif

#include "lane_knot-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

HWY_INLINE NoiseLanes noise_at(NoiseKind kind, const FlightBlock& flights, std::size_t lane,
                               V cells) {
  const VWord key_x = load_words(&flights.key_x[lane]);
  if (kind == NoiseKind::perlin) {
    const VWord key_y = load_words(&flights.key_y[lane]);
    return {perlin_noise(key_x, cells), perlin_noise(key_y, cells)};
  }
  const V whole = shift_right<16>(cells);
  const VWord cell = to_word(whole);
  return bspline_noise({noise_knot(key_x, cell), noise_knot(key_x, cell + word(1)),
                        noise_knot(key_x, cell + word(2)), noise_knot(key_x, cell + word(3))},
                       cells - whole * set(65536));
}

/// What the lanes of a step have each for themselves.
struct FlightLanes {
  CurveLanes curve;
  HodographLanes h;
  KnotLanes knot;  // of frames
  V frame_knot;    // its number
  V pieces;
  V piece_length;  // 2^log2_piece
  V frequency;
};

HWY_INLINE KnotLanes select(M m, const KnotLanes& yes, const KnotLanes& no) {
  return {{select(m, yes.frame.tangent, no.frame.tangent), select(m, yes.frame.r, no.frame.r),
           select(m, yes.frame.s, no.frame.s)},
          select(m, yes.left, no.left),
          select(m, yes.right, no.right),
          select(m, yes.slope, no.slope)};
}

/// Brings the frames of the active lanes to the knot below u, forward or from the start.
HWY_INLINE void advance_frame(FlightLanes& f, V u, M active) {
  const V wanted = min_of(shift_right<16>(u), set(k_frame_knots - 1));
  const M behind = both(active, wanted < f.frame_knot);
  if (HWY_UNLIKELY(!none(behind))) {
    const FrameLanes first = start_frame(start_tangent(f.curve));
    f.knot = select(behind, place_knot(f.h, first, set(0)), f.knot);
    f.frame_knot = select(behind, set(0), f.frame_knot);
  }
  for (;;) {
    const M short_of = both(active, f.frame_knot < wanted);
    if (none(short_of)) {
      return;
    }
    const V next = f.frame_knot + set(1);
    f.knot = select(short_of, step_to_knot(f.h, f.knot, next * set(0x1p-4)), f.knot);
    f.frame_knot = select(short_of, next, f.frame_knot);
  }
}

/// The displaced knot S_k, 0 < k < pieces; the frame advances for active lanes only, and only they
/// get a meaningful result.
HWY_INLINE V3 displaced_knot(FlightLanes& f, NoiseKind noise, const FlightBlock& flights,
                             std::size_t lane, V k, M active) {
  const V u = floor_div(k * set(0x1p20), f.pieces);
  advance_frame(f, u, active);
  const V t = u * set(0x1p-20);
  const FrameLanes frame = step_frame(f.h, f.knot, t).frame;
  const V reach = shift_right<16>(load(&flights.amplitude[lane]) * envelope(u));
  const NoiseLanes n =
      noise_at(noise, flights, lane, shift_right<16>(k * f.piece_length * f.frequency));
  return displace(curve_point(f.curve, t), frame, reach, n);
}

using WindowLanes = std::array<V3, k_window>;

/// The piece k between the knots window[1] and window[2], with what the ends of a flight need.
HWY_INLINE CurveLanes spline_piece(const FlightLanes& f, const WindowLanes& window, V k) {
  const V one = set(1);
  const M at_start = k == set(0);
  const M at_end = k + one == f.pieces;
  V3 before = window[0];
  V3 a = window[1];
  V3 b = window[2];
  V3 behind = window[3];
  // Within two pieces of an end the end's own knot takes part: the one whose spline starts or ends
  // exactly there.
  const M near_end = either(k <= one, k + set(3) > f.pieces);
  const bool ends = !none(near_end);
  V3 first_third{set(0), set(0), set(0)};
  V3 last_third = first_third;
  if (ends) {
    const V3 m0 = floor_div(f.h.h0 * set(3), f.pieces);
    const V3 mn = floor_div(f.h.h2 * set(3), f.pieces);
    first_third = third(m0);
    last_third = third(mn);
    const V3 from_start = f.curve.p0 * set(3) + m0;
    const V3 from_end = f.curve.p3 * set(3) - mn;
    before = select(k == one, shift_right<1>(from_start - a), before);
    behind = select(k + set(2) == f.pieces, shift_right<1>(from_end - b), behind);
    const V3 first = shift_right<1>(from_start - b);
    const V3 last = shift_right<1>(from_end - a);
    a = select(at_start, first, a);
    b = select(at_end, last, b);
  }
  CurveLanes piece;
  const V two = set(2);
  piece.p1 = third(a * two + b);
  piece.p2 = third(a + b * two);
  if (ends) {
    piece.p1 = select(at_start, f.curve.p0 + first_third, piece.p1);
    piece.p2 = select(at_end, f.curve.p3 - last_third, piece.p2);
  }
  piece.p0 = shift_right<1>(third(before + a * two) + piece.p1);
  piece.p3 = shift_right<1>(piece.p2 + third(b * two + behind));
  if (ends) {
    piece.p0 = select(at_start, f.curve.p0, piece.p0);
    piece.p3 = select(at_end, f.curve.p3, piece.p3);
  }
  return piece;
}

HWY_INLINE FlightLanes load_flights(const AdvancePlan& plan, const FlightBlock& flights,
                                    std::size_t lane) {
  FlightLanes f;
  f.curve = {load3(flights.base[0], lane), load3(flights.base[1], lane),
             load3(flights.base[2], lane), load3(flights.base[3], lane)};
  f.h = hodograph(f.curve);
  f.frame_knot = load(&flights.frame_knot[lane]);
  f.knot = place_knot(
      f.h, {load3(flights.tangent, lane), load3(flights.r, lane), load3(flights.s, lane)},
      f.frame_knot * set(0x1p-4));
  f.pieces = load(&plan.pieces[lane]);
  f.piece_length = load(&plan.piece_length[lane]);
  f.frequency = load(&plan.frequency[lane]);
  return f;
}

HWY_INLINE void advance_lanes(const AdvancePlan& plan, int most, std::size_t lane,
                              FlightBlock& flights, PieceBlock& pieces) {
  FlightLanes f = load_flights(plan, flights, lane);
  const V k = load(&plan.target[lane]);
  const V pushes = load(&plan.pushes[lane]);
  WindowLanes window;
  for (std::size_t i = 0; i < k_window; ++i) {
    window[i] = load3(flights.window[i], lane);
  }
  for (int push = most; push > 0; --push) {
    const V left = set(push);
    const V knot = k + set(3) - left;
    const M active = pushes >= left;
    const M inside = both(active, both(knot >= set(1), knot < f.pieces));
    V3 pushed = window[3];
    if (!none(inside)) {
      const V valid = select(inside, knot, set(1));
      pushed = select(inside, displaced_knot(f, plan.noise, flights, lane, valid, inside), pushed);
    }
    for (std::size_t i = 0; i + 1 < k_window; ++i) {
      window[i] = select(active, window[i + 1], window[i]);
    }
    window[3] = pushed;
  }
  for (std::size_t i = 0; i < k_window; ++i) {
    store3(window[i], flights.window[i], lane);
  }
  store3(f.knot.frame.tangent, flights.tangent, lane);
  store3(f.knot.frame.r, flights.r, lane);
  store3(f.knot.frame.s, flights.s, lane);
  store(f.frame_knot, &flights.frame_knot[lane]);

  const CurveLanes piece = spline_piece(f, window, k);
  store3(piece.p0, pieces.points[0], lane);
  store3(piece.p1, pieces.points[1], lane);
  store3(piece.p2, pieces.points[2], lane);
  store3(piece.p3, pieces.points[3], lane);
  store(k * f.piece_length, &pieces.start[lane]);
}

inline void advance(const AdvancePlan& plan, FlightBlock& flights, PieceBlock& pieces) {
  for (std::size_t lane = 0; lane < k_lanes; lane += k_width) {
    int most = 0;
    for (std::size_t i = 0; i < k_width; ++i) {
      most = plan.pushes[lane + i] > most ? plan.pushes[lane + i] : most;
    }
    advance_lanes(plan, most, lane, flights, pieces);
  }
  flights.piece = plan.target;
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
