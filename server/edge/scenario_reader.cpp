#include <contrail/edge/scenario_reader.hpp>

#include <algorithm>
#include <bit>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/limits.hpp>

#include <contrail/edge/table_reader.hpp>

namespace contrail::server {

namespace {

constexpr sim::Subtick k_max_time = 86'400 * sim::k_subticks_per_second;
constexpr Bounds k_any_time{0, k_max_time};
constexpr std::int64_t k_default_tolerance = 2048;  // length units, 0.5 m

void read_world(const TomlNode* table, const std::string& fallback_name, sim::Scenario& out,
                ConfigProblems& problems) {
  static const TomlNode k_absent;
  TableReader reader(table != nullptr ? *table : k_absent, "world", problems);
  out.name = reader.text("name", fallback_name);
  out.seed = reader.seed("seed", 1);
  const std::int64_t rate = reader.number("tick_rate", Unit{"Hz", 1, 1}, {8, 128}, 32);
  if (!std::has_single_bit(static_cast<std::uint64_t>(rate))) {
    reader.problem("tick_rate", "is " + std::to_string(rate) + " Hz",
                   "must be 8, 16, 32, 64 or 128 Hz");
  } else {
    out.log2_tick =
        static_cast<std::uint8_t>(16 - std::countr_zero(static_cast<std::uint64_t>(rate)));
  }
  out.ground = static_cast<std::int32_t>(reader.number(
      "ground", k_metres, {-sim::k_world_limit + 1, sim::k_world_limit}, -sim::k_world_limit));
  out.rules = reader.text("rules", out.rules);
  reader.finish();
}

std::uint32_t to_ticks(sim::Subtick t, int log2_tick) {
  return static_cast<std::uint32_t>((t + (sim::Subtick{1} << (log2_tick - 1))) >> log2_tick);
}

void read_end(const TomlNode* table, sim::Scenario& out, ConfigProblems& problems) {
  if (table == nullptr) return;
  TableReader reader(*table, "end", problems);
  const auto after = reader.optional_number("after", k_seconds, {out.tick_length(), k_max_time});
  if (after) out.end_tick = std::max(1U, to_ticks(*after, out.log2_tick));
  out.end_when_one_team_left = reader.boolean("one_team_left", false);
  reader.finish();
}

Waypoint read_waypoint(const TomlNode& table, const std::string& path, ConfigProblems& problems) {
  TableReader reader(table, path, problems);
  Waypoint p;
  p.position = reader.vector("position", k_metres, sim::k_world_limit);
  if (const auto speed =
          reader.optional_number("speed", k_metres_per_second, {1, sim::k_max_speed})) {
    p.speed = static_cast<std::int32_t>(*speed);
  }
  p.time = reader.optional_number("time", k_seconds, k_any_time);
  p.velocity = reader.optional_vector("velocity", k_metres_per_second, sim::k_max_speed);
  p.corner = reader.boolean("corner", false);
  reader.finish();
  return p;
}

/// Two tables of one kind with one name: the later one is the fault.
template <class Drafts, class NameOf>
void check_names(const Drafts& drafts, const char* kind, const NameOf& name_of,
                 ConfigProblems& problems) {
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const std::string& name = name_of(drafts[i]);
    const auto same = [&](const auto& other) { return name_of(other) == name; };
    const auto end = drafts.begin() + static_cast<std::ptrdiff_t>(i);
    const auto first = std::find_if(drafts.begin(), end, same);
    if (name.empty() || first == end) continue;
    problems.add(drafts[i].origin.at, drafts[i].origin.path + ".name",
                 "is taken by the " + std::string(kind) + " of line " +
                     std::to_string(first->origin.at.line),
                 "every " + std::string(kind) + " needs a name of its own");
  }
}

void check_count(std::size_t count, std::size_t most, const char* kind, ConfigProblems& problems) {
  if (count <= most) return;
  problems.add({}, kind, "there are " + std::to_string(count),
               "a scenario may have " + std::to_string(most));
}

}  // namespace

