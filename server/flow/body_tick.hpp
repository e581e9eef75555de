#pragma once

// An entity in the tick being searched: its track is final there, so both ends of the tick are
// known exactly and what happens between is bounded.

#include <array>
#include <cstdint>

#include <contrail/flow/motion_bound.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

/// How far an entity's hull can get from a straight move without a turn, in the world's next tick.
struct HullMotion {
  const sim::Entity& entity;
  const sim::EntityType& type;
  Arm arm;  // of the hull's axes
  Arc arc;
  Spin spin;
};
HullMotion hull_motion(const sim::World& world, const sim::Entity& entity);

struct BodyTick {
  HullMotion hull;
  sim::Subtick begin = 0;  // first subtick of the tick
  sim::Subtick end = 0;    // last one
  sim::Pose first;         // at begin
  sim::Pose last;          // at end
  std::int64_t bent = 0;   // largest distance of its position from first..last, length units

  /// At any time of the tick. The missiles of a salvo ask about the same one: it is kept.
  [[nodiscard]] const sim::Pose& pose(sim::Subtick t) const {
    if (t == begin || t == end) {
      return t == begin ? first : last;
    }
    if (t != asked) {
      asked = t;
      answer = hull.entity.track.pose(t);
    }
    return answer;
  }

  mutable sim::Subtick asked = -1;
  mutable sim::Pose answer;
};
BodyTick body_tick(const sim::World& world, const sim::Entity& entity);

}  // namespace contrail::server
