#include <contrail/sim/world.hpp>

#include <utility>

#include <contrail/sim/world_state.hpp>

namespace contrail::sim {

const char* describe(FoldError error) {
  switch (error) {
    case FoldError::none:
      return "none";
    case FoldError::tick_out_of_order:
      return "tick not after the world's, or too far ahead";
    case FoldError::time_out_of_tick:
      return "time outside the record's tick";
    case FoldError::unknown_entity:
      return "entity unknown or gone";
    case FoldError::entity_in_use:
      return "entity id in use";
    case FoldError::unknown_type:
      return "unknown entity type";
    case FoldError::unknown_weapon:
      return "unknown weapon";
    case FoldError::unknown_mount:
      return "unknown mount";
    case FoldError::unknown_salvo:
      return "unknown salvo";
    case FoldError::salvo_in_use:
      return "salvo id in use";
    case FoldError::bad_missile:
      return "missile not in flight";
    case FoldError::bad_guidance:
      return "guidance event not allowed";
    case FoldError::bad_key:
      return "key not allowed";
    case FoldError::bad_value:
      return "value outside its limits";
    case FoldError::too_many:
      return "too many entities, salvos or missiles";
  }
  return "unknown error";
}

World::World(std::shared_ptr<const Scenario> scenario) : state_(std::make_unique<State>()) {
  state_->scenario = std::move(scenario);
}
World::World(std::unique_ptr<State> state) : state_(std::move(state)) {}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

FoldResult World::fold(const TickRecord& record, std::vector<WorldEvent>* events) {
  if (record.tick <= state_->tick || record.tick - state_->tick > k_max_silent_ticks) {
    return {FoldError::tick_out_of_order, {}};
  }
  advance(record.tick - 1, events);
  if (const FoldError error = state_->check(record); error != FoldError::none) {
    return {error, {}};
  }
  state_->apply(record, events);
  FoldResult result;
  if (!record.state_hashes.empty()) {
    const StateHash& theirs = record.state_hashes.front();
    const StateHash ours = take_state_hash();
    result.hash.present = true;
    for (int lane = 0; lane < k_subsystems; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      if (theirs.lanes[at] != ours.lanes[at] || theirs.roll != ours.roll) {
        result.hash.differing = static_cast<std::uint8_t>(result.hash.differing | (1U << lane));
      }
    }
  }
  return result;
}

void World::advance(std::uint32_t tick, std::vector<WorldEvent>* events) {
  TickRecord silent;
  while (state_->tick < tick) {
    silent.tick = state_->tick + 1;
    state_->apply(silent, events);
  }
}

StateHash World::state_hash() const {
  return state_->hash();
}

StateHash World::take_state_hash() {
  const StateHash hash = state_->hash();
  ++state_->hash_count;
  return hash;
}

Salvo World::prepare_salvo(const Launch& launch, std::uint32_t id, std::uint32_t tick) const {
  return state_->make_salvo(launch, id, tick);
}

std::uint32_t World::tick() const {
  return state_->tick;
}
Subtick World::time() const {
  return state_->time();
}
const Scenario& World::scenario() const {
  return *state_->scenario;
}
std::shared_ptr<const Scenario> World::shared_scenario() const {
  return state_->scenario;
}
std::uint32_t World::next_launch() const {
  return state_->next_launch;
}
const Timeline& World::timeline() const {
  return state_->timeline;
}
const std::vector<Entity>& World::entities() const {
  return state_->entities;
}
const Entity* World::find_entity(std::uint16_t id) const {
  return std::as_const(*state_).find_entity(id);
}
std::span<const Salvo> World::salvos() const {
  return state_->salvos.all();
}
std::span<const Subtick> World::salvo_dues() const {
  return state_->salvos.dues();
}
const Salvo* World::find_salvo(std::uint32_t id) const {
  return state_->find_salvo(id);
}
const Salvo* World::find_salvo_low(std::uint16_t low) const {
  return std::as_const(*state_).find_salvo_low(low);
}
std::uint32_t World::live_missiles() const {
  return state_->live;
}
void World::plant_fault(Fault fault) {
  state_->fault = fault;
}

}  // namespace contrail::sim
