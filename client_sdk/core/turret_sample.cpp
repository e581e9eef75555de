#include <contrail/core/turret_sample.hpp>

#include <algorithm>

#include <contrail/core/render_edge.hpp>
#include <contrail/core/sample.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/shot.hpp>
#include <contrail/sim/turret_aim.hpp>

namespace contrail::client {
namespace {

using sim::Subtick;

constexpr float k_radians_per_turret_angle = 6.283185307F / static_cast<float>(sim::k_turret_turn);

const sim::Entity* living(const sim::World& world, std::uint16_t id) {
  const sim::Entity* entity = world.find_entity(id);
  return entity != nullptr && entity->exists_at(world.time()) ? entity : nullptr;
}

/// An axis `back` subticks before the end of a tick that it turned through at its rate.
sim::AxisState earlier(const sim::AxisState& axis, Subtick back, Subtick tick) {
  const std::int64_t turned = sim::floor_div(axis.rate * back + tick / 2, tick);
  return {static_cast<std::int32_t>(axis.angle - turned), axis.rate};
}

}  // namespace

Status sample_turret(const sim::World& world, std::uint16_t id, std::uint8_t index, Subtick time,
                     const sim::Vec3& origin, TurretView& out) {
  const Subtick tick = world.scenario().tick_length();
  if (!in_window(world, time) || time <= world.time() - tick) return Status::outside_window;
  const sim::Entity* entity = living(world, id);
  if (entity == nullptr || !entity->exists_at(time)) return Status::unknown_entity;
  if (index >= entity->turrets.size()) return Status::out_of_range;
  const sim::TurretMount& mount = world.scenario().types[entity->type].turrets[index].mount;
  const Subtick back = std::max(Subtick{0}, world.time() - time);
  sim::TurretState state = entity->turrets[index].state;
  state = {earlier(state.yaw, back, tick), earlier(state.pitch, back, tick)};
  const sim::Pose pose = entity->track.pose(time);
  const sim::WideVec3 pivot = sim::turret_pivot(mount, {pose.position, pose.basis});
  out.position = metres_from(sim::clamp(pivot, sim::k_world_limit), origin);
  out.orientation = orientation_of(sim::bore_basis(mount, state, pose.basis));
  out.yaw =
      static_cast<float>(sim::wrap_turret_angle(state.yaw.angle)) * k_radians_per_turret_angle;
  out.pitch = static_cast<float>(state.pitch.angle) * k_radians_per_turret_angle;
  const sim::TurretMode& mode = entity->turrets[index].mode;
  out.order = mode.order;
  out.target = mode.order == sim::TurretOrder::entity ? mode.target : sim::k_no_entity;
  return Status::ok;
}

Filled sample_rounds(const sim::World& world, Subtick time, const sim::Vec3& origin,
                     std::span<RoundView> out) {
  if (!in_window(world, time)) return {Status::outside_window};
  std::size_t needed = 0;
  for (const sim::Burst& burst : world.bursts()) {
    if (burst.shot.time > time || sim::burst_end(burst.shot, world.gun_of(burst)) < time) continue;
    const sim::Turret& turret = world.scenario().types[burst.type].turrets[burst.shot.turret];
    const int left = sim::rounds_until(burst.shot, turret.gun, time);
    for (int i = 0; i < left; ++i) {
      const sim::Round round = sim::round_of(burst, turret, i);
      if (round.end < time) continue;
      const std::size_t at = needed++;
      if (at >= out.size()) continue;
      out[at] = {metres_from(round.position(time), origin), metres_per_second(round.velocity),
                 burst.shot.entity, burst.shot.turret};
    }
  }
  const Status status = needed <= out.size() ? Status::ok : Status::array_too_small;
  return {status, std::min(needed, out.size()), needed, time > world.time()};
}

Status sample_lead(const sim::World& world, std::uint16_t id, std::uint8_t index,
                   std::uint16_t target, const sim::Vec3& origin, LeadView& out) {
  const sim::Entity* entity = living(world, id);
  if (entity == nullptr || living(world, target) == nullptr || id == target) {
    return Status::unknown_entity;
  }
  if (index >= entity->turrets.size()) return Status::out_of_range;
  sim::TurretMode mode;
  mode.entity = id;
  mode.turret = index;
  mode.order = sim::TurretOrder::entity;
  mode.target = target;
  const sim::TurretSight sight = world.turret_sight(*entity, mode);
  if (!sight.target) return Status::unknown_entity;
  const sim::TurretMount& mount = world.scenario().types[entity->type].turrets[index].mount;
  out = {};
  out.on_target = sim::on_target(mount, entity->turrets[index].state, sight.aim);
  out.meets = sight.meeting.has_value();
  const sim::Pose pose = entity->track.pose(world.time());
  // What turns with the platform goes with it: the mark lies where the bore has to point.
  const sim::WideVec3 pivot = sim::turret_pivot(mount, {pose.position, pose.basis});
  const sim::WideVec3 at =
      out.meets ? pivot + sight.meeting->way
                : sim::WideVec3(world.find_entity(target)->track.position(world.time()));
  out.mark = metres_from(sim::clamp(at, sim::k_world_limit), origin);
  out.flight = out.meets ? short_seconds(sight.meeting->time) : 0.0F;
  return Status::ok;
}

}  // namespace contrail::client
