#include <contrail/flow/exact_contact.hpp>

#include <algorithm>
#include <cstdlib>

#include <contrail/sim/arith.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::WideVec3;

enum class Verdict { apart, inside, unsure };

struct Instant {
  Subtick time = 0;
  WideVec3 missile{0};
  sim::Pose pose;  // of the body
};

std::int64_t dot(const WideVec3& a, const WideVec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Does the plane across `towards` keep the points p and q more than `distance` away from the axis
/// a..a+d.
bool separates(const WideVec3& towards, const WideVec3& p, const WideVec3& q, const WideVec3& a,
               const WideVec3& d, std::int64_t distance) {
  if (sim::is_zero(towards)) {
    return false;
  }
  const WideVec3 n = sim::wide_unit(towards);  // Q24, |n| <= 1 + 2^-22
  const std::int64_t near = std::min(dot(n, p - a), dot(n, q - a)) >> 24;
  const std::int64_t axis = std::max<std::int64_t>(0, (dot(n, d) >> 24) + 1);
  const std::int64_t gap = near - axis;
  return gap - (gap >> 21) - 2 > distance;
}

/// A capsule around an axis that stands still (the missile moves relative to it), and the missile's
/// two positions.
Verdict judge(const sim::WorldCapsule& c, const WideVec3& p, const WideVec3& q,
              std::int64_t margin) {
  const WideVec3 from_p = p - sim::closest_axis_point(c, p);
  const WideVec3 from_q = q - sim::closest_axis_point(c, q);
  const std::int64_t distance = c.radius_sum + margin;
  if (separates(from_p, p, q, c.a, c.d, distance) || separates(from_q, p, q, c.a, c.d, distance)) {
    return Verdict::apart;
  }
  // Capsules are convex: a chord between two inner points stays inside.
  const std::int64_t rounding = (sim::max_abs(c.d) >> 14) + 8;
  const std::int64_t deepest = c.radius_sum - margin - rounding;
  const bool inside = length_above(from_p) < deepest && length_above(from_q) < deepest;
  return inside ? Verdict::inside : Verdict::unsure;
}

/// How far the hull's points get from where a straight move without a turn takes them.
std::int64_t hull_margin(const HullMotion& hull, const Instant& a, const Instant& b) {
  const Subtick h = b.time - a.time;
  return position_deviation(hull.arc, a.pose.position, b.pose.position, h) +
         hull.spin.moved(hull.arm, h);
}

/// All parts, in the axes of the body's centre, turned as at a.
Verdict judge_hull(const HullMotion& hull, const sim::Weapon& weapon, const Instant& a,
                   const Instant& b, std::int64_t margin) {
  const WideVec3 moved = WideVec3(b.pose.position) - WideVec3(a.pose.position);
  bool apart = true;
  for (const sim::HullPart& part : hull.type.hull) {
    const sim::WorldCapsule capsule = sim::place(part, weapon, a.pose);
    const Verdict verdict = judge(capsule, a.missile, b.missile - moved, margin);
    if (verdict == Verdict::inside) {
      return Verdict::inside;
    }
    apart = apart && verdict == Verdict::apart;
  }
  return apart ? Verdict::apart : Verdict::unsure;
}

/// Missile against the hull of an entity.
struct HullTest {
  const MissileMotion& missile;
  const HullMotion& hull;

  [[nodiscard]] Instant at(Subtick t) const {
    return {t, WideVec3(missile.position(t)), hull.entity.track.pose(t)};
  }
  [[nodiscard]] bool touching(const Instant& i) const {
    return sim::touches_hull(hull.type, i.pose, missile.weapon(), sim::Vec3(i.missile));
  }
  [[nodiscard]] Verdict certify(const Instant& a, const Instant& b) const {
    const std::int64_t body = hull_margin(hull, a, b) * missile.error_percent() / 100;
    return judge_hull(hull, missile.weapon(), a, b,
                      missile.deviation(a.time, b.time, a.missile, b.missile) + body);
  }
};

struct ObstacleTest {
  const MissileMotion& missile;
  sim::WorldCapsule capsule;

  [[nodiscard]] Instant at(Subtick t) const { return {t, WideVec3(missile.position(t)), {}}; }
  [[nodiscard]] bool touching(const Instant& i) const { return sim::touches(capsule, i.missile); }
  [[nodiscard]] Verdict certify(const Instant& a, const Instant& b) const {
    return judge(capsule, a.missile, b.missile,
                 missile.deviation(a.time, b.time, a.missile, b.missile));
  }
};

struct GroundTest {
  const MissileMotion& missile;

  [[nodiscard]] Instant at(Subtick t) const { return {t, WideVec3(missile.position(t)), {}}; }
  [[nodiscard]] bool touching(const Instant& i) const {
    return sim::touches_ground(missile.world().scenario().ground, missile.weapon(),
                               sim::Vec3(i.missile));
  }
  [[nodiscard]] Verdict certify(const Instant& a, const Instant& b) const {
    const std::int64_t margin = missile.deviation(a.time, b.time, a.missile, b.missile);
    // The ground at the missile's own radius: found by asking, so that the rule stands in one
    // place.
    sim::Vec3 lowest(a.missile.y < b.missile.y ? a.missile : b.missile);
    const std::int64_t y = std::int64_t{lowest.y} - margin;
    if (y < -sim::k_world_limit) {
      return Verdict::unsure;
    }
    lowest.y = static_cast<std::int32_t>(y);
    return sim::touches_ground(missile.world().scenario().ground, missile.weapon(), lowest)
               ? Verdict::unsure
               : Verdict::apart;
  }
};

/// First subtick of (a, b] where touching is as wanted.
template <class Test>
std::optional<Subtick> bisect(const Test& test, bool wanted, const Instant& a, const Instant& b,
                              SearchCounters& counters) {
  if (a.time >= b.time) {
    return std::nullopt;
  }
  const Verdict verdict = test.certify(a, b);
  if (verdict != Verdict::unsure) {
    return (verdict == Verdict::inside) == wanted ? std::optional(a.time + 1) : std::nullopt;
  }
  constexpr Subtick k_leaf = 3;
  if (b.time - a.time <= k_leaf) {
    for (Subtick t = a.time + 1; t < b.time; ++t) {
      ++counters.evaluations;
      if (test.touching(test.at(t)) == wanted) {
        return t;
      }
    }
    return test.touching(b) == wanted ? std::optional(b.time) : std::nullopt;
  }
  ++counters.evaluations;
  const Instant middle = test.at(a.time + (b.time - a.time) / 2);
  if (const auto left = bisect(test, wanted, a, middle, counters)) {
    return left;
  }
  return bisect(test, wanted, middle, b, counters);
}

/// First subtick of [from, last] where touching is as wanted, flight piece after flight piece.
template <class Test>
std::optional<Subtick> search(const Test& test, bool wanted, Subtick from,
                              SearchCounters& counters) {
  const MissileMotion& missile = test.missile;
  if (from > missile.last()) {
    return std::nullopt;
  }
  ++counters.evaluations;
  Instant a = test.at(from);
  if (test.touching(a) == wanted) {
    return from;
  }
  while (a.time < missile.last()) {
    ++counters.evaluations;
    const Instant b = test.at(missile.piece_end(a.time));
    if (const auto found = bisect(test, wanted, a, b, counters)) {
      return found;
    }
    a = b;
  }
  return std::nullopt;
}

}  // namespace

