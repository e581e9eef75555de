#pragma once

// What the stages of the fingerprint are made of; private to it.

#include <contrail/sim/arith.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/fingerprint.hpp>

namespace contrail::sim {

/// Inputs of a battery: numbered draws.
class Inputs {
 public:
  explicit Inputs(std::uint32_t key) : key_(key) {}
  /// Of one stage of the fingerprint.
  explicit Inputs(Stage stage) : Inputs(0xC0FFEE00U + static_cast<std::uint32_t>(stage)) {}
  std::uint32_t next() { return draw(key_, number_++); }
  /// 0 .. count - 1.
  std::uint32_t below(std::uint32_t count) { return next() % count; }
  /// A signed number of so many bits.
  std::int32_t number(int bits) { return static_cast<std::int32_t>(next()) >> (32 - bits); }
  /// Three numbers, x first.
  Vec3 vector(int bits) {
    const std::int32_t x = number(bits);
    const std::int32_t y = number(bits);
    const std::int32_t z = number(bits);
    return {x, y, z};
  }
  Basis basis() {
    const std::int32_t yaw = number(32);
    const std::int32_t pitch = number(32);
    return basis_of_angles(yaw, pitch, number(32));
  }
  /// A quaternion within is_unit().
  Quaternion quaternion() {
    const Vec3 xyz = vector(15);
    const std::int64_t w = 1 + (number(15) & 0x3FFF);
    return freeze(normalise(WideVec3(xyz), w));
  }

 private:
  std::uint32_t key_;
  std::uint32_t number_ = 0;
};

inline void add_basis(Hash64& hash, const Basis& basis) {
  hash.add_vector(WideVec3(basis.forward));
  hash.add_vector(WideVec3(basis.up));
}

Hash64 turret_stage();
Hash64 hit_stage();

}  // namespace contrail::sim
