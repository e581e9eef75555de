// A game with its own two ships uses contrail for their missiles: no sockets, no second process.
// The ships circle each other, fire, and throw decoys; the game takes the log, and a second world
// that reads it holds the same state. Prints one line of JSON.

#include <cmath>
#include <cstdio>
#include <memory>

#include <contrail/flow/hosted_match.hpp>
#include <contrail/wire/codec.hpp>

namespace {

using namespace contrail;

constexpr int k_ticks = 32 * 60;
constexpr double k_pi = 3.14159265358979323846;

sim::Vec3 length_units(double x, double y, double z) {
  const auto unit = [](double metres) {
    return static_cast<std::int32_t>(std::lround(metres * sim::k_units_per_metre));
  };
  return {unit(x), unit(y), unit(z)};
}

/// A ship as the game knows it: it circles at 80 m/s, with 16 m/s^2.
struct Ship {
  double phase = 0.0;
  std::uint32_t asked = 0;  // id of the spawn
  std::uint16_t entity = sim::k_no_entity;

  [[nodiscard]] double angle(double seconds) const { return phase + seconds * 80.0 / 400.0; }
  [[nodiscard]] sim::Vec3 position(double t) const {
    return length_units(400.0 * std::cos(angle(t)), 1000.0, 400.0 * std::sin(angle(t)));
  }
  [[nodiscard]] sim::Vec3 velocity(double t) const {
    return length_units(-80.0 * std::sin(angle(t)), 0.0, 80.0 * std::cos(angle(t)));
  }
};

std::shared_ptr<const sim::Scenario> scenario() {
  auto out = std::make_shared<sim::Scenario>();
  out->name = "embedded";
  out->seed = 2026;

  sim::Weapon seeker;
  seeker.name = "seeker";
  seeker.muzzle_handle = 65536 / 3;
  seeker.approach_handle = 65536 / 3;
  seeker.speed = 200 * sim::k_units_per_metre;
  seeker.damage = 1;
  seeker.max_extra_speed = sim::k_max_speed;
  seeker.max_extra_acceleration = sim::k_max_speed;
  seeker.max_displacement = sim::k_homing_clamp;
  out->weapons.push_back(seeker);

  sim::EntityType decoy;
  decoy.name = "decoy";
  decoy.hull.push_back({{0, 0, 0}, {0, 0, 0}, sim::k_units_per_metre});
  decoy.hit_points = 1;
  decoy.max_speed = 400 * sim::k_units_per_metre;
  decoy.max_acceleration = 20 * sim::k_units_per_metre;
  decoy.decoy_chance = 32'768;  // every second missile in range
  decoy.decoy_range = 500 * sim::k_units_per_metre;
  decoy.lifetime = 4 * sim::k_subticks_per_second;

  sim::EntityType ship;
  ship.name = "ship";
  ship.hull.push_back({{0, 0, 0}, {0, 0, 0}, 5 * sim::k_units_per_metre});
  ship.hit_points = 1000;
  ship.max_speed = 100 * sim::k_units_per_metre;
  ship.max_acceleration = 30 * sim::k_units_per_metre;
  ship.mounts.push_back({"nose", {0, 0, 8 * sim::k_units_per_metre}, {}});
  sim::Launcher tubes;
  tubes.name = "tubes";
  tubes.salvo = 8;
  tubes.ammunition = sim::k_unlimited;
  tubes.reload = sim::k_subticks_per_second;
  ship.launchers.push_back(tubes);
  ship.dispenser.type = 1;
  ship.dispenser.count = 2;
  ship.dispenser.ammunition = sim::k_unlimited;
  ship.dispenser.reload = sim::k_subticks_per_second;
  ship.dispenser.velocity = {20 * sim::k_units_per_metre, 0, 0};
  out->types = {ship, decoy};
  return out;
}

}  // namespace

int main() {
  server::HostedMatch match(scenario());
  sim::World reader(scenario());  // a client, a replay: whoever gets the log
  Ship ships[2];
  ships[1].phase = k_pi;
  const double tick_seconds = 1.0 / 32.0;
  for (int i = 0; i < 2; ++i) {
    sim::Spawn spawn;
    spawn.team = static_cast<std::uint8_t>(i + 1);
    spawn.position = ships[i].position(tick_seconds);
    spawn.velocity = ships[i].velocity(tick_seconds);
    ships[i].asked = match.spawn(spawn);
  }
  std::size_t bytes = 0;
  std::size_t refused = 0;
  std::size_t mismatches = 0;
  std::size_t hashes = 0;
  for (int tick = 1; tick <= k_ticks; ++tick) {
    for (const Ship& ship : ships) {
      if (ship.entity == sim::k_no_entity) continue;
      match.drive(ship.entity, ship.position(tick * tick_seconds),
                  ship.velocity(tick * tick_seconds));
      const Ship& other = ship.entity == ships[0].entity ? ships[1] : ships[0];
      if (tick % 96 == 10) match.fire(ship.entity, 0, other.entity);
      if (tick % 96 == 50) match.release(ship.entity);
    }
    const server::HostedStep step = match.step();
    for (const wire::CommandResult& answer : step.answers) {
      refused += wire::is_accepted(answer.status) ? 0 : 1;
      for (Ship& ship : ships) {
        if (answer.id == ship.asked) ship.entity = static_cast<std::uint16_t>(answer.launch);
      }
    }
    bytes += step.bytes.size();
    const sim::FoldResult folded = reader.fold(step.record);
    if (folded.error != sim::FoldError::none) return 1;
    hashes += folded.hash.present ? 1 : 0;
    mismatches += folded.hash.differing != 0 ? 1 : 0;
  }
  const server::MatchCounters& counters = match.match().counters();
  std::printf(
      "{\"ticks\":%d,\"missiles\":%llu,\"impacts\":%llu,\"decoys\":%llu,\"decoyed\":%llu,"
      "\"refused\":%zu,\"drive_keys\":%llu,\"log_bytes\":%zu,\"hashes\":%zu,\"mismatches\":%zu}\n",
      k_ticks, static_cast<unsigned long long>(counters.missiles),
      static_cast<unsigned long long>(counters.impacts),
      static_cast<unsigned long long>(counters.decoys),
      static_cast<unsigned long long>(counters.decoyed), refused,
      static_cast<unsigned long long>(match.match().pilot_counters().drive_keys), bytes, hashes,
      mismatches);
  return mismatches == 0 && refused == 0 && counters.impacts > 0 ? 0 : 1;
}
