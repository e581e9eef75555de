#include "hit_oracle.hpp"

#include <algorithm>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/hit.hpp>
#include <optional>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::WideVec3;

/// Every position of a missile in a tick, evaluated when it is first asked for.
struct Walk {
  const sim::World& world;
  const sim::Salvo& salvo;
  std::uint8_t index;
  Subtick first;
  std::vector<std::optional<sim::Vec3>> known;

  const sim::Vec3& at(Subtick t) {
    auto& slot = known[static_cast<std::size_t>(t - first)];
    if (!slot) {
      slot = world.missile_position(salvo, index, t);
    }
    return *slot;
  }
};

/// Upper bound of a missile's own speed over [first, last], from the control points of its pieces;
/// homing is bounded by sampling nothing: by the gap's rate. Units per second.
std::int64_t track_speed(const sim::Track& track, Subtick begin) {
  return arc_of(track, begin).speed;
}

}  // namespace

void HitOracle::fly(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                    Subtick step, std::vector<Contact>& out) {
  const Subtick begin = world.time();
  const Subtick end = begin + world.scenario().tick_length();
  const Subtick first = std::max(world.missile_launch_time(salvo, index), begin + 1);
  const Subtick last = std::min(end, world.missile_end_time(salvo, index));
  if (first > last) {
    return;
  }
  const sim::Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
  Walk walk{world, salvo, index, first, {}};
  walk.known.resize(static_cast<std::size_t>(last - first + 1));
  subticks += static_cast<std::uint64_t>(last - first + 1);

  // A ball that holds all positions of the tick: the middle, and twice the largest step between
  // neighbours of a grid of 17, doubled again. Only used to skip pairs that are far away.
  const Subtick middle = first + (last - first) / 2;
  const WideVec3 centre(walk.at(middle));
  std::int64_t spread = 0;
  std::int64_t largest_step = 0;
  WideVec3 before(walk.at(first));
  for (int i = 0; i <= 16; ++i) {
    const Subtick t = first + (last - first) * i / 16;
    const WideVec3 at(walk.at(t));
    spread = std::max(spread, length_above(at - centre));
    largest_step = std::max(largest_step, length_above(at - before));
    before = at;
  }
  const std::int64_t ball = spread + 4 * largest_step + 4096;

  const auto wanted_step = [&](Subtick t) { return step == 1 || t % step == 0; };
  if (world.scenario().ground > -sim::k_world_limit) {
    for (Subtick t = first; t <= last; ++t) {
      if (wanted_step(t) && sim::touches_ground(world.scenario().ground, weapon, walk.at(t))) {
        out.push_back({t, ContactClass::obstacle, salvo.id, index, sim::k_no_entity});
        break;
      }
    }
  }
  for (std::size_t i = 0; i < world.scenario().obstacles.size(); ++i) {
    const sim::HullPart& part = world.scenario().obstacles[i];
    const std::int64_t reach =
        ball + length_above(WideVec3(part.d)) + sim::radius_sum(part, weapon);
    if (skip_far && length_above(centre - WideVec3(part.a)) > reach + 64) {
      continue;
    }
    for (Subtick t = first; t <= last; ++t) {
      ++evaluated;
      if (wanted_step(t) &&
          sim::touches(sim::obstacle_capsule(part, weapon), WideVec3(walk.at(t)))) {
        out.push_back({t, ContactClass::obstacle, salvo.id, index, sim::k_no_entity});
        near.insert({salvo.id, index, k_first_obstacle + static_cast<std::uint32_t>(i)});
        break;
      }
    }
  }
  for (const sim::Entity& e : world.entities()) {
    const sim::Missile& state = salvo.missiles[index];
    if (e.gone || (state.locked && state.target == e.id)) {
      continue;
    }
    const sim::EntityType& type = world.scenario().types[e.type];
    const bool own = e.id == salvo.launch.launcher && e.spawn_time < salvo.launch.t0;
    const bool immune = own && !free_[salvo.id].contains(index);
    std::int64_t reach = ball + hull_reach(type);
    for (const sim::HullPart& part : type.hull) {
      reach = std::max(reach, ball + hull_reach(type) + sim::radius_sum(part, weapon));
    }
    const std::int64_t moved = ((track_speed(e.track, begin) * (last - first)) >> 16) + 64;
    if (skip_far && !immune &&
        length_above(centre - WideVec3(e.track.position(middle))) > reach + moved + 512) {
      continue;
    }
    bool free = !immune;
    for (Subtick t = first; t <= last; ++t) {
      ++evaluated;
      if (!free || wanted_step(t)) {
        const bool touching = sim::touches_hull(type, pose(world, e, t), weapon, walk.at(t));
        if (!free && !touching) {
          free = true;
          free_[salvo.id].insert(index);
        }
        if (free && touching && wanted_step(t)) {
          out.push_back({t, ContactClass::hull, salvo.id, index, e.id});
          near.insert({salvo.id, index, e.id});
          break;
        }
      }
    }
  }
}

/// All missiles of a tick meet the same ships: each pose is evaluated once.
const sim::Pose& HitOracle::pose(const sim::World& world, const sim::Entity& entity, Subtick t) {
  auto& known = poses_[entity.id];
  known.resize(static_cast<std::size_t>(world.scenario().tick_length()));
  auto& slot = known[static_cast<std::size_t>(t - world.time() - 1)];
  if (!slot) {
    slot = entity.track.pose(t);
  }
  return *slot;
}

void HitOracle::find(const sim::World& world, std::span<const sim::Salvo> staged,
                     std::vector<Contact>& out, Subtick step) {
  out.clear();
  near.clear();
  poses_.clear();
  const auto fly_all = [&](const sim::Salvo& salvo) {
    for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
      if (salvo.missiles[i].end == sim::EndKind::alive) {
        fly(world, salvo, static_cast<std::uint8_t>(i), step, out);
      }
    }
  };
  std::for_each(world.salvos().begin(), world.salvos().end(), fly_all);
  std::for_each(staged.begin(), staged.end(), fly_all);
  std::sort(out.begin(), out.end());
}

}  // namespace contrail::server
