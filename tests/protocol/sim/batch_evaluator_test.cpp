// Missiles evaluated all at once against missiles evaluated one by one.

#include <gtest/gtest.h>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/batch/batch_evaluator.hpp>
#include <contrail/support/random_log.hpp>
#include <contrail/support/small_scenario.hpp>
#include <optional>

#include "batch_targets.hpp"
#include "test_numbers.hpp"

namespace contrail::sim {
namespace {

using support::Dice;
using support::metres;

/// Arrays of one evaluation.
struct Arrays {
  std::vector<MissileRef> missiles;
  std::vector<Vec3> positions;
  std::vector<Vec3> velocities;
  std::vector<Basis> orientations;
  std::size_t count = 0;

  void evaluate(BatchEvaluator& evaluator, const World& world, Subtick t, bool motion = true) {
    const std::size_t room = evaluator.follow(world);
    missiles.assign(room, {0xFFFF'FFFF, 255});
    positions.assign(room, Vec3(-1));
    velocities.assign(motion ? room : 0, Vec3(-1));
    orientations.assign(motion ? room : 0, Basis{});
    count = evaluator.evaluate(world, t, {missiles, positions, velocities, orientations});
  }
};

/// What was compared, so that no comparison is one of nothing.
struct Seen {
  long missiles = 0;
  long differing = 0;
  long unlocked = 0;
  long retargeted = 0;
  long past = 0;
  std::optional<MissileRef> first;
};

/// Every missile of the world at t against the arrays, in order.
void compare(const World& world, Subtick t, const Arrays& batch, Seen& seen) {
  std::size_t i = 0;
  for (const Salvo& salvo : world.salvos()) {
    for (std::size_t n = 0; n < salvo.missiles.size(); ++n) {
      const auto index = static_cast<std::uint8_t>(n);
      if (!world.missile_flies(salvo, index, t)) {
        continue;
      }
      ASSERT_LT(i, batch.count);
      ASSERT_EQ(batch.missiles[i], (MissileRef{salvo.id, index}));
      const bool same = batch.positions[i] == world.missile_position(salvo, index, t) &&
                        (batch.velocities.empty() ||
                         (batch.velocities[i] == world.missile_velocity(salvo, index, t) &&
                          batch.orientations[i] == world.missile_basis(salvo, index, t)));
      if (!same) {
        ++seen.differing;
        seen.first = seen.first ? seen.first : MissileRef{salvo.id, index};
      }
      ++seen.missiles;
      const Missile& missile = salvo.missiles[n];
      seen.unlocked += missile.locked ? 0 : 1;
      seen.retargeted += missile.locked && missile.events > 0 ? 1 : 0;
      seen.past += t < world.time() ? 1 : 0;
      ++i;
    }
  }
  ASSERT_EQ(i, batch.count);
}

class BatchEvaluation : public testing::TestWithParam<BatchTarget> {
 protected:
  std::uint64_t seed_ = test::seed_or(77);
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

TEST_P(BatchEvaluation, equals_the_world_over_random_logs_at_any_time) {
  Seen seen;
  for (int round = 0; round < test::repeats(12); ++round) {
    Dice dice(seed_ + static_cast<std::uint64_t>(round));
    World world(support::random_scenario(dice));
    BatchEvaluator windows(GetParam());
    BatchEvaluator flights(GetParam(), BatchMemory::flights);
    Arrays arrays;
    for (int tick = 0; tick < 100; ++tick) {
      ASSERT_EQ(world.fold(support::random_record(world, dice)).error, FoldError::none);
      // The tick itself, a time beyond it, one somewhere in the past.
      const Subtick back = dice.between(0, std::min<Subtick>(world.time(), 3 * 65'536));
      const Subtick times[] = {world.time(), world.time() + dice.between(1, 4'000),
                               world.time() - back};
      for (const Subtick t : times) {
        if (!dice.chance(60)) {
          continue;
        }
        arrays.evaluate(windows, world, t);
        ASSERT_NO_FATAL_FAILURE(compare(world, t, arrays, seen));
        arrays.evaluate(flights, world, t, dice.chance(50));
        ASSERT_NO_FATAL_FAILURE(compare(world, t, arrays, seen));
      }
    }
    ASSERT_EQ(seen.differing, 0) << "round " << round << " salvo " << seen.first->salvo
                                 << " missile " << int{seen.first->index};
  }
  EXPECT_GT(seen.missiles, 10'000);
  EXPECT_GT(seen.unlocked, 100);
  EXPECT_GT(seen.retargeted, 100);
  EXPECT_GT(seen.past, 1'000);
}

TEST_P(BatchEvaluation, equals_a_world_restored_from_a_snapshot) {
  Dice dice(seed_ + 1'000);
  const auto scenario = support::random_scenario(dice);
  World world(scenario);
  for (int tick = 0; tick < 120; ++tick) {
    ASSERT_EQ(world.fold(support::random_record(world, dice)).error, FoldError::none);
  }
  std::optional<World> restored;
  ASSERT_EQ(World::restore(scenario, world.snapshot(), restored), FoldError::none);
  BatchEvaluator evaluator(GetParam());
  Arrays arrays;
  Seen seen;
  for (int step = 0; step < 20; ++step) {
    const Subtick t = world.time() - 40'000 * step;
    arrays.evaluate(evaluator, *restored, t);
    ASSERT_NO_FATAL_FAILURE(compare(world, t, arrays, seen));
  }
  EXPECT_EQ(seen.differing, 0);
  EXPECT_GT(seen.missiles, 0);
}

/// Two balls, the second turning about; salvos of the given sizes at it, in tick 10.
World world_with_salvos(const std::vector<int>& counts, std::int32_t ripple, int pieces = 32) {
  Scenario scenario = support::small_scenario();
  scenario.weapons[0].ripple_interval = ripple;
  World world(support::share(scenario));
  TickRecord record;
  record.tick = 1;
  record.spawns.push_back({1, 0, 1, 0, {0, 0, 0}, {0, 0, 0}, {}});
  record.spawns.push_back({2, 0, 2, 0, {0, 0, metres(400)}, {metres(20), 0, 0}, {}});
  EXPECT_EQ(world.fold(record).error, FoldError::none);
  record = {};
  record.tick = 10;
  record.track_keys.push_back({2, 6, false, {metres(-200), metres(80), metres(500)}, {0, 0, 0}});
  for (const int count : counts) {
    Launch launch;
    launch.seed = static_cast<std::uint32_t>(count) * 77U;
    launch.launcher = 1;
    launch.target = 2;
    launch.t0 = 9 * 2048 + 1;
    launch.pieces = static_cast<std::uint16_t>(pieces);
    launch.count = static_cast<std::uint8_t>(count);
    launch.log2_piece = 12;
    record.launches.push_back(launch);
  }
  EXPECT_EQ(world.fold(record).error, FoldError::none);
  return world;
}

TEST_P(BatchEvaluation,
       equals_the_world_for_salvos_of_every_size_from_none_to_two_vectors_and_one) {
  for (const std::int32_t ripple : {0, 700}) {
    for (int count = 0; count <= 17; ++count) {
      const World world =
          world_with_salvos(count == 0 ? std::vector<int>{} : std::vector{count}, ripple);
      BatchEvaluator evaluator(GetParam());
      Arrays arrays;
      Seen seen;
      for (Subtick t = 9 * 2048; t < 9 * 2048 + 33 * 4096 + 17 * 700; t += 3'001) {
        arrays.evaluate(evaluator, world, t);
        ASSERT_NO_FATAL_FAILURE(compare(world, t, arrays, seen));
      }
      ASSERT_EQ(seen.differing, 0) << "count " << count << " ripple " << ripple;
      ASSERT_GE(seen.missiles, 40 * count);
    }
  }
}

TEST_P(BatchEvaluation, equals_the_world_at_every_boundary_of_pieces_and_flights) {
  const World world = world_with_salvos({3, 11}, 512, 3);
  BatchEvaluator evaluator(GetParam());
  Arrays arrays;
  Seen seen;
  const Subtick t0 = 9 * 2048 + 1;
  for (int index = 0; index < 11; ++index) {
    for (int piece = 0; piece <= 3; ++piece) {
      for (const Subtick off : {-1, 0, 1}) {
        const Subtick t = t0 + index * 512 + piece * 4096 + off;
        arrays.evaluate(evaluator, world, t);
        ASSERT_NO_FATAL_FAILURE(compare(world, t, arrays, seen));
      }
    }
  }
  EXPECT_EQ(seen.differing, 0);
  EXPECT_GT(seen.missiles, 500);
}

TEST_P(BatchEvaluation, a_fault_of_one_unit_in_one_lane_is_found) {
  const World world = world_with_salvos({5, 9}, 0);
  BatchEvaluator evaluator(GetParam());
  Arrays arrays;
  const Subtick t = 20 * 2048;
  arrays.evaluate(evaluator, world, t);
  evaluator.displace_piece({1, 6}, Vec3(0, 1, 0));
  arrays.evaluate(evaluator, world, t);
  Seen seen;
  ASSERT_NO_FATAL_FAILURE(compare(world, t, arrays, seen));
  EXPECT_EQ(seen.differing, 1);
  ASSERT_TRUE(seen.first);
  EXPECT_EQ(*seen.first, (MissileRef{1, 6}));
}

TEST_P(BatchEvaluation, writes_nothing_beyond_the_missiles_in_flight) {
  const World world = world_with_salvos({7}, 2'000);
  BatchEvaluator evaluator(GetParam());
  Arrays arrays;
  arrays.evaluate(evaluator, world, 9 * 2048 + 1 + 3 * 2'000);
  ASSERT_EQ(arrays.count, 4U);
  for (std::size_t i = 4; i < arrays.positions.size(); ++i) {
    EXPECT_EQ(arrays.positions[i], Vec3(-1));
    EXPECT_EQ(arrays.velocities[i], Vec3(-1));
    EXPECT_EQ(arrays.missiles[i], (MissileRef{0xFFFF'FFFF, 255}));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, BatchEvaluation, testing::ValuesIn(batch_targets()),
                         test::target_test_name);

TEST(BatchEvaluator, keeps_at_most_256_bytes_a_missile_in_window_memory) {
  const World world = world_with_salvos(std::vector<int>(800, 64), 0, 59);
  BatchEvaluator evaluator(batch_targets().back());
  Arrays arrays;
  arrays.evaluate(evaluator, world, 11 * 2048, false);
  ASSERT_EQ(arrays.count, 800U * 64U);
  EXPECT_LE(evaluator.memory_bytes() / arrays.count, 256U);
}

TEST(BatchEvaluator, forgets_salvos_the_world_has_pruned) {
  World world = world_with_salvos({255, 255}, 0, 4);
  BatchEvaluator evaluator(BatchTarget::scalar);
  EXPECT_EQ(evaluator.follow(world), 510U);
  world.advance(world.tick() + 32 * 10);
  ASSERT_TRUE(world.salvos().empty());
  EXPECT_EQ(evaluator.follow(world), 0U);
}

TEST(BatchEvaluator, refuses_arrays_that_are_too_small) {
  const World world = world_with_salvos({9}, 0);
  BatchEvaluator evaluator(BatchTarget::scalar);
  std::vector<Vec3> positions(8);
  EXPECT_THROW((void)evaluator.evaluate(world, world.time(), {{}, positions, {}, {}}),
               AssertionFailure);
}

TEST(BatchEvaluator, follows_another_world_after_a_reset) {
  const World first = world_with_salvos({3}, 0);
  const World second = world_with_salvos({4, 5}, 100);
  BatchEvaluator evaluator(BatchTarget::scalar);
  Arrays arrays;
  Seen seen;
  arrays.evaluate(evaluator, first, 12 * 2048);
  evaluator.reset();
  arrays.evaluate(evaluator, second, 12 * 2048);
  ASSERT_NO_FATAL_FAILURE(compare(second, 12 * 2048, arrays, seen));
  EXPECT_EQ(seen.missiles, 9);
  EXPECT_EQ(seen.differing, 0);
}

}  // namespace
}  // namespace contrail::sim
