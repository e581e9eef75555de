#include <contrail/edge/turret_reader.hpp>

#include <algorithm>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/limits.hpp>
#include <contrail/wire/codec.hpp>

#include <contrail/edge/scenario_reader.hpp>

namespace contrail::server {

namespace {

constexpr std::int64_t k_degree_count = 360;
constexpr sim::Subtick k_longest_wait = 32'767 * sim::k_subticks_per_second;
static_assert(k_longest_wait <= wire::k_max_wait);

constexpr std::int64_t degrees(std::int64_t count) {
  return count * sim::k_turret_turn / k_degree_count;
}
// A limit a second fills 32 bits at 2880 degrees.
constexpr Bounds k_motion{1, degrees(2800)};
constexpr Bounds k_whole_turn{-sim::k_turret_turn, sim::k_turret_turn};
constexpr Bounds k_quarter_turn{-sim::k_turret_turn / 4, sim::k_turret_turn / 4};

std::int32_t i32(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}

/// The Q24 tangent of an angle up to 45 degrees.
std::int32_t read_tangent(TableReader& reader, const char* key) {
  const std::int64_t eighth_turn = std::int64_t{1} << 29;
  const std::int64_t angle = reader.number(key, k_degrees, {0, eighth_turn}, 0);
  const sim::Basis turned = sim::basis_of_angles(i32(angle), 0, 0);
  const std::int64_t cosine = turned.forward.z;
  const std::int64_t scaled = std::int64_t{turned.forward.x} * sim::k_one;
  return i32(std::min<std::int64_t>((scaled + cosine / 2) / cosine, sim::k_one));
}

void check_interval(TableReader& reader, const sim::Gun& gun) {
  const sim::Subtick all = sim::Subtick{gun.burst - 1} * gun.interval;
  if (!reader.ok() || all <= sim::k_max_ripple) return;
  const sim::Subtick most = sim::k_max_ripple / gun.interval + 1;
  reader.problem("interval",
                 "is " + print_scaled(gun.interval, k_seconds) + ": the last of " +
                     std::to_string(gun.burst) + " rounds leaves after " +
                     print_scaled(all, k_seconds),
                 "the limit is " + print_scaled(sim::k_max_ripple, k_seconds) + ", which is " +
                     std::to_string(most) + " rounds here, or a shorter interval");
}

sim::Gun read_gun(const TomlNode& table, const std::string& path, ConfigProblems& problems) {
  TableReader reader(table, path, problems);
  sim::Gun gun;
  const std::int64_t metre = sim::k_units_per_metre;
  gun.speed = i32(reader.number("speed", k_metres_per_second, {metre, sim::k_max_speed}));
  gun.radius = i32(reader.number("radius", k_metres, {0, sim::k_max_hull_radius}, 0));
  gun.damage = static_cast<std::uint16_t>(reader.number("damage", k_plain, {0, 65535}));
  gun.life = reader.number("life", k_seconds, {1, sim::k_max_round_life});
  gun.burst = static_cast<std::uint8_t>(reader.number("burst", k_plain, {1, 255}, 1));
  gun.interval = i32(reader.number("interval", k_seconds, {0, sim::k_max_ripple}, 0));
  gun.reload = reader.number("reload", k_seconds, {1, k_longest_wait});
  gun.inherits = reader.boolean("inherits_velocity", true);
  gun.error = read_tangent(reader, "error");
  // As far as a round flies.
  const std::int64_t reach =
      std::min<std::int64_t>(sim::k_world_limit, gun.speed * gun.life / sim::k_subticks_per_second);
  gun.range = i32(reader.number("range", k_metres, {0, sim::k_world_limit}, reach));
  gun.reaction = reader.number("reaction", k_seconds, {0, k_longest_wait}, 0);
  gun.point_defence = reader.boolean("point_defence", false);
  check_interval(reader, gun);
  reader.finish();
  return gun;
}

void read_align(const TomlNode& table, const std::string& path, sim::AlignSettings& align,
                ConfigProblems& problems) {
  TableReader reader(table, path, problems);
  align.target_radius = i32(reader.number("target_radius", k_turret_degrees,
                                          {0, sim::k_max_slow_radius}, align.target_radius));
  align.slow_radius = i32(reader.number("slow_radius", k_turret_degrees,
                                        {1, sim::k_max_slow_radius}, align.slow_radius));
  align.time_to_target =
      reader.number("time_to_target", k_seconds, {0, sim::k_max_align_time}, align.time_to_target);
  reader.finish();
}

void read_stops(TableReader& reader, const char* key, Bounds bounds, sim::TurretAxis& axis) {
  const auto stops = reader.optional_pair(key, "[low, high]", k_turret_degrees, bounds);
  if (!stops) return;
  axis.full_turn = false;
  axis.low = i32((*stops)[0]);
  axis.high = i32((*stops)[1]);
  const std::string shown = "is " + print_scaled(axis.low, {"", sim::k_turret_turn, 360}) + " to " +
                            print_scaled(axis.high, k_turret_degrees);
  if (axis.low > axis.high) {
    reader.problem(key, shown, "the lower stop must come first");
  } else if (std::int64_t{axis.high} - axis.low > sim::k_turret_turn) {
    reader.problem(key, shown,
                   "the stops must be at most 360 degrees apart; without " + std::string(key) +
                       " it turns freely");
  }
}

void check_rest(TableReader& reader, const char* stops, const sim::TurretAxis& axis) {
  if (!reader.ok() || axis.full_turn || (axis.rest >= axis.low && axis.rest <= axis.high)) return;
  reader.problem("rest",
                 (reader.has("rest") ? "is " : "is absent, so ") +
                     print_scaled(axis.rest, k_turret_degrees) + ", outside " + stops,
                 describe_bounds({axis.low, axis.high}, k_turret_degrees));
}

void read_axes(TableReader& reader, sim::TurretMount& mount) {
  read_stops(reader, "yaw_limits", k_whole_turn, mount.yaw);
  if (!reader.has("pitch_limits")) {
    reader.problem("pitch_limits", "is missing",
                   "must be an array of two numbers, [low, high], within -90 and 90 degrees");
  }
  read_stops(reader, "pitch_limits", k_quarter_turn, mount.pitch);
  const auto rest = reader.optional_pair("rest", "[yaw, pitch]", k_turret_degrees, k_whole_turn);
  const auto speed = reader.pair("speed", "[yaw, pitch]", k_turret_speed, k_motion);
  const auto gain = reader.pair("acceleration", "[yaw, pitch]", k_turret_acceleration, k_motion);
  std::size_t i = 0;
  for (sim::TurretAxis* axis : {&mount.yaw, &mount.pitch}) {
    axis->rest = rest ? i32((*rest)[i]) : 0;
    axis->max_speed = i32(speed[i]);
    axis->max_acceleration = i32(gain[i]);
    ++i;
  }
  // A yaw that turns freely rests at the same pose a turn on.
  if (mount.yaw.full_turn) mount.yaw.rest = i32(sim::wrap_turret_angle(mount.yaw.rest));
  check_rest(reader, "yaw_limits", mount.yaw);
  check_rest(reader, "pitch_limits", mount.pitch);
}

void read_controller(TableReader& reader, sim::TurretMount& mount, ConfigProblems& problems) {
  mount.controller =
      static_cast<sim::TurretController>(reader.choice("controller", {"optimal", "align"}, 0));
  const TomlNode* table = reader.table("align");
  if (table == nullptr) return;
  read_align(*table, reader.path_of("align"), mount.align, problems);
  if (mount.controller != sim::TurretController::align) {
    reader.problem("align", "is given beside the controller \"optimal\"",
                   "only controller = \"align\" has settings");
  }
}

sim::Turret read_turret(const TomlNode& table, const std::string& path, ConfigProblems& problems) {
  const std::size_t before = problems.list().size();
  TableReader reader(table, path, problems);
  sim::Turret turret;
  sim::TurretMount& mount = turret.mount;
  turret.name = reader.text("name");
  mount.pivot = reader.vector("position", k_metres, sim::k_max_hull_offset, sim::Vec3{0});
  mount.orientation = read_orientation(reader);
  mount.muzzles = reader.vectors("muzzles", k_metres, sim::k_max_hull_offset);
  if (!reader.has("muzzles")) mount.muzzles = {sim::Vec3{0}};
  if (mount.muzzles.empty() || mount.muzzles.size() > sim::k_max_barrels) {
    reader.problem("muzzles", "has " + std::to_string(mount.muzzles.size()) + " muzzles",
                   "a turret needs 1 to " + std::to_string(sim::k_max_barrels) + " muzzles");
  }
  read_axes(reader, mount);
  read_controller(reader, mount, problems);
  mount.tolerance = i32(reader.number("tolerance", k_turret_degrees,
                                      {0, sim::k_turret_turn / 2 - 1}, mount.tolerance));
  if (const TomlNode* gun = reader.table("gun")) {
    turret.gun = read_gun(*gun, reader.path_of("gun"), problems);
  }
  // What the checks above should have found: never a file that is taken with a fault.
  const sim::TurretFault fault = sim::turret_fault(mount);
  if (fault != sim::TurretFault::none && problems.list().size() == before) {
    reader.problem("", "can't be a turret", sim::turret_fault_name(fault));
  }
  reader.finish();
  return turret;
}

}  // namespace

sim::Basis read_orientation(TableReader& reader) {
  const std::int32_t yaw = reader.angle("yaw", {-360, 360}, 0);
  const std::int32_t pitch = reader.angle("pitch", {-90, 90}, 0);
  const std::int32_t roll = reader.angle("roll", {-360, 360}, 0);
  return sim::basis_of_angles(yaw, pitch, roll);
}

void read_turrets(TableReader& type, std::vector<sim::Turret>& turrets, ConfigProblems& problems) {
  const auto tables = type.tables("turret");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string path = item_path(type, "turret", *tables[i], i + 1);
    turrets.push_back(read_turret(*tables[i], path, problems));
  }
  if (tables.size() > sim::k_max_turrets) {
    type.problem("turret", "has " + std::to_string(tables.size()) + " turrets",
                 "a type may have " + std::to_string(sim::k_max_turrets));
  }
}

}  // namespace contrail::server
