#include <contrail/core/sample.hpp>

#include <algorithm>

#include <contrail/core/render_edge.hpp>

namespace contrail::client {
namespace {

// Span of the difference quotient that gives velocity and orientation: long enough that rounding
// to the lattice turns a missile at 100 m/s by less than 0.05 degrees, short enough not to lag.
constexpr sim::Subtick k_velocity_span = 256;

/// Counts every element, keeps those that fit.
template <typename T>
class Sink {
 public:
  explicit Sink(std::span<T> out) : out_(out) {}
  /// The slot for the next element, or null when it does not fit.
  T* next() {
    const std::size_t at = needed_++;
    return at < out_.size() ? &out_[at] : nullptr;
  }
  [[nodiscard]] Filled filled(bool provisional) const {
    const bool fits = needed_ <= out_.size();
    return {fits ? Status::ok : Status::array_too_small, std::min(needed_, out_.size()), needed_,
            provisional};
  }

 private:
  std::span<T> out_;
  std::size_t needed_ = 0;
};

sim::Subtick launch_of(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index) {
  return world.missile_launch_time(salvo, index);
}

/// The last subtick at which the missile has a position: of its end, or expected end. At or before
/// the launch for missiles that never flew.
sim::Subtick end_of(const sim::Salvo& salvo, std::uint8_t index) {
  return salvo.missiles[index].end_time;
}

sim::Subtick oldest_of(const sim::World& world) {
  return world.time() - sim::k_history;
}

/// Did it fly at all (a ripple is cut short when the launcher dies).
bool flew(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index) {
  return salvo.missiles[index].end != sim::EndKind::aborted &&
         end_of(salvo, index) >= launch_of(world, salvo, index);
}

MissileView view_of(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
                    sim::Subtick time, const sim::Vec3& origin) {
  // Backwards in time wherever possible: what lies ahead of the log may still change.
  const sim::Subtick first = launch_of(world, salvo, index);
  const sim::Subtick earlier = std::max(first, time - k_velocity_span);
  const sim::Subtick later = std::max(time, first + k_velocity_span);
  const sim::Vec3 position = world.missile_position(salvo, index, time);
  const sim::WideVec3 moved =
      sim::WideVec3(later == time ? position : world.missile_position(salvo, index, later)) -
      sim::WideVec3(world.missile_position(salvo, index, earlier));
  MissileView view;
  view.position = metres_from(position, origin);
  view.velocity = mean_velocity(moved, later - earlier);
  view.orientation = looking_along(moved);
  view.id = {salvo.id, index};
  view.weapon = salvo.launch.weapon;
  view.launcher = salvo.launch.launcher;
  view.target = salvo.missiles[index].target;
  return view;
}

}  // namespace

bool in_window(const sim::World& world, sim::Subtick time) {
  const sim::Subtick now = world.time();
  return time >= now - sim::k_history && time <= now + sim::k_history;
}

Filled sample_missiles(const sim::World& world, sim::Subtick time, const sim::Vec3& origin,
                       std::span<MissileView> out) {
  if (!in_window(world, time)) return {Status::outside_window};
  Sink<MissileView> sink(out);
  for (const sim::Salvo& salvo : world.salvos()) {
    if (salvo.launch.t0 > time) continue;
    for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      if (!world.missile_flies(salvo, index, time)) continue;
      if (MissileView* slot = sink.next()) *slot = view_of(world, salvo, index, time, origin);
    }
  }
  return sink.filled(time > world.time());
}

Filled sample_entities(const sim::World& world, sim::Subtick time, const sim::Vec3& origin,
                       std::span<EntityView> out) {
  if (!in_window(world, time)) return {Status::outside_window};
  Sink<EntityView> sink(out);
  for (const sim::Entity& entity : world.entities()) {
    if (!entity.exists_at(time)) continue;
    EntityView* slot = sink.next();
    if (slot == nullptr) continue;
    const sim::Pose pose = entity.track.pose(time);
    slot->position = metres_from(pose.position, origin);
    slot->orientation = orientation_of(pose.basis);
    slot->velocity = metres_per_second(entity.track.velocity(time));
    slot->id = entity.id;
    slot->type = entity.type;
    slot->team = entity.team;
    slot->user_tag = entity.user_tag;
    slot->health = entity.health;
  }
  return sink.filled(time > world.time());
}

Filled sample_trail_ids(const sim::World& world, sim::Subtick from, sim::Subtick to,
                        std::span<MissileId> out) {
  if (from > to) return {Status::out_of_range};
  if (!in_window(world, to)) return {Status::outside_window};
  from = std::max(from, oldest_of(world));
  Sink<MissileId> sink(out);
  for (const sim::Salvo& salvo : world.salvos()) {
    for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      if (!flew(world, salvo, index) || launch_of(world, salvo, index) > to ||
          end_of(salvo, index) < from) {
        continue;
      }
      if (MissileId* slot = sink.next()) *slot = {salvo.id, index};
    }
  }
  return sink.filled(to > world.time());
}

Filled sample_trail(const sim::World& world, MissileId missile, const TrailRange& range,
                    const sim::Vec3& origin, std::span<TrailPoint> out) {
  if (range.step < 1 || range.from > range.to) return {Status::out_of_range};
  if (!in_window(world, range.to)) return {Status::outside_window};
  const sim::Salvo* salvo = world.find_salvo(missile.launch);
  if (salvo == nullptr || missile.index >= salvo->missiles.size()) {
    return {Status::unknown_missile};
  }
  Sink<TrailPoint> sink(out);
  const auto put = [&](sim::Subtick time) {
    TrailPoint* slot = sink.next();
    if (slot == nullptr) return;
    slot->position = metres_from(world.missile_position(*salvo, missile.index, time), origin);
    slot->age = short_seconds(range.to - time);
  };
  const sim::Subtick launched = launch_of(world, *salvo, missile.index);
  const sim::Subtick head = std::min(range.to, end_of(*salvo, missile.index));
  const sim::Subtick tail = std::max({range.from, oldest_of(world), launched});
  if (flew(world, *salvo, missile.index) && head >= tail) {
    put(head);
    sim::Subtick time = (head - 1) / range.step * range.step;  // head >= 1: launches are after 0
    for (; time > tail; time -= range.step) put(time);
    if (tail == launched ? head > tail : time == tail && head > tail) put(tail);
  }
  return sink.filled(range.to > world.time());
}

Status exact_missile_position(const sim::World& world, MissileId missile, sim::Subtick time,
                              sim::Vec3& out) {
  if (!in_window(world, time)) return Status::outside_window;
  const sim::Salvo* salvo = world.find_salvo(missile.launch);
  if (salvo == nullptr || missile.index >= salvo->missiles.size() ||
      !flew(world, *salvo, missile.index) || time < launch_of(world, *salvo, missile.index) ||
      time > end_of(*salvo, missile.index)) {
    return Status::unknown_missile;
  }
  out = world.missile_position(*salvo, missile.index, time);
  return Status::ok;
}

Status exact_entity_pose(const sim::World& world, std::uint16_t entity, sim::Subtick time,
                         sim::Pose& out) {
  if (!in_window(world, time)) return Status::outside_window;
  const sim::Entity* found = world.find_entity(entity);
  if (found == nullptr || !found->exists_at(time)) return Status::unknown_entity;
  out = found->track.pose(time);
  return Status::ok;
}

}  // namespace contrail::client
