// The log of the built-in circus is the same on every machine, compiler and optimisation level.

#include <gtest/gtest.h>

#include <contrail/edge/scenario_file.hpp>
#include <contrail/flow/match.hpp>
#include <fstream>
#include <string>

namespace contrail::server {
namespace {

std::string log_hash(std::shared_ptr<const sim::Scenario> scenario, int ticks) {
  Match match(std::move(scenario));
  for (int i = 0; i < ticks; ++i) {
    match.step();
  }
  return match.log().hash().hex();
}

/// tests/golden/circus_60s.txt: the hash of the first 60 s. It changes only with the path revision
/// or the scenario itself; `contrail-server --unpaced --duration 60s --json` prints the new one.
TEST(GoldenLog, SixtySecondsOfCircusHaveTheCommittedHash) {
  std::ifstream file(CONTRAIL_GOLDEN_DIR "/circus_60s.txt");
  std::string golden;
  file >> golden;
  const LoadedScenario loaded = load_scenario("circus");
  ASSERT_TRUE(loaded.scenario) << loaded.problems;
  EXPECT_EQ(log_hash(loaded.scenario, 60 * 32), golden);
}

TEST(GoldenLog, AnotherSeedGivesAnotherLog) {
  const LoadedScenario loaded = load_scenario("circus");
  ASSERT_TRUE(loaded.scenario) << loaded.problems;
  auto other = std::make_shared<sim::Scenario>(*loaded.scenario);
  ++other->seed;
  EXPECT_NE(log_hash(other, 320), log_hash(loaded.scenario, 320));
}

}  // namespace
}  // namespace contrail::server
