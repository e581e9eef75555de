#include <contrail/flow/population.hpp>

namespace contrail::server {

Population::Population(const sim::Scenario& scenario) {
  for (const sim::EntityPlan& plan : scenario.entities) {
    planned_.push_back({plan.spawn_tick, false, sim::k_no_entity});
  }
}

void Population::step(const sim::World& world, sim::TickRecord& record) {
  const sim::Scenario& scenario = world.scenario();
  for (const sim::Despawn& despawn : record.despawns) {
    const int plan = plan_of(despawn.entity);
    if (plan >= 0) {
      Planned& planned = planned_[static_cast<std::size_t>(plan)];
      const std::uint32_t wait = scenario.entities[static_cast<std::size_t>(plan)].respawn_ticks;
      planned.alive = false;
      planned.next_spawn = wait == 0 ? 0 : record.tick + wait;
    }
  }
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    Planned& planned = planned_[i];
    const bool room = world.entities().size() + record.spawns.size() <
                      static_cast<std::size_t>(sim::k_max_entities);
    if (planned.alive || planned.next_spawn == 0 || planned.next_spawn > record.tick || !room) {
      continue;
    }
    const sim::EntityPlan& plan = scenario.entities[i];
    planned.alive = true;
    planned.entity = next_id(world);
    sim::Spawn spawn{planned.entity, plan.type,     plan.team,    plan.user_tag,
                     plan.position,  plan.velocity, plan.attitude};
    if (plan.route != sim::k_no_route) {
      spawn.position = scenario.routes[plan.route].start_position;
      spawn.velocity = scenario.routes[plan.route].start_velocity;
    }
    record.spawns.push_back(spawn);
  }
}

int Population::plan_of(std::uint16_t entity) const {
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    if (planned_[i].alive && planned_[i].entity == entity) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

/// Ids are taken in turn, so that one rests as long as possible after its entity is gone.
std::uint16_t Population::next_id(const sim::World& world) {
  do {
    ++last_id_;
  } while (last_id_ == sim::k_no_entity || world.find_entity(last_id_) != nullptr);
  return last_id_;
}

}  // namespace contrail::server
