#pragma once

// Small compiled scenarios for tests: spheres for ships, straight missiles, everything stated.

#include <cstdint>
#include <memory>
#include <string>

#include <contrail/sim/scenario.hpp>

namespace contrail::support {

inline constexpr std::int32_t metres(std::int32_t m) {
  return m * sim::k_units_per_metre;
}

/// One weapon "dart" (straight, no wobble, 100 m/s, damage 10) and one type "ball" (sphere of 1 m,
/// 10 hit points, launcher 0 on command: one dart, no reload, unlimited; launcher 1 likewise with
/// 8).
inline sim::Scenario small_scenario() {
  sim::Scenario s;
  s.name = "small";
  s.seed = 7;
  s.log2_tick = 11;

  sim::Weapon dart;
  dart.name = "dart";
  dart.muzzle_handle = 65536 / 3;
  dart.approach_handle = 65536 / 3;
  dart.speed = metres(100);
  dart.damage = 10;
  dart.max_extra_speed = sim::k_max_speed;
  dart.max_extra_acceleration = sim::k_max_speed;
  dart.max_displacement = sim::k_homing_clamp;
  s.weapons.push_back(dart);

  sim::EntityType ball;
  ball.name = "ball";
  ball.hull.push_back({{0, 0, 0}, {0, 0, 0}, metres(1)});
  ball.hit_points = 10;
  ball.max_speed = metres(500);
  ball.max_acceleration = metres(100);
  ball.mounts.push_back({"nose", {0, 0, metres(2)}, {}});
  for (const int count : {1, 8}) {
    sim::Launcher launcher;
    launcher.name = "tube";
    launcher.salvo = static_cast<std::uint8_t>(count);
    launcher.ammunition = sim::k_unlimited;
    ball.launchers.push_back(launcher);
  }
  s.types.push_back(ball);
  return s;
}

/// Adds a planned entity of type 0; it spawns at tick 1. Returns the id it gets (plans in order).
inline std::uint16_t add_ball(sim::Scenario& s, std::uint8_t team, sim::Vec3 position,
                              sim::Vec3 velocity = {0, 0, 0}) {
  sim::EntityPlan plan;
  plan.name = "ball " + std::to_string(s.entities.size());
  plan.team = team;
  plan.position = position;
  plan.velocity = velocity;
  s.entities.push_back(plan);
  return static_cast<std::uint16_t>(s.entities.size() - 1);
}

inline std::shared_ptr<const sim::Scenario> share(sim::Scenario s) {
  return std::make_shared<const sim::Scenario>(std::move(s));
}

}  // namespace contrail::support
