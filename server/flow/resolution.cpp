#include <contrail/flow/resolution.hpp>

#include <algorithm>
#include <limits>
#include <span>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>

namespace contrail::server {

using sim::Subtick;
using sim::WideVec3;

namespace {

/// From a point to the hull's surface, length units; below 0 inside.
std::int64_t distance_to_hull(const sim::World& world, const sim::Entity& entity, Subtick at,
                              const WideVec3& point) {
  const sim::Pose pose = entity.track.pose(at);
  std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
  for (const sim::HullPart& part : world.scenario().types[entity.type].hull) {
    const sim::WorldCapsule capsule{WideVec3(pose.position) + sim::rotate(pose.basis, part.a),
                                    sim::rotate(pose.basis, part.d), part.radius};
    const WideVec3 gap = point - sim::closest_axis_point(capsule, point);
    nearest = std::min(nearest, sim::length(gap) - part.radius);
  }
  return nearest;
}

/// Largest distance of a point of the hull from the entity's position, length units.
std::int64_t hull_extent(const sim::EntityType& type) {
  std::int64_t extent = 0;
  for (const sim::HullPart& part : type.hull) {
    const WideVec3 a(part.a);
    extent = std::max(
        extent, std::max(sim::length(a), sim::length(a + WideVec3(part.d))) + part.radius + 4);
  }
  return extent + (extent >> 20);
}

/// How far a piece moves on any axis: its velocity stays within its control points. Length units.
std::int64_t travel_bound(const sim::TrackPiece& piece, Subtick span) {
  const WideVec3 chord = WideVec3(piece.p1) - WideVec3(piece.p0);
  std::int64_t speed = std::max(sim::max_abs(WideVec3(piece.v0)), sim::max_abs(WideVec3(piece.v1)));
  if (!piece.jump) {
    const std::int64_t mean =
        (3 * sim::max_abs(chord) * sim::k_subticks_per_second) >> piece.log2_duration;
    speed = std::max(speed, mean + 2 * speed + 8);
  }
  return ((speed * span) >> 16) + 8;
}

}  // namespace

void Resolution::run(std::vector<Contact> contacts, sim::TickRecord& record) {
  add_ends(contacts);
  std::sort(contacts.begin(), contacts.end());
  for (const Contact& contact : contacts) {
    take(contact, record);
  }
  for (const auto& [entity, victim] : victims_) {
    if (victim.hurt) {
      record.health.push_back({entity, victim.health});
    }
    if (victim.dead) {
      record.despawns.push_back(
          {entity, sim::DespawnKind::destroyed, victim.by_salvo, victim.died});
    }
  }
}

/// Every missile that reaches the end of its flight in this tick, or gives up before.
void Resolution::add_ends(std::vector<Contact>& contacts) const {
  const Subtick begin = world_.time();
  const Subtick end = begin + world_.scenario().tick_length();
  const auto add = [&](const sim::Salvo& s) {
    if (s.alive == 0) {
      return;
    }
    const bool gives_up =
        !s.events.empty() && world_.scenario().weapons[s.launch.weapon].self_destruct != 0;
    for (std::size_t i = s.next_end; i < s.missiles.size(); ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      const sim::Missile& missile = s.missiles[i];
      if (missile.end != sim::EndKind::alive) {
        continue;
      }
      if (gives_up && !missile.locked) {
        const Subtick t = self_destruct_time(s, index);
        if (t > begin && t <= end && t < missile.end_time) {
          contacts.push_back({t, ContactClass::end, s.id, index, sim::k_no_entity});
          continue;
        }
      }
      if (missile.end_time <= end) {
        contacts.push_back({missile.end_time, ContactClass::end, s.id, index,
                            missile.locked ? missile.target : sim::k_no_entity});
      } else if (!gives_up) {
        return;  // missiles of a salvo end in turn
      }
    }
  };
  const std::span<const sim::Subtick> dues = world_.salvo_dues();
  for (std::size_t i = 0; i < dues.size(); ++i) {
    if (dues[i] <= end) {
      add(world_.salvos()[i]);
    }
  }
  std::for_each(staged_.begin(), staged_.end(), add);
}

/// Some time after an unlocked missile's last event, or after its launch where that came later.
Subtick Resolution::self_destruct_time(const sim::Salvo& salvo, std::uint8_t index) const {
  const sim::Weapon& weapon = world_.scenario().weapons[salvo.launch.weapon];
  Subtick since = sim::launch_time(salvo.launch, weapon, index);
  for (const sim::SnapshotEvent& event : salvo.events) {
    if (event.group == index / 32 && ((event.mask >> (index % 32)) & 1U) != 0) {
      since = std::max(since, Subtick{event.tick} * world_.scenario().tick_length());
    }
  }
  return since + weapon.self_destruct;
}

sim::EndKind Resolution::end_of(const Contact& contact, const sim::Salvo& from) const {
  const sim::Weapon& weapon = world_.scenario().weapons[from.launch.weapon];
  switch (contact.kind) {
    case ContactClass::obstacle:
      return sim::EndKind::obstacle;
    case ContactClass::hull:
      return weapon.fuse_radius > 0 ? sim::EndKind::proximity : sim::EndKind::hull;
    case ContactClass::shot:
      return sim::EndKind::intercepted;
    case ContactClass::end:
      break;
  }
  if (contact.victim != sim::k_no_entity) {
    return sim::EndKind::impact;
  }
  return contact.time < from.missiles[contact.index].end_time ? sim::EndKind::self_destruct
                                                              : sim::EndKind::expired;
}

void Resolution::take(const Contact& contact, sim::TickRecord& record) {
  const sim::Salvo& from = salvo(contact.salvo);
  const sim::Weapon& weapon = world_.scenario().weapons[from.launch.weapon];
  const bool never_launched =
      dead_before(from.launch.launcher, sim::launch_time(from.launch, weapon, contact.index));
  if (never_launched || ended_.contains({contact.salvo, contact.index}) ||
      (contact.victim != sim::k_no_entity && dead_before(contact.victim, contact.time))) {
    return;
  }
  ended_.insert({contact.salvo, contact.index});
  const sim::EndKind end = end_of(contact, from);
  if (end >= sim::EndKind::hull) {
    record.outcomes.push_back({static_cast<std::uint16_t>(contact.salvo), contact.index, end,
                               contact.victim, contact.time});
  }
  if (end != sim::EndKind::expired && end != sim::EndKind::intercepted) {
    burst(contact, from, end);
  }
}

/// Whoever was touched is hurt, and with a blast everybody around, by id.
void Resolution::burst(const Contact& contact, const sim::Salvo& from, sim::EndKind end) {
  const sim::Weapon& weapon = world_.scenario().weapons[from.launch.weapon];
  if (weapon.blast_radius == 0) {
    if (contact.victim != sim::k_no_entity) {
      hurt(*world_.find_entity(contact.victim), contact, from, end, 0);
    }
    return;
  }
  list_reach();
  const WideVec3 at(world_.missile_position(from, contact.index, contact.time));
  for (const Nearby& n : nearby_) {
    const std::int64_t far = n.reach + weapon.blast_radius + weapon.radius;
    if (sim::max_abs(WideVec3(n.position) - at) > far || n.entity->spawn_time >= contact.time ||
        dead_before(n.entity->id, contact.time)) {
      continue;
    }
    const bool touched = n.entity->id == contact.victim && end != sim::EndKind::proximity;
    const std::int64_t distance =
        touched ? 0 : distance_to_hull(world_, *n.entity, contact.time, at) - weapon.radius;
    if (distance < weapon.blast_radius) {
      hurt(*n.entity, contact, from, end, std::max<std::int64_t>(distance, 0));
    }
  }
}

void Resolution::list_reach() {
  if (!nearby_.empty()) {
    return;
  }
  const Subtick begin = world_.time();
  const Subtick end = begin + world_.scenario().tick_length();
  for (const sim::Entity& e : world_.entities()) {
    if (!e.gone) {
      nearby_.push_back({&e, e.track.position(end),
                         hull_extent(world_.scenario().types[e.type]) +
                             travel_bound(e.track.pieces().back(), end - begin)});
    }
  }
}

void Resolution::hurt(const sim::Entity& entity, const Contact& contact, const sim::Salvo& from,
                      sim::EndKind end, std::int64_t distance) {
  const sim::Weapon& weapon = world_.scenario().weapons[from.launch.weapon];
  const auto at = victims_.find(entity.id);
  Victim victim = at != victims_.end() ? at->second : Victim{.health = entity.health};
  const std::uint16_t damage =
      std::min(rules_.damage({world_, from.launch, weapon, entity, end, distance, contact.time}),
               victim.health);
  if (damage == 0) {
    return;
  }
  victim.hurt = true;
  victim.health = static_cast<std::uint16_t>(victim.health - damage);
  if (victim.health == 0 && rules_.is_destroyed(world_, entity)) {
    victim.dead = true;
    victim.died = contact.time;
    victim.by_salvo = static_cast<std::uint16_t>(contact.salvo);
  }
  victims_[entity.id] = victim;
}

const sim::Salvo& Resolution::salvo(std::uint32_t id) const {
  return id >= world_.next_launch() ? staged_[id - world_.next_launch()] : *world_.find_salvo(id);
}

/// Destroyed earlier in this tick; at the same subtick it is still hit.
bool Resolution::dead_before(std::uint16_t entity, Subtick t) const {
  const auto at = victims_.find(entity);
  return at != victims_.end() && at->second.dead && at->second.died < t;
}

}  // namespace contrail::server
