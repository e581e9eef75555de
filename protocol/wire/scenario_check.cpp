#include <string_view>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/flight.hpp>
#include <contrail/sim/limits.hpp>
#include <contrail/wire/codec.hpp>
#include <contrail/wire/snapshot_elements.hpp>
#include <contrail/wire/turret_tables.hpp>

namespace contrail::wire {
namespace {

constexpr CodecResult range(const char* field) {
  return {CodecError::out_of_range, field};
}
constexpr CodecResult reference(const char* field) {
  return {CodecError::bad_reference, field};
}

template <class Value, class Low, class High>
bool between(Value value, Low low, High high) {
  return value >= static_cast<Value>(low) && value <= static_cast<Value>(high);
}

/// Bytes of the UTF-8 sequence at the start of `text`, 0 if there is none. Controls are none.
std::size_t sequence_length(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  const unsigned lead = at(0);
  if (lead < 0x80) {
    return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return continues(1) && (lead != 0xC2 || at(1) >= 0xA0) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return at(1) >= low && at(1) <= high && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return at(1) >= low && at(1) <= high && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

CodecResult check_name(std::string_view name, const char* field) {
  if (name.size() > k_max_name_bytes) {
    return {CodecError::bad_text, field};
  }
  while (!name.empty()) {
    const std::size_t length = sequence_length(name);
    if (length == 0) {
      return {CodecError::bad_text, field};
    }
    name.remove_prefix(length);
  }
  return k_decoded;
}

bool is_cone(const sim::Cone& cone) {
  return (cone.along == 16'384 && between(cone.across, 0, 16'384)) ||
         (cone.along == 0 && cone.across == 16'384);
}

CodecResult check_path(const sim::Weapon& w) {
  if (w.noise > sim::NoiseKind::perlin) {
    return range("weapons.noise");
  }
  if (!is_cone(w.muzzle_cone)) {
    return range("weapons.muzzle_cone");
  }
  if (!is_cone(w.approach_cone)) {
    return range("weapons.approach_cone");
  }
  if (!between(w.muzzle_handle, 0, 65'536)) {
    return range("weapons.muzzle_handle");
  }
  if (!between(w.approach_handle, 0, 65'536)) {
    return range("weapons.approach_handle");
  }
  if (!between(w.amplitude, 0, k_max_amplitude)) {
    return range("weapons.amplitude");
  }
  if (!between(w.speed, 0, sim::k_max_speed)) {
    return range("weapons.speed");
  }
  if (!between(w.flight_time, w.speed == 0 ? k_min_flight_time : 0, k_max_flight_time)) {
    return range("weapons.flight_time");
  }
  return between(w.frequency, 0, max_frequency(w)) ? k_decoded : range("weapons.frequency");
}

CodecResult check_seeker(const sim::Weapon& w) {
  if (!between(w.fuse_radius, 0, sim::k_max_hull_radius)) {
    return range("weapons.fuse_radius");
  }
  if (!between(w.blast_radius, 0, k_max_blast)) {
    return range("weapons.blast_radius");
  }
  if (w.seeker_range < 0) {
    return range("weapons.seeker_range");
  }
  if (!between(w.seeker_cone, -sim::k_one, sim::k_one)) {
    return range("weapons.seeker_cone");
  }
  if (!between(w.lock_time, 0, sim::k_max_lock_time)) {
    return range("weapons.lock_time");
  }
  return between(w.self_destruct, 0, k_max_wait) ? k_decoded : range("weapons.self_destruct");
}

CodecResult check(const sim::Weapon& w) {
  if (const CodecResult result = check_name(w.name, "weapons.name"); !result) {
    return result;
  }
  if (const CodecResult result = check_path(w); !result) {
    return result;
  }
  if (!between(w.ripple_interval, 0, sim::k_max_ripple)) {
    return range("weapons.ripple_interval");
  }
  if (!between(w.radius, 0, sim::k_max_hull_radius)) {
    return range("weapons.radius");
  }
  if (w.min_range < 0) {
    return range("weapons.min_range");
  }
  if (w.max_range < w.min_range) {
    return range("weapons.max_range");
  }
  if (w.max_extra_speed < 0) {
    return range("weapons.max_extra_speed");
  }
  if (w.max_extra_acceleration < 0) {
    return range("weapons.max_extra_acceleration");
  }
  return w.max_displacement < 0 ? range("weapons.max_displacement") : check_seeker(w);
}

CodecResult check(const sim::HullPart& part) {
  const sim::WideVec3 end = sim::WideVec3(part.a) + sim::WideVec3(part.d);
  const auto inside_hull = [](std::int64_t c) {
    return between(c, -sim::k_max_hull_offset, sim::k_max_hull_offset);
  };
  if (!inside(part.a, sim::k_max_hull_offset)) {
    return range("types.hull.a");
  }
  if (!inside_hull(end.x) || !inside_hull(end.y) || !inside_hull(end.z)) {
    return range("types.hull.d");
  }
  return between(part.radius, 0, sim::k_max_hull_radius) ? k_decoded : range("types.hull.radius");
}

CodecResult check(const sim::Mount& mount) {
  if (!inside(mount.offset, sim::k_max_hull_offset)) {
    return range("types.mounts.offset");
  }
  return is_basis(mount.orientation) ? check_name(mount.name, "types.mounts.name")
                                     : range("types.mounts.orientation");
}

CodecResult check(const sim::Launcher& l, const sim::EntityType& type,
                  const sim::Scenario& scenario) {
  if (l.mount >= type.mounts.size()) {
    return reference("types.launchers.mount");
  }
  if (l.weapon >= scenario.weapons.size()) {
    return reference("types.launchers.weapon");
  }
  const sim::Subtick interval = scenario.weapons[l.weapon].ripple_interval;
  if (l.salvo < 1 || (l.salvo - 1) * interval > sim::k_max_ripple) {
    return range("types.launchers.salvo");
  }
  if (l.trigger > sim::Trigger::nearest_enemy) {
    return range("types.launchers.trigger");
  }
  if (!between(l.reload, 0, k_max_wait)) {
    return range("types.launchers.reload");
  }
  if (!between(l.arc, -sim::k_one, sim::k_one)) {
    return range("types.launchers.arc");
  }
  if (l.facing != sim::k_no_turret && l.facing >= type.turrets.size()) {
    return reference("types.launchers.facing");
  }
  return between(l.first, 0, k_max_wait) ? check_name(l.name, "types.launchers.name")
                                         : range("types.launchers.first");
}

CodecResult check(const sim::Dispenser& d, const sim::Scenario& scenario) {
  if (d.count == 0) {
    return d == sim::Dispenser{} ? k_decoded : range("types.dispenser.count");
  }
  if (d.count > sim::k_max_released_decoys) {
    return range("types.dispenser.count");
  }
  if (d.type >= scenario.types.size()) {
    return reference("types.dispenser.type");
  }
  if (!between(d.reload, 1, k_max_wait)) {
    return range("types.dispenser.reload");
  }
  if (!is_velocity(d.velocity)) {
    return range("types.dispenser.velocity");
  }
  if (d.trigger > sim::DispenserTrigger::threatened) {
    return range("types.dispenser.trigger");
  }
  return between(d.warning, 0, k_max_wait) ? k_decoded : range("types.dispenser.warning");
}

CodecResult check_decoy(const sim::EntityType& type, const sim::Scenario& scenario) {
  if (!between(type.decoy_chance, 0, 65'536)) {
    return range("types.decoy_chance");
  }
  if (type.decoy_range < 0) {
    return range("types.decoy_range");
  }
  return between(type.lifetime, 0, k_max_wait) ? check(type.dispenser, scenario)
                                               : range("types.lifetime");
}

/// A static capsule, in world axes.
CodecResult check_obstacle(const sim::HullPart& part) {
  const sim::WideVec3 end = sim::WideVec3(part.a) + sim::WideVec3(part.d);
  const auto in_world = [](std::int64_t c) {
    return between(c, -sim::k_world_limit, sim::k_world_limit);
  };
  if (!is_position(part.a)) {
    return range("obstacles.a");
  }
  if (!in_world(end.x) || !in_world(end.y) || !in_world(end.z) ||
      !inside(part.d, 2 * sim::k_max_hull_offset)) {
    return range("obstacles.d");
  }
  return between(part.radius, 0, sim::k_max_hull_radius) ? k_decoded : range("obstacles.radius");
}

CodecResult check(const sim::EntityType& type, const sim::Scenario& scenario) {
  if (type.hull.empty()) {
    return {CodecError::missing, "types.hull"};
  }
  if (type.hull.size() > static_cast<std::size_t>(sim::k_max_hull_parts)) {
    return {CodecError::too_many, "types.hull"};
  }
  if (type.mounts.size() > static_cast<std::size_t>(sim::k_max_mounts)) {
    return {CodecError::too_many, "types.mounts"};
  }
  if (type.launchers.size() > k_max_launchers) {
    return {CodecError::too_many, "types.launchers"};
  }
  if (type.turrets.size() > static_cast<std::size_t>(sim::k_max_turrets)) {
    return {CodecError::too_many, "types.turrets"};
  }
  if (type.hit_points < 1) {
    return range("types.hit_points");
  }
  if (!between(type.max_speed, 0, sim::k_max_speed)) {
    return range("types.max_speed");
  }
  if (!between(type.max_acceleration, 0, k_max_acceleration)) {
    return range("types.max_acceleration");
  }
  CodecResult result = check_name(type.name, "types.name");
  if (result) {
    result = check_decoy(type, scenario);
  }
  for (std::size_t i = 0; result && i < type.hull.size(); ++i) {
    result = check(type.hull[i]);
  }
  for (std::size_t i = 0; result && i < type.mounts.size(); ++i) {
    result = check(type.mounts[i]);
  }
  for (std::size_t i = 0; result && i < type.launchers.size(); ++i) {
    result = check(type.launchers[i], type, scenario);
  }
  for (std::size_t i = 0; result && i < type.turrets.size(); ++i) {
    result = check_turret(type.turrets[i]);
    if (result) {
      result = check_name(type.turrets[i].name, "types.turrets.name");
    }
  }
  return result;
}

CodecResult check(const sim::Route& route, int log2_tick) {
  if (!is_position(route.start_position)) {
    return range("routes.start_position");
  }
  if (!is_velocity(route.start_velocity)) {
    return range("routes.start_velocity");
  }
  if (route.closed && route.keys.empty()) {
    return {CodecError::missing, "routes.keys"};
  }
  for (const sim::RouteKey& key : route.keys) {
    if (key.log2_ticks > sim::k_max_log2_piece_ticks ||
        key.log2_ticks + log2_tick > sim::k_max_log2_piece) {
      return range("routes.keys.log2_ticks");
    }
    if (!is_position(key.position)) {
      return range("routes.keys.position");
    }
    if (!is_velocity(key.velocity)) {
      return range("routes.keys.velocity");
    }
  }
  return check_name(route.name, "routes.name");
}

CodecResult check(const sim::EntityPlan& plan, const sim::Scenario& scenario) {
  if (plan.type >= scenario.types.size()) {
    return reference("entities.type");
  }
  if (plan.route != sim::k_no_route && plan.route >= scenario.routes.size()) {
    return reference("entities.route");
  }
  if (!is_position(plan.position)) {
    return range("entities.position");
  }
  if (!is_velocity(plan.velocity)) {
    return range("entities.velocity");
  }
  if (!sim::is_unit(plan.attitude)) {
    return range("entities.attitude");
  }
  return plan.spawn_tick < 1 ? range("entities.spawn_tick")
                             : check_name(plan.name, "entities.name");
}

CodecResult check_counts(const sim::Scenario& s) {
  std::size_t keys = 0;
  for (const sim::Route& route : s.routes) {
    keys += route.keys.size();
  }
  if (s.weapons.size() > static_cast<std::size_t>(sim::k_max_weapons)) {
    return {CodecError::too_many, "weapons"};
  }
  if (s.types.size() > static_cast<std::size_t>(sim::k_max_entity_types)) {
    return {CodecError::too_many, "types"};
  }
  if (s.routes.size() > k_max_routes) {
    return {CodecError::too_many, "routes"};
  }
  if (keys > k_max_route_keys) {
    return {CodecError::too_many, "routes.keys"};
  }
  if (s.obstacles.size() > static_cast<std::size_t>(sim::k_max_obstacles)) {
    return {CodecError::too_many, "obstacles"};
  }
  return s.entities.size() > static_cast<std::size_t>(sim::k_max_entities)
             ? CodecResult{CodecError::too_many, "entities"}
             : k_decoded;
}

}  // namespace

std::int32_t max_frequency(const sim::Weapon& weapon) {
  const bool fixed_time = weapon.speed == 0 && weapon.flight_time > 0;
  const int log2_piece =
      fixed_time ? sim::log2_piece_for(weapon.flight_time) : sim::k_max_log2_flight_piece;
  const int log2_cells = weapon.noise == sim::NoiseKind::perlin ? 2 : 1;  // 1/4 or 1/2 a piece
  return std::int32_t{1} << (32 - log2_piece - log2_cells);
}

CodecResult check_scenario(const sim::Scenario& s) {
  if (!between(s.log2_tick, sim::k_min_log2_tick, sim::k_max_log2_tick)) {
    return range("log2_tick");
  }
  if (!between(s.ground, -sim::k_world_limit, sim::k_world_limit)) {
    return range("ground");
  }
  CodecResult result = check_counts(s);
  if (result) {
    result = check_name(s.name, "name");
  }
  if (result) {
    result = check_name(s.rules, "rules");
  }
  for (std::size_t i = 0; result && i < s.obstacles.size(); ++i) {
    result = check_obstacle(s.obstacles[i]);
  }
  for (std::size_t i = 0; result && i < s.weapons.size(); ++i) {
    result = check(s.weapons[i]);
  }
  for (std::size_t i = 0; result && i < s.types.size(); ++i) {
    result = check(s.types[i], s);
  }
  for (std::size_t i = 0; result && i < s.routes.size(); ++i) {
    result = check(s.routes[i], s.log2_tick);
  }
  for (std::size_t i = 0; result && i < s.entities.size(); ++i) {
    result = check(s.entities[i], s);
  }
  return result;
}

}  // namespace contrail::wire
