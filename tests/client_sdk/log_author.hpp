#pragma once

// A small author of logs: spawns, routes and salvos written by hand, folded by a world of its own,
// so that what a client shows can be compared with what the author knows.

#include <cstdint>
#include <memory>
#include <vector>

#include <contrail/sim/world.hpp>

namespace contrail::test {

inline constexpr std::int32_t k_metre = sim::k_units_per_metre;

/// Two weapons (0: direct, 1: a circus that weaves and ripples) and one ship type.
std::shared_ptr<const sim::Scenario> small_scenario(std::uint8_t log2_tick = 11);

class LogAuthor {
 public:
  /// Starts at `tick`, as if nothing had happened before it.
  explicit LogAuthor(std::shared_ptr<const sim::Scenario> scenario, std::uint32_t tick = 0);

  /// The record of the next tick; fill it, then call step().
  sim::TickRecord next;
  /// Folds `next`, with a state hash where the tick is a multiple of `hash_every` (0: never).
  /// Gives the record as the log carries it, through real bytes. Throws when it is refused.
  sim::TickRecord step();
  /// Steps without content until the world is at `tick`; the records that carry a hash.
  std::vector<sim::TickRecord> run_to(std::uint32_t tick);

  /// Fills `next` with a ship at a place (length units) and speed (length units per second).
  void spawn(std::uint16_t entity, const sim::Vec3& position, const sim::Vec3& velocity,
             std::uint8_t team = 0);
  /// Fills `next` with a salvo; its id is the number of launches before it. `at` 1..tick length is
  /// the subtick of the tick at which missile 0 leaves.
  std::uint32_t launch(std::uint16_t launcher, std::uint16_t target, std::uint8_t weapon,
                       std::uint8_t count, std::uint16_t pieces, sim::Subtick at = 1);

  [[nodiscard]] const sim::World& world() const { return *world_; }
  sim::World& world() { return *world_; }
  [[nodiscard]] std::uint32_t next_tick() const { return world_->tick() + 1; }

  std::uint32_t hash_every = 16;

 private:
  std::shared_ptr<const sim::Scenario> scenario_;
  std::optional<sim::World> world_;
  std::uint32_t seed_ = 1;
};

}  // namespace contrail::test
