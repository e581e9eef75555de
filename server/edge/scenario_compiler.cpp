#include <contrail/edge/scenario_compiler.hpp>

#include <algorithm>
#include <map>
#include <optional>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/limits.hpp>

#include <contrail/edge/decimal.hpp>

namespace contrail::server {

namespace {

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

class ScenarioCompiler {
 public:
  ScenarioCompiler(const ScenarioDraft& draft, ConfigProblems& problems)
      : draft_(draft), problems_(problems), out_(draft.scenario) {}

  CompiledScenario run() {
    for (const WeaponDraft& weapon : draft_.weapons) out_.weapons.push_back(weapon.weapon);
    for (const TypeDraft& type : draft_.types) add_type(type);
    for (std::size_t i = 0; i < out_.types.size(); ++i) {
      const auto decoy = resolve(draft_.types[i].decoy, out_.types, "type");
      out_.types[i].dispenser.type = static_cast<std::uint8_t>(decoy.value_or(0));
    }
    for (const RouteDraft& route : draft_.routes) add_route(route);
    for (const EntityDraft& entity : draft_.entities) add_entity(entity);
    if (draft_.entities.empty()) {
      problems_.add({}, "entity", "there is none", "a scenario needs at least one [[entity]]");
    }
    return {std::move(out_), std::move(reports_)};
  }

 private:
  void fault(const Origin& origin, std::string what, std::string remedy) {
    problems_.add(origin.at, origin.path, std::move(what), std::move(remedy));
  }

  /// The index of a named item. Silent where the reader has already reported why it can't be
  /// found: an empty name here, or there, or a whole section that could not be read.
  template <class Items>
  std::optional<std::size_t> resolve(const Reference& reference, const Items& items,
                                     const char* kind) {
    if (reference.name.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& item : items) {
      if (item.name == reference.name) return names.size();
      names.push_back(item.name);
    }
    const bool unnamed = std::find(names.begin(), names.end(), "") != names.end();
    if (unnamed || (names.empty() && !problems_.empty())) return std::nullopt;
    fault(reference.origin, "names the unknown " + std::string(kind) + " " + quoted(reference.name),
          suggest(reference.name, names, kind));
    return std::nullopt;
  }

