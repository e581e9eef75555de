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

/// Largest distance of the spline from its base curve where knots with parameters of [u0, u1] shape
/// it.
std::int64_t deviation_of_spline(const CourseQuery& q, std::int64_t u0, std::int64_t u1) {
  const std::int64_t bend = 16 * std::int64_t{q.missile.bend};
  const std::int64_t smoothed =
      q.salvo.launch.pieces == 1 ? 0 : ((bend * q.salvo.smoothing) >> 20) + 1;
  const std::int64_t wobble = (q.missile.amplitude * largest_envelope(u0, u1)) >> 16;
  return smoothed + wobble + (wobble >> 12) + 4;
}

/// u(T), Q20, at most two below the exact quotient: a division each would cost as much as a cubic.
std::int64_t parameter(const SalvoHeader& salvo, Subtick since_launch) {
  return static_cast<std::int64_t>(
      (static_cast<std::uint64_t>(since_launch) * salvo.inverse_duration) >> 42);
}

Leg own_flight(const CourseQuery& q) {
  const HotMissile& m = q.missile;
  const Subtick launched = q.launched;
  const std::int64_t u0 = parameter(q.salvo, q.begin - launched);
  const std::int64_t u1 = parameter(q.salvo, q.end - launched);
  const std::int64_t bend = 16 * std::int64_t{m.bend};
  const std::int64_t step = 16 * std::int64_t{m.step};
  // Knots of the pieces before and after shape a piece, too.
  const std::int64_t apart = parameter(q.salvo, Subtick{1} << q.salvo.launch.log2_piece) + 2;
  const std::int64_t part = u1 - u0 + 2;
  const std::int64_t curved =
      (((3 * bend) >> 2) * (((part * part) >> sim::k_log2_curve) + 1)) >> sim::k_log2_curve;
  const std::int64_t stepped = (15 * step) >> sim::k_log2_curve;
  const std::int64_t aside = leaving(deviation_of_spline(q, u0 - 2 * apart, u1 + 2 * apart),
                                     q.end - launched, q.salvo.launch.log2_piece);
  return {WideVec3(sim::cubic_point(m.base, u0, sim::k_log2_curve)),
          WideVec3(sim::cubic_point(m.base, u1, sim::k_log2_curve)), curved + stepped + aside + 32};
}

/// The aim offset's target, around a straight line.
Leg target_leg(const CourseQuery& q, const Vec3& offset) {
  if (q.in_tick != nullptr) {
    const sim::Pose a = q.in_tick->pose(q.begin);
    const sim::Pose& b = q.in_tick->pose(q.end);
    const std::int64_t turned = q.in_tick->hull.spin.moved(arm_of(offset), q.end - q.begin);
    return {WideVec3(a.position) + sim::rotate(a.basis, offset),
            WideVec3(b.position) + sim::rotate(b.basis, offset), q.in_tick->bent + 2 * turned + 16};
  }
  const Course track = course_of(*q.target, q.log2_tick, q.horizon_begin, q.begin, q.end);
  const std::int64_t arm = roughly_above(WideVec3(offset));  // the body may look anywhere
  return {track.from, track.to, track.radius + arm + (arm >> 20) + 16};
}

WideVec3 in_axes(const std::array<Vec3, 3>& axes, const Vec3& offset) {
  return sim::round24(WideVec3(axes[0]) * std::int64_t{offset.x} +
                      WideVec3(axes[1]) * std::int64_t{offset.y} +
                      WideVec3(axes[2]) * std::int64_t{offset.z});
}

/// Where the aim point is, less where it was expected.
Leg gap_leg(const CourseQuery& q) {
  if (q.lock.number != 0 || q.missile.events != 0) {
    Leg leg = target_leg(
        q, sim::aim_offset(q.salvo.launch.seed, q.missile.index, q.lock.number, *q.type));
    const WideVec3 expected = WideVec3(q.end_point) + q.lock.kept_at_end;
    leg.from -= expected;
    leg.to -= expected;
    return leg;
  }
  Leg leg = target_leg(q, q.missile.offset);
  const WideVec3 start = WideVec3(q.salvo.target_position);
  const WideVec3 aside = in_axes(q.salvo.target_axes, q.missile.offset);
  const auto coasted = [&](Subtick t) {
    return start + sim::drift(q.salvo.target_velocity, t - q.salvo.launch.t0);
  };
  WideVec3 first = coasted(q.begin);
  WideVec3 last = coasted(q.end);
  if (outside(last, sim::k_world_limit)) {
    first = WideVec3(sim::clamp(first, sim::k_world_limit));
    last = WideVec3(sim::clamp(last, sim::k_world_limit));
    leg.error += roughly_above(last - first);
  }
  leg.from -= first + aside;
  leg.to -= last + aside;
  return leg;
}

/// The ramp of the first lock, within 9 / 2^24 of the true one.
std::int64_t first_ramp(const SalvoHeader& salvo, Subtick since_launch) {
  const auto u = static_cast<std::int64_t>(
      (static_cast<std::uint64_t>(since_launch) * salvo.inverse_duration) >> 38);
  const std::int64_t u2 = (u * u) >> 20;
  const std::int64_t u3 = (u2 * u) >> 24;
  return (u3 * (((6 * u2) >> 4) - 15 * u + 10 * std::int64_t{sim::k_one})) >> 28;
}

