#pragma once

// Writes random logs that fit their world: cuts, coasting, jumps, attitude keys, ripples, guidance,
// deaths, respawns, orders and shots of turrets, the world's limits. A seed gives the same log
// everywhere.

#include <cstdint>
#include <memory>
#include <vector>

#include <contrail/sim/world.hpp>

namespace contrail::support {

/// A small generator of test data; the same numbers on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  bool chance(int percent) { return between(0, 99) < percent; }
  sim::Vec3 vector(std::int64_t limit);

 private:
  std::uint64_t state_;
};

std::shared_ptr<const sim::Scenario> random_scenario(Dice& dice);

/// Continues a world's log: gives the next tick's record, which folds without an error. The record
/// has no state hash.
sim::TickRecord random_record(const sim::World& world, Dice& dice);

}  // namespace contrail::support
