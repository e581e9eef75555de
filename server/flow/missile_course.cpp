#include <contrail/flow/missile_course.hpp>

#include <algorithm>
#include <cstdlib>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/frame.hpp>
#include <contrail/sim/homing.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

constexpr std::int64_t k_one_curve = std::int64_t{1} << sim::k_log2_curve;

/// 16 u^2 (1 - u)^2 for u in Q20, Q16, as the knots have it.
std::int64_t envelope(std::int64_t u) {
  const std::int64_t w = std::clamp<std::int64_t>(u, 0, k_one_curve) >> 4;
  const std::int64_t e = (4 * w * (65536 - w)) >> 16;
  return (e * e) >> 16;
}

std::int64_t largest_envelope(std::int64_t first, std::int64_t last) {
  constexpr std::int64_t k_peak = k_one_curve / 2;
  return envelope(first > k_peak ? first : last < k_peak ? last : k_peak);
}

/// What is left of a deviation from the base curve `t` subticks after launch: the first two control
/// points of the first piece are the base curve's own, so it grows with 3 s^2 - 2 s^3, s the part
/// of the piece.
std::int64_t leaving(std::int64_t deviation, Subtick t, int log2_piece) {
  if (t >= Subtick{1} << log2_piece) {
    return deviation;
  }
  const std::int64_t s = ((t << 16) >> log2_piece) + 1;  // Q16
  const std::int64_t part = std::min<std::int64_t>(3 * ((s * s) >> 16) + 3, 65536);
  return ((deviation * part) >> 16) + 1;
}

/// A point that moves nearly straight, and how far from straight.
struct Leg {
  WideVec3 from{0};
  WideVec3 to{0};
  std::int64_t error = 0;
};

bool outside(const WideVec3& v, std::int64_t limit) {
  return sim::max_abs(v) > limit;
}

Leg own_flight(const CourseQuery& q) {
  const HotMissile& m = q.missile;
  const sim::Weapon& weapon = q.world.scenario().weapons[q.salvo.launch.weapon];
  const Subtick launched = sim::launch_time(q.salvo.launch, weapon, m.index);
  const std::int64_t pieces = q.salvo.launch.pieces;
  const Subtick duration = pieces << q.salvo.launch.log2_piece;
  const auto parameter = [&](Subtick t) {
    return sim::floor_div((t - launched) << sim::k_log2_curve, duration);
  };
  const std::int64_t u0 = parameter(q.begin);
  const std::int64_t u1 = parameter(q.end);
  const std::int64_t bend = 16 * std::int64_t{m.bend};
  const std::int64_t step = 16 * std::int64_t{m.step};
  // Knots of the pieces before and after shape a piece, too.
  const std::int64_t apart = k_one_curve / pieces + 1;
  const std::int64_t part = u1 - u0 + 1;
  const std::int64_t curved =
      (((3 * bend) >> 2) * (((part * part) >> sim::k_log2_curve) + 1)) >> sim::k_log2_curve;
  const std::int64_t smoothed = pieces == 1 ? 0 : sim::floor_div(3 * bend, 2 * pieces * pieces);
  const std::int64_t stepped = (9 * step) >> sim::k_log2_curve;
  const std::int64_t wobble =
      (m.amplitude * largest_envelope(u0 - 2 * apart, u1 + 2 * apart)) >> 16;
  const std::int64_t aside =
      leaving(smoothed + wobble + (wobble >> 12) + 4, q.end - launched, q.salvo.launch.log2_piece);
  return {WideVec3(sim::cubic_point(m.base, u0, sim::k_log2_curve)),
          WideVec3(sim::cubic_point(m.base, u1, sim::k_log2_curve)), curved + stepped + aside + 32};
}

/// Where the aim point is, less where it was expected.
Leg gap_leg(const CourseQuery& q) {
  const Course track =
      course_of(*q.target, q.world.scenario().tick_length(), q.horizon_begin, q.begin, q.end);
  Leg leg{track.from, track.to, track.radius};
  Vec3 offset = q.missile.offset;
  if (q.lock.number != 0 || q.missile.events != 0) {
    offset = sim::aim_offset(q.salvo.launch.seed, q.missile.index, q.lock.number, *q.type);
    const WideVec3 expected = WideVec3(q.end_point) + q.lock.kept_at_end;
    leg.from -= expected;
    leg.to -= expected;
  } else {
    const auto coasted = [&](Subtick t) {
      return WideVec3(q.salvo.target_position) +
             sim::drift(q.salvo.target_velocity, t - q.salvo.launch.t0);
    };
    const auto expected = [&](Subtick t) {
      return WideVec3(sim::clamp(coasted(t), sim::k_world_limit)) +
             sim::rotate(sim::thaw(q.salvo.target_basis), offset);
    };
    const WideVec3 first = expected(q.begin);
    const WideVec3 last = expected(q.end);
    if (outside(coasted(q.end), sim::k_world_limit)) {
      leg.error += roughly_above(last - first);
    }
    leg.from -= first;
    leg.to -= last;
  }
  const std::int64_t arm = roughly_above(WideVec3(offset));
  leg.error += arm + (arm >> 20) + 16;  // the body may look anywhere
  return leg;
}