std::string table_path(const char* kind, const TomlNode& table, std::size_t number) {
  const TomlMember* name = table.find("name");
  const bool named =
      name != nullptr && name->value.kind == TomlNode::Kind::text && !name->value.text.empty();
  return std::string(kind) + "[" + (named ? name->value.text : "#" + std::to_string(number)) + "]";
}

/// `csv` and the keys that belong to it.
void read_route_file(TableReader& reader, RouteDraft& draft) {
  RouteFile file;
  file.path = reader.path("csv");
  file.origin = {reader.at("csv"), reader.path_of("csv")};
  file.form.scale =
      reader.number("scale", Unit{"", 1'000'000, 1}, {1, 1'000'000'000}, file.form.scale);
  file.form.axes = reader.text("axes", std::string());
  if (!file.form.axes.empty() && !is_axes(file.form.axes)) {
    reader.problem("axes", "is \"" + file.form.axes + "\"",
                   "must name two or three world axes, each with a minus or without: \"xz\", "
                   "\"x-z\", \"xyz\"");
  }
  file.form.height = static_cast<std::int32_t>(
      reader.number("height", k_metres, {-sim::k_world_limit, sim::k_world_limit}, 0));
  const std::int64_t tolerance =
      reader.number("tolerance", k_metres, {41, 1 << 24}, k_default_tolerance);
  if (reader.has("csv")) {
    draft.plan.tolerance = tolerance;
    draft.file = std::move(file);
    return;
  }
  for (const char* key : {"scale", "axes", "height", "tolerance"}) {
    if (reader.has(key)) reader.problem(key, "is given without csv", "it is about such a file");
  }
}

RouteDraft read_route(const TomlNode& table, std::size_t number, ConfigProblems& problems) {
  const std::size_t before = problems.list().size();
  const std::string path = table_path("route", table, number);
  TableReader reader(table, path, problems);
  RouteDraft draft;
  draft.origin = {table.at, path};
  draft.plan.name = reader.text("name");
  draft.plan.closed = reader.boolean("closed", false);
  if (const auto speed =
          reader.optional_number("speed", k_metres_per_second, {1, sim::k_max_speed})) {
    draft.plan.speed = static_cast<std::int32_t>(*speed);
  }
  draft.plan.lap = reader.optional_number("lap", k_seconds, {1, k_max_time});
  draft.plan.spline = reader.choice("spline", {"timed", "centripetal"}, 0) == 0
                          ? RouteSpline::timed
                          : RouteSpline::centripetal;
  read_route_file(reader, draft);
  const auto waypoints = reader.tables("waypoint");
  for (std::size_t i = 0; i < waypoints.size(); ++i) {
    const std::string item = reader.path_of("waypoint[" + std::to_string(i + 1) + "]");
    draft.plan.waypoints.push_back(read_waypoint(*waypoints[i], item, problems));
    draft.waypoints.push_back({waypoints[i]->at, item});
  }
  if (reader.has("waypoint") && reader.has("csv")) {
    reader.problem("csv", "is given beside waypoints", "the points come from one of them");
  } else if (!reader.has("waypoint") && !reader.has("csv")) {
    reader.problem("waypoint", "is missing, and so is csv",
                   "a route needs waypoints, each with a position, or a file of points");
  }
  reader.finish();
  draft.ok = problems.list().size() == before;
  return draft;
}

EntityDraft read_entity(const TomlNode& table, std::size_t number, int log2_tick,
                        ConfigProblems& problems) {
  const std::string path = table_path("entity", table, number);
  TableReader reader(table, path, problems);
  const auto origin = [&reader](const char* key) {
    return Origin{reader.at(key), reader.path_of(key)};
  };
  EntityDraft draft;
  draft.origin = {table.at, path};
  sim::EntityPlan& plan = draft.plan;
  plan.name = reader.text("name");
  draft.type = {reader.text("type"), origin("type")};
  plan.team = static_cast<std::uint8_t>(reader.number("team", k_plain, {0, 255}, 0));
  plan.user_tag = static_cast<std::uint32_t>(reader.number("tag", k_plain, {0, 0xFFFF'FFFF}, 0));
  draft.route = {reader.text("route", std::string()), origin("route")};
  draft.start_waypoint = reader.number("start_waypoint", k_plain, {1, 1 << 20}, 1);
  draft.start_waypoint_origin = origin("start_waypoint");
  draft.offset = reader.vector("offset", k_metres, sim::k_world_limit, sim::Vec3{0});
  draft.offset_origin = origin("offset");
  plan.position = reader.vector("position", k_metres, sim::k_world_limit, sim::Vec3{0});
  plan.velocity = reader.vector("velocity", k_metres_per_second, sim::k_max_speed, sim::Vec3{0});
  draft.velocity_origin = origin("velocity");
  const std::int32_t yaw = reader.angle("yaw", {-360, 360}, 0);
  const std::int32_t pitch = reader.angle("pitch", {-90, 90}, 0);
  const std::int32_t roll = reader.angle("roll", {-360, 360}, 0);
  plan.attitude = sim::quaternion_of_angles(yaw, pitch, roll);
  const sim::Subtick spawn = reader.number("spawn", k_seconds, k_any_time, 0);
  plan.spawn_tick = std::max(1U, to_ticks(spawn, log2_tick));
  const sim::Subtick tick = sim::Subtick{1} << log2_tick;
  if (const auto respawn = reader.optional_number("respawn", k_seconds, {tick, k_max_time})) {
    plan.respawn_ticks = to_ticks(*respawn, log2_tick);
  }
  if (reader.has("route")) {
    for (const char* key : {"position", "velocity"}) {
      if (reader.has(key)) {
        reader.problem(key, "is given beside a route", "a route says where the entity starts");
      }
    }
  } else {
    if (!reader.has("position")) {
      reader.problem("position", "is missing, and so is route", "give one of them");
    }
    for (const char* key : {"start_waypoint", "offset"}) {
      if (reader.has(key)) reader.problem(key, "is given without a route", "it belongs to a route");
    }
  }
  reader.finish();
  return draft;
}

ScenarioDraft read_scenario(const TomlNode& root, const std::string& fallback_name,
                            ConfigProblems& problems) {
  TableReader reader(root, "", problems);
  ScenarioDraft draft;
  sim::Scenario& scenario = draft.scenario;
  read_world(reader.table("world"), fallback_name, scenario, problems);
  read_end(reader.table("end"), scenario, problems);

  std::size_t number = 0;
  for (const TomlNode* t : reader.tables("weapon")) {
    draft.weapons.push_back(read_weapon(*t, ++number, problems));
  }
  number = 0;
  for (const TomlNode* t : reader.tables("type")) {
    draft.types.push_back(read_type(*t, ++number, problems));
  }
  number = 0;
  for (const TomlNode* t : reader.tables("route")) {
    draft.routes.push_back(read_route(*t, ++number, problems));
  }
  number = 0;
  for (const TomlNode* t : reader.tables("obstacle")) {
    scenario.obstacles.push_back(read_obstacle(*t, ++number, problems));
  }
  number = 0;
  for (const TomlNode* t : reader.tables("entity")) {
    draft.entities.push_back(read_entity(*t, ++number, scenario.log2_tick, problems));
  }
  reader.finish();

  check_count(draft.weapons.size(), sim::k_max_weapons, "weapon", problems);
  check_count(draft.types.size(), sim::k_max_entity_types, "type", problems);
  check_count(draft.entities.size(), sim::k_max_entities, "entity", problems);
  check_count(scenario.obstacles.size(), sim::k_max_obstacles, "obstacle", problems);
  check_names(
      draft.weapons, "weapon", [](const auto& d) -> auto& { return d.weapon.name; }, problems);
  check_names(
      draft.types, "type", [](const auto& d) -> auto& { return d.type.name; }, problems);
  check_names(
      draft.routes, "route", [](const auto& d) -> auto& { return d.plan.name; }, problems);
  check_names(
      draft.entities, "entity", [](const auto& d) -> auto& { return d.plan.name; }, problems);
  return draft;
}

}  // namespace contrail::server
