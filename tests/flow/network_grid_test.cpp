// Whole sessions over every mixture of loss, delay, jitter, reordering, repetition and a narrow
// link: all clients end with the server's world. A row of the printed table is one session.
// The usual run plays the corners; with CONTRAIL_TEST_LONG all mixtures, and longer.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <contrail/edge/scenario_file.hpp>

#include "whole_stack.hpp"

namespace contrail::flow_test {
namespace {

using client::State;
using wire::k_millisecond;
using wire::k_second;

bool long_run() {
  return std::getenv("CONTRAIL_TEST_LONG") != nullptr;
}

struct Mixture {
  const char* name;
  support::LinkConditions conditions;
};

/// What comes on top of loss and delay.
const std::vector<Mixture>& mixtures() {
  static const std::vector<Mixture> all{
      {"plain", {}},
      {"jitter 30 ms", {0, 0, 0, 0, 30 * k_millisecond}},
      {"reorder 30 %", {0, 0, 300, 0, 30 * k_millisecond}},
      {"duplicate 10 %", {0, 100, 0, 0, 0}},
      {"20 kB/s", {0, 0, 0, 0, 0, 20'000}},
  };
  return all;
}

struct Cell {
  int loss = 0;  // per 1,000
  int lag = 0;   // milliseconds, each way
  std::size_t mixture = 0;
  [[nodiscard]] support::LinkConditions conditions() const {
    support::LinkConditions out = mixtures()[mixture].conditions;
    out.loss = loss;
    out.delay = lag * k_millisecond;
    return out;
  }
};

std::vector<Cell> cells() {
  std::vector<Cell> out;
  for (const int loss : {0, 50, 200}) {
    for (const int lag : {0, 50, 200}) {
      for (std::size_t mixture = 0; mixture < mixtures().size(); ++mixture) {
        const bool corner = loss != 50 && lag != 50;
        if (corner || long_run()) out.push_back({loss, lag, mixture});
      }
    }
  }
  return out;
}

/// Until every client has folded the very tick the server is at.
bool settle(WholeStack& stack) {
  const auto behind = [&stack](const std::unique_ptr<Watcher>& watcher) {
    const sim::World* world = watcher->core.world();
    return world == nullptr || world->tick() != stack.match.world().tick();
  };
  stack.network.set_conditions({});
  stack.run(2 * k_second);
  for (int i = 0; i < 200; ++i) {
    if (std::none_of(stack.watchers.begin(), stack.watchers.end(), behind)) return true;
    stack.run(2 * k_millisecond);
  }
  return false;
}

void print_row(const Cell& cell, const WholeStack& stack, std::uint64_t checks,
               std::uint64_t mismatches, std::uint64_t planted) {
  std::printf("%5.0f %5d  %-14s %9llu %7llu %7llu %7llu %7llu %10llu %8llu\n", cell.loss / 10.0,
              cell.lag, mixtures()[cell.mixture].name,
              static_cast<unsigned long long>(stack.network.sent()),
              static_cast<unsigned long long>(stack.network.lost()),
              static_cast<unsigned long long>(stack.network.reordered()),
              static_cast<unsigned long long>(stack.network.duplicated()),
              static_cast<unsigned long long>(checks), static_cast<unsigned long long>(mismatches),
              static_cast<unsigned long long>(planted));
}

/// Every event of the server's log since the client's last snapshot was shown, once, in order.
void expect_complete(const WholeStack& stack, const Watcher& watcher) {
  const auto wanted = stack.happened(watcher.reset_time, watcher.last_render_time);
  ASSERT_EQ(watcher.events.size(), wanted.size());
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), watcher.events.begin()));
}

/// The network did to datagrams what the cell says.
void expect_conditions_met(const Cell& cell, const support::SimNetwork& network) {
  const support::LinkConditions conditions = cell.conditions();
  if (conditions.loss > 0) {
    const auto rate = network.lost() * 1000 / network.sent();
    EXPECT_GT(rate, static_cast<std::uint64_t>(conditions.loss) / 2);
  }
  if (conditions.bytes_per_second > 0) {
    EXPECT_GT(network.lost(), 0U);  // the queue ran over
  }
  EXPECT_EQ(network.reordered() > 0, conditions.reorders > 0);
  EXPECT_EQ(network.duplicated() > 0, conditions.duplicates > 0);
}

void play(const Cell& cell, const std::shared_ptr<const sim::Scenario>& scenario,
          std::uint64_t seed) {
  SCOPED_TRACE(std::string(mixtures()[cell.mixture].name) + ", loss per 1,000 " +
               std::to_string(cell.loss) + ", lag " + std::to_string(cell.lag) + " ms, seed " +
               std::to_string(seed));
  WholeStack stack(scenario, seed);
  stack.network.set_conditions(cell.conditions());
  stack.join();
  // The control: knots off by 1/64 m in one client must be counted under the same conditions.
  Watcher& faulty = stack.join({}, client::TestFault::flight_knot);
  stack.run((long_run() ? 10 : 5) * k_second);
  stack.join();
  stack.run((long_run() ? 14 : 7) * k_second);
  expect_conditions_met(cell, stack.network);
  ASSERT_TRUE(settle(stack)) << "the clients never caught up";

  std::uint64_t checks = 0;
  std::uint64_t mismatches = 0;
  for (const auto& watcher : stack.watchers) {
    const client::LogCounts counts = watcher->core.statistics().log;
    EXPECT_EQ(watcher->core.state(), State::live) << watcher->core.describe_state();
    EXPECT_GT(counts.hash_checks, 0U);
    if (watcher.get() == &faulty) continue;
    checks += counts.hash_checks;
    mismatches += counts.hash_mismatches;
    EXPECT_EQ(watcher->core.world()->state_hash(), stack.match.world().state_hash());
    EXPECT_EQ(watcher->render_time_steps_back, 0U);
    expect_complete(stack, *watcher);
  }
  const std::uint64_t planted = faulty.core.statistics().log.hash_mismatches;
  EXPECT_EQ(mismatches, 0U);
  EXPECT_GT(planted, 0U);
  print_row(cell, stack, checks, mismatches, planted);
}

TEST(NetworkGrid, every_client_ends_with_the_servers_world_and_a_planted_fault_is_counted) {
  const server::LoadedScenario loaded = server::load_scenario("circus");
  ASSERT_NE(loaded.scenario, nullptr) << loaded.problems;
  std::printf(
      "loss%% lag ms network      datagrams    lost  reord.   dupl.  hashes mismatches  planted\n");
  std::uint64_t seed = 4'000;
  for (const Cell& cell : cells()) play(cell, loaded.scenario, seed++);
}

}  // namespace
}  // namespace contrail::flow_test
