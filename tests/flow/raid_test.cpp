// 64 missiles at one ship with four turrets, seen by clients over a lossy network.

#include <gtest/gtest.h>

#include <cstdio>

#include <contrail/edge/scenario_file.hpp>

#include <contrail/wire/codec.hpp>

#include "whole_stack.hpp"

namespace contrail::flow_test {
namespace {

using wire::k_millisecond;
using wire::k_second;

TEST(Raid, FourTurretsShootDownWhatTheyCanAndEveryClientSeesItAlike) {
  const server::LoadedScenario loaded = server::load_scenario("raid");
  ASSERT_TRUE(loaded.scenario) << loaded.problems;
  WholeStack stack(loaded.scenario, 5);
  stack.network.set_conditions({50, 0, 0, 25 * k_millisecond, 5 * k_millisecond});
  for (int i = 0; i < 4; ++i) stack.join();
  stack.join({}, client::TestFault::flight_knot);  // the control
  stack.run(18 * k_second);

  const server::MatchCounters& c = stack.match.counters();
  EXPECT_EQ(c.missiles, 64U);
  EXPECT_GT(c.intercepted, 20U);
  EXPECT_EQ(c.intercepted + c.impacts + c.other_hits + c.expired + c.proximity, 64U);
  std::uint64_t turret_bytes = 0;
  std::uint64_t records = 0;
  for (const auto& [tick, bytes] : stack.log) {
    sim::TickRecord record;
    ASSERT_TRUE(wire::decode_record(bytes, loaded.scenario->log2_tick, record));
    turret_bytes += 12 * (record.turret_modes.size() + record.shots.size());
    records += record.turret_modes.size() + record.shots.size();
  }
  std::printf(
      "64 missiles, %llu rounds in %llu bursts, %llu intercepted (%llu %%), %llu impacts, "
      "%llu bytes of turret orders and shots\n",
      static_cast<unsigned long long>(c.rounds), static_cast<unsigned long long>(c.bursts),
      static_cast<unsigned long long>(c.intercepted),
      static_cast<unsigned long long>(c.intercepted * 100 / 64),
      static_cast<unsigned long long>(c.impacts), static_cast<unsigned long long>(turret_bytes));
  EXPECT_GT(records, 0U);
  for (std::size_t i = 0; i < stack.watchers.size(); ++i) {
    const client::LogCounts log = stack.watchers[i]->core.statistics().log;
    EXPECT_GT(log.hash_checks, 15U);
    if (i < 4) {
      EXPECT_EQ(log.hash_mismatches, 0U) << "client " << i;
    } else {
      EXPECT_GT(log.hash_mismatches, 0U) << "a planted fault is counted";
    }
  }
}

}  // namespace
}  // namespace contrail::flow_test