Leg homing(const CourseQuery& q) {
  if (q.target == nullptr) {
    return {};
  }
  const Leg gap = gap_leg(q);
  const bool first_lock = q.missile.events == 0;
  const Subtick begin = first_lock ? q.launched : q.lock.begin;
  const Subtick duration = first_lock ? Subtick{q.salvo.launch.pieces} << q.salvo.launch.log2_piece
                                      : q.flight_end - begin;
  const auto ramp = [&](Subtick t) {
    return first_lock ? first_ramp(q.salvo, t - begin) : sim::ramp(t - begin, duration);
  };
  const std::int64_t w0 = ramp(q.begin);
  const std::int64_t w1 = ramp(q.end);
  const std::int64_t largest = std::max(roughly_above(gap.from), roughly_above(gap.to));
  Leg leg;
  if (largest + gap.error >= sim::k_homing_clamp) {
    const std::int64_t most = std::min(largest + gap.error, 2 * std::int64_t{sim::k_homing_clamp});
    leg.error = ((most * (w1 + 9)) >> 24) + 4;
    return leg;
  }
  leg.from = sim::shift_right(gap.from * w0, 24);
  leg.to = sim::shift_right(gap.to * w1, 24);
  // Bending of the product of ramp and gap over a part r of the ramp's window: r^2 / 8 times
  // 10 / sqrt(3) of the gap, and r / 8 times 2 * 15 / 8 of the gap's change.
  const std::int64_t r = first_lock ? parameter(q.salvo, q.end - q.begin) + 2
                                    : (((q.end - q.begin) << 20) / duration) + 1;  // Q20
  const std::int64_t change = roughly_above(gap.to - gap.from);
  const std::int64_t ramped = (((3 * largest) >> 2) * (((r * r) >> 20) + 1)) >> 20;
  leg.error = ((gap.error * (w1 + 9)) >> 24) + ramped + ((change * r) >> 21) + (largest >> 20) + 8;
  return leg;
}

}  // namespace

SalvoHeader salvo_header(const sim::Salvo& salvo) {
  SalvoHeader header;
  header.launch = salvo.launch;
  header.target_position = salvo.anchor.target_position;
  header.target_velocity = salvo.anchor.target_velocity;
  const sim::Basis basis = sim::thaw(salvo.anchor.target_basis);
  header.target_axes = {sim::right(basis), basis.up, basis.forward};
  const std::int64_t pieces = salvo.launch.pieces;
  header.inverse_duration =
      (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(pieces << salvo.launch.log2_piece);
  header.smoothing = (std::int64_t{3} << 19) / (pieces * pieces) + 1;
  header.id = salvo.id;
  return header;
}

HotMissile hot_missile(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index) {
  const sim::Scenario& scenario = world.scenario();
  const sim::FlightSource source{salvo.launch, salvo.anchor, scenario.weapons[salvo.launch.weapon],
                                 scenario.types[salvo.anchor.target_type], index};
  const sim::BaseCurve curve = sim::base_curve(source);
  const sim::Hodograph d = sim::hodograph(curve.p);
  const auto packed = [](std::int64_t length) {
    return static_cast<std::int32_t>((length >> 4) + 1);
  };
  const sim::Missile& missile = salvo.missiles[index];
  HotMissile m;
  m.base = curve.p;
  m.offset = sim::aim_offset(salvo.launch.seed, index, 0, source.target_type);
  m.amplitude = curve.amplitude;
  m.bend = packed(std::max(length_above(d[1] - d[0]), length_above(d[2] - d[1])));
  m.step = packed(std::max({length_above(d[0]), length_above(d[1]), length_above(d[2])}));
  m.target = missile.locked ? missile.target : sim::k_no_entity;
  m.index = index;
  m.events = missile.events;
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
  const std::int64_t apart = k_one_curve / launch.pieces + 1;
  const std::int64_t aside = deviation_of_spline(q, 0, 3 * apart);
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

CourseQuery course_query(const sim::World& world, const SalvoHeader& salvo,
                         const HotMissile& missile) {
  CourseQuery query{world, salvo, missile};
  const sim::Scenario& scenario = world.scenario();
  query.launched =
      sim::launch_time(salvo.launch, scenario.weapons[salvo.launch.weapon], missile.index);
  query.flight_end = query.launched + (Subtick{salvo.launch.pieces} << salvo.launch.log2_piece);
  query.log2_tick = scenario.log2_tick;
  return query;
}

Course course_of(const CourseQuery& q) {
  const Leg own = own_flight(q);
  const Leg home = homing(q);
  Course course{q.begin, q.end, own.from + home.from, own.to + home.to,
                own.error + home.error + k_rounding_slack};
  if (q.missile.events != 0) {
    // What ended locks left drifts on.
    const auto kept = [&](Subtick t) {
      return q.lock.kept + sim::shift_right(WideVec3(q.lock.velocity * (t - q.lock_time)), 16);
    };
    course.from += kept(q.begin);
    course.to += kept(q.end);
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

Course course_of(const Horizon& h, int log2_tick, Subtick now, Subtick begin, Subtick end) {
  const Subtick span = end - now;
  const std::int64_t wander = h.wander(span, (span + (Subtick{1} << log2_tick) - 1) >> log2_tick);
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

Course course_of(const BodyTick& body, Subtick begin, Subtick end) {
  const WideVec3 first(body.first.position);
  const WideVec3 way = WideVec3(body.last.position) - first;
  const Subtick span = std::max<Subtick>(body.end - body.begin, 1);
  const auto at = [&](Subtick t) {
    return t == body.begin ? first
           : t == body.end ? first + way
                           : first + sim::floor_div(way * (t - body.begin), span);
  };
  return {begin, end, at(begin), at(end), body.bent + 2};
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