  template <class Items>
  void check_names(const Origin& origin, const Items& items, const std::string& kind) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (items[i].name == items[j].name && !items[i].name.empty()) {
          fault(origin, "has two " + kind + "s named " + quoted(items[i].name),
                "every " + kind + " of a type needs a name of its own");
        }
      }
    }
  }

  void add_type(const TypeDraft& draft) {
    sim::EntityType type = draft.type;
    check_names(draft.origin, type.mounts, "mount");
    check_names(draft.origin, type.turrets, "turret");
    for (const LauncherDraft& l : draft.launchers) {
      sim::Launcher launcher = l.launcher;
      const auto mount = resolve(l.mount, type.mounts, "mount");
      const auto weapon = resolve(l.weapon, out_.weapons, "weapon");
      launcher.mount = static_cast<std::uint8_t>(mount.value_or(0));
      launcher.weapon = static_cast<std::uint8_t>(weapon.value_or(0));
      const auto facing = resolve(l.facing, type.turrets, "turret");
      launcher.facing = static_cast<std::uint8_t>(facing.value_or(sim::k_no_turret));
      if (weapon) check_ripple(l, launcher, out_.weapons[*weapon]);
      type.launchers.push_back(launcher);
    }
    out_.types.push_back(std::move(type));
  }

  void check_ripple(const LauncherDraft& draft, const sim::Launcher& launcher,
                    const sim::Weapon& weapon) {
    const sim::Subtick ripple = sim::Subtick{launcher.salvo - 1} * weapon.ripple_interval;
    if (ripple <= sim::k_max_ripple) return;
    const sim::Subtick most = sim::k_max_ripple / weapon.ripple_interval + 1;
    fault(draft.salvo,
          "is " + std::to_string(launcher.salvo) + ": with the ripple of weapon " +
              quoted(weapon.name) + " the last missile leaves after " +
              print_scaled(ripple, k_seconds),
          "the limit is 0.5 s, which is " + std::to_string(most) +
              " missiles here, or a shorter ripple");
  }

  void add_route(const RouteDraft& draft) {
    sim::Route name;
    name.name = draft.plan.name;
    route_names_.push_back(name);
    const bool flown =
        std::any_of(draft_.entities.begin(), draft_.entities.end(),
                    [&](const EntityDraft& e) { return e.route.name == draft.plan.name; });
    // A route is compiled for the types that fly it; faults of its own show without them.
    const bool shown = !flown || !draft.file;
    const std::vector<RouteFault> faults = shown && draft.ok
                                               ? compile_route(draft.plan, out_.log2_tick).faults
                                               : std::vector<RouteFault>();
    report(draft, faults);
    sound_.push_back(draft.ok && faults.empty());
  }

  void report(const RouteDraft& draft, const std::vector<RouteFault>& faults) {
    for (const RouteFault& f : faults) {
      const bool known = f.waypoint < draft.waypoints.size();
      // Points of a file all stand where its name does: their number tells them apart.
      const std::string number = "point " + std::to_string(f.waypoint + 1) + " ";
      fault(known ? draft.waypoints[f.waypoint] : draft.origin, (draft.file ? number : "") + f.what,
            f.remedy);
    }
  }

  void add_entity(const EntityDraft& draft) {
    sim::EntityPlan plan = draft.plan;
    const auto type = resolve(draft.type, out_.types, "type");
    plan.type = static_cast<std::uint8_t>(type.value_or(0));
    if (draft.route.name.empty()) {
      if (type && draft_.types[*type].ok) check_velocity(draft, out_.types[*type]);
    } else {
      const auto route = resolve(draft.route, route_names_, "route");
      if (route && type && draft_.types[*type].ok && sound_[*route]) {
        plan.route = add_variant(draft, *route, route_for(draft, *route, *type));
      }
    }
    out_.entities.push_back(std::move(plan));
  }

  void check_velocity(const EntityDraft& draft, const sim::EntityType& type) {
    const std::int64_t speed = sim::length(sim::WideVec3(draft.plan.velocity));
    if (!exceeds(speed, type.max_speed)) return;
    fault(draft.velocity_origin, "is " + print_scaled(speed, k_metres_per_second),
          "type " + quoted(type.name) + " allows " +
              print_scaled(type.max_speed, k_metres_per_second));
  }

  /// A route as a type can fly it, compiled once for each two.
  const CompiledRoute& route_for(const EntityDraft& draft, std::size_t route,
                                 std::size_t type_index) {
    const auto [found, is_new] = routes_.try_emplace({route, type_index});
    CompiledRoute& compiled = found->second;
    if (!is_new) return compiled;
    const RouteDraft& given = draft_.routes[route];
    const sim::EntityType& type = out_.types[type_index];
    compiled = compile_route(given.plan, out_.log2_tick,
                             RouteLimits{type.max_speed, type.max_acceleration});
    report(given, compiled.faults);
    if (!compiled.faults.empty()) return compiled;
    if (!compiled.changes.fits) explain_misfit(draft, given, compiled, type);
    if (given.plan.tolerance > 0 && compiled.max_deviation > given.plan.tolerance) {
      fault(given.origin,
            "can't be followed closer than " + print_scaled(compiled.max_deviation, k_metres),
            "its tolerance is " + print_scaled(given.plan.tolerance, k_metres) +
                ": allow more, or give it more points or less speed");
    }
    RouteReport note;
    note.route = given.plan.name;
    note.type = type.name;
    note.file = given.file ? given.file->path : "";
    note.points = given.plan.waypoints.size();
    note.keys = compiled.route.keys.size();
    note.kept = compiled.legs.size() + (given.plan.closed ? 0 : 1);
    note.duration = static_cast<sim::Subtick>(route_ticks(compiled)) << out_.log2_tick;
    for (const RouteLeg& leg : compiled.legs)
      note.top_speed = std::max(note.top_speed, leg.top_speed);
    note.tolerance = given.plan.tolerance;
    note.max_deviation = compiled.max_deviation;
    note.changes = compiled.changes;
    note.closed = given.plan.closed;
    reports_.push_back(std::move(note));
    return compiled;
  }

  /// The legs that are too much for a type, however slow they are flown.
  void explain_misfit(const EntityDraft& draft, const RouteDraft& given,
                      const CompiledRoute& compiled, const sim::EntityType& type) {
    for (const RouteLeg& leg : compiled.legs) {
      const std::size_t next = (leg.waypoint + 1) % given.waypoints.size();
      const std::string way = "the way from waypoint " + std::to_string(leg.waypoint + 1) +
                              " to waypoint " + std::to_string(next + 1);
      const std::string allowed = "slowing down does not help: type " + quoted(type.name) +
                                  " of entity " + quoted(draft.plan.name) + " allows ";
      if (exceeds(leg.top_speed, type.max_speed)) {
        fault(given.waypoints[next],
              way + " is flown at up to " + print_scaled(leg.top_speed, k_metres_per_second),
              allowed + print_scaled(type.max_speed, k_metres_per_second));
      } else if (exceeds(leg.top_acceleration, type.max_acceleration)) {
        fault(given.waypoints[next],
              way + " needs " + print_scaled(leg.top_acceleration, k_metres_per_second_squared),
              allowed + print_scaled(type.max_acceleration, k_metres_per_second_squared));
      }
    }
  }

  /// The compiled route's index; entities that fly the same variant share it.
  std::uint16_t add_variant(const EntityDraft& draft, std::size_t index,
                            const CompiledRoute& compiled) {
    const auto waypoints = static_cast<std::int64_t>(draft_.routes[index].plan.waypoints.size());
    const std::int64_t last = draft_.routes[index].plan.closed ? waypoints : waypoints - 1;
    if (draft.start_waypoint > last) {
      fault(draft.start_waypoint_origin, "is " + std::to_string(draft.start_waypoint),
            "route " + quoted(compiled.route.name) + " can be begun at waypoint 1 to " +
                std::to_string(last));
      return 0;
    }
    if (!compiled.faults.empty()) return 0;
    // Of a thinned route: at the kept point before.
    const auto start = static_cast<std::size_t>(draft.start_waypoint - 1);
    const auto after = std::find_if(compiled.legs.begin(), compiled.legs.end(),
                                    [&](const RouteLeg& leg) { return leg.waypoint > start; });
    auto route = route_variant(
        compiled, static_cast<std::size_t>(after - compiled.legs.begin()) - 1, draft.offset);
    if (!route) {
      fault(draft.offset_origin, "moves the route out of the world",
            "positions must stay inside " + print_scaled(sim::k_world_limit, k_metres) +
                " on each axis");
      return 0;
    }
    const auto same = std::find(out_.routes.begin(), out_.routes.end(), *route);
    if (same != out_.routes.end()) return static_cast<std::uint16_t>(same - out_.routes.begin());
    out_.routes.push_back(std::move(*route));
    return static_cast<std::uint16_t>(out_.routes.size() - 1);
  }

  const ScenarioDraft& draft_;
  ConfigProblems& problems_;
  sim::Scenario out_;
  std::vector<sim::Route> route_names_;
  std::vector<bool> sound_;                                              // of each route
  std::map<std::pair<std::size_t, std::size_t>, CompiledRoute> routes_;  // by route and type
  std::vector<RouteReport> reports_;
};

}  // namespace

CompiledScenario compile_scenario(const ScenarioDraft& draft, ConfigProblems& problems) {
  return ScenarioCompiler(draft, problems).run();
}

}  // namespace contrail::server
