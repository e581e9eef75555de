// What a joined ClientCore answers, and what it asks of the server.

#include <contrail/core/client_core.hpp>

#include <contrail/core/client_impl.hpp>
#include <contrail/core/render_edge.hpp>
#include <contrail/core/sample.hpp>
#include <contrail/core/turret_sample.hpp>
#include <contrail/sim/arith.hpp>

namespace contrail::client {
namespace {

Filled refused(Status status) {
  return {status, 0, 0, false};
}

}  // namespace

template <typename Query>
Filled ClientCore::Impl::query(Query&& question) {
  if (state == State::failed) return refused(Status::failed);
  if (!has_world) return refused(Status::not_live);
  return guarded(refused(Status::failed), [&] { return question(playback->world()); });
}

bool ClientCore::next_event(Event& out) {
  return impl_->guarded(false, [&] {
    if (!impl_->instant_events.empty()) {
      out = std::move(impl_->instant_events.front());
      impl_->instant_events.pop_front();
      return true;
    }
    if (!impl_->has_world || !impl_->playback->next_event(impl_->render_time, out)) return false;
    if (out.kind == EventKind::launch) {
      const auto own = impl_->own_launches.find(out.missile.launch);
      if (own != impl_->own_launches.end()) {
        out.command = own->second;
        impl_->own_launches.erase(own);
      }
    }
    return true;
  });
}

Filled ClientCore::missiles(sim::Subtick time, const sim::Vec3& origin,
                            std::span<MissileView> out) {
  return impl_->query(
      [&](const sim::World& world) { return sample_missiles(world, time, origin, out); });
}

Filled ClientCore::entities(sim::Subtick time, const sim::Vec3& origin, std::span<EntityView> out) {
  return impl_->query([&](const sim::World& world) {
    const Filled filled = sample_entities(world, time, origin, out);
    for (EntityView& view : out.first(filled.written)) {
      view.health = impl_->playback->shown_health(view.id);
    }
    return filled;
  });
}

Filled ClientCore::trail_ids(sim::Subtick from, sim::Subtick to, std::span<MissileId> out) {
  return impl_->query(
      [&](const sim::World& world) { return sample_trail_ids(world, from, to, out); });
}

Filled ClientCore::trail(MissileId missile, const TrailRange& range, const sim::Vec3& origin,
                         std::span<TrailPoint> out) {
  return impl_->query(
      [&](const sim::World& world) { return sample_trail(world, missile, range, origin, out); });
}

Status ClientCore::turret_pose(std::uint16_t entity, std::uint8_t index, sim::Subtick time,
                               const sim::Vec3& origin, TurretView& out) {
  return impl_
      ->query([&](const sim::World& world) {
        return refused(sample_turret(world, entity, index, time, origin, out));
      })
      .status;
}

Filled ClientCore::rounds(sim::Subtick time, const sim::Vec3& origin, std::span<RoundView> out) {
  return impl_->query(
      [&](const sim::World& world) { return sample_rounds(world, time, origin, out); });
}

Status ClientCore::lead(std::uint8_t turret, std::uint16_t target, const sim::Vec3& origin,
                        LeadView& out) {
  return impl_
      ->query([&](const sim::World& world) {
        return refused(sample_lead(world, impl_->own_entity(), turret, target, origin, out));
      })
      .status;
}

Status ClientCore::missile_position(MissileId missile, sim::Subtick time, sim::Vec3& out) {
  return impl_
      ->query([&](const sim::World& world) {
        return refused(exact_missile_position(world, missile, time, out));
      })
      .status;
}

Status ClientCore::entity_pose(std::uint16_t entity, sim::Subtick time, sim::Pose& out) {
  return impl_
      ->query([&](const sim::World& world) {
        return refused(exact_entity_pose(world, entity, time, out));
      })
      .status;
}

const sim::World* ClientCore::world() const {
  return impl_->has_world && impl_->playback ? &impl_->playback->world() : nullptr;
}

Status ClientCore::Impl::send(const wire::Command& command, std::uint32_t& id) {
  if (state == State::failed) return Status::failed;
  if (state != State::live) return Status::not_live;
  if (connection->welcome()->role == Role::spectator) return Status::not_allowed;
  return guarded(Status::failed, [&] {
    const std::optional<std::uint32_t> sent = connection->send_command(command);
    if (!sent) return Status::too_many;
    id = *sent;
    ++(command.kind == wire::CommandKind::fire ? fire_requests : command_requests);
    return Status::ok;
  });
}

Status ClientCore::fire(const FireRequest& request, std::uint32_t& id) {
  wire::Command command;
  command.fire.entity = request.entity;
  command.fire.target = request.target;
  command.fire.launcher = request.launcher;
  if (impl_->state == State::live) command.fire.at = request.at.value_or(impl_->arrival());
  if (command.fire.at < 0) return Status::out_of_range;
  const Status status = impl_->send(command, id);
  if (status != Status::ok) return status;
  impl_->fires[id] = request.entity;
  Event pending;
  pending.kind = EventKind::fire_pending;
  pending.time = impl_->render_time;
  pending.command = id;
  pending.entity = request.entity;
  pending.target = request.target;
  impl_->instant_events.push_back(std::move(pending));
  return status;
}

Status ClientCore::steer(const SteerRequest& request, std::uint32_t& id) {
  const bool own = request.entity == sim::k_no_entity || request.entity == impl_->own_entity();
  wire::Command command;
  command.kind = wire::CommandKind::steer;
  command.steer.entity = own ? impl_->own_entity() : request.entity;
  command.steer.steer.kind = request.kind;
  if (request.kind != sim::SteerKind::coast) command.steer.steer.value = request.value;
  const sim::WideVec3 value(request.value);
  if (sim::max_abs(value) > sim::k_world_limit) return Status::out_of_range;
  if (command.steer.entity == sim::k_no_entity) return Status::unknown_entity;
  if (impl_->state == State::live) command.steer.at = impl_->arrival();
  const Status status = impl_->send(command, id);
  if (status == Status::ok && own) {
    const auto tick = static_cast<std::uint32_t>(command.steer.at >> impl_->log2_tick) + 1;
    impl_->own.sent(id, command.steer.steer, tick);
  }
  return status;
}

Status ClientCore::release(std::uint16_t entity, std::uint32_t& id) {
  if (entity == sim::k_no_entity) return Status::unknown_entity;
  wire::Command command;
  command.kind = wire::CommandKind::release;
  command.release.entity = entity;
  if (impl_->state == State::live) command.release.at = impl_->arrival();
  return impl_->send(command, id);
}

Status ClientCore::self_destruct(std::uint32_t launch, std::uint32_t& id) {
  wire::Command command;
  command.kind = wire::CommandKind::self_destruct;
  command.self_destruct.salvo = launch;
  if (impl_->state == State::live) command.self_destruct.at = impl_->arrival();
  return impl_->send(command, id);
}

Status ClientCore::drive(const DriveRequest& request, std::uint32_t& id) {
  if (request.entity == sim::k_no_entity) return Status::unknown_entity;
  if (impl_->state == State::live && role() != Role::director) return Status::not_allowed;
  if (sim::max_abs(sim::WideVec3(request.position)) > sim::k_world_limit ||
      sim::max_abs(sim::WideVec3(request.velocity)) > sim::k_max_speed) {
    return Status::out_of_range;
  }
  wire::Command command;
  command.kind = wire::CommandKind::drive;
  command.drive = {request.entity, request.position, request.velocity, 0};
  if (impl_->state == State::live) command.drive.at = impl_->arrival();
  return impl_->send(command, id);
}

Status ClientCore::own_ship(const sim::Vec3& origin, EntityView& out) {
  return impl_
      ->query([&](const sim::World& world) {
        const sim::Track* track = impl_->own.track();
        const sim::Entity* ship = world.find_entity(impl_->own_entity());
        if (track == nullptr || ship == nullptr) return refused(Status::unknown_entity);
        const sim::Subtick time = impl_->server_time;
        const sim::Pose pose = track->pose(time);
        out.position = metres_from(
            sim::clamp(sim::WideVec3(pose.position) + impl_->own.offset(), sim::k_world_limit),
            origin);
        out.orientation = orientation_of(pose.basis);
        out.velocity = metres_per_second(track->velocity(time));
        out.id = ship->id;
        out.type = ship->type;
        out.team = ship->team;
        out.user_tag = ship->user_tag;
        out.health = impl_->playback->shown_health(ship->id);
        return refused(Status::ok);
      })
      .status;
}

Status ClientCore::predicted_pose(sim::Subtick time, sim::Pose& out) {
  return impl_
      ->query([&](const sim::World&) {
        const sim::Track* track = impl_->own.track();
        if (track == nullptr) return refused(Status::unknown_entity);
        out = track->pose(time);
        return refused(Status::ok);
      })
      .status;
}

bool ClientCore::next_command_result(CommandResult& out) {
  if (impl_->results.empty()) return false;
  out = impl_->results.front();
  impl_->results.pop_front();
  return true;
}

void ClientCore::plant_fault(TestFault fault) {
  impl_->fault = fault;
}

}  // namespace contrail::client
