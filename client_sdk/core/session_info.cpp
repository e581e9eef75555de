#include <contrail/core/session_info.hpp>

#include <utility>

#include <contrail/core/render_edge.hpp>

namespace contrail::client {

SessionInfo session_info_of(const sim::Scenario& scenario) {
  SessionInfo info;
  info.scenario = scenario.name;
  info.tick_length = scenario.tick_length();
  for (const sim::Weapon& weapon : scenario.weapons) {
    info.weapons.push_back(
        {weapon.name, weapon.art, metres_from({weapon.radius, 0, 0}, {0, 0, 0}).x, weapon.damage});
  }
  for (const sim::EntityType& type : scenario.types) {
    EntityTypeInfo entity{type.name, type.art, type.hit_points, {}};
    for (const sim::Launcher& launcher : type.launchers) {
      entity.launchers.push_back({launcher.name, launcher.weapon, launcher.salvo,
                                  launcher.trigger == sim::Trigger::command});
    }
    info.entity_types.push_back(std::move(entity));
  }
  return info;
}

}  // namespace contrail::client
