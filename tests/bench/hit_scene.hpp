#pragma once

// A crowded sky for benchmarks: ships on curved routes in a box, and salvos between them so that a
// wanted number of missiles is in the air.

#include <cstdint>
#include <memory>
#include <vector>

#include <contrail/flow/match.hpp>
#include <contrail/sim/scenario.hpp>
#include <contrail/support/random_log.hpp>

namespace contrail::bench {

struct SceneSize {
  std::uint32_t missiles = 0;  // live, on average
  std::uint32_t entities = 0;
  std::int32_t box_metres = 20'000;  // side
  int chord_low = 300;               // metres a second, of most launches
  int chord_high = 1000;
  std::uint8_t log2_tick = 11;
};

/// Flights of 6, 7 and 8 s, amplitude 8 to 60 m, two noise cells a second; one-capsule ships of 5
/// to 150 m with 55 to 295 m/s, pieces of constant acceleration up to 50 m/s^2 of 1 to 4 s. Nothing
/// dies.
std::shared_ptr<const sim::Scenario> scene_scenario(const SceneSize& size);

/// Fire commands that keep the wanted number in flight.
class SceneGunner {
 public:
  explicit SceneGunner(const SceneSize& size) : size_(size), dice_(99) {}
  /// Submits the commands of the next tick.
  void fire(server::Match& match);
  /// Submits commands for this many missiles at once.
  void burst(server::Match& match, std::uint32_t missiles);

 private:
  void salvo(server::Match& match);
  SceneSize size_;
  support::Dice dice_;
  std::int64_t owed_ = 0;  // missiles, 1/65536
  std::uint32_t next_command_ = 1;
};

}  // namespace contrail::bench