Leg homing(const CourseQuery& q) {
  if (q.target == nullptr) {
    return {};
  }
  const Leg gap = gap_leg(q);
  const sim::Weapon& weapon = q.world.scenario().weapons[q.salvo.launch.weapon];
  const Subtick end = sim::end_time(q.salvo.launch, weapon, q.missile.index);
  const Subtick begin = q.missile.events == 0
                            ? sim::launch_time(q.salvo.launch, weapon, q.missile.index)
                            : q.lock.begin;
  const Subtick duration = end - begin;
  const std::int64_t w0 = sim::ramp(q.begin - begin, duration);
  const std::int64_t w1 = sim::ramp(q.end - begin, duration);
  const std::int64_t largest = std::max(roughly_above(gap.from), roughly_above(gap.to));
  Leg leg;
  if (largest + gap.error >= sim::k_homing_clamp) {
    const std::int64_t most = std::min(largest + gap.error, 2 * std::int64_t{sim::k_homing_clamp});
    leg.error = ((most * w1) >> 24) + 4;
    return leg;
  }
  leg.from = sim::shift_right(gap.from * w0, 24);
  leg.to = sim::shift_right(gap.to * w1, 24);
  // Bending of the product of ramp and gap over a part r of the ramp's window: r^2 / 8 times
  // 10 / sqrt(3) of the gap, and r / 8 times 2 * 15 / 8 of the gap's change.
  const std::int64_t r = (((q.end - q.begin) << 20) / duration) + 1;  // Q20
  const std::int64_t change = roughly_above(gap.to - gap.from);
  const std::int64_t ramped = (((3 * largest) >> 2) * (((r * r) >> 20) + 1)) >> 20;
  leg.error = ((gap.error * w1) >> 24) + ramped + ((change * r) >> 21) + (largest >> 21) + 8;
  return leg;
}

}  // namespace

HotMissile hot_missile(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index) {
  const sim::Scenario& scenario = world.scenario();
  const sim::FlightSource source{salvo.launch, salvo.anchor, scenario.weapons[salvo.launch.weapon],
                                 scenario.types[salvo.anchor.target_type], index};
  const sim::BaseCurve curve = sim::base_curve(source);
  const sim::Hodograph d = sim::hodograph(curve.p);
  const auto packed = [](std::int64_t length) {
    return static_cast<std::int32_t>((length >> 4) + 1);
  };
  HotMissile m;
  m.base = curve.p;
  m.offset = sim::aim_offset(salvo.launch.seed, index, 0, source.target_type);
  m.amplitude = curve.amplitude;
  m.bend = packed(std::max(length_above(d[1] - d[0]), length_above(d[2] - d[1])));
  m.step = packed(std::max({length_above(d[0]), length_above(d[1]), length_above(d[2])}));
  m.salvo = salvo.id;
  m.index = index;
  m.events = salvo.missiles[index].events;
  return m;
}

Departure departure_of(const CourseQuery& q) {
  const HotMissile& m = q.missile;
  const sim::Launch& launch = q.salvo.launch;
  const Subtick duration = Subtick{launch.pieces} << launch.log2_piece;
  Departure d;
  d.launched = q.begin;
  d.span = q.end - q.begin;
  d.start = WideVec3(m.base[0]);
  // The ramp grows faster than t^2 below a third of its window.
  const bool early =
      d.span > 0 && d.span <= Subtick{1} << launch.log2_piece && 4 * d.span < duration;
  if (!early || m.events != 0 || outside(d.start, sim::k_world_limit - (1 << 24))) {
    return d;
  }
  const WideVec3 slope = WideVec3(m.base[1]) - d.start;
  d.way = sim::floor_div(slope * (3 * d.span), duration);
  const std::int64_t r = ((d.span << 20) / duration) + 1;            // Q20
  const std::int64_t s = ((d.span << 16) >> launch.log2_piece) + 1;  // Q16
  const std::int64_t bend = 16 * std::int64_t{m.bend};
  const std::int64_t curved = (3 * bend * (((r * r) >> 20) + 1)) >> 20;
  const std::int64_t smoothed =
      launch.pieces == 1
          ? 0
          : sim::floor_div(3 * bend, 2 * std::int64_t{launch.pieces} * launch.pieces);
  const std::int64_t apart = k_one_curve / launch.pieces + 1;
  const std::int64_t wobble = (m.amplitude * largest_envelope(0, 3 * apart)) >> 16;
  const std::int64_t aside = smoothed + wobble + (wobble >> 12) + 4;
  d.growth = curved + ((3 * aside * (((s * s) >> 16) + 1)) >> 16) + 4;
  if (q.target != nullptr) {
    const Leg gap = gap_leg(q);
    const std::int64_t largest =
        std::max(roughly_above(gap.from), roughly_above(gap.to)) + gap.error;
    d.growth += ((largest * sim::ramp(d.span, duration)) >> 24) + 1;
  }
  d.known = sim::max_abs(d.way) + d.growth < (1 << 24);
  return d;
}

