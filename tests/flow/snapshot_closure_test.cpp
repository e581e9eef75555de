// A world restored from a snapshot and fed the rest of the log equals the world that folded all of
// it: member by member, by state hash, and along every trail of the kept history.

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include <contrail/sim/world.hpp>
#include <contrail/support/random_log.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail {
namespace {

using sim::Subtick;

struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
  std::uint64_t events_seen = 0;
  std::uint64_t implicit_impacts = 0;
  std::uint64_t turrets_joined = 0;  // turrets and bursts that came with snapshots
  std::uint64_t bursts_joined = 0;
};

/// What a fault in the snapshot would look like: something a joiner needs is missing.
enum class Damage { none, event, end, key, track_start, anchor, turret, burst };

bool damage(sim::Snapshot& snapshot, Damage kind) {
  switch (kind) {
    case Damage::none:
      return true;
    case Damage::event:
      if (snapshot.events.empty()) return false;
      snapshot.events.back().at_event.position.x += 4096;
      return true;
    case Damage::end:
      if (snapshot.ends.empty()) return false;
      snapshot.ends.erase(snapshot.ends.begin());
      return true;
    case Damage::key:
      if (snapshot.keys.empty()) return false;
      snapshot.keys.back().p1.x += 1;
      return true;
    case Damage::track_start:
      if (snapshot.tracks.empty()) return false;
      snapshot.tracks.front().v1.y += 1;
      return true;
    case Damage::anchor:
      if (snapshot.salvos.empty()) return false;
      snapshot.salvos.back().anchor.target_velocity.z += 64;
      return true;
    case Damage::turret:
      if (snapshot.turrets.empty()) return false;
      snapshot.turrets.back().state.pitch.angle += 1;
      return true;
    case Damage::burst:
      if (snapshot.bursts.empty()) return false;
      snapshot.bursts.back().pivot.x += 1;
      return true;
  }
  return false;
}

/// Positions of all missiles and entities at random times of the last 8 s.
void compare_trails(const sim::World& a, const sim::World& b, support::Dice& dice, Tally& tally) {
  const Subtick oldest = a.time() - sim::k_history;
  for (std::size_t s = 0; s < a.salvos().size(); ++s) {
    const sim::Salvo& ours = a.salvos()[s];
    const sim::Salvo& theirs = b.salvos()[s];
    for (std::size_t i = 0; i < ours.missiles.size(); ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      const Subtick first = std::max(oldest, a.missile_launch_time(ours, index));
      const Subtick last = std::min(a.time(), a.missile_end_time(ours, index));
      if (first > last || ours.missiles[i].end == sim::EndKind::aborted) {
        continue;
      }
      const Subtick t = dice.between(first, last);
      ++tally.compared;
      tally.different +=
          a.missile_position(ours, index, t) != b.missile_position(theirs, index, t) ? 1 : 0;
    }
  }
  for (std::size_t e = 0; e < a.entities().size(); ++e) {
    const Subtick first = std::max(oldest, a.entities()[e].spawn_time + 1);
    if (first > a.time()) {
      continue;
    }
    const Subtick t = dice.between(first, a.time());
    ++tally.compared;
    tally.different += a.entities()[e].track.pose(t) == b.entities()[e].track.pose(t) ? 0 : 1;
  }
}

