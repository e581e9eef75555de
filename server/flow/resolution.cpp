#include <contrail/flow/resolution.hpp>

#include <algorithm>

#include <contrail/flow/rules.hpp>

namespace contrail::server {

using sim::Subtick;

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

/// Every missile that reaches the end of its flight in this tick.
void Resolution::add_ends(std::vector<Contact>& contacts) const {
  const Subtick end = world_.time() + world_.scenario().tick_length();
  const auto add = [&](const sim::Salvo& s) {
    for (std::size_t i = s.next_end; i < s.missiles.size(); ++i) {
      const sim::Missile& missile = s.missiles[i];
      if (missile.end == sim::EndKind::alive && missile.end_time <= end) {
        contacts.push_back({missile.end_time, ContactClass::end, s.id, static_cast<std::uint8_t>(i),
                            missile.locked ? missile.target : sim::k_no_entity});
      }
    }
  };
  std::for_each(world_.salvos().begin(), world_.salvos().end(), add);
  std::for_each(staged_.begin(), staged_.end(), add);
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
  if (contact.kind != ContactClass::end) {
    const bool hull = contact.kind == ContactClass::hull;
    record.outcomes.push_back({static_cast<std::uint16_t>(contact.salvo), contact.index,
                               hull ? sim::EndKind::hull : sim::EndKind::obstacle, contact.victim,
                               contact.time});
  }
  if (contact.victim != sim::k_no_entity) {
    hurt(contact.victim, contact, weapon);
  }
}

void Resolution::hurt(std::uint16_t entity, const Contact& contact, const sim::Weapon& weapon) {
  const auto [at, added] = victims_.try_emplace(entity);
  Victim& victim = at->second;
  if (added) {
    victim.health = world_.find_entity(entity)->health;
  }
  const std::uint16_t damage = std::min(damage_of(weapon), victim.health);
  if (damage == 0) {
    return;
  }
  victim.hurt = true;
  victim.health = static_cast<std::uint16_t>(victim.health - damage);
  if (victim.health == 0) {
    victim.dead = true;
    victim.died = contact.time;
    victim.by_salvo = static_cast<std::uint16_t>(contact.salvo);
  }
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
