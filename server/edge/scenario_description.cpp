#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include <contrail/edge/decimal.hpp>
#include <contrail/edge/scenario_description.hpp>
#include <contrail/edge/turret_reader.hpp>
#include <contrail/sim/arith.hpp>

namespace contrail::server {

namespace {

std::string plural(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string seconds(sim::Subtick t) {
  return print_scaled(t, k_seconds);
}

std::string ticks(const sim::Scenario& s, std::uint64_t count) {
  return seconds(static_cast<sim::Subtick>(count) * s.tick_length());
}

std::map<int, std::size_t> teams(const sim::Scenario& s) {
  std::map<int, std::size_t> result;
  for (const sim::EntityPlan& plan : s.entities) ++result[plan.team];
  return result;
}

std::uint64_t route_length_ticks(const sim::Route& route) {
  std::uint64_t sum = 0;
  for (const sim::RouteKey& key : route.keys) sum += std::uint64_t{1} << key.log2_ticks;
  return sum;
}

std::string end_of(const sim::Scenario& s) {
  std::string text;
  if (s.end_tick != 0) text = "after " + ticks(s, s.end_tick);
  if (s.end_when_one_team_left)
    text += std::string(text.empty() ? "" : ", or ") + "when one team is left";
  return text.empty() ? "never" : text;
}

/// The half angle of a cosine as "within 0.5", the cosine; nothing for all round.
std::string within(std::int32_t cosine) {
  return cosine == -sim::k_one
             ? std::string()
             : ", cosine at least " + print_scaled(cosine, Unit{"", sim::k_one, 1});
}

std::string describe_seeker(const sim::Weapon& w) {
  std::string text;
  const auto metres = [&](const char* what, std::int32_t value) {
    if (value != 0) text += std::string(", ") + what + " " + print_scaled(value, k_metres);
  };
  const auto time = [&](const char* what, sim::Subtick value) {
    if (value != 0) text += std::string(", ") + what + " " + seconds(value);
  };
  metres("fuse", w.fuse_radius);
  metres("blast", w.blast_radius);
  metres("seeker", w.seeker_range);
  text += within(w.seeker_cone);
  time("lock in", w.lock_time);
  time("self-destructs after", w.self_destruct);
  return text + (w.retarget ? ", retargets" : "");
}

std::string describe_weapon(const sim::Weapon& w) {
  return w.name + ": " +
         (w.speed != 0 ? print_scaled(w.speed, k_metres_per_second)
                       : seconds(w.flight_time) + " flights") +
         ", " + print_scaled(w.min_range, Unit{"", 4096, 1}) + " to " +
         print_scaled(w.max_range, k_metres) + ", damage " + std::to_string(w.damage) +
         ", wobble " + print_scaled(w.amplitude, k_metres) + " at " +
         print_scaled(w.frequency, k_hertz) + describe_seeker(w) + "\n";
}

const char* trigger_name(sim::Trigger trigger) {
  switch (trigger) {
    case sim::Trigger::command:
      return "on command";
    case sim::Trigger::schedule:
      return "by schedule";
    case sim::Trigger::nearest_enemy:
      return "at the nearest enemy";
  }
  return "";
}

std::string describe_countermeasures(const sim::Scenario& s, const sim::EntityType& type) {
  std::string text;
  if (type.is_decoy()) {
    text += ", decoy of chance " + print_scaled(type.decoy_chance, k_fraction) + " within " +
            print_scaled(type.decoy_range, k_metres);
  }
  if (type.lifetime != 0) text += ", gone after " + seconds(type.lifetime);
  const sim::Dispenser& d = type.dispenser;
  if (d.count != 0) {
    text += ", dispenses " + std::to_string(d.count) + " " + s.types[d.type].name +
            (d.trigger == sim::DispenserTrigger::command ? " on command" : " when threatened");
  }
  return text;
}

std::string describe_gun(const sim::Gun& gun) {
  if (gun.speed == 0) return ", no gun";
  return ", bursts of " + std::to_string(gun.burst) + " at " +
         print_scaled(gun.speed, k_metres_per_second) + " every " + seconds(gun.reload) +
         ", damage " + std::to_string(gun.damage) + ", within " +
         print_scaled(gun.range, k_metres) + (gun.point_defence ? ", point defence" : "");
}

std::string describe_turret(const sim::Turret& turret) {
  const sim::TurretMount& m = turret.mount;
  const Unit bare{"", sim::k_turret_turn, 360};
  const auto stops = [&](const sim::TurretAxis& axis) {
    return axis.full_turn
               ? std::string("all round")
               : print_scaled(axis.low, bare) + " to " + print_scaled(axis.high, k_turret_degrees);
  };
  return turret.name + ": yaw " + stops(m.yaw) + ", pitch " + stops(m.pitch) + ", " +
         print_scaled(m.yaw.max_speed, bare) + " and " +
         print_scaled(m.pitch.max_speed, k_turret_speed) + ", " +
         plural(m.muzzles.size(), "muzzle", "muzzles") +
         (m.controller == sim::TurretController::align ? ", align" : "") +
         describe_gun(turret.gun) + "\n";
}

std::string describe_type(const sim::Scenario& s, const sim::EntityType& type) {
  std::string text = type.name + ": " + std::to_string(type.hit_points) + " hit points, " +
                     print_scaled(type.max_speed, k_metres_per_second) + ", " +
                     print_scaled(type.max_acceleration, k_metres_per_second_squared) + ", " +
                     plural(type.hull.size(), "hull part", "hull parts") +
                     describe_countermeasures(s, type) + "\n";
  for (std::size_t i = 0; i < type.launchers.size(); ++i) {
    const sim::Launcher& l = type.launchers[i];
    text +=
        "    launcher " + std::to_string(i) + " " + l.name + ": " + std::to_string(l.salvo) + " " +
        s.weapons[l.weapon].name + " from " + type.mounts[l.mount].name + ", " +
        trigger_name(l.trigger) + ", every " + seconds(l.reload) + within(l.arc) +
        (l.facing == sim::k_no_turret ? "" : ", facing with " + type.turrets[l.facing].name) +
        (l.ammunition == sim::k_unlimited ? "" : ", " + std::to_string(l.ammunition) + " in all") +
        "\n";
  }
  for (std::size_t i = 0; i < type.turrets.size(); ++i) {
    text += "    turret " + std::to_string(i) + " " + describe_turret(type.turrets[i]);
  }
  return text;
}

std::string describe_entity(const sim::Scenario& s, std::size_t index) {
  const sim::EntityPlan& plan = s.entities[index];
  std::string text = std::to_string(index) + " " + plan.name + ": " + s.types[plan.type].name +
                     " of team " + std::to_string(plan.team);
  if (plan.route != sim::k_no_route) {
    const sim::Route& route = s.routes[plan.route];
    text += ", route " + route.name + " (" + ticks(s, route_length_ticks(route)) +
            (route.closed ? " a lap, " : ", ") + plural(route.keys.size(), "key", "keys") + ")";
  }
  if (plan.spawn_tick > 1) text += ", appears after " + ticks(s, plan.spawn_tick);
  if (plan.respawn_ticks != 0) text += ", back after " + ticks(s, plan.respawn_ticks);
  return text + "\n";
}

std::string describe_route(const RouteReport& r) {
  std::string text = r.route + " for " + r.type + ": " + plural(r.points, "waypoint", "waypoints");
  if (!r.file.empty()) text += " of " + r.file + ", " + std::to_string(r.kept) + " kept";
  text += ", " + plural(r.keys, "key", "keys") + ", " + seconds(r.duration) +
          (r.closed ? " a lap" : "") + ", up to " + print_scaled(r.top_speed, k_metres_per_second);
  if (r.tolerance > 0) {
    text += ", passes every point within " + print_scaled(r.max_deviation, k_metres) +
            " (tolerance " + print_scaled(r.tolerance, k_metres) + ")";
  }
  text += "\n";
  if (r.changes.slowed == 0 && r.changes.inserted == 0 && r.changes.added_time == 0) return text;
  return text + "    to keep the limits of " + r.type + ": " +
         plural(r.changes.slowed, "waypoint", "waypoints") + " passed slower, " +
         plural(r.changes.inserted, "node", "nodes") + " inserted, " +
         seconds(r.changes.added_time) + " longer\n";
}

double in_units(std::int64_t value, std::int64_t unit) {
  return std::round(static_cast<double>(value) * 1000 / static_cast<double>(unit)) / 1000;
}

nlohmann::ordered_json turret_json(const sim::EntityType& type, std::size_t index) {
  const sim::Turret& turret = type.turrets[index];
  const auto degrees = [](std::int64_t angle) { return in_units(angle * 360, sim::k_turret_turn); };
  nlohmann::ordered_json out;
  out["type"] = type.name;
  out["index"] = index;
  out["name"] = turret.name;
  for (const auto& [name, axis] :
       {std::pair("yaw", &turret.mount.yaw), std::pair("pitch", &turret.mount.pitch)}) {
    nlohmann::ordered_json& shown = out[name];
    if (!axis->full_turn) {
      shown["low_degrees"] = degrees(axis->low);
      shown["high_degrees"] = degrees(axis->high);
    }
    shown["degrees_per_s"] = degrees(axis->max_speed);
    shown["degrees_per_s2"] = degrees(axis->max_acceleration);
  }
  out["muzzles"] = turret.mount.muzzles.size();
  out["controller"] = turret.mount.controller == sim::TurretController::align ? "align" : "optimal";
  const sim::Gun& gun = turret.gun;
  if (gun.speed == 0) return out;
  nlohmann::ordered_json& shown = out["gun"];
  shown["speed_m_per_s"] = in_units(gun.speed, sim::k_units_per_metre);
  shown["damage"] = gun.damage;
  shown["burst"] = gun.burst;
  shown["reload_s"] = in_units(gun.reload, sim::k_subticks_per_second);
  shown["range_m"] = in_units(gun.range, sim::k_units_per_metre);
  shown["point_defence"] = gun.point_defence;
  return out;
}

nlohmann::ordered_json route_json(const RouteReport& r) {
  nlohmann::ordered_json out;
  out["route"] = r.route;
  out["type"] = r.type;
  out["points"] = r.points;
  out["kept"] = r.kept;
  out["keys"] = r.keys;
  out["duration_s"] = in_units(r.duration, sim::k_subticks_per_second);
  out["top_speed_m_per_s"] = in_units(r.top_speed, sim::k_units_per_metre);
  out["tolerance_m"] = in_units(r.tolerance, sim::k_units_per_metre);
  out["max_deviation_m"] = in_units(r.max_deviation, sim::k_units_per_metre);
  out["waypoints_slowed"] = r.changes.slowed;
  out["nodes_inserted"] = r.changes.inserted;
  out["seconds_added"] = in_units(r.changes.added_time, sim::k_subticks_per_second);
  return out;
}

/// Missiles a second, if everything that fires by itself fired as often as it can.
std::pair<double, double> fire_rate(const sim::Scenario& s) {
  double salvos = 0;
  double missiles = 0;
  for (const sim::EntityPlan& plan : s.entities) {
    for (const sim::Launcher& l : s.types[plan.type].launchers) {
      if (l.trigger == sim::Trigger::command || l.reload <= 0) continue;
      const double rate =
          static_cast<double>(sim::k_subticks_per_second) / static_cast<double>(l.reload);
      salvos += rate;
      missiles += rate * l.salvo;
    }
  }
  return {salvos, missiles};
}

double hundredths(double value) {
  return std::round(value * 100) / 100;
}

}  // namespace

std::string summarize_scenario(const sim::Scenario& s) {
  return plural(s.entities.size(), "entity", "entities") + " in " +
         plural(teams(s).size(), "team", "teams") + ", " + plural(s.types.size(), "type", "types") +
         ", " + plural(s.weapons.size(), "weapon", "weapons") + ", " +
         std::to_string(1 << (16 - s.log2_tick)) + " Hz, seed " + std::to_string(s.seed);
}

std::string describe_scenario(const sim::Scenario& s, const std::vector<RouteReport>& routes) {
  std::string text = "scenario " + s.name + ": " + summarize_scenario(s) + "\n";
  text += "ends: " + end_of(s) + "\n";
  text +=
      "ground: " +
      (s.ground == -sim::k_world_limit ? std::string("none") : print_scaled(s.ground, k_metres)) +
      "\n";
  if (!s.obstacles.empty()) text += "obstacles: " + std::to_string(s.obstacles.size()) + "\n";
  text += "rules: " + s.rules + "\n";
  const auto [salvos, missiles] = fire_rate(s);
  const auto rate = [](double value) {
    return print_scaled(std::llround(value * 1000), Unit{"", 1000, 1});
  };
  text += "fire, at most: " + rate(salvos) + " salvos and " + rate(missiles) +
          " missiles a second\n\nweapons\n";
  for (const sim::Weapon& w : s.weapons) text += "  " + describe_weapon(w);
  text += "\ntypes\n";
  for (const sim::EntityType& type : s.types) text += "  " + describe_type(s, type);
  if (!routes.empty()) text += "\nroutes\n";
  for (const RouteReport& route : routes) text += "  " + describe_route(route);
  text += "\nentities\n";
  for (std::size_t i = 0; i < s.entities.size(); ++i) text += "  " + describe_entity(s, i);
  return text;
}

std::string scenario_json(const sim::Scenario& s, const std::vector<RouteReport>& routes) {
  nlohmann::ordered_json out;
  out["name"] = s.name;
  out["seed"] = std::to_string(s.seed);
  out["tick_rate"] = 1 << (16 - s.log2_tick);
  out["end_tick"] = s.end_tick;
  out["weapons"] = s.weapons.size();
  out["types"] = s.types.size();
  out["routes"] = s.routes.size();
  out["entities"] = s.entities.size();
  out["obstacles"] = s.obstacles.size();
  out["rules"] = s.rules;
  out["teams"] = teams(s).size();
  const auto [salvos, missiles] = fire_rate(s);
  out["salvos_per_second_at_most"] = hundredths(salvos);
  out["missiles_per_second_at_most"] = hundredths(missiles);
  out["turrets"] = nlohmann::ordered_json::array();
  for (const sim::EntityType& type : s.types) {
    for (std::size_t i = 0; i < type.turrets.size(); ++i) {
      out["turrets"].push_back(turret_json(type, i));
    }
  }
  out["route_reports"] = nlohmann::ordered_json::array();
  for (const RouteReport& r : routes) out["route_reports"].push_back(route_json(r));
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace contrail::server
