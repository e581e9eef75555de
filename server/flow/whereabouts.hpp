#pragma once

// Roughly where a missile is at one instant, without compiling its flight: a ball that certainly
// holds it. Most questions of guidance are answered by how far that is from everything.

#include <cstdint>
#include <optional>

#include <contrail/sim/world.hpp>

namespace contrail::server {

struct Whereabouts {
  sim::WideVec3 centre{0};  // length units
  std::int64_t radius = 0;  // length units
  /// The missile is certainly farther than `distance` from a point inside the world.
  [[nodiscard]] bool beyond(std::int64_t distance, const sim::Vec3& point) const;
};

/// Of a missile in flight at `at` without a guidance event behind it; `homing`: its homing term at
/// that time. Nothing where the world's border may hold it.
std::optional<Whereabouts> whereabouts(const sim::World& world, const sim::Salvo& salvo,
                                       std::uint8_t index, const sim::WideVec3& homing,
                                       sim::Subtick at);

}  // namespace contrail::server
