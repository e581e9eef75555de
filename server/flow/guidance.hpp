#pragma once

// Which missiles lose their lock, or take another: limits of homing, what the seeker sees at
// launch, decoys, and the search for a new target.

#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <contrail/sim/world.hpp>

#include <contrail/flow/lock_test.hpp>
#include <contrail/flow/rules.hpp>
#include <contrail/flow/sight.hpp>

namespace contrail::server {

/// Faults that negative controls plant.
enum class GuidanceFault : std::uint8_t { none, never_loses, decoys_always_win };

/// How much was looked at so far.
struct GuidanceCounters {
  std::uint64_t salvos_passed = 0;  // by the bound of a whole salvo
  std::uint64_t missiles_tested = 0;
};

class GuidanceControl {
 public:
  /// `rules` must outlive it.
  explicit GuidanceControl(const Rules& rules) : rules_(rules) {}

  /// Adds the guidance of the world's next tick to the record, whose launches (`staged`), outcomes
  /// and despawns are there. What is found acts after the tick.
  void step(const sim::World& world, std::span<const sim::Salvo> staged, sim::TickRecord& record);

  [[nodiscard]] const GuidanceCounters& counters() const { return counters_; }
  /// Test seam.
  void plant_fault(GuidanceFault fault) { fault_ = fault; }

 private:
  /// What happens to one missile.
  struct Verdict {
    sim::GuidanceKind kind = sim::GuidanceKind::lock_lost;
    std::uint16_t target = sim::k_no_entity;
    auto operator<=>(const Verdict&) const = default;
  };
  using Verdicts = std::vector<std::pair<std::uint8_t, Verdict>>;  // by missile
  struct Test;                                                     // one lock test of all missiles

  void test_salvo(Test& test, const sim::Salvo& salvo);
  void test_missile(Test& test, const sim::Salvo& salvo, std::uint8_t index, bool holds);
  void lose(Test& test, const sim::Salvo& salvo, std::uint8_t index, const HomingSample& sample);
  void try_decoys(Test& test, const sim::Salvo& salvo, std::uint8_t index);
  [[nodiscard]] bool draws(const Test& test, const sim::Salvo& salvo, std::uint8_t index,
                           const sim::Entity& decoy) const;
  void search(Test& test, const sim::Salvo& salvo, std::uint8_t index);

  const Rules& rules_;
  GuidanceFault fault_ = GuidanceFault::none;
  GuidanceCounters counters_;
};

}  // namespace contrail::server