bool apart(const Course& course, const BodyTick& body, const sim::Weapon& weapon) {
  const Instant a{course.begin, course.from, body.pose(course.begin)};
  const Instant b{course.end, course.to, body.pose(course.end)};
  return judge_hull(body.hull, weapon, a, b,
                    course.radius + hull_margin(body.hull, a, b) + k_rounding_slack) ==
         Verdict::apart;
}

bool departs_clear(const Departure& d, const BodyTick& body, const sim::Weapon& weapon) {
  const HullMotion& hull = body.hull;
  const sim::Pose& pose = body.pose(d.launched);
  const std::int64_t turned = hull.spin.moved(hull.arm, d.span);
  const bool at_border = sim::max_abs(WideVec3(pose.position)) >= sim::k_world_limit - (1 << 24);
  if (!d.known || at_border || turned > hull.arm.along + hull.arm.across) {
    return false;
  }
  const WideVec3 start = WideVec3(sim::Vec3(d.start));
  const WideVec3 moved = d.way - sim::drift(hull.entity.track.velocity(d.launched), d.span);
  // Between its ends the gap along the plane's normal is at least linear less growing squares: a
  // concave function, smallest at an end.
  const std::int64_t squares = d.growth + 4 * hull.arc.deviation(d.span) + turned;
  constexpr std::int64_t k_slack = k_rounding_slack + 96;
  for (const sim::HullPart& part : hull.type.hull) {
    const sim::WorldCapsule c = sim::place(part, weapon, pose);
    const WideVec3 away = start - sim::closest_axis_point(c, start);
    if (sim::is_zero(away)) {
      return false;
    }
    const WideVec3 n = sim::wide_unit(away);
    const std::int64_t axis = std::max<std::int64_t>(0, (dot(n, c.d) >> 24) + 1);
    const std::int64_t before = (dot(n, start - c.a) >> 24) - axis - c.radius_sum;
    const std::int64_t after = before + (dot(n, moved) >> 24) - squares;
    if (before - (before >> 21) <= k_slack || after - (std::abs(after) >> 21) <= k_slack) {
      return false;
    }
  }
  return true;
}

std::optional<Subtick> first_on_hull(const MissileMotion& missile, const HullMotion& hull,
                                     bool touching, Subtick from, SearchCounters& counters) {
  return search(HullTest{missile, hull}, touching, from, counters);
}

std::optional<Subtick> first_on_obstacle(const MissileMotion& missile,
                                         const sim::HullPart& obstacle, SearchCounters& counters) {
  const ObstacleTest test{missile, sim::obstacle_capsule(obstacle, missile.weapon())};
  return search(test, true, missile.first(), counters);
}

std::optional<Subtick> first_on_ground(const MissileMotion& missile, SearchCounters& counters) {
  return search(GroundTest{missile}, true, missile.first(), counters);
}

}  // namespace contrail::server
