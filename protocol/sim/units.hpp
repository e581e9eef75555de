#pragma once

// The quantities everything else is written in. One meaning per word:
//   length     int32, 1/4096 m                 position   Vec3 of lengths
//   velocity   Vec3, length units per second   time       int64 subticks, 1/65536 s since session
//   start angle      int32 binary angle, turn = 2^32 direction  Vec3 in Q24
// Right-handed, +Y up, +Z forward; yaw from +Z toward +X, pitch up positive.

#include <array>
#include <cstdint>

#include <glm/vec3.hpp>

namespace contrail::sim {

using Vec3 = glm::vec<3, std::int32_t, glm::defaultp>;
/// Intermediate results: magnitudes below 2^53 on every axis.
using WideVec3 = glm::vec<3, std::int64_t, glm::defaultp>;
/// Absolute time or a difference of times, in subticks.
using Subtick = std::int64_t;

inline constexpr std::int64_t k_subticks_per_second = 65536;
inline constexpr std::int32_t k_units_per_metre = 4096;
inline constexpr std::int32_t k_one = 1 << 24;  // 1.0 in Q24

/// Directions of a body's own axes in the world, Q24. The right axis is always cross24(up,
/// forward).
struct Basis {
  Vec3 forward{0, 0, k_one};
  Vec3 up{0, k_one, 0};
  bool operator==(const Basis&) const = default;
};

using PackedDirection = std::array<std::int16_t, 3>;  // Q14

/// A basis as it is frozen in anchors, Q14.
struct PackedBasis {
  PackedDirection forward{0, 0, 16384};
  PackedDirection up{0, 16384, 0};
  bool operator==(const PackedBasis&) const = default;
};

/// Unit quaternion in Q14.
struct Quaternion {
  std::int16_t x = 0;
  std::int16_t y = 0;
  std::int16_t z = 0;
  std::int16_t w = 16384;
  bool operator==(const Quaternion&) const = default;
};

}  // namespace contrail::sim
