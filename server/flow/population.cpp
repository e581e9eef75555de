#include <contrail/flow/population.hpp>

#include <algorithm>

namespace contrail::server {

Population::Population(const sim::Scenario& scenario) : plan_of_(65536, -1) {
  for (const sim::EntityPlan& plan : scenario.entities) {
    planned_.push_back({plan.spawn_tick, false, sim::k_no_entity});
  }
}

void Population::expire(const sim::World& world, sim::TickRecord& record) const {
  const sim::Subtick end = world.time() + world.scenario().tick_length();
  const std::size_t destroyed = record.despawns.size();
  for (const sim::Entity& e : world.entities()) {
    const sim::Subtick lifetime = world.scenario().types[e.type].lifetime;
    if (lifetime == 0 || e.gone || e.spawn_time + lifetime > end) {
      continue;
    }
    const auto last = record.despawns.begin() + static_cast<std::ptrdiff_t>(destroyed);
    if (std::none_of(record.despawns.begin(), last,
                     [&](const sim::Despawn& d) { return d.entity == e.id; })) {
      record.despawns.push_back({e.id, sim::DespawnKind::removed, sim::k_no_salvo, end});
    }
  }
}

bool Population::add(const sim::World& world, sim::Spawn spawn, sim::TickRecord& record) {
  if (world.entities().size() + record.spawns.size() >=
      static_cast<std::size_t>(sim::k_max_entities)) {
    return false;
  }
  spawn.entity = next_id(world);
  record.spawns.push_back(spawn);
  return true;
}

void Population::step(const sim::World& world, sim::TickRecord& record) {
  const sim::Scenario& scenario = world.scenario();
  for (const sim::Despawn& despawn : record.despawns) {
    const int plan = plan_of(despawn.entity);
    if (plan >= 0) {
      Planned& planned = planned_[static_cast<std::size_t>(plan)];
      const std::uint32_t wait = scenario.entities[static_cast<std::size_t>(plan)].respawn_ticks;
      planned.alive = false;
      plan_of_[despawn.entity] = -1;
      planned.next_spawn = wait == 0 ? 0 : record.tick + wait;
    }
  }
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    Planned& planned = planned_[i];
    if (planned.alive || planned.next_spawn == 0 || planned.next_spawn > record.tick) {
      continue;
    }
    const sim::EntityPlan& plan = scenario.entities[i];
    sim::Spawn spawn{sim::k_no_entity, plan.type,     plan.team,    plan.user_tag,
                     plan.position,    plan.velocity, plan.attitude};
    if (plan.route != sim::k_no_route) {
      spawn.position = scenario.routes[plan.route].start_position;
      spawn.velocity = scenario.routes[plan.route].start_velocity;
    }
    planned.alive = add(world, spawn, record);
    if (planned.alive) {
      planned.entity = record.spawns.back().entity;
      plan_of_[planned.entity] = static_cast<std::int32_t>(i);
    }
  }
}

int Population::plan_of(std::uint16_t entity) const {
  return plan_of_[entity];
}

/// Ids are taken in turn, so that one rests as long as possible after its entity is gone.
std::uint16_t Population::next_id(const sim::World& world) {
  do {
    ++last_id_;
  } while (last_id_ == sim::k_no_entity || world.find_entity(last_id_) != nullptr);
  return last_id_;
}

}  // namespace contrail::server
