#pragma once

// Random flights inside the limits, for tests of the flight and of what is built on it.

#include <contrail/sim/basis.hpp>
#include <contrail/sim/flight.hpp>

#include "test_numbers.hpp"

namespace contrail::test {

/// Everything a flight is made from, with an owner.
struct FlightSample {
  sim::Launch launch;
  sim::Anchor anchor;
  sim::Weapon weapon;
  sim::EntityType type;
  std::uint8_t index = 0;
  [[nodiscard]] sim::FlightSource source() const { return {launch, anchor, weapon, type, index}; }
};

inline sim::Basis random_basis(Numbers& numbers) {
  const auto yaw = static_cast<std::int32_t>(numbers.next() & 0xFFFF'FFFFU);
  const auto pitch = static_cast<std::int32_t>(numbers.next() & 0xFFFF'FFFFU);
  return sim::basis_of_angles(yaw, pitch, static_cast<std::int32_t>(numbers.next() & 0xFFFF'FFFFU));
}

/// Launches in any direction at targets within `reach` length units an axis.
inline FlightSample random_flight(Numbers& numbers, std::int64_t reach) {
  FlightSample s;
  s.launch.seed = static_cast<std::uint32_t>(numbers.next());
  s.launch.t0 = numbers.between(0, 1LL << 40);
  s.launch.log2_piece = static_cast<std::uint8_t>(numbers.between(8, 13));
  s.launch.pieces = static_cast<std::uint16_t>(numbers.between(1, 64));
  s.launch.count = 255;
  s.index = static_cast<std::uint8_t>(numbers.between(0, 254));
  s.weapon.noise = numbers.chance(50) ? sim::NoiseKind::bspline : sim::NoiseKind::perlin;
  s.weapon.muzzle_cone = {16'384, static_cast<std::int32_t>(numbers.between(0, 16'384))};
  s.weapon.approach_cone = {16'384, static_cast<std::int32_t>(numbers.between(0, 16'384))};
  s.weapon.muzzle_handle = static_cast<std::int32_t>(numbers.between(8'000, 40'000));
  s.weapon.approach_handle = static_cast<std::int32_t>(numbers.between(8'000, 40'000));
  s.weapon.amplitude = static_cast<std::int32_t>(numbers.between(0, 1'000'000));
  s.weapon.frequency =
      static_cast<std::int32_t>(numbers.between(0, 1LL << 30) >> s.launch.log2_piece);
  s.weapon.ripple_interval = static_cast<std::int32_t>(numbers.between(0, 128));
  s.anchor.muzzle = numbers.vector<sim::Vec3>(reach);
  s.anchor.launcher_velocity = numbers.vector<sim::Vec3>(1'000'000);
  s.anchor.target_position = numbers.vector<sim::Vec3>(reach);
  s.anchor.target_velocity = numbers.vector<sim::Vec3>(1'000'000);
  s.anchor.muzzle_basis = sim::freeze(random_basis(numbers));
  s.anchor.target_basis = sim::freeze(random_basis(numbers));
  sim::HullPart part;
  part.a = numbers.vector<sim::Vec3>(100'000);
  part.d = numbers.vector<sim::Vec3>(100'000);
  part.radius = static_cast<std::int32_t>(numbers.between(1'000, 40'000));
  s.type.hull.assign(static_cast<std::size_t>(numbers.between(1, 8)), part);
  return s;
}

}  // namespace contrail::test
