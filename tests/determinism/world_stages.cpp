#include "world_stages.hpp"

#include <algorithm>
#include <contrail/sim/world.hpp>
#include <contrail/support/random_log.hpp>
#include <optional>

namespace contrail::battery {
namespace {

using sim::Subtick;
using support::Dice;

void add(sim::Hash64& hash, const sim::StateHash& state) {
  for (const std::uint32_t lane : state.lanes) {
    hash.add(lane);
  }
}

/// Positions of all missiles and entities at random times of the kept history.
void add_trails(const sim::World& world, Dice& dice, sim::Hash64& hash) {
  const Subtick oldest = world.time() - sim::k_history;
  for (const sim::Salvo& salvo : world.salvos()) {
    for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      const Subtick first = std::max(oldest, world.missile_launch_time(salvo, index));
      const Subtick last = std::min(world.time(), world.missile_end_time(salvo, index));
      if (first > last || salvo.missiles[i].end == sim::EndKind::aborted) {
        continue;
      }
      const Subtick t = dice.between(first, last);
      hash.add_vector(sim::WideVec3(world.missile_position(salvo, index, t)));
      hash.add_vector(world.homing_gap(salvo, index, t));
      hash.add_vector(world.kept_velocity(salvo, index, t));
    }
  }
  for (const sim::Entity& entity : world.entities()) {
    const Subtick first = std::max(oldest, entity.spawn_time + 1);
    if (first <= world.time()) {
      const sim::Pose pose = entity.track.pose(dice.between(first, world.time()));
      hash.add_vector(sim::WideVec3(pose.position));
      hash.add_vector(sim::WideVec3(pose.basis.forward));
      hash.add_vector(sim::WideVec3(pose.basis.up));
    }
  }
}

void play(std::uint64_t seed, sim::Hash64& hash) {
  Dice dice(seed);
  const auto scenario = support::random_scenario(dice);
  sim::World world(scenario);
  for (int tick = 1; tick <= 160; ++tick) {
    const sim::TickRecord record = support::random_record(world, dice);
    std::vector<sim::WorldEvent> events;
    require_same(world.fold(record, &events).error == sim::FoldError::none, "a record fits");
    for (const sim::WorldEvent& event : events) {
      hash.add(static_cast<std::uint32_t>(event.kind));
      hash.add_signed(event.time);
      hash.add_vector(sim::WideVec3(event.position));
    }
    add(hash, world.take_state_hash());
    if (tick % 16 == 0) {
      add_trails(world, dice, hash);
    }
  }
  std::optional<sim::World> joined;
  const auto error = sim::World::restore(scenario, world.snapshot(), joined);
  require_same(error == sim::FoldError::none, "a world's own snapshot restores");
  require_same(joined->state_hash() == world.state_hash(), "a restored world has the same state");
  add_trails(*joined, dice, hash);
}

}  // namespace

void world_stages(Stages& stages) {
  sim::Hash64 hash;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    play(seed, hash);
  }
  stages.push_back({"world", hash});
}

}  // namespace contrail::battery
