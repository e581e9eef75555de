#pragma once

// Where an entity can be in the next second, whatever keys arrive meanwhile: its type's limits
// bound it. A key beyond them, a jump or a spawn makes an entity `sudden`; whoever relied on its
// horizon looks again.

#include <contrail/flow/motion_bound.hpp>
#include <contrail/sim/world.hpp>

namespace contrail::server {

/// For T in (begin, begin + span] the entity is within wander(span, ticks) of
/// position + drift(velocity, T - begin), and inside the world.
struct Horizon {
  sim::Vec3 position{0};
  sim::Vec3 velocity{0};          // length units per second
  std::int64_t acceleration = 0;  // length units per second^2, of any piece to come or in force
  bool sudden = false;            // what was promised for it before does not hold

  [[nodiscard]] std::int64_t wander(sim::Subtick span, std::int64_t ticks) const;
};

/// Acceleration that keys within a type's limits stay below, length units per second^2.
std::int64_t promised_acceleration(const sim::EntityType& type);
/// As of the world's time.
Horizon horizon_of(const sim::World& world, const sim::Entity& entity);

}  // namespace contrail::server
