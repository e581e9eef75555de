#pragma once

// A scenario as its file has it: integers, but names not yet resolved and routes not yet compiled.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <contrail/sim/scenario.hpp>

#include <contrail/edge/config_problem.hpp>
#include <contrail/edge/route_compiler.hpp>
#include <contrail/edge/route_csv.hpp>

namespace contrail::server {

/// Where something stands in the file, and the path by which messages name it.
struct Origin {
  SourcePosition at;
  std::string path;
};

/// A name that must be found elsewhere in the file.
struct Reference {
  std::string name;
  Origin origin;
};

struct WeaponDraft {
  sim::Weapon weapon;
  Origin origin;
};

struct LauncherDraft {
  sim::Launcher launcher;  // mount, weapon and facing not yet known
  Reference mount;
  Reference weapon;
  Reference facing;  // empty name: none
  Origin salvo;
};

struct TypeDraft {
  sim::EntityType type;  // launchers not yet there
  std::vector<LauncherDraft> launchers;
  Reference decoy;  // of the dispenser; empty name: none
  Origin origin;
  bool ok = true;  // read without problems: worth checking against others
};

/// Points of a route that stand in a file of their own.
struct RouteFile {
  std::string path;  // as written, relative to the scenario file
  CsvForm form;
  Origin origin;
};

struct RouteDraft {
  RoutePlan plan;  // without waypoints until the file is read
  std::optional<RouteFile> file;
  std::vector<Origin> waypoints;
  Origin origin;
  bool ok = true;
};

struct EntityDraft {
  sim::EntityPlan plan;  // type and route not yet known
  Reference type;
  Reference route;                  // empty name: none
  std::int64_t start_waypoint = 1;  // counted from 1
  Origin start_waypoint_origin;
  sim::Vec3 offset{0};  // length units, added to the route
  Origin offset_origin;
  Origin velocity_origin;
  Origin origin;
};

struct ScenarioDraft {
  sim::Scenario scenario;  // without what follows
  std::vector<WeaponDraft> weapons;
  std::vector<TypeDraft> types;
  std::vector<RouteDraft> routes;
  std::vector<EntityDraft> entities;
};

}  // namespace contrail::server
