#pragma once

// The compiled scenario: integers only. It is the session header every reader of the log starts
// from; server and clients fold the same log over the same scenario.

#include <cstdint>
#include <string>
#include <vector>

#include <contrail/sim/limits.hpp>
#include <contrail/sim/turret.hpp>
#include <contrail/sim/units.hpp>

namespace contrail::sim {

enum class NoiseKind : std::uint8_t { bspline = 0, perlin = 1 };

/// A cone around a unit direction, Q14: along = 16384 and across = floor(16384 sin a) below 90
/// degrees; along = 0 and across = 16384 above (every direction).
struct Cone {
  std::int32_t along = 16384;
  std::int32_t across = 0;
  bool operator==(const Cone&) const = default;
};

struct Weapon {
  std::string name;
  std::uint32_t art = 0;  // the host's own
  NoiseKind noise = NoiseKind::bspline;
  Cone muzzle_cone;                  // spread of the launch direction
  Cone approach_cone;                // spread of the arrival direction
  std::int32_t muzzle_handle = 0;    // Q16 fraction of the chord, 0..65536
  std::int32_t approach_handle = 0;  // Q16 fraction of the chord, 0..65536
  std::int32_t amplitude = 0;        // length units, largest wobble
  std::int32_t frequency = 0;        // Q16 noise cells per second
  std::int32_t speed = 0;            // length units per second, mean over the chord; 0: fixed time
  Subtick flight_time = 0;           // subticks, used when speed is 0
  std::int32_t ripple_interval = 0;  // subticks between the missiles of a salvo
  std::int32_t radius = 0;           // length units, of the missile's own sphere
  std::uint16_t damage = 0;          // hit points
  std::int32_t min_range = 0;        // length units
  std::int32_t max_range = 0;        // length units
  std::int32_t max_extra_speed = 0;  // length units per second, of homing, lock limit
  std::int32_t max_extra_acceleration = 0;  // length units per second^2, lock limit
  std::int32_t max_displacement = 0;        // length units, lock limit
  std::int32_t fuse_radius = 0;       // length units, takes the place of radius; 0: contact only
  std::int32_t blast_radius = 0;      // length units, where damage has fallen to 0; 0: no blast
  std::int32_t seeker_range = 0;      // length units; 0: unlimited
  std::int32_t seeker_cone = -k_one;  // Q24 cosine of the half angle; -2^24: all round
  Subtick lock_time = 0;              // subticks a target is in the seeker's sight before a launch
  Subtick self_destruct = 0;          // subticks without a lock; 0: never
  bool retarget = false;              // takes the nearest enemy in sight after a loss
  bool operator==(const Weapon&) const = default;
};

/// A capsule in the entity's body basis (x right, y up, z forward); a sphere has d = 0.
struct HullPart {
  Vec3 a{0};                // length units, one end of the axis
  Vec3 d{0};                // length units, to the other end
  std::int32_t radius = 0;  // length units
  bool operator==(const HullPart&) const = default;
};

/// Where a launcher's muzzle sits in the body, and which way it points.
struct Mount {
  std::string name;
  Vec3 offset{0};     // length units, body axes
  Basis orientation;  // Q24, in body axes
  bool operator==(const Mount&) const = default;
};

/// What a turret fires: rounds that fly straight. speed 0: nothing, it only looks.
struct Gun {
  std::int32_t speed = 0;      // length units per second
  std::int32_t radius = 0;     // length units, of a round's own sphere
  std::uint16_t damage = 0;    // hit points
  Subtick life = 0;            // subticks a round flies
  std::uint8_t burst = 1;      // rounds of a burst
  std::int32_t interval = 0;   // subticks from round to round
  Subtick reload = 0;          // subticks from one burst's first round to the next one's
  bool inherits = true;        // rounds start with the entity's velocity added
  std::int32_t error = 0;      // Q24 tangent of the largest angle a round strays by
  std::int32_t range = 0;      // length units, farthest meeting worth a round
  Subtick reaction = 0;        // subticks from a new target to the first round at it
  bool point_defence = false;  // picks targets by itself
  bool operator==(const Gun&) const = default;
};

struct Turret {
  std::string name;
  TurretMount mount;
  Gun gun;
  bool operator==(const Turret&) const = default;
};
inline constexpr std::uint8_t k_no_turret = 0xFF;

enum class Trigger : std::uint8_t { command = 0, schedule = 1, nearest_enemy = 2 };

struct Launcher {
  std::string name;
  std::uint8_t mount = 0;   // index into the type's mounts
  std::uint8_t weapon = 0;  // index into the weapon table
  std::uint8_t salvo = 1;   // missiles per launch
  Trigger trigger = Trigger::command;
  std::uint32_t ammunition = 0;  // missiles; 0xFFFFFFFF: unlimited
  Subtick reload = 0;            // subticks from one launch to the next
  Subtick first = 0;             // subticks after spawn, of a schedule's or search's first launch
  std::int32_t arc = -k_one;     // Q24 cosine of the half angle around the mount's forward axis
  std::uint8_t facing = k_no_turret;  // turret that has to face the target before a launch
  bool operator==(const Launcher&) const = default;
};
inline constexpr std::uint32_t k_unlimited = 0xFFFF'FFFF;

enum class DispenserTrigger : std::uint8_t { command = 0, threatened = 1 };

/// What throws decoys out of an entity.
struct Dispenser {
  std::uint8_t type = 0;         // of the decoys: index into the entity types
  std::uint8_t count = 0;        // decoys a release, 0..8; 0: there is no dispenser
  std::uint32_t ammunition = 0;  // decoys; 0xFFFFFFFF: unlimited
  Subtick reload = 0;            // subticks from one release to the next
  Vec3 velocity{0};              // length units per second, body axes, added to the entity's own
  DispenserTrigger trigger = DispenserTrigger::command;
  Subtick warning = 0;  // subticks; threatened: a missile locked on the entity ends within them
  bool operator==(const Dispenser&) const = default;
};

struct EntityType {
  std::string name;
  std::uint32_t art = 0;
  std::vector<HullPart> hull;  // 1..8
  std::uint16_t hit_points = 1;
  std::int32_t max_speed = 0;         // length units per second
  std::int32_t max_acceleration = 0;  // length units per second^2
  bool own_attitude = false;          // attitude keys; otherwise it faces along its velocity
  std::vector<Mount> mounts;
  std::vector<Launcher> launchers;
  std::int32_t decoy_chance = 0;  // Q16, of winning a missile over; 0: not a decoy
  std::int32_t decoy_range = 0;   // length units
  Subtick lifetime = 0;           // subticks after which it is removed; 0: for ever
  Dispenser dispenser;
  std::vector<Turret> turrets;  // at most 8
  [[nodiscard]] bool is_decoy() const { return decoy_chance != 0; }
  bool operator==(const EntityType&) const = default;
};

/// One track key of a compiled route.
struct RouteKey {
  std::uint8_t log2_ticks = 0;
  Vec3 position{0};
  Vec3 velocity{0};
  bool operator==(const RouteKey&) const = default;
};

struct Route {
  std::string name;
  Vec3 start_position{0};
  Vec3 start_velocity{0};
  std::vector<RouteKey> keys;
  bool closed = false;  // after the last key it begins again with the first
  bool operator==(const Route&) const = default;
};
inline constexpr std::uint16_t k_no_route = 0xFFFF;

/// An entity the match spawns by itself.
struct EntityPlan {
  std::string name;
  std::uint8_t type = 0;
  std::uint8_t team = 0;
  std::uint32_t user_tag = 0;
  std::uint16_t route = k_no_route;
  Vec3 position{0};  // where there is no route
  Vec3 velocity{0};
  Quaternion attitude;
  std::uint32_t spawn_tick = 1;     // >= 1
  std::uint32_t respawn_ticks = 0;  // after destruction; 0: stays gone
  bool operator==(const EntityPlan&) const = default;
};

struct Scenario {
  std::string name;
  std::uint64_t seed = 0;
  std::uint8_t log2_tick = 11;           // subticks of a tick; 11 = 32 Hz
  std::int32_t ground = -k_world_limit;  // length units; y at or below it is ground; -2^30: none
  std::vector<Weapon> weapons;
  std::vector<EntityType> types;
  std::vector<Route> routes;
  std::vector<EntityPlan> entities;
  std::uint32_t end_tick = 0;  // 0: runs for ever
  bool end_when_one_team_left = false;
  std::vector<HullPart> obstacles;  // static capsules, world axes; at most k_max_obstacles
  std::string rules = "standard";   // who may fire and what a hit costs, by name
  bool operator==(const Scenario&) const = default;

  [[nodiscard]] Subtick tick_length() const { return Subtick{1} << log2_tick; }
};

}  // namespace contrail::sim
