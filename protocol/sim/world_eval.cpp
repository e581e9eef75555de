// Where missiles are: flight + what ended locks left + the homing term of the lock in force.

#include <algorithm>

#include <contrail/sim/basis.hpp>
#include <contrail/sim/homing.hpp>
#include <contrail/sim/world_state.hpp>

namespace contrail::sim {
namespace {

/// The target's aim point minus where the missile would end without this lock.
WideVec3 gap(const FlightSource& source, const CompiledMissile& missile, const LockInForce& lock,
             const EntityType& type, const Pose& target, Subtick t) {
  if (lock.number == 0) {
    return WideVec3(target.position) + rotate(target.basis, missile.offset) -
           predicted_aim(source, missile.offset, t);
  }
  const Vec3 offset = aim_offset(source.launch.seed, source.index, lock.number, type);
  return WideVec3(target.position) + rotate(target.basis, offset) -
         (WideVec3(missile.flight.end()) + lock.kept_at_end);
}

WideVec3 displacement(const FlightSource& source, const CompiledMissile& missile,
                      const LockInForce& lock, const EntityType& type, const Pose& target,
                      Subtick t, Subtick end) {
  return homing_term(gap(source, missile, lock, type, target, t), t - lock.begin, end - lock.begin);
}

/// The free knots of the spline moved by 1/64 m. All of them: a state hash evaluates one missile in
/// 256 at one instant, and a single knot shapes a fifteenth of a flight.
void displace_knots(Flight& flight) {
  for (std::size_t i = 2; i + 2 < flight.points().size(); ++i) {
    flight.displace_point(i, {64, 0, 0});
  }
}

}  // namespace

FlightSource World::State::source(const Salvo& salvo, std::uint8_t index) const {
  return {salvo.launch, salvo.anchor, weapon(salvo.launch),
          scenario->types[salvo.anchor.target_type], index};
}

const CompiledMissile& World::State::compiled(const Salvo& salvo, std::uint8_t index) const {
  if (salvo.compiled.size() != salvo.launch.count) {
    salvo.compiled.resize(salvo.launch.count);
  }
  auto& slot = salvo.compiled[index];
  if (slot == nullptr) {
    const FlightSource from = source(salvo, index);
    slot = std::make_unique<CompiledMissile>();
    slot->flight = Flight(from);
    slot->offset = aim_offset(salvo.launch.seed, index, 0, from.target_type);
    if (fault == Fault::flight_knot) {
      displace_knots(slot->flight);
    }
  }
  return *slot;
}

void World::State::release(const Salvo& salvo, std::uint8_t index) const {
  if (index < salvo.compiled.size()) {
    salvo.compiled[index].reset();
  }
}

LockInForce lock_at(const World::State& state, const Salvo& salvo, std::uint8_t index, Subtick t) {
  const Weapon& weapon = state.weapon(salvo.launch);
  LockInForce lock;
  lock.locked = true;
  lock.target = salvo.launch.target;
  lock.begin = launch_time(salvo.launch, weapon, index);
  const Subtick end = end_time(salvo.launch, weapon, index);
  for (const SnapshotEvent& event : salvo.events) {
    const Subtick at = Subtick{event.tick} * state.tick_length();
    if (at >= t || !concerns(event, index)) {
      continue;
    }
    if (event.was_locked) {
      const FlightSource from = state.source(salvo, index);
      const CompiledMissile& missile = state.compiled(salvo, index);
      const EntityType& type = state.scenario->types[event.old_type];
      const WideVec3 now = displacement(from, missile, lock, type, event.at_event, at, end);
      const WideVec3 before =
          displacement(from, missile, lock, type, event.back_step, at - k_back_step, end);
      const Vec3 velocity = kept_velocity(now, before);
      lock.velocity += WideVec3(velocity);
      lock.kept += now + drift(velocity, t - at);
      lock.kept_at_end += now + drift(velocity, end - at);
    }
    ++lock.number;
    lock.locked = event.new_target != k_no_entity;
    lock.target = event.new_target;
    lock.begin = at;
  }
  return lock;
}

Vec3 World::State::missile_position(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  const CompiledMissile& missile = compiled(salvo, index);
  const FlightSource from = source(salvo, index);
  const Subtick begin = launch_time(salvo.launch, from.weapon, index);
  const LockInForce lock = lock_at(*this, salvo, index, t);
  WideVec3 position = WideVec3(missile.flight.position(t - begin)) + lock.kept;
  if (lock.locked) {
    if (const Entity* target = find_entity(lock.target)) {
      const Subtick end = end_time(salvo.launch, from.weapon, index);
      position += displacement(from, missile, lock, scenario->types[target->type],
                               target->track.pose(t), t, end);
    }
  }
  return clamp(position, k_world_limit);
}

Vec3 World::State::passing_position(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  const bool pristine =
      std::none_of(salvo.events.begin(), salvo.events.end(),
                   [&](const SnapshotEvent& event) { return concerns(event, index); });
  if (is_compiled(salvo, index) || !pristine || fault != Fault::none) {
    const bool keep = is_compiled(salvo, index);
    const Vec3 position = missile_position(salvo, index, t);
    if (!keep) {
      release(salvo, index);
    }
    return position;
  }
  const FlightSource from = source(salvo, index);
  const Subtick begin = launch_time(salvo.launch, from.weapon, index);
  WideVec3 position(flight_position(from, t - begin));
  if (const Entity* target = find_entity(salvo.launch.target)) {
    const Vec3 offset = aim_offset(salvo.launch.seed, index, 0, from.target_type);
    const Pose pose = target->track.pose(t);
    const WideVec3 gap =
        WideVec3(pose.position) + rotate(pose.basis, offset) - predicted_aim(from, offset, t);
    position += homing_term(gap, t - begin, end_time(salvo.launch, from.weapon, index) - begin);
  }
  return clamp(position, k_world_limit);
}

Vec3 World::State::missile_velocity(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  const CompiledMissile& missile = compiled(salvo, index);
  const FlightSource from = source(salvo, index);
  const Subtick begin = launch_time(salvo.launch, from.weapon, index);
  const LockInForce lock = lock_at(*this, salvo, index, t);
  WideVec3 velocity = WideVec3(missile.flight.velocity(t - begin)) + lock.velocity;
  if (lock.locked) {
    if (const Entity* target = find_entity(lock.target)) {
      const EntityType& type = scenario->types[target->type];
      const Subtick end = end_time(salvo.launch, from.weapon, index);
      const Subtick back = t - k_back_step;
      velocity += WideVec3(sim::kept_velocity(
          displacement(from, missile, lock, type, target->track.pose(t), t, end),
          displacement(from, missile, lock, type, target->track.pose(back), back, end)));
    }
  }
  return clamp(velocity, k_point_limit);
}

Vec3 World::missile_velocity(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  return state_->missile_velocity(salvo, index, t);
}

Basis World::missile_basis(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  const Subtick begin = missile_launch_time(salvo, index);
  return looking_along(WideVec3(missile_velocity(salvo, index, t)),
                       compiled(salvo, index).flight.piece_chord(t - begin));
}

Vec3 World::missile_position(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  return state_->missile_position(salvo, index, t);
}

const CompiledMissile& World::compiled(const Salvo& salvo, std::uint8_t index) const {
  return state_->compiled(salvo, index);
}

WideVec3 World::homing_gap(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  const LockInForce lock = lock_at(*state_, salvo, index, t);
  const Entity* target = lock.locked ? state_->find_entity(lock.target) : nullptr;
  if (target == nullptr) {
    return WideVec3{0};
  }
  return gap(state_->source(salvo, index), state_->compiled(salvo, index), lock,
             state_->scenario->types[target->type], target->track.pose(t), t);
}

LockInForce World::lock_in_force(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  return lock_at(*state_, salvo, index, t);
}

void World::release(const Salvo& salvo, std::uint8_t index) const {
  state_->release(salvo, index);
}

WideVec3 World::kept_velocity(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  return lock_at(*state_, salvo, index, t).velocity;
}

Subtick World::lock_begin(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  return lock_at(*state_, salvo, index, t).begin;
}

Subtick World::missile_launch_time(const Salvo& salvo, std::uint8_t index) const {
  return launch_time(salvo.launch, state_->weapon(salvo.launch), index);
}

Subtick World::missile_end_time(const Salvo& salvo, std::uint8_t index) const {
  const Missile& missile = salvo.missiles[index];
  return missile.end_time;
}

bool World::missile_flies(const Salvo& salvo, std::uint8_t index, Subtick t) const {
  const Missile& missile = salvo.missiles[index];
  return missile.end != EndKind::aborted && t >= missile_launch_time(salvo, index) &&
         t < missile.end_time;
}

}  // namespace contrail::sim
