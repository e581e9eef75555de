// Decoys: who throws them, and what they win.

#include <gtest/gtest.h>

#include <bit>

#include <contrail/flow/match.hpp>
#include <contrail/sim/arith.hpp>

#include "hunt.hpp"

namespace contrail::server {
namespace {

using namespace hunting;

/// The target and a decoy of its team that hangs 40 m beside its way.
sim::Scenario decoyed(std::int32_t chance, std::int32_t range) {
  sim::Scenario s = hunt();
  sim::EntityType flare = s.types[0];
  flare.name = "flare";
  flare.launchers.clear();
  flare.decoy_chance = chance;
  flare.decoy_range = range;
  s.types.push_back(flare);
  add_ball(s, 2, {metres(100), 0, metres(560)});
  s.entities.back().type = 1;
  s.types[0].launchers[1].salvo = 255;
  return s;
}

TEST(Countermeasures, ADecoyWinsWhatItsSeededRollSays) {
  for (const std::int32_t chance : {1, 20'000, 65'536}) {
    StagedMatch match(share(decoyed(chance, metres(300))));
    play_out(match);
    const sim::Launch& l = match.records[1].launches.at(0);
    std::size_t expected = 0;
    for (std::uint32_t i = 0; i < 255; ++i) {
      const std::uint32_t roll = sim::draw(sim::key(l.seed, sim::Stream::decoy_roll, i), 2) >> 16;
      expected += roll < static_cast<std::uint32_t>(chance) ? 1U : 0U;
    }
    std::size_t won = 0;
    for (const sim::TickRecord& r : match.records) {
      for (const sim::Guidance& g : r.guidance) {
        EXPECT_EQ(g.kind, sim::GuidanceKind::decoy);
        EXPECT_EQ(g.target, 2);
        won += static_cast<std::size_t>(std::popcount(g.mask));
      }
    }
    EXPECT_EQ(won, expected) << chance;
    // Every one arrives at its announced time, at the ship or at the decoy.
    std::size_t on_decoy = 0;
    const auto ends = ends_of(match);
    ASSERT_EQ(ends.size(), 255U);
    for (const sim::WorldEvent& e : ends) {
      on_decoy += e.entity == 2 && e.end == EndKind::impact ? 1U : 0U;
      EXPECT_EQ(e.time, l.t0 + (Subtick{l.pieces} << l.log2_piece));
    }
    EXPECT_EQ(on_decoy, expected) << chance;
  }
}

TEST(Countermeasures, ADecoyDrawsOnlyWhatComesNearAndOnlyForItsOwnTeam) {
  StagedMatch far(share(decoyed(65'536, metres(10))));
  play_out(far);
  EXPECT_TRUE(far.of(Kind::retarget).empty());
  sim::Scenario s = decoyed(65'536, metres(300));
  s.entities[2].team = 1;
  StagedMatch foreign(share(s));
  play_out(foreign);
  EXPECT_TRUE(foreign.of(Kind::retarget).empty());
}

TEST(Countermeasures, APlantedFaultInTheRollIsSeen) {
  StagedMatch match(share(decoyed(1, metres(300))));
  match.guidance.plant_fault(GuidanceFault::decoys_always_win);
  play_out(match);
  EXPECT_EQ(match.of(Kind::retarget).size(), 255U);
}

TEST(Countermeasures, AThreatenedShipThrowsDecoysThatVanishAgain) {
  sim::Scenario s = decoyed(20'000, metres(300));
  s.entities.pop_back();
  s.types[1].lifetime = k_second;
  s.types.push_back(s.types[0]);
  sim::Dispenser& d = s.types[2].dispenser;
  d.type = 1;
  d.count = 2;
  d.ammunition = 3;
  d.reload = k_second;
  d.velocity = {metres(20), metres(10), 0};
  d.trigger = sim::DispenserTrigger::threatened;
  d.warning = 3 * k_second;
  s.entities[1].type = 2;
  StagedMatch match(share(s));
  play_out(match);
  const auto spawns = match.of(Kind::spawn);
  ASSERT_EQ(spawns.size(), 5U);
  const sim::Launch& l = match.records[1].launches.at(0);
  const Subtick end = l.t0 + (Subtick{l.pieces} << l.log2_piece);
  EXPECT_GE(spawns[2].time, end - d.warning - 2048);
  EXPECT_LE(spawns[2].time, end - d.warning + 2048);
  EXPECT_EQ(spawns[3].time, spawns[2].time);
  EXPECT_EQ(spawns[4].time, spawns[2].time + k_second);  // the last one, after the reload
  EXPECT_EQ(match.of(Kind::despawn).size(), 3U);
  EXPECT_GT(match.of(Kind::retarget).size(), 0U);
  EXPECT_EQ(ends_of(match).size(), 255U);
}

TEST(Countermeasures, DecoysAreThrownOnCommandWhereThereAreAny) {
  sim::Scenario s = decoyed(65'536, metres(300));
  s.types[0].dispenser = {1, 1, 1, k_second, {0, metres(10), 0}, sim::DispenserTrigger::command, 0};
  Match match(share(s));
  EXPECT_FALSE(match.release_decoys(0));  // not there yet
  match.step();
  EXPECT_FALSE(match.release_decoys(2));  // a flare has no dispenser
  EXPECT_TRUE(match.release_decoys(0));
  match.step();
  EXPECT_EQ(match.counters().decoys, 1U);
  for (int i = 0; i < 40; ++i) match.step();
  EXPECT_FALSE(match.release_decoys(0));  // it is empty
  match.step();
  EXPECT_EQ(match.counters().decoys, 1U);
}

}  // namespace
}  // namespace contrail::server
