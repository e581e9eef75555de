// The beginning of flights: aim, base curve and first frame of eight missiles of a salvo. The
// formulas are those of flight.cpp.
//
// Included once for every target by lanes.cpp.

#if defined(CONTRAIL_SIM_LANE_START_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CONTRAIL_SIM_LANE_START_INL
#undef CONTRAIL_SIM_LANE_START_INL
#else
#define CONTRAIL_SIM_LANE_START_INL
#endif

#include "lane_frame-inl.hpp"

#include <contrail/sim/base_curve.hpp>
#include <contrail/sim/basis.hpp>

HWY_BEFORE_NAMESPACE();
namespace contrail::sim::batch::HWY_NAMESPACE {

/// key(seed, stream, index), the index by lane.
HWY_INLINE VWord key_of(std::uint32_t seed, Stream stream, VWord index) {
  return draw(word(sim::mix(seed ^ (static_cast<std::uint32_t>(stream) * 0x85EBCA6BU))), index);
}

HWY_INLINE V3 cone_direction(const Cone& cone, const V3& f, VWord key) {
  const V3 random = ball(key, 0) * set(512);
  const V3 sum = f * set_wide(cone.along) + random * set_wide(cone.across);
  return unit_or(shift_right<14>(sum), f);
}

/// fraction (Q16) of a length.
HWY_INLINE V fraction_of(V length, std::int64_t fraction) {
  return shift_right<12>(shift_right<4>(length) * set_wide(fraction));
}

/// (draw * parts) >> 32 in 32-bit words; at most 8 parts.
HWY_INLINE V chosen_part(VWord draw, std::uint32_t parts) {
  const VWord low = word_and(draw, word(0xFFFFU)) * word(parts);
  const VWord high = word_shift_right<16>(draw) * word(parts);
  return upper_half(high + word_shift_right<16>(low));
}

/// Aim offset in body axes of the announced target's type.
HWY_INLINE V3 aim_offsets(std::uint32_t seed, VWord index, const EntityType& type) {
  const VWord own = key_of(seed, Stream::aim_offset, index);
  const V chosen = chosen_part(draw(own, 0U), static_cast<std::uint32_t>(type.hull.size()));
  V3 a = set3(type.hull[0].a);
  V3 d = set3(type.hull[0].d);
  V radius = set_wide(type.hull[0].radius);
  for (std::size_t part = 1; part < type.hull.size(); ++part) {
    const M here = chosen == set(static_cast<double>(part));
    a = select(here, set3(type.hull[part].a), a);
    d = select(here, set3(type.hull[part].d), d);
    radius = select(here, set_wide(type.hull[part].radius), radius);
  }
  const V q = upper_half(draw(own, 1U));
  const V reach = shift_right<3>(radius * set(7));
  return a + shift_right<16>(d * q) + shift_right<15>(ball(own, 2) * reach);
}

/// A body-axes offset in world axes.
HWY_INLINE V3 rotate(const V3& right, const V3& up, const V3& forward, const V3& o) {
  return round24(right * o.x + up * o.y + forward * o.z);
}

/// See turn_aside() in flight.cpp; for lanes with a negative cosine.
HWY_INLINE V3 turn_aside(const V3& start, const V3& chord, V chord_length, V cosine) {
  const V3 across = start - round24(chord * cosine);
  const M vanishes = max_abs(across) < set(0x1p20);
  const V3 chosen = select(vanishes, start_frame(chord).r, across);
  const V reach =
      shift_right<20>(shift_right<4>(fraction_of(chord_length, 81'920)) * (set(0) - cosine));
  return along(unit(chosen), reach);
}

struct BaseLanes {
  CurveLanes curve;
  V amplitude;
};

/// The base curve, with the aim offset in world axes at the anchor's target basis.
HWY_INLINE BaseLanes base_curves(const FlightSource& source, VWord index, V delay, const V3& aim) {
  const Anchor& anchor = source.anchor;
  const Weapon& weapon = source.weapon;
  const V world = set_wide(k_world_limit);
  const V3 p0 = clamp(set3(anchor.muzzle) + drift(set3(anchor.launcher_velocity), delay), world);
  const V3 coasted =
      set3(anchor.target_position) +
      drift(set3(anchor.target_velocity),
            delay + set_wide(Subtick{source.launch.pieces} << source.launch.log2_piece));
  const V3 p3 = clamp(coasted, world) + aim;
  const V3 chord = p3 - p0;
  const V chord_length = length_of(chord);
  const V3 muzzle_forward = set3(thaw(anchor.muzzle_basis.forward));
  const V3 direction = unit_or(chord, muzzle_forward);

  const V3 leave = cone_direction(weapon.muzzle_cone, muzzle_forward,
                                  key_of(source.launch.seed, Stream::muzzle_spread, index));
  const V3 arrive = cone_direction(weapon.approach_cone, negate(direction),
                                   key_of(source.launch.seed, Stream::approach_spread, index));
  const V3 p1 = p0 + along(leave, fraction_of(chord_length, weapon.muzzle_handle));
  V3 p2 = p3 + along(arrive, fraction_of(chord_length, weapon.approach_handle));
  const V cosine = round24(dot(leave, direction));
  const M turns = cosine < set(0);
  if (!none(turns)) {
    p2 = select(turns, p2 + turn_aside(leave, direction, chord_length, cosine), p2);
  }
  const V limit = set(2147483647.0);
  return {{clamp(p0, limit), clamp(p1, limit), clamp(p2, limit), clamp(p3, limit)},
          min_of(set_wide(weapon.amplitude), shift_right<3>(max_abs(chord)))};
}

HWY_INLINE void start_lanes(const FlightSource& source, std::size_t lane, FlightBlock& flights,
                            PieceBlock& pieces) {
  const VWord index = count_from(source.index + static_cast<std::uint32_t>(lane));
  const V number = low_half(index);
  const V delay = number * set_wide(source.weapon.ripple_interval);

  const V3 offset = aim_offsets(source.launch.seed, index, source.target_type);
  const Basis basis = thaw(source.anchor.target_basis);
  const V3 aim = rotate(set3(right(basis)), set3(basis.up), set3(basis.forward), offset);
  const BaseLanes base = base_curves(source, index, delay, aim);
  const FrameLanes frame = start_frame(start_tangent(base.curve));

  store3(offset, pieces.offset, lane);
  store3(aim, pieces.reference, lane);
  store3(base.curve.p0, flights.base[0], lane);
  store3(base.curve.p1, flights.base[1], lane);
  store3(base.curve.p2, flights.base[2], lane);
  store3(base.curve.p3, flights.base[3], lane);
  store(base.amplitude, &flights.amplitude[lane]);
  store3(frame.tangent, flights.tangent, lane);
  store3(frame.r, flights.r, lane);
  store3(frame.s, flights.s, lane);
  const bool perlin = source.weapon.noise == NoiseKind::perlin;
  const VWord key_x = key_of(source.launch.seed, perlin ? Stream::perlin_x : Stream::wobble, index);
  const VWord key_y = perlin ? key_of(source.launch.seed, Stream::perlin_y, index) : word(0);
  store_words(key_x, &flights.key_x[lane]);
  store_words(key_y, &flights.key_y[lane]);
}

inline void start(const FlightSource& first, FlightBlock& flights, PieceBlock& pieces) {
  for (std::size_t lane = 0; lane < k_lanes; lane += k_width) {
    start_lanes(first, lane, flights, pieces);
  }
  flights.window = {};
  flights.frame_knot.fill(0);
  flights.piece.fill(-1);
}

}  // namespace contrail::sim::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include for this target
