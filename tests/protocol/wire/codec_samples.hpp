#pragma once

// Random but valid messages for the tests of the codec: every kind, values up to their limits.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <contrail/support/random_log.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::wire::samples {

using support::Dice;

/// The seed of a property test: CONTRAIL_TEST_SEED or the given one.
inline std::uint64_t test_seed(std::uint64_t otherwise) {
  const char* set = std::getenv("CONTRAIL_TEST_SEED");
  return set != nullptr ? std::strtoull(set, nullptr, 10) : otherwise;
}
/// Repetitions: ten times as many with CONTRAIL_TEST_LONG.
inline int repetitions(int usual) {
  return std::getenv("CONTRAIL_TEST_LONG") != nullptr ? 10 * usual : usual;
}

/// Elements of each kind: up to `most`, none of a kind in two of three cases. Never empty.
sim::TickRecord random_record(Dice& dice, std::uint32_t tick, int log2_tick, int most);
sim::Scenario random_scenario(Dice& dice);
SessionHeader random_header(Dice& dice);
/// Its parts fit together as the codec demands; not a state a world would reach.
sim::Snapshot random_snapshot(Dice& dice, int log2_tick);
Input random_input(Dice& dice);
std::vector<Command> random_commands(Dice& dice);

/// A quaternion of length 1 from a small table.
sim::Quaternion random_attitude(Dice& dice);

}  // namespace contrail::wire::samples
