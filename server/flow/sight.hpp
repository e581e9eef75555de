#pragma once

// What a seeker or a launcher can see: a range and a cone.

#include <contrail/sim/world.hpp>

namespace contrail::server {

struct Sight {
  sim::Vec3 origin{0};                  // length units
  sim::Vec3 forward{0, 0, sim::k_one};  // Q24
  std::int32_t range = 0;               // length units; 0: unlimited
  std::int32_t cosine = -sim::k_one;    // Q24, of the half angle
  [[nodiscard]] bool sees(const sim::Vec3& point) const;
};

/// From a launcher's mount along its forward axis at a time, unlimited.
Sight mount_sight(const sim::World& world, const sim::Entity& entity, std::uint8_t mount,
                  sim::Subtick at);

}  // namespace contrail::server
