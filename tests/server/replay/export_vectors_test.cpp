#include <gtest/gtest.h>

#include <algorithm>
#include <contrail/replay/export_vectors.hpp>
#include <contrail/support/random_log.hpp>
#include <fstream>
#include <sstream>

namespace contrail::server {
namespace {

using sim::TickRecord;

constexpr std::uint32_t k_ticks = 1200;

/// A log of everything that changes the state, with a state hash in every eighth record.
std::vector<TickRecord> random_log(const std::shared_ptr<const sim::Scenario>& scenario,
                                   support::Dice& dice) {
  std::vector<TickRecord> log;
  sim::World world(scenario);
  while (world.tick() < k_ticks) {
    TickRecord record = support::random_record(world, dice);
    EXPECT_EQ(world.fold(record).error, sim::FoldError::none);
    if (record.tick % 8 == 0) {
      record.state_hashes = {world.take_state_hash()};
    }
    log.push_back(std::move(record));
  }
  return log;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ExportVectors, the_committed_random_log_is_what_they_say) {
  support::Dice dice(20'260'301);
  const auto scenario = support::random_scenario(dice);
  std::ostringstream out;
  VectorWriter writer(scenario, random_times(500, 1, k_ticks * scenario->tick_length()), out);
  for (const TickRecord& record : random_log(scenario, dice)) {
    ASSERT_TRUE(writer.record(record)) << writer.error();
  }
  EXPECT_GT(writer.positions(), 1000U);

  const std::string computed = testing::TempDir() + "random_log.jsonl";
  std::ofstream(computed, std::ios::binary) << out.str();
  const std::string golden = std::string(CONTRAIL_GOLDEN_DIR) + "/random_log.jsonl";
  EXPECT_TRUE(out.str() == read(golden)) << computed << " differs from " << golden;
}

TEST(ExportVectors, end_where_a_recorded_state_hash_is_not_that_of_the_fold) {
  support::Dice dice(7);
  const auto scenario = support::random_scenario(dice);
  std::ostringstream out;
  VectorWriter writer(scenario, {}, out);
  bool refused = false;
  for (TickRecord record : random_log(scenario, dice)) {
    const bool altered = !record.state_hashes.empty();
    if (altered) {
      record.state_hashes[0].lanes[2] ^= 1U;
    }
    refused = !writer.record(record);
    ASSERT_EQ(refused, altered) << writer.error();
    if (refused) {
      break;
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_NE(writer.error().find("state hash"), std::string::npos) << writer.error();
}

TEST(ExportVectors, times_ascend_within_the_session_and_follow_from_the_seed) {
  const std::vector<sim::Subtick> times = random_times(1000, 5, 77);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(times.front(), 1);
  EXPECT_EQ(times.back(), 77);
  EXPECT_EQ(times, random_times(1000, 5, 77));
  EXPECT_NE(times, random_times(1000, 6, 77));
}

}  // namespace
}  // namespace contrail::server
