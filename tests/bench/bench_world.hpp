#pragma once

// What the core benchmark flies: ships on curved tracks and salvos of 16 missiles at them, all in
// flight at the same time.

#include <contrail/sim/world.hpp>

namespace contrail::bench {

inline constexpr int k_salvo = 16;
inline constexpr int k_pieces = 59;
inline constexpr int k_log2_piece = 13;  // 59 pieces of 1/8 s: 7.4 s

/// The table of the benchmark: weapon 0 wobbles (B-spline noise) and ripples, 60 missiles a second.
std::shared_ptr<const sim::Scenario> bench_scenario();

/// A world at a tick at which `missiles` (a multiple of 16) are in flight and stay so for more than
/// a second, launched over the 5 s before.
sim::World bench_world(int missiles);

/// One flight's source, number `i` of many different ones; refers to static data.
struct BenchFlight {
  sim::Launch launch;
  sim::Anchor anchor;
};
BenchFlight bench_flight(std::uint32_t i);

}  // namespace contrail::bench
