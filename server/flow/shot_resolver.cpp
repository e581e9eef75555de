#include <contrail/flow/shot_resolver.hpp>

#include <algorithm>
#include <optional>
#include <tuple>

#include <contrail/flow/exact_contact.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>

namespace contrail::server {

using sim::Subtick;
using sim::WideVec3;

namespace {

std::int64_t sum_of_radii(std::int64_t a, std::int64_t b) {
  return std::max<std::int64_t>(a + b, sim::k_min_radius_sum);
}

/// The largest radius of a missile's own sphere.
std::int64_t largest_missile(const sim::Scenario& scenario) {
  std::int64_t largest = 0;
  for (const sim::Weapon& weapon : scenario.weapons) {
    largest = std::max<std::int64_t>(largest, weapon.radius);
  }
  return largest;
}

}  // namespace

/// What one call of find() looks at.
struct ShotResolver::Scan {
  const sim::World& world;
  std::span<const sim::Salvo> staged;
  const Rules& rules;
  const HitResolver& missiles;
  Subtick first = 0;  // subticks of the tick
  Subtick last = 0;
  /// An entity that lives at the start of the tick.
  struct Body {
    const sim::Entity* entity;
    std::int64_t reach;  // of its hull from its position, length units
    std::int64_t speed;  // it does not exceed in this tick, length units per second
  };
  std::vector<Body> bodies;

  void look_at_bodies() {
    for (const sim::Entity& e : world.entities()) {
      if (e.gone) continue;
      const sim::EntityType& type = world.scenario().types[e.type];
      std::int64_t radius = 0;
      for (const sim::HullPart& part : type.hull) {
        radius = std::max<std::int64_t>(radius, part.radius);
      }
      bodies.push_back({&e, hull_reach(type) + radius, arc_of(e.track, world.time()).speed});
    }
  }

  [[nodiscard]] const sim::Salvo& salvo(std::uint32_t id) const {
    return id >= world.next_launch() ? staged[id - world.next_launch()] : *world.find_salvo(id);
  }
  /// When a round flies in this tick.
  [[nodiscard]] Subtick from(const LiveRound& r) const { return std::max(first, r.path.begin); }
  [[nodiscard]] Subtick to(const LiveRound& r) const { return std::min(last, r.path.end); }
  [[nodiscard]] bool flies(const LiveRound& r) const { return from(r) <= to(r); }
  [[nodiscard]] bool hostile(const LiveRound& r, std::uint16_t entity) const {
    const sim::Entity* shooter = world.find_entity(r.shooter);
    const sim::Entity* other = world.find_entity(entity);
    return shooter != nullptr && other != nullptr && shooter != other &&
           rules.is_enemy(*shooter, *other);
  }
};

void ShotResolver::find(const sim::World& world, std::span<const sim::Salvo> staged,
                        std::span<const sim::Shot> shots, const Rules& rules,
                        const HitResolver& missiles, std::vector<Contact>& out) {
  forget(world);
  admit(world, shots);
  if (rounds_.empty()) return;
  Scan scan{world,    staged,           rules,
            missiles, world.time() + 1, world.time() + world.scenario().tick_length(),
            {}};
  scan.look_at_bodies();
  for (std::size_t i = 0; i < rounds_.size();) {
    std::size_t j = i;
    while (j < rounds_.size() && rounds_[j].burst == rounds_[i].burst) ++j;
    meet_missiles(scan, std::span(rounds_).subspan(i, j - i), out);
    for (; i < j; ++i) {
      if (scan.flies(rounds_[i])) meet_hulls(scan, rounds_[i], out);
    }
  }
}

void ShotResolver::admit(const sim::World& world, std::span<const sim::Shot> shots) {
  auto number = world.first_burst() + static_cast<std::uint32_t>(world.bursts().size());
  for (const sim::Shot& shot : shots) {
    const sim::Burst burst = world.prepare_burst(shot);
    const sim::Turret& turret = world.scenario().types[burst.type].turrets[shot.turret];
    for (int i = 0; i < shot.count; ++i) {
      rounds_.push_back({number, static_cast<std::uint8_t>(i), shot.entity, turret.gun.damage,
                         turret.gun.radius, sim::round_of(burst, turret, i)});
    }
    ++number;
  }
}

/// Rounds that have flown their time, and those that will not leave their barrel any more.
void ShotResolver::forget(const sim::World& world) {
  std::erase_if(rounds_, [&](const LiveRound& r) {
    if (r.path.end <= world.time() || r.burst < world.first_burst()) return true;
    return r.number >= world.bursts()[r.burst - world.first_burst()].shot.count;
  });
}

const LiveRound* ShotResolver::find_round(std::uint32_t burst, std::uint8_t number) const {
  const auto key = [](const LiveRound& r) { return std::tuple(r.burst, r.number); };
  const auto at =
      std::lower_bound(rounds_.begin(), rounds_.end(), std::tuple(burst, number),
                       [&](const LiveRound& r, const auto& wanted) { return key(r) < wanted; });
  return at != rounds_.end() && key(*at) == std::tuple(burst, number) ? &*at : nullptr;
}

void ShotResolver::spend(std::span<const Contact> contacts) {
  std::erase_if(rounds_, [&](const LiveRound& r) {
    return std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
      return contact.burst == r.burst && contact.round == r.number;
    });
  });
}

