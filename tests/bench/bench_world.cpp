#include "bench_world.hpp"

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>
#include <cstdio>
#include <cstdlib>

namespace contrail::bench {
namespace {

using sim::Vec3;

constexpr int k_ships = 24;
constexpr std::uint32_t k_first_tick = 32;
constexpr std::uint32_t k_launch_ticks = 5 * 32;

/// Draws of one purpose.
class Draws {
 public:
  explicit Draws(std::uint32_t purpose) : key_(sim::mix(purpose)) {}
  std::int32_t within(std::int32_t limit) {
    const std::int64_t word = static_cast<std::int32_t>(sim::draw(key_, number_++));
    return static_cast<std::int32_t>((word * limit) >> 31);
  }
  Vec3 vector(std::int32_t limit) {
    const std::int32_t x = within(limit);
    const std::int32_t y = within(limit);
    return {x, y, within(limit)};
  }
  std::uint32_t word() { return sim::draw(key_, number_++); }

 private:
  std::uint32_t key_;
  std::uint32_t number_ = 0;
};

constexpr std::int32_t metres(std::int32_t m) {
  return m * sim::k_units_per_metre;
}

void fold(sim::World& world, const sim::TickRecord& record) {
  const sim::FoldError error = world.fold(record).error;
  if (error != sim::FoldError::none) {
    std::fprintf(stderr, "bench_core: the benchmark's log does not fold: %s\n",
                 sim::describe(error));
    std::abort();
  }
}

}  // namespace

std::shared_ptr<const sim::Scenario> bench_scenario() {
  auto s = std::make_shared<sim::Scenario>();
  s->name = "bench";
  s->log2_tick = 11;
  sim::Weapon weapon;
  weapon.name = "wasp";
  weapon.muzzle_cone = {16'384, 4'000};
  weapon.approach_cone = {16'384, 8'000};
  weapon.muzzle_handle = 20'000;
  weapon.approach_handle = 20'000;
  weapon.amplitude = metres(40);
  weapon.frequency = 100'000;
  weapon.ripple_interval = 1'024;
  weapon.max_extra_speed = sim::k_max_speed;
  weapon.max_extra_acceleration = sim::k_max_speed;
  weapon.max_displacement = sim::k_homing_clamp;
  s->weapons.push_back(weapon);
  sim::EntityType ship;
  ship.name = "ship";
  ship.hull.push_back({{0, 0, metres(-20)}, {0, 0, metres(40)}, metres(6)});
  ship.hull.push_back({{0, metres(5), 0}, {0, metres(8), 0}, metres(3)});
  ship.hit_points = 60'000;
  ship.max_speed = metres(500);
  ship.max_acceleration = metres(200);
  ship.mounts.push_back({"tube", {0, metres(2), metres(20)}, {}});
  s->types.push_back(ship);
  return s;
}

sim::World bench_world(int missiles) {
  sim::World world(bench_scenario());
  Draws draws(1);
  sim::TickRecord record;
  record.tick = 1;
  for (std::uint16_t id = 1; id <= k_ships; ++id) {
    const Vec3 position = draws.vector(metres(3'000));
    const Vec3 velocity = draws.vector(metres(60));
    record.spawns.push_back({id, 0, static_cast<std::uint8_t>(id % 2), 0, position, velocity, {}});
  }
  fold(world, record);
  record = {};
  record.tick = 2;
  for (std::uint16_t id = 1; id <= k_ships; ++id) {
    const Vec3 position = draws.vector(metres(3'000));
    record.track_keys.push_back({id, 9, false, position, draws.vector(metres(60))});
  }
  fold(world, record);
  const int salvos = missiles / k_salvo;
  int launched = 0;
  for (std::uint32_t i = 0; i < k_launch_ticks; ++i) {
    record = {};
    record.tick = k_first_tick + i;
    const auto due = static_cast<int>(std::int64_t{salvos} * (i + 1) / k_launch_ticks);
    for (; launched < due; ++launched) {
      sim::Launch launch;
      launch.seed = draws.word();
      launch.launcher = static_cast<std::uint16_t>(1 + launched % k_ships);
      launch.target =
          static_cast<std::uint16_t>(1 + (launched + 1 + launched / k_ships % 7) % k_ships);
      launch.t0 = (sim::Subtick{record.tick} - 1) * world.scenario().tick_length() + 1 +
                  draws.word() % 2'048;
      launch.pieces = k_pieces;
      launch.count = k_salvo;
      launch.log2_piece = k_log2_piece;
      record.launches.push_back(launch);
    }
    fold(world, record);
  }
  world.advance(world.tick() + 10);  // the last ripples are out
  return world;
}

BenchFlight bench_flight(std::uint32_t i) {
  Draws draws(2 + i);
  BenchFlight flight;
  flight.launch.seed = draws.word();
  flight.launch.pieces = k_pieces;
  flight.launch.log2_piece = k_log2_piece;
  flight.launch.count = k_salvo;
  flight.anchor.muzzle = draws.vector(metres(3'000));
  flight.anchor.launcher_velocity = draws.vector(metres(60));
  flight.anchor.target_position = draws.vector(metres(3'000));
  flight.anchor.target_velocity = draws.vector(metres(60));
  flight.anchor.muzzle_basis =
      sim::freeze(sim::basis_of_angles(draws.within(INT32_MAX), draws.within(1 << 29), 0));
  return flight;
}

}  // namespace contrail::bench
