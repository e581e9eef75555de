// Weapons and entity types of a scenario file.

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/limits.hpp>
#include <contrail/wire/codec.hpp>

#include <contrail/edge/scenario_reader.hpp>
#include <contrail/edge/table_reader.hpp>
#include <contrail/edge/turret_reader.hpp>

namespace contrail::server {

namespace {

constexpr std::int64_t k_metre = sim::k_units_per_metre;
constexpr Bounds k_any_u32{0, 0xFFFF'FFFF};
constexpr sim::Subtick k_max_flight = wire::k_max_flight_time;
constexpr sim::Subtick k_min_flight = 16'384;  // 1/4 s
constexpr sim::Subtick k_max_wait = 32'767 * sim::k_subticks_per_second;
static_assert(k_max_wait <= wire::k_max_wait);

sim::Cone read_cone(TableReader& reader, const std::string& key, std::int64_t fallback_degrees) {
  const std::int64_t half_turn = std::int64_t{1} << 31;
  const std::int64_t quarter_turn = half_turn / 2;
  const std::int64_t angle =
      reader.number(key, k_degrees, {0, half_turn}, fallback_degrees * quarter_turn / 90);
  if (angle >= quarter_turn) return {0, 16384};
  // The forward axis of a level basis turned by the angle has its sine on x, Q24.
  const sim::Basis turned = sim::basis_of_angles(static_cast<std::int32_t>(angle), 0, 0);
  return {16384, std::max(0, turned.forward.x >> 10)};
}

/// Q24 cosine of a half angle; absent: -1, all round.
std::int32_t read_cosine(TableReader& reader, const std::string& key) {
  const std::int64_t half_turn = std::int64_t{1} << 31;
  const auto angle = reader.optional_number(key, k_degrees, {0, half_turn});
  if (!angle || *angle == half_turn) return -sim::k_one;
  return sim::basis_of_angles(static_cast<std::int32_t>(*angle), 0, 0).forward.z;
}

void read_seeker(TableReader& reader, sim::Weapon& w) {
  const auto metres = [&](const char* key, std::int64_t most) {
    return static_cast<std::int32_t>(reader.number(key, k_metres, {0, most}, 0));
  };
  w.fuse_radius = metres("fuse_radius", sim::k_max_hull_radius);
  w.blast_radius = metres("blast_radius", wire::k_max_blast);
  w.seeker_range = metres("seeker_range", sim::k_world_limit);
  w.seeker_cone = read_cosine(reader, "seeker_cone");
  w.lock_time = reader.number("lock_time", k_seconds, {0, sim::k_max_lock_time}, 0);
  w.self_destruct = reader.number("self_destruct", k_seconds, {0, k_max_wait}, 0);
  w.retarget = reader.boolean("retarget", false);
}

void read_pace(TableReader& reader, sim::Weapon& w) {
  const bool both = reader.has("speed") && reader.has("flight_time");
  const auto speed =
      reader.optional_number("speed", k_metres_per_second, {k_metre, sim::k_max_speed});
  const auto time = reader.optional_number("flight_time", k_seconds, {k_min_flight, k_max_flight});
  if (both) {
    reader.problem("flight_time", "is given beside speed",
                   "give one of them: the other follows from the distance");
  } else if (!reader.has("speed") && !reader.has("flight_time")) {
    reader.problem("speed", "is missing, and so is flight_time",
                   "give one of them: speed in m/s, or flight_time in s for every distance");
  }
  w.speed = static_cast<std::int32_t>(speed.value_or(0));
  w.flight_time = both ? 0 : time.value_or(0);
}

void read_range(TableReader& reader, sim::Weapon& w) {
  const Bounds bounds{0, sim::k_world_limit};
  w.min_range = static_cast<std::int32_t>(reader.number("min_range", k_metres, bounds, 0));
  w.max_range =
      static_cast<std::int32_t>(reader.number("max_range", k_metres, {k_metre, bounds.max}));
  if (reader.ok() && w.min_range >= w.max_range) {
    reader.problem("min_range", "is " + print_scaled(w.min_range, k_metres),
                   "must be less than max_range, " + print_scaled(w.max_range, k_metres));
  }
  if (reader.ok() && w.speed != 0) {
    const std::int64_t farthest = std::int64_t{w.speed} * (k_max_flight / 65536);
    if (w.max_range > farthest) {
      reader.problem("max_range", "takes longer than 120 s at the weapon's speed",
                     "must be at most " + print_scaled(farthest, k_metres));
    }
  }
}

/// The wobble's knots are placed once a piece: more cells would be cut off, not drawn.
void check_wobble(TableReader& reader, const sim::Weapon& w) {
  if (!reader.ok() || w.amplitude == 0) return;
  const std::int32_t most = wire::max_frequency(w);
  if (w.frequency > most) {
    const bool perlin = w.noise == sim::NoiseKind::perlin;
    reader.problem("frequency",
                   "is " + print_scaled(w.frequency, k_hertz) +
                       ", too fast for the pieces of the weapon's longest flight",
                   std::string(perlin ? "perlin" : "bspline") + " noise allows at most " +
                       print_scaled(most, k_hertz) + " here");
  }
}

/// The rest of a table that is a capsule or a sphere.
sim::HullPart read_capsule(TableReader& reader, std::int32_t limit) {
  sim::HullPart part;
  const auto point = [&](const char* key) { return reader.optional_vector(key, k_metres, limit); };
  const auto center = point("center");
  const auto from = point("from");
  const auto to = point("to");
  if (reader.has("from") != reader.has("to")) {
    reader.problem(reader.has("from") ? "from" : "to", "is given alone",
                   "a capsule has both from and to, a sphere a center");
  } else if (reader.has("from") && reader.has("center")) {
    reader.problem("center", "is given beside from and to",
                   "a capsule has from and to, a sphere a center");
  }
  part.a = from.value_or(center.value_or(sim::Vec3{0}));
  part.d = to.value_or(part.a) - part.a;
  part.radius = static_cast<std::int32_t>(
      reader.number("radius", k_metres, {sim::k_min_radius_sum, sim::k_max_hull_radius}));
  if (reader.ok() && sim::max_abs(sim::WideVec3(part.d)) > 2 * sim::k_max_hull_offset) {
    reader.problem(
        "to",
        "is " + print_scaled(sim::max_abs(sim::WideVec3(part.d)), k_metres) +
            " from where it begins",
        "must be within " + print_scaled(2 * sim::k_max_hull_offset, k_metres) + " on each axis");
  }
  reader.finish();
  return part;
}

sim::Mount read_mount(const TomlNode& table, const std::string& path, ConfigProblems& problems) {
  TableReader reader(table, path, problems);
  sim::Mount mount;
  mount.name = reader.text("name");
  mount.offset = reader.vector("position", k_metres, sim::k_max_hull_offset, sim::Vec3{0});
  mount.orientation = read_orientation(reader);
  reader.finish();
  return mount;
}

LauncherDraft read_launcher(const TomlNode& table, const std::string& path,
                            ConfigProblems& problems) {
  TableReader reader(table, path, problems);
  LauncherDraft draft;
  sim::Launcher& launcher = draft.launcher;
  launcher.name = reader.text("name", std::string("launcher"));
  draft.mount = {reader.text("mount"), {reader.at("mount"), reader.path_of("mount")}};
  draft.weapon = {reader.text("weapon"), {reader.at("weapon"), reader.path_of("weapon")}};
  draft.facing = {reader.has("facing") ? reader.text("facing") : std::string(),
                  {reader.at("facing"), reader.path_of("facing")}};
  launcher.salvo = static_cast<std::uint8_t>(reader.number("salvo", k_plain, {1, 255}, 1));
  draft.salvo = {reader.at("salvo"), reader.path_of("salvo")};
  launcher.trigger = static_cast<sim::Trigger>(
      reader.choice("trigger", {"command", "schedule", "nearest_enemy"}, 0));
  launcher.reload = reader.number("reload", k_seconds, {0, k_max_wait}, sim::k_subticks_per_second);
  launcher.first = reader.number("first", k_seconds, {0, k_max_wait}, 0);
  launcher.arc = read_cosine(reader, "arc");
  launcher.ammunition = static_cast<std::uint32_t>(
      reader.optional_number("ammunition", k_plain, {1, 0xFFFF'FFFE}).value_or(sim::k_unlimited));
  if (reader.ok() && launcher.ammunition < launcher.salvo) {
    reader.problem("ammunition", "is " + std::to_string(launcher.ammunition),
                   "must be enough for one salvo of " + std::to_string(launcher.salvo));
  }
  if (reader.ok() && launcher.trigger != sim::Trigger::command && launcher.reload == 0) {
    reader.problem("reload", "is 0 s on a launcher that fires by itself", "must be more than 0 s");
  }
  reader.finish();
  return draft;
}

void read_dispenser(const TomlNode& table, const std::string& path, TypeDraft& draft,
                    ConfigProblems& problems) {
  TableReader reader(table, path, problems);
  sim::Dispenser& dispenser = draft.type.dispenser;
  draft.decoy = {reader.text("type"), {reader.at("type"), reader.path_of("type")}};
  dispenser.count = static_cast<std::uint8_t>(
      reader.number("count", k_plain, {1, sim::k_max_released_decoys}, 1));
  dispenser.ammunition = static_cast<std::uint32_t>(
      reader.optional_number("ammunition", k_plain, {1, 0xFFFF'FFFE}).value_or(sim::k_unlimited));
  dispenser.reload =
      reader.number("reload", k_seconds, {1, k_max_wait}, sim::k_subticks_per_second);
  dispenser.velocity =
      reader.vector("velocity", k_metres_per_second, sim::k_max_speed, sim::Vec3{0});
  dispenser.trigger =
      static_cast<sim::DispenserTrigger>(reader.choice("trigger", {"command", "threatened"}, 0));
  dispenser.warning =
      reader.number("warning", k_seconds, {0, k_max_wait}, 3 * sim::k_subticks_per_second);
  reader.finish();
}

/// What makes a type a decoy, and what throws decoys.
void read_countermeasures(TableReader& reader, TypeDraft& draft, ConfigProblems& problems) {
  sim::EntityType& type = draft.type;
  type.decoy_chance =
      static_cast<std::int32_t>(reader.number("decoy_chance", k_fraction, {0, 65536}, 0));
  type.decoy_range =
      static_cast<std::int32_t>(reader.number("decoy_range", k_metres, {0, sim::k_world_limit}, 0));
  type.lifetime = reader.number("lifetime", k_seconds, {0, k_max_wait}, 0);
  if (const TomlNode* table = reader.table("dispenser")) {
    read_dispenser(*table, reader.path_of("dispenser"), draft, problems);
  }
}

}  // namespace

std::string item_path(const TableReader& parent, const char* kind, const TomlNode& table,
                      std::size_t number) {
  return parent.path_of(table_path(kind, table, number));
}

sim::HullPart read_obstacle(const TomlNode& table, std::size_t number, ConfigProblems& problems) {
  TableReader reader(table, table_path("obstacle", table, number), problems);
  reader.text("name", std::string());  // for whoever reads the file
  return read_capsule(reader, sim::k_world_limit);
}

WeaponDraft read_weapon(const TomlNode& table, std::size_t number, ConfigProblems& problems) {
  const std::string path = table_path("weapon", table, number);
  TableReader reader(table, path, problems);
  sim::Weapon w;
  const auto i32 = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  w.name = reader.text("name");
  w.art = static_cast<std::uint32_t>(reader.number("art", k_plain, k_any_u32, 0));
  w.noise = static_cast<sim::NoiseKind>(reader.choice("noise", {"bspline", "perlin"}, 0));
  w.muzzle_cone = read_cone(reader, "muzzle_cone", 5);
  w.approach_cone = read_cone(reader, "approach_cone", 20);
  w.muzzle_handle = i32(reader.number("muzzle_handle", k_fraction, {0, 65536}, 22938));
  w.approach_handle = i32(reader.number("approach_handle", k_fraction, {0, 65536}, 22938));
  w.amplitude = i32(reader.number("amplitude", k_metres, {0, 10'000 * k_metre}, 0));
  w.frequency = i32(reader.number("frequency", k_hertz, {0, 128 * 65536}, 65536));
  read_pace(reader, w);
  w.ripple_interval = i32(reader.number("ripple", k_seconds, {0, sim::k_max_ripple}, 0));
  w.radius = i32(reader.number("radius", k_metres, {0, sim::k_max_hull_radius}, k_metre / 4));
  w.damage = static_cast<std::uint16_t>(reader.number("damage", k_plain, {0, 65535}));
  read_range(reader, w);
  w.max_extra_speed = i32(reader.number("max_extra_speed", k_metres_per_second,
                                        {0, sim::k_max_speed}, sim::k_max_speed));
  w.max_extra_acceleration =
      i32(reader.number("max_extra_acceleration", k_metres_per_second_squared,
                        {0, wire::k_most_extra_acceleration}, wire::k_most_extra_acceleration));
  w.max_displacement = i32(
      reader.number("max_displacement", k_metres, {0, sim::k_homing_clamp}, sim::k_homing_clamp));
  read_seeker(reader, w);
  check_wobble(reader, w);
  reader.finish();
  return {w, {table.at, path}};
}

TypeDraft read_type(const TomlNode& table, std::size_t number, ConfigProblems& problems) {
  const std::size_t before = problems.list().size();
  const std::string path = table_path("type", table, number);
  TableReader reader(table, path, problems);
  TypeDraft draft;
  draft.origin = {table.at, path};
  sim::EntityType& type = draft.type;
  type.name = reader.text("name");
  type.art = static_cast<std::uint32_t>(reader.number("art", k_plain, k_any_u32, 0));
  type.hit_points = static_cast<std::uint16_t>(reader.number("hit_points", k_plain, {1, 65535}));
  type.max_speed = static_cast<std::int32_t>(
      reader.number("max_speed", k_metres_per_second, {0, sim::k_max_speed}));
  type.max_acceleration = static_cast<std::int32_t>(reader.number(
      "max_acceleration", k_metres_per_second_squared, {0, wire::k_max_acceleration}));
  type.own_attitude = reader.boolean("own_attitude", false);

  read_countermeasures(reader, draft, problems);

  const auto hull = reader.tables("hull");
  for (std::size_t i = 0; i < hull.size(); ++i) {
    TableReader part(*hull[i], item_path(reader, "hull", *hull[i], i + 1), problems);
    type.hull.push_back(read_capsule(part, sim::k_max_hull_offset));
  }
  if (hull.empty() || hull.size() > sim::k_max_hull_parts) {
    reader.problem("hull", "has " + std::to_string(hull.size()) + " parts",
                   "a type needs 1 to " + std::to_string(sim::k_max_hull_parts) + " hull parts");
  }
  const auto mounts = reader.tables("mount");
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    type.mounts.push_back(
        read_mount(*mounts[i], item_path(reader, "mount", *mounts[i], i + 1), problems));
  }
  if (mounts.size() > sim::k_max_mounts) {
    reader.problem("mount", "has " + std::to_string(mounts.size()) + " mounts",
                   "a type may have " + std::to_string(sim::k_max_mounts));
  }
  read_turrets(reader, type.turrets, problems);
  const auto launchers = reader.tables("launcher");
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    const std::string item = item_path(reader, "launcher", *launchers[i], i + 1);
    draft.launchers.push_back(read_launcher(*launchers[i], item, problems));
  }
  if (launchers.size() > wire::k_max_launchers) {
    reader.problem("launcher", "has " + std::to_string(launchers.size()) + " launchers",
                   "a type may have " + std::to_string(wire::k_max_launchers));
  }
  reader.finish();
  draft.ok = problems.list().size() == before;
  return draft;
}

}  // namespace contrail::server
