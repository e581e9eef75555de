#include <contrail/flow/body_tick.hpp>

#include <contrail/sim/arith.hpp>

namespace contrail::server {

HullMotion hull_motion(const sim::World& world, const sim::Entity& entity) {
  const sim::EntityType& type = world.scenario().types[entity.type];
  const sim::Subtick begin = world.time();
  const sim::Subtick end = begin + world.scenario().tick_length();
  return {entity, type, hull_arm(type), arc_of(entity.track, begin),
          spin_bound(entity.track, begin, end)};
}

BodyTick body_tick(const sim::World& world, const sim::Entity& entity) {
  const sim::Subtick length = world.scenario().tick_length();
  BodyTick tick{
      hull_motion(world, entity), world.time() + 1, world.time() + length, {}, {}, 0, -1, {}};
  tick.first = entity.track.pose(tick.begin);
  tick.last = entity.track.pose(tick.end);
  tick.bent = position_deviation(tick.hull.arc, tick.first.position, tick.last.position, length);
  return tick;
}

}  // namespace contrail::server
