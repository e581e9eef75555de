#include "hit_scene.hpp"

#include <algorithm>
#include <contrail/sim/arith.hpp>

namespace contrail::bench {
namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

constexpr std::int32_t k_metre = sim::k_units_per_metre;
constexpr int k_salvo = 16;
constexpr std::int64_t k_mean_flight = 7 * sim::k_subticks_per_second;

sim::Weapon weapon_of(int number) {
  sim::Weapon w;
  w.name = "weapon " + std::to_string(number);
  w.muzzle_cone = {16384, 3000};
  w.approach_cone = {16384, 6000};
  w.muzzle_handle = 22'000;
  w.approach_handle = 22'000;
  w.amplitude = (8 + 13 * (number % 5)) * k_metre;
  w.frequency = 2 * 65536;
  w.flight_time = (6 + number % 3) * sim::k_subticks_per_second;
  w.radius = k_metre / 2;
  w.damage = 1;
  w.max_extra_speed = 400 * k_metre;
  w.max_extra_acceleration = 300 * k_metre;
  w.max_displacement = 4096 * k_metre;
  return w;
}

sim::EntityType type_of(int metres) {
  sim::EntityType type;
  type.name = "ship of " + std::to_string(metres) + " m";
  const std::int32_t radius = std::max(k_metre, metres * k_metre / 16);
  const std::int32_t half = metres * k_metre / 2 - radius;
  type.hull.push_back({{0, 0, -half}, {0, 0, 2 * half}, radius});
  type.hit_points = 65'535;
  type.max_speed = 400 * k_metre;
  type.max_acceleration = 50 * k_metre;
  // Missiles leave to the front, 0.2 m clear of the hull.
  type.mounts.push_back({"nose", {0, 0, half + radius + k_metre / 2 + k_metre / 5}, {}});
  for (int weapon = 0; weapon < 15; ++weapon) {
    sim::Launcher launcher;
    launcher.name = "tubes";
    launcher.weapon = static_cast<std::uint8_t>(weapon);
    launcher.salvo = k_salvo;
    launcher.ammunition = sim::k_unlimited;
    type.launchers.push_back(launcher);
  }
  return type;
}

/// Pieces of constant acceleration that keep a ship inside the box and its speeds.
sim::Route route_of(support::Dice& dice, std::int32_t box_metres, std::uint8_t log2_tick) {
  sim::Route route;
  const std::int64_t half = std::int64_t{box_metres} / 2 * k_metre;
  WideVec3 position(dice.vector(half));
  const auto direction = [&] {
    return sim::unit_or(WideVec3(dice.vector(1 << 20)), {0, 0, 1 << 24});
  };
  WideVec3 velocity = sim::along(direction(), dice.between(55, 295) * k_metre);
  route.start_position = Vec3(position);
  route.start_velocity = Vec3(velocity);
  for (int i = 0; i < 24; ++i) {
    const int log2_seconds = static_cast<int>(dice.between(0, 2));
    const auto k = static_cast<std::uint8_t>(16 - log2_tick + log2_seconds);
    const Subtick duration = Subtick{1} << (k + log2_tick);
    WideVec3 wish = sim::along(direction(), dice.between(55, 295) * k_metre);
    if (sim::max_abs(position) > half * 3 / 4) {
      wish = sim::along(sim::unit_or(-position, {0, 0, 1 << 24}), 200 * k_metre);
    }
    WideVec3 change = wish - velocity;
    const std::int64_t most = ((dice.between(0, 50) * k_metre) << log2_seconds);
    if (sim::length(change) > most) {
      change = sim::along(sim::unit(change), most);
    }
    const WideVec3 after = velocity + change;
    const WideVec3 mean = sim::shift_right(velocity + after, 1);
    position += sim::shift_right(mean * duration, 16);
    velocity = after;
    route.keys.push_back({k, Vec3(position), Vec3(velocity)});
  }
  return route;
}

}  // namespace

std::shared_ptr<const sim::Scenario> scene_scenario(const SceneSize& size) {
  support::Dice dice(7);
  sim::Scenario s;
  s.name = "crowded sky";
  s.seed = 7;
  s.log2_tick = size.log2_tick;
  for (int i = 0; i < 15; ++i) {
    s.weapons.push_back(weapon_of(i));
  }
  for (const int metres : {5, 20, 60, 150}) {
    s.types.push_back(type_of(metres));
  }
  for (std::uint32_t i = 0; i < size.entities; ++i) {
    sim::Route route = route_of(dice, size.box_metres, size.log2_tick);
    route.name = "route " + std::to_string(i);
    sim::EntityPlan plan;
    plan.name = "ship " + std::to_string(i);
    plan.type = static_cast<std::uint8_t>(i % s.types.size());
    plan.team = static_cast<std::uint8_t>(1 + i % 2);
    plan.route = static_cast<std::uint16_t>(i);
    s.routes.push_back(std::move(route));
    s.entities.push_back(plan);
  }
  return std::make_shared<const sim::Scenario>(std::move(s));
}

void SceneGunner::fire(server::Match& match) {
  const Subtick tick_length = match.world().scenario().tick_length();
  owed_ += std::int64_t{size_.missiles} * 65536 * tick_length / k_mean_flight;
  while (owed_ >= std::int64_t{k_salvo} * 65536) {
    owed_ -= std::int64_t{k_salvo} * 65536;
    salvo(match);
  }
}

void SceneGunner::burst(server::Match& match, std::uint32_t missiles) {
  for (std::uint32_t i = 0; i < missiles; i += k_salvo) {
    salvo(match);
  }
}

/// A pair of enemies whose chord speed is the wanted one; any pair when a few tries find none.
void SceneGunner::salvo(server::Match& match) {
  const sim::World& world = match.world();
  const auto& entities = world.entities();
  if (entities.size() < 2) {
    return;
  }
  const auto any = [&] {
    return &entities[static_cast<std::size_t>(
        dice_.between(0, static_cast<std::int64_t>(entities.size()) - 1))];
  };
  const auto launcher = static_cast<std::uint8_t>(dice_.between(0, 14));
  const std::int64_t seconds = 6 + launcher % 3;
  const sim::Entity* from = any();
  const sim::Entity* to = nullptr;
  for (int i = 0; i < 40; ++i) {
    const sim::Entity* other = any();
    if (other->team == from->team) {
      continue;
    }
    to = other;
    const std::int64_t metres = sim::length(WideVec3(from->track.position(world.time())) -
                                            WideVec3(other->track.position(world.time()))) /
                                k_metre;
    if (metres >= size_.chord_low * seconds && metres <= size_.chord_high * seconds) {
      break;
    }
  }
  if (to == nullptr) {
    return;
  }
  wire::Command command;
  command.id = next_command_++;
  command.fire.entity = from->id;
  command.fire.target = to->id;
  command.fire.launcher = launcher;
  command.fire.at = world.time() + 1 + dice_.between(0, world.scenario().tick_length() - 1);
  match.submit(1, command);
}

}  // namespace contrail::bench
