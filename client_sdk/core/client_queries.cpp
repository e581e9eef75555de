// What a joined ClientCore answers, and what it asks of the server.

#include <contrail/core/client_core.hpp>

#include <contrail/core/client_impl.hpp>
#include <contrail/core/sample.hpp>

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
    return impl_->has_world && impl_->playback->next_event(impl_->render_time, out);
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

Status ClientCore::fire(const FireRequest& request, std::uint32_t& id) {
  if (impl_->state == State::failed) return Status::failed;
  if (impl_->state != State::live) return Status::not_live;
  if (role() == Role::spectator) return Status::not_allowed;
  return impl_->guarded(Status::failed, [&] {
    wire::FireCommand fire;
    fire.entity = request.entity;
    fire.target = request.target;
    fire.launcher = request.launcher;
    // Without a wish: the time at which the request is expected to arrive.
    fire.at = request.at.value_or(impl_->server_time +
                                  wire::to_subticks(impl_->connection->round_trip() / 2));
    if (fire.at < 0) return Status::out_of_range;
    const std::optional<std::uint32_t> sent = impl_->connection->send_fire(fire);
    if (!sent) return Status::too_many;
    ++impl_->fire_requests;
    id = *sent;
    return Status::ok;
  });
}

bool ClientCore::next_command_result(CommandResult& out) {
  if (!impl_->connection) return false;
  return impl_->guarded(false, [&] {
    const std::optional<wire::CommandResult> result = impl_->connection->take_command_result();
    if (!result) return false;
    ++impl_->fire_results[static_cast<std::size_t>(result->status)];
    out = *result;
    return true;
  });
}

void ClientCore::plant_fault(TestFault fault) {
  impl_->fault = fault;
}

}  // namespace contrail::client
