#include "log_author.hpp"

#include <stdexcept>
#include <string>

#include <contrail/wire/codec.hpp>

namespace contrail::test {

std::shared_ptr<const sim::Scenario> small_scenario(std::uint8_t log2_tick) {
  auto scenario = std::make_shared<sim::Scenario>();
  scenario->name = "small";
  scenario->seed = 7;
  scenario->log2_tick = log2_tick;

  sim::Weapon direct;
  direct.name = "direct";
  direct.art = 11;
  direct.muzzle_handle = 20'000;
  direct.approach_handle = 20'000;
  direct.speed = 300 * k_metre;
  direct.radius = k_metre / 4;
  direct.damage = 40;
  direct.max_range = 20'000 * k_metre;
  direct.max_extra_speed = 500 * k_metre;
  direct.max_extra_acceleration = 5'000 * k_metre;
  direct.max_displacement = 5'000 * k_metre;
  sim::Weapon circus = direct;
  circus.name = "circus";
  circus.art = 12;
  circus.muzzle_cone = {16384, 8192};
  circus.approach_cone = {16384, 8192};
  circus.amplitude = 40 * k_metre;
  circus.frequency = 65'536 / 2;
  circus.ripple_interval = 300;
  scenario->weapons = {direct, circus};

  sim::EntityType ship;
  ship.name = "ship";
  ship.art = 5;
  ship.hull = {{{0, 0, -20 * k_metre}, {0, 0, 40 * k_metre}, 8 * k_metre}};
  ship.hit_points = 100;
  ship.max_speed = 400 * k_metre;
  ship.max_acceleration = 100 * k_metre;
  ship.mounts = {{"bow", {0, 4 * k_metre, 20 * k_metre}, {}}};
  sim::Launcher launcher;
  launcher.name = "tube";
  launcher.weapon = 1;
  launcher.salvo = 8;
  launcher.ammunition = sim::k_unlimited;
  ship.launchers = {launcher};
  scenario->types = {ship};
  return scenario;
}

LogAuthor::LogAuthor(std::shared_ptr<const sim::Scenario> scenario, std::uint32_t tick)
    : scenario_(std::move(scenario)) {
  sim::Snapshot empty;
  empty.tick = tick;
  if (sim::World::restore(scenario_, empty, world_) != sim::FoldError::none) {
    throw std::runtime_error("an empty snapshot was refused");
  }
  next.tick = tick + 1;
}

sim::TickRecord LogAuthor::step() {
  sim::TickRecord record = next;
  const sim::FoldResult result = world_->fold(record);
  if (result.error != sim::FoldError::none) {
    throw std::runtime_error(std::string("the author's own record was refused: ") +
                             sim::describe(result.error));
  }
  if (hash_every != 0 && record.tick % hash_every == 0) {
    record.state_hashes.push_back(world_->take_state_hash());
  }
  next = {};
  next.tick = record.tick + 1;
  if (record.empty()) return record;
  sim::TickRecord decoded;
  const wire::Bytes bytes = wire::encode_record(record, scenario_->log2_tick);
  const wire::CodecResult read = wire::decode_record(bytes, scenario_->log2_tick, decoded);
  if (!read || !(decoded == record)) {
    throw std::runtime_error(std::string("the record does not survive its bytes: ") + read.field);
  }
  return decoded;
}

std::vector<sim::TickRecord> LogAuthor::run_to(std::uint32_t tick) {
  std::vector<sim::TickRecord> records;
  while (world_->tick() < tick) {
    sim::TickRecord record = step();
    if (!record.empty()) records.push_back(std::move(record));
  }
  return records;
}

void LogAuthor::spawn(std::uint16_t entity, const sim::Vec3& position, const sim::Vec3& velocity,
                      std::uint8_t team) {
  sim::Spawn spawn;
  spawn.entity = entity;
  spawn.team = team;
  spawn.user_tag = 1000U + entity;
  spawn.position = position;
  spawn.velocity = velocity;
  next.spawns.push_back(spawn);
}

std::uint32_t LogAuthor::launch(std::uint16_t launcher, std::uint16_t target, std::uint8_t weapon,
                                std::uint8_t count, std::uint16_t pieces, sim::Subtick at) {
  sim::Launch launch;
  launch.seed = seed_++ * 0x9E3779B9U;
  launch.launcher = launcher;
  launch.target = target;
  launch.weapon = weapon;
  launch.count = count;
  launch.pieces = pieces;
  launch.log2_piece = 11;
  launch.t0 = sim::Subtick{next.tick - 1} * scenario_->tick_length() + at;
  next.launches.push_back(launch);
  return world_->next_launch() + static_cast<std::uint32_t>(next.launches.size()) - 1;
}

}  // namespace contrail::test
