#pragma once

// The scenario of the worlds that records are folded into, here and where the corpus is made.

#include <memory>

#include <contrail/sim/scenario.hpp>
#include <contrail/support/random_log.hpp>

namespace contrail::fuzz {

inline std::shared_ptr<const sim::Scenario> stage_scenario() {
  support::Dice dice(20);
  return support::random_scenario(dice);
}

}  // namespace contrail::fuzz
