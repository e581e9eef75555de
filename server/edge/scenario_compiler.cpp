#include <contrail/edge/scenario_compiler.hpp>

#include <algorithm>
#include <optional>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/limits.hpp>

#include <contrail/edge/decimal.hpp>

namespace contrail::server {

namespace {

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

/// Room for rounding in a limit given in round numbers.
bool exceeds(std::int64_t value, std::int64_t limit) {
  return value > limit + limit / 256 + 16;
}

class ScenarioCompiler {
 public:
  ScenarioCompiler(const ScenarioDraft& draft, ConfigProblems& problems)
      : draft_(draft), problems_(problems), out_(draft.scenario) {}

  sim::Scenario run() {
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
    return std::move(out_);
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

  void add_type(const TypeDraft& draft) {
    sim::EntityType type = draft.type;
    for (std::size_t i = 0; i < type.mounts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (type.mounts[i].name == type.mounts[j].name && !type.mounts[i].name.empty()) {
          fault(draft.origin, "has two mounts named " + quoted(type.mounts[i].name),
                "every mount of a type needs a name of its own");
        }
      }
    }
    for (const LauncherDraft& l : draft.launchers) {
      sim::Launcher launcher = l.launcher;
      const auto mount = resolve(l.mount, type.mounts, "mount");
      const auto weapon = resolve(l.weapon, out_.weapons, "weapon");
      launcher.mount = static_cast<std::uint8_t>(mount.value_or(0));
      launcher.weapon = static_cast<std::uint8_t>(weapon.value_or(0));
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
    routes_.push_back(compile_route(draft.plan, out_.log2_tick));
    if (!draft.ok) return;
    for (const RouteFault& f : routes_.back().faults) {
      fault(f.waypoint < draft.waypoints.size() ? draft.waypoints[f.waypoint] : draft.origin,
            f.what, f.remedy);
    }
  }

  void add_entity(const EntityDraft& draft) {
    sim::EntityPlan plan = draft.plan;
    const auto type = resolve(draft.type, out_.types, "type");
    plan.type = static_cast<std::uint8_t>(type.value_or(0));
    if (draft.route.name.empty()) {
      if (type && draft_.types[*type].ok) check_velocity(draft, out_.types[*type]);
    } else {
      const auto route = find_route(draft.route);
      if (route && type && draft_.types[*type].ok && draft_.routes[*route].ok) {
        check_route(draft, *route, *type);
      }
      if (route) plan.route = add_variant(draft, *route);
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

  std::optional<std::size_t> find_route(const Reference& reference) {
    std::vector<sim::Route> names;
    for (const CompiledRoute& route : routes_)
      names.push_back({route.route.name, {}, {}, {}, false});
    return resolve(reference, names, "route");
  }

  /// Reports a leg that is too much for a type, once for each route and type.
  void check_route(const EntityDraft& draft, std::size_t route, std::size_t type_index) {
    if (std::find(checked_.begin(), checked_.end(), std::pair(route, type_index)) !=
        checked_.end()) {
      return;
    }
    checked_.emplace_back(route, type_index);
    const sim::EntityType& type = out_.types[type_index];
    const CompiledRoute& compiled = routes_[route];
    const RouteDraft& plan = draft_.routes[route];
    for (std::size_t i = 0; i < compiled.legs.size(); ++i) {
      const RouteLeg& leg = compiled.legs[i];
      const std::size_t next = (i + 1) % plan.waypoints.size();
      const std::string way = "the way from waypoint " + std::to_string(i + 1) + " to waypoint " +
                              std::to_string(next + 1);
      const std::string allowed =
          "type " + quoted(type.name) + " of entity " + quoted(draft.plan.name) + " allows ";
      if (exceeds(leg.top_speed, type.max_speed)) {
        fault(plan.waypoints[next],
              way + " is flown at up to " + print_scaled(leg.top_speed, k_metres_per_second),
              allowed + print_scaled(type.max_speed, k_metres_per_second) +
                  ": give it more time or less speed");
      } else if (exceeds(leg.top_acceleration, type.max_acceleration)) {
        fault(plan.waypoints[next],
              way + " needs " + print_scaled(leg.top_acceleration, k_metres_per_second_squared),
              allowed + print_scaled(type.max_acceleration, k_metres_per_second_squared) +
                  ": widen the turn, slow down or give it more time");
      }
    }
  }

  /// The compiled route's index; entities that fly the same variant share it.
  std::uint16_t add_variant(const EntityDraft& draft, std::size_t index) {
    const CompiledRoute& compiled = routes_[index];
    const auto waypoints = static_cast<std::int64_t>(draft_.routes[index].plan.waypoints.size());
    const std::int64_t last = compiled.route.closed ? waypoints : waypoints - 1;
    if (draft.start_waypoint > last) {
      fault(draft.start_waypoint_origin, "is " + std::to_string(draft.start_waypoint),
            "route " + quoted(compiled.route.name) + " can be begun at waypoint 1 to " +
                std::to_string(last));
      return 0;
    }
    if (!compiled.faults.empty()) return 0;
    auto route =
        route_variant(compiled, static_cast<std::size_t>(draft.start_waypoint - 1), draft.offset);
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
  std::vector<CompiledRoute> routes_;
  std::vector<std::pair<std::size_t, std::size_t>> checked_;
};

}  // namespace

sim::Scenario compile_scenario(const ScenarioDraft& draft, ConfigProblems& problems) {
  return ScenarioCompiler(draft, problems).run();
}

}  // namespace contrail::server
