#include <contrail/flow/countermeasures.hpp>

#include <algorithm>
#include <vector>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::WideVec3;

/// Entities of `waiting` (ascending) at which a locked missile arrives by `until`, ascending.
std::vector<std::uint16_t> threatened(
    const sim::World& world, const std::vector<std::pair<std::uint16_t, Subtick>>& waiting) {
  std::vector<std::uint16_t> out;
  if (waiting.empty()) {
    return out;
  }
  const auto consider = [&](std::uint16_t target, Subtick end) {
    const auto at = std::lower_bound(waiting.begin(), waiting.end(), std::pair(target, Subtick{0}));
    if (at != waiting.end() && at->first == target && end <= at->second) {
      out.push_back(target);
    }
  };
  for (const sim::Salvo& salvo : world.salvos()) {
    if (salvo.alive == 0) {
      continue;
    }
    // Missiles of a salvo end in turn, so before any event the first one alive speaks for all.
    for (std::size_t i = salvo.next_end; i < salvo.missiles.size(); ++i) {
      const sim::Missile& m = salvo.missiles[i];
      if (m.end == sim::EndKind::alive && m.locked) {
        consider(m.target, m.end_time);
        if (salvo.events.empty()) {
          break;
        }
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Countermeasures::State& Countermeasures::state_of(const sim::World& world,
                                                  const sim::Entity& entity) {
  return states_
      .try_emplace(entity.id, State{world.scenario().types[entity.type].dispenser.ammunition, 0})
      .first->second;
}

bool Countermeasures::release(const sim::World& world, std::uint16_t entity) {
  const sim::Entity* e = world.find_entity(entity);
  if (e == nullptr || e->gone || world.scenario().types[e->type].dispenser.count == 0) {
    return false;
  }
  const State& state = state_of(world, *e);
  if (state.ammunition == 0 || state.ready > world.time() + world.scenario().tick_length()) {
    return false;
  }
  asked_.insert(entity);
  return true;
}

void Countermeasures::step(const sim::World& world, Population& population,
                           sim::TickRecord& record) {
  const Subtick end = world.time() + world.scenario().tick_length();
  std::erase_if(states_, [&](const auto& entry) {
    const sim::Entity* e = world.find_entity(entry.first);
    return e == nullptr || e->gone;
  });
  std::vector<const sim::Entity*> able;
  std::vector<std::pair<std::uint16_t, Subtick>> waiting;
  for (const sim::Entity& e : world.entities()) {
    const sim::Dispenser& dispenser = world.scenario().types[e.type].dispenser;
    const bool leaves = std::any_of(record.despawns.begin(), record.despawns.end(),
                                    [&](const sim::Despawn& d) { return d.entity == e.id; });
    if (dispenser.count == 0 || e.gone || leaves) {
      continue;
    }
    const State& state = state_of(world, e);
    if (state.ammunition == 0 || state.ready > end) {
      continue;
    }
    able.push_back(&e);
    if (dispenser.trigger == sim::DispenserTrigger::threatened) {
      waiting.emplace_back(e.id, end + dispenser.warning);
    }
  }
  const std::vector<std::uint16_t> urgent = threatened(world, waiting);
  for (const sim::Entity* e : able) {
    if (asked_.contains(e->id) || std::binary_search(urgent.begin(), urgent.end(), e->id)) {
      throw_decoys(world, *e, state_of(world, *e), population, record);
    }
  }
  asked_.clear();
}

/// The second decoy of a pair goes to the other side, and each pair is slower than the one before.
void Countermeasures::throw_decoys(const sim::World& world, const sim::Entity& entity, State& state,
                                   Population& population, sim::TickRecord& record) {
  const Subtick end = world.time() + world.scenario().tick_length();
  const sim::Dispenser& dispenser = world.scenario().types[entity.type].dispenser;
  const auto count = static_cast<int>(std::min<std::uint32_t>(dispenser.count, state.ammunition));
  const sim::Pose pose = entity.track.pose(end);
  const WideVec3 own(entity.track.velocity(end));
  state.ready = end + dispenser.reload;
  for (int i = 0; i < count; ++i) {
    sim::Vec3 thrown = dispenser.velocity / (i / 2 + 1);
    thrown.x = i % 2 == 0 ? thrown.x : -thrown.x;
    sim::Spawn spawn;
    spawn.type = dispenser.type;
    spawn.team = entity.team;
    spawn.position = pose.position;
    spawn.velocity = sim::clamp(own + sim::rotate(pose.basis, thrown), sim::k_max_speed);
    if (!population.add(world, spawn, record)) {
      return;
    }
    ++released_;
    if (state.ammunition != sim::k_unlimited) {
      --state.ammunition;
    }
  }
}

}  // namespace contrail::server
