#pragma once

// One call of HitResolver::find(); for the files that implement it.

#include <cstdint>
#include <span>

#include <contrail/flow/hit_resolver.hpp>

namespace contrail::server {

struct HitResolver::Scan {
  const sim::World& world;
  std::span<const sim::Salvo> staged;
  std::uint32_t tick;        // the world's; the one after it is searched
  sim::Subtick now;          // its end
  sim::Subtick tick_length;  // subticks
  int log2_tick;             // of the same
  std::uint32_t window_ticks;

  [[nodiscard]] const sim::Scenario& scenario() const { return world.scenario(); }
  [[nodiscard]] const sim::Salvo& salvo(std::uint32_t id) const {
    return id >= world.next_launch() ? staged[id - world.next_launch()] : *world.find_salvo(id);
  }
  [[nodiscard]] const sim::Weapon& weapon(const SalvoHeader& header) const {
    return scenario().weapons[header.launch.weapon];
  }
  [[nodiscard]] sim::Subtick launched(const SalvoHeader& header, const HotMissile& missile) const {
    return sim::launch_time(header.launch, weapon(header), missile.index);
  }
  [[nodiscard]] static sim::Subtick duration(const SalvoHeader& header) {
    return sim::Subtick{header.launch.pieces} << header.launch.log2_piece;
  }
  /// The world tick in whose successor t lies.
  [[nodiscard]] std::uint32_t tick_before(sim::Subtick t) const {
    return static_cast<std::uint32_t>((t - 1) >> log2_tick);
  }
};

}  // namespace contrail::server
