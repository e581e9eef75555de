#pragma once

// Flights as games have them: the defaults of a scenario file, kilometres of way, any direction.

#include "../flight_samples.hpp"
#include "reference.hpp"

namespace contrail::test {

/// Chords of `shortest` to `longest` length units, launched anywhere; the muzzle points within
/// `cone_degrees` of the target, 180: anywhere.
inline FlightSample missile_like(Numbers& numbers, int cone_degrees,
                                 std::int64_t shortest = 819'200,
                                 std::int64_t longest = 60'000'000) {
  FlightSample s = random_flight(numbers, 1 << 24);
  s.weapon.noise = sim::NoiseKind::bspline;
  s.weapon.muzzle_cone = {16'384, 1'427};    // 5 degrees
  s.weapon.approach_cone = {16'384, 5'603};  // 20 degrees
  s.weapon.muzzle_handle = s.weapon.approach_handle = 22'937;
  s.launch.log2_piece = 13;
  s.launch.pieces = static_cast<std::uint16_t>(numbers.between(16, 96));
  s.weapon.frequency = static_cast<std::int32_t>(numbers.between(20'000, 200'000));
  s.anchor.launcher_velocity = s.anchor.target_velocity = sim::Vec3(0);
  const std::int64_t reach = numbers.between(shortest, longest);
  std::int64_t way = 0;
  do {
    s.anchor.target_position = s.anchor.muzzle + numbers.vector<sim::Vec3>(reach);
    way = sim::length(sim::WideVec3(s.anchor.target_position) - sim::WideVec3(s.anchor.muzzle));
  } while (way < shortest || way > longest);
  const auto chord =
      reference::from(sim::WideVec3(s.anchor.target_position) - sim::WideVec3(s.anchor.muzzle));
  while (cone_degrees < 180) {
    const auto forward = reference::from(sim::thaw(s.anchor.muzzle_basis.forward));
    if (reference::angle(forward, chord) < cone_degrees * 0.0174532925L) break;
    s.anchor.muzzle_basis = sim::freeze(random_basis(numbers));
  }
  return s;
}

inline reference::Bezier bezier(const sim::Cubic& c) {
  return {
      {reference::from(c[0]), reference::from(c[1]), reference::from(c[2]), reference::from(c[3])}};
}

/// Repetitions: `usual`, or `long_run` with CONTRAIL_TEST_LONG.
inline int repeats_up_to(int usual, int long_run) {
  return std::getenv("CONTRAIL_TEST_LONG") != nullptr ? long_run : usual;
}

}  // namespace contrail::test
