#include <contrail/sim/batch/lock_history.hpp>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/base_curve.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/homing.hpp>
#include <contrail/sim/world_state.hpp>

namespace contrail::sim::batch {
namespace {

void put(const WideVec3& v, WideVectorLanes& lanes, std::size_t lane) {
  lanes[0][lane] = v.x;
  lanes[1][lane] = v.y;
  lanes[2][lane] = v.z;
}
void put(const Vec3& v, VectorLanes& lanes, std::size_t lane) {
  lanes[0][lane] = v.x;
  lanes[1][lane] = v.y;
  lanes[2][lane] = v.z;
}

/// A lock that holds a gap against an aim point: the announced one's moves, a later one's stands.
struct Lock {
  bool announced = true;
  WideVec3 aimed_at{0};  // of a later one
  Vec3 offset{0};
  Subtick begin = 0;
};

WideVec3 against(const Salvo& salvo, const Aim& aim, const Lock& lock, Subtick t) {
  return lock.announced ? expected_target(salvo.anchor, salvo.launch, t) + WideVec3(aim.reference)
                        : lock.aimed_at;
}

WideVec3 displacement(const Salvo& salvo, const Aim& aim, const Lock& lock, const Pose& target,
                      Subtick t, Subtick end) {
  const WideVec3 gap =
      WideVec3(target.position) + rotate(target.basis, lock.offset) - against(salvo, aim, lock, t);
  return homing_term(gap, t - lock.begin, end - lock.begin);
}

void fill_term(const KnownPose& pose, const WideVec3& aimed_at, LockLanes::Term& term,
               std::size_t lane) {
  put(WideVec3(pose.position) - aimed_at, term.lead, lane);
  put(pose.right, term.axes[0], lane);
  put(pose.up, term.axes[1], lane);
  put(pose.forward, term.axes[2], lane);
}

void clear_term(LockLanes::Term& term, std::size_t lane) {
  put(WideVec3(0), term.lead, lane);
  for (VectorLanes& axis : term.axes) {
    put(Vec3(0), axis, lane);
  }
}

}  // namespace

WideVec3 expected_target(const Anchor& anchor, const Launch& launch, Subtick t) {
  return WideVec3(
      clamp(WideVec3(anchor.target_position) + drift(anchor.target_velocity, t - launch.t0),
            k_world_limit));
}

LockHistory lock_history(const World& world, const Salvo& salvo, std::uint8_t index,
                         const Aim& aim) {
  const Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
  const Subtick end = end_time(salvo.launch, weapon, index);
  LockHistory history;
  Lock lock{true, WideVec3{0}, aim.offset, launch_time(salvo.launch, weapon, index)};
  WideVec3 kept_at_end{0};
  for (const SnapshotEvent& event : salvo.events) {
    if (!concerns(event, index) || history.count == history.changes.size()) {
      continue;
    }
    LockChange& change = history.changes[history.count++];
    change.time = Subtick{event.tick} * world.scenario().tick_length();
    if (event.was_locked) {
      change.kept = displacement(salvo, aim, lock, event.at_event, change.time, end);
      change.velocity = kept_velocity(change.kept, displacement(salvo, aim, lock, event.back_step,
                                                                change.time - k_back_step, end));
      kept_at_end += change.kept + drift(change.velocity, end - change.time);
    }
    change.aimed_at = WideVec3(aim.end) + kept_at_end;
    change.target = event.new_target;
    const Entity* target = world.find_entity(event.new_target);
    change.locked = event.new_target != k_no_entity && target != nullptr;
    if (change.locked) {
      change.offset =
          aim_offset(salvo.launch.seed, index, history.count, world.scenario().types[target->type]);
    }
    lock = {false, change.aimed_at, change.offset, change.time};
  }
  return history;
}

void PoseCache::reset(const World& world, Subtick t) {
  world_ = &world;
  time_ = t;
  ++round_;
}

const KnownPose& PoseCache::pose(std::uint16_t entity) {
  if (entries_.size() <= entity) {
    entries_.resize(std::size_t{entity} + 1);
  }
  Entry& entry = entries_[entity];
  if (entry.round != round_) {
    entry.round = round_;
    const Entity* found = world_->find_entity(entity);
    entry.pose.known = found != nullptr;
    if (found != nullptr) {
      const Pose pose = found->track.pose(time_);
      entry.pose.position = pose.position;
      entry.pose.right = right(pose.basis);
      entry.pose.up = pose.basis.up;
      entry.pose.forward = pose.basis.forward;
    }
  }
  return entry.pose;
}

void fill_lock(const Salvo& salvo, const LockHistory& history, const Aim& aim, Subtick launched,
               Subtick t, PoseCache& now, PoseCache* before, LockLanes& lanes, std::size_t lane) {
  Lock lock{true, WideVec3{0}, aim.offset, launched};
  bool locked = true;
  std::uint16_t target = salvo.launch.target;
  WideVec3 kept{0};
  WideVec3 velocity{0};
  for (std::size_t i = 0; i < history.count && history.changes[i].time < t; ++i) {
    const LockChange& change = history.changes[i];
    kept += change.kept + drift(change.velocity, t - change.time);
    velocity += WideVec3(change.velocity);
    lock = {false, change.aimed_at, change.offset, change.time};
    locked = change.locked;
    target = change.target;
  }
  put(kept, lanes.kept, lane);
  put(velocity, lanes.velocity, lane);
  if (!locked || !now.pose(target).known) {
    // No lock, no gap; the ramp may do what it likes as long as its window is not empty.
    put(Vec3(0), lanes.offset, lane);
    lanes.begin[lane] = 0;
    clear_term(lanes.now, lane);
    clear_term(lanes.before, lane);
    return;
  }
  put(lock.offset, lanes.offset, lane);
  lanes.begin[lane] = static_cast<std::int32_t>(lock.begin - launched);
  fill_term(now.pose(target), against(salvo, aim, lock, t), lanes.now, lane);
  if (before != nullptr) {
    fill_term(before->pose(target), against(salvo, aim, lock, t - k_back_step), lanes.before, lane);
  }
}

}  // namespace contrail::sim::batch