/// One random scenario: fold, take a snapshot over the wire at a random tick, fold both on.
bool play(std::uint64_t seed, Damage kind, Tally& tally) {
  support::Dice dice(seed);
  const auto scenario = support::random_scenario(dice);
  const int log2_tick = scenario->log2_tick;
  sim::World whole(scenario);
  std::optional<sim::World> joined;
  const auto ticks = static_cast<std::uint32_t>(dice.between(60, 160));
  const auto join = static_cast<std::uint32_t>(dice.between(10, ticks - 10));
  support::Dice trail_dice(seed ^ 0x5EED);
  std::vector<sim::WorldEvent> events;
  for (std::uint32_t n = 1; n <= ticks; ++n) {
    sim::TickRecord record = support::random_record(whole, dice);
    if (!record.empty()) {
      sim::TickRecord received;
      const auto result =
          wire::decode_record(wire::encode_record(record, log2_tick), log2_tick, received);
      EXPECT_TRUE(result) << wire::describe(result.error) << ' ' << result.field << " seed "
                          << seed;
      EXPECT_EQ(received, record) << "seed " << seed;
    }
    events.clear();
    const auto folded = whole.fold(record, &events);
    EXPECT_EQ(folded.error, sim::FoldError::none)
        << sim::describe(folded.error) << " seed " << seed << " tick " << n;
    for (const sim::WorldEvent& event : events) {
      tally.implicit_impacts += event.end == sim::EndKind::impact ? 1 : 0;
    }
    tally.events_seen += record.guidance.size() + record.despawns.size();
    const sim::StateHash ours = whole.take_state_hash();
    if (joined) {
      record.state_hashes = {ours};
      const auto check = joined->fold(record);
      EXPECT_EQ(check.error, sim::FoldError::none) << sim::describe(check.error);
      if (check.error != sim::FoldError::none) {
        return true;
      }
      ++tally.compared;
      tally.different += check.hash.differing != 0 ? 1 : 0;
      if (n % 16 == 0 || n == ticks) {
        ++tally.compared;
        tally.different += joined->snapshot() == whole.snapshot() ? 0 : 1;
        if (joined->salvos().size() == whole.salvos().size() &&
            joined->entities().size() == whole.entities().size()) {
          compare_trails(whole, *joined, trail_dice, tally);
        }
      }
    }
    if (n == join) {
      sim::Snapshot received;
      const auto result = wire::decode_snapshot(wire::encode_snapshot(whole.snapshot(), log2_tick),
                                                log2_tick, received);
      EXPECT_TRUE(result) << wire::describe(result.error) << ' ' << result.field << " seed "
                          << seed;
      tally.turrets_joined += received.turrets.size();
      tally.bursts_joined += received.bursts.size();
      if (!damage(received, kind)) {
        return false;
      }
      const auto error = sim::World::restore(scenario, received, joined);
      if (kind == Damage::none) {
        EXPECT_EQ(error, sim::FoldError::none) << sim::describe(error) << " seed " << seed;
      }
      if (error != sim::FoldError::none) {
        ++tally.different;  // a damaged snapshot that is refused is noticed as well
        return true;
      }
    }
  }
  return true;
}

TEST(SnapshotClosure, SnapshotAndLogFoldToTheSameWorldAsTheLogAlone) {
  const char* given = std::getenv("CONTRAIL_TEST_SEED");
  const std::uint64_t base = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  Tally tally;
  for (std::uint64_t i = 0; i < 10'000 && !HasFailure(); ++i) {
    play(base * 1'000'000 + i, Damage::none, tally);
  }
  std::printf("seed %llu: %llu comparisons, %llu different, %llu implicit impacts\n",
              static_cast<unsigned long long>(base),
              static_cast<unsigned long long>(tally.compared),
              static_cast<unsigned long long>(tally.different),
              static_cast<unsigned long long>(tally.implicit_impacts));
  EXPECT_EQ(tally.different, 0U);
  EXPECT_GT(tally.compared, 1'000'000U);
  EXPECT_GT(tally.implicit_impacts, 10'000U);
  EXPECT_GT(tally.events_seen, 10'000U);
  EXPECT_GT(tally.turrets_joined, 10'000U);
  EXPECT_GT(tally.bursts_joined, 5'000U);
}

TEST(SnapshotClosure, EveryKindOfPlantedDamageIsNoticed) {
  for (const Damage kind : {Damage::event, Damage::end, Damage::key, Damage::track_start,
                            Damage::anchor, Damage::turret, Damage::burst}) {
    Tally tally;
    int played = 0;
    for (std::uint64_t seed = 1; played < 40; ++seed) {
      played += play(seed, kind, tally) ? 1 : 0;
    }
    EXPECT_GT(tally.different, 0U) << "damage " << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace contrail
