#include <contrail/flow/route_driver.hpp>

#include <algorithm>

namespace contrail::server {

void RouteDriver::step(const sim::World& world, const Population& population, const Pilots& pilots,
                       sim::TickRecord& record) {
  std::erase_if(progress_, [&](const auto& entry) {
    const sim::Entity* entity = world.find_entity(entry.first);
    return entity == nullptr || entity->gone;
  });
  for (const sim::Entity& entity : world.entities()) {
    const int plan = entity.gone ? -1 : population.plan_of(entity.id);
    const bool leaves = std::any_of(record.despawns.begin(), record.despawns.end(),
                                    [&](const sim::Despawn& d) { return d.entity == entity.id; });
    if (plan < 0 || leaves || pilots.has(entity.id)) {
      continue;
    }
    const sim::Scenario& scenario = world.scenario();
    const std::uint16_t index = scenario.entities[static_cast<std::size_t>(plan)].route;
    if (index == sim::k_no_route || scenario.routes[index].keys.empty()) {
      continue;
    }
    const sim::Route& route = scenario.routes[index];
    Progress& progress = progress_.try_emplace(entity.id, Progress{0, record.tick}).first->second;
    if (progress.due != record.tick || progress.next_key >= route.keys.size()) {
      continue;
    }
    const sim::RouteKey& key = route.keys[progress.next_key];
    record.track_keys.push_back({entity.id, key.log2_ticks, false, key.position, key.velocity});
    progress.due += std::uint32_t{1} << key.log2_ticks;
    ++progress.next_key;
    if (route.closed && progress.next_key == route.keys.size()) {
      progress.next_key = 0;
    }
  }
}

}  // namespace contrail::server