Course course_of(const CourseQuery& q) {
  const Leg own = own_flight(q);
  const Leg home = homing(q);
  Course course{q.begin, q.end, own.from + home.from, own.to + home.to,
                own.error + home.error + k_rounding_slack};
  if (q.missile.events != 0) {
    // The lock is as of `begin`; what ended locks left drifts on.
    const WideVec3 drifted(q.lock.velocity * (q.end - q.begin));
    course.from += q.lock.kept;
    course.to += q.lock.kept + sim::shift_right(drifted, 16);
  }
  const std::int64_t inner = sim::k_world_limit - course.radius;
  if (outside(course.from, inner) || outside(course.to, inner)) {
    // The world's border may hold it: a ball around the middle holds it there, too.
    const WideVec3 middle = sim::shift_right(course.from + course.to, 1);
    course.radius += roughly_above(course.to - course.from) / 2 + 2;
    course.from = course.to = WideVec3(sim::clamp(middle, sim::k_world_limit));
  }
  return course;
}

Course course_of(const Horizon& h, Subtick tick_length, Subtick now, Subtick begin, Subtick end) {
  const Subtick span = end - now;
  const std::int64_t wander = h.wander(span, (span + tick_length - 1) / tick_length);
  const WideVec3 position(h.position);
  Course course{begin, end, position + sim::drift(h.velocity, begin - now),
                position + sim::drift(h.velocity, span), wander};
  const std::int64_t inner = sim::k_world_limit - wander;
  if (outside(course.from, inner) || outside(course.to, inner)) {
    // The world's border may hold it; it gets no farther from where it is now.
    course.radius += roughly_above(course.to - position);
    course.from = course.to = position;
  }
  return course;
}

Meeting meeting(const Course& a, const Course& b, std::int64_t distance) {
  constexpr int k_shift = 4;  // products stay below 2^60
  const Subtick span = a.end - a.begin;
  const WideVec3 from = sim::shift_right(a.from - b.from, k_shift);
  const WideVec3 way = sim::shift_right(a.to - b.to, k_shift) - from;
  const std::int64_t reach = ((a.radius + b.radius + distance) >> k_shift) + 6;
  const Meeting whole{true, a.begin, a.end};
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t to = from[axis] + way[axis];
    if (std::min(from[axis], to) > reach || std::max(from[axis], to) < -reach) {
      return {};
    }
  }
  const std::int64_t square = way.x * way.x + way.y * way.y + way.z * way.z;
  const std::int64_t length = sim::isqrt(square);  // the way is length .. length + 1 long
  if (length < 16 || reach >= std::int64_t{1} << 29) {
    return whole;
  }
  const std::int64_t product = from.x * way.x + from.y * way.y + from.z * way.z;
  const std::int64_t along = product / length;  // too long by up to its part 1 / length
  const std::int64_t slack = std::abs(along) / length + 2;
  const std::int64_t beside = from.x * from.x + from.y * from.y + from.z * from.z -
                              (std::abs(along) + 1) * (std::abs(along) + 1);
  if (beside > reach * reach) {
    return {};
  }
  // |along + s * way| <= reach; the true length of the way is between `length` and one more.
  const std::int64_t enter = -along - slack - reach;
  const std::int64_t leave = -along + slack + reach;
  const Subtick first = sim::floor_div(enter * span, enter > 0 ? length + 1 : length) - 1;
  const Subtick last = sim::floor_div(leave * span, leave > 0 ? length : length + 1) + 2;
  if (first > span || last < 0) {
    return {};
  }
  return {true, a.begin + std::max<Subtick>(first, 0), a.begin + std::min(last, span)};
}

}  // namespace contrail::server