/// All rounds of one burst: they fly together.
void ShotResolver::meet_missiles(const Scan& scan, std::span<const LiveRound> burst,
                                 std::vector<Contact>& out) {
  std::optional<std::pair<WideVec3, WideVec3>> box;
  for (const LiveRound& r : burst) {
    if (!scan.flies(r)) continue;
    for (const Subtick t : {scan.from(r), scan.to(r)}) {
      const WideVec3 p = r.path.position(t);
      if (!box) box = {p, p};
      for (int axis = 0; axis < 3; ++axis) {
        box->first[axis] = std::min(box->first[axis], p[axis]);
        box->second[axis] = std::max(box->second[axis], p[axis]);
      }
    }
  }
  if (!box) return;
  const std::int64_t reach =
      sum_of_radii(burst.front().radius, largest_missile(scan.world.scenario())) + 4;
  near_.clear();
  scan.missiles.missiles_near(box->first - WideVec3(reach), box->second + WideVec3(reach), near_);
  for (const HitResolver::Missile& missile : near_) {
    const sim::Salvo& salvo = scan.salvo(missile.salvo);
    if (salvo.missiles[missile.index].end == sim::EndKind::alive &&
        scan.hostile(burst.front(), salvo.launch.launcher)) {
      meet_missile(scan, burst, salvo, missile.index, out);
    }
  }
}

void ShotResolver::meet_missile(const Scan& scan, std::span<const LiveRound> burst,
                                const sim::Salvo& salvo, std::uint8_t index,
                                std::vector<Contact>& out) const {
  const sim::Weapon& weapon = scan.world.scenario().weapons[salvo.launch.weapon];
  const Subtick first = std::max(scan.first, sim::launch_time(salvo.launch, weapon, index));
  const Subtick last = std::min(scan.last, sim::end_time(salvo.launch, weapon, index));
  if (first > last) return;
  const MissileMotion motion(scan.world, salvo, index, first, last, error_percent_);
  // Its way through the tick, piece by piece, for all rounds.
  std::vector<Course> way;
  Subtick a = first;
  do {
    const Subtick b = a < last ? motion.piece_end(a) : last;
    const WideVec3 from(motion.position(a));
    const WideVec3 to(motion.position(b));
    way.push_back({a, b, from, to, motion.deviation(a, b, from, to)});
    a = b;
  } while (a < last);
  for (const LiveRound& r : burst) {
    if (!scan.flies(r)) continue;
    const std::int64_t radius = sum_of_radii(r.radius, weapon.radius);
    const Subtick from = std::max(first, scan.from(r));
    const Subtick to = std::min(last, scan.to(r));
    const bool near = std::any_of(way.begin(), way.end(), [&](const Course& c) {
      const Course other{c.begin, c.end, r.path.position(c.begin), r.path.position(c.end), 4};
      return c.begin <= to && c.end >= from && meeting(c, other, radius).possible;
    });
    if (!near || from > to) continue;
    SearchCounters counters;
    const MissileMotion part(scan.world, salvo, index, from, to, error_percent_);
    if (const auto touch = first_on_round(part, r.path, radius, counters)) {
      out.push_back({*touch, ContactClass::shot, salvo.id, index, r.shooter, r.burst, r.number});
    }
  }
}

/// From subtick to subtick in strides that the gap allows: nothing closes it faster.
void ShotResolver::meet_hulls(const Scan& scan, const LiveRound& r, std::vector<Contact>& out) {
  const Subtick from = scan.from(r);
  const Subtick to = scan.to(r);
  sim::Weapon ball;  // stands for the round in the rule of contact
  ball.radius = r.radius;
  const std::int64_t own_speed = length_above(WideVec3(r.path.velocity));
  const std::int64_t own_way = ((own_speed * (to - from)) >> 16) + 4;
  for (const Scan::Body& body : scan.bodies) {
    const sim::Entity& e = *body.entity;
    const std::int64_t reach = body.reach + r.radius + sim::k_min_radius_sum;
    const std::int64_t speed = own_speed + body.speed;
    const auto gap_to_ball = [&](Subtick t) {
      const WideVec3 way = r.path.position(t) - WideVec3(e.track.position(t));
      return sim::max_abs(way) >= std::int64_t{1} << 32 ? std::int64_t{1} << 32
                                                        : sim::length(way) - reach;
    };
    const Subtick start = std::max(from, e.spawn_time + 1);
    const std::int64_t closes = own_way + ((body.speed * (to - from)) >> 16) + 64;
    if (start > to || gap_to_ball(start) > closes || !scan.hostile(r, e.id)) continue;
    const sim::EntityType& type = scan.world.scenario().types[e.type];
    for (Subtick t = start; t <= to;) {
      const std::int64_t gap = gap_to_ball(t);
      if (gap > 64) {  // outside of all it may turn through
        t += std::max<Subtick>(1, ((gap - 64) << 16) / (speed + 65536));
        continue;
      }
      const WideVec3 p = r.path.position(t);
      if (sim::max_abs(p) <= sim::k_world_limit &&
          sim::touches_hull(type, e.track.pose(t), ball, sim::Vec3(p))) {
        out.push_back({t, ContactClass::hull, k_no_launch, 0, e.id, r.burst, r.number});
        break;
      }
      ++t;
    }
  }
}

}  // namespace contrail::server
