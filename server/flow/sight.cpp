#include <contrail/flow/sight.hpp>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>

namespace contrail::server {

bool Sight::sees(const sim::Vec3& point) const {
  const sim::WideVec3 way = sim::WideVec3(point) - sim::WideVec3(origin);
  if (range != 0 && sim::length(way) > range) {
    return false;
  }
  return cosine == -sim::k_one || sim::is_zero(way) ||
         sim::dot24(sim::unit(way), forward) >= cosine;
}

Sight mount_sight(const sim::World& world, const sim::Entity& entity, std::uint8_t mount,
                  sim::Subtick at) {
  const sim::Mount& m = world.scenario().types[entity.type].mounts[mount];
  const sim::Pose pose = entity.track.pose(at);
  return {sim::clamp(sim::WideVec3(pose.position) + sim::rotate(pose.basis, m.offset),
                     sim::k_world_limit),
          sim::compose(pose.basis, m.orientation).forward};
}

}  // namespace contrail::server
