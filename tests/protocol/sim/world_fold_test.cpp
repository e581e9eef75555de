// What a world refuses, and that it stays as it was then.

#include <gtest/gtest.h>

#include <contrail/sim/world.hpp>
#include <contrail/support/small_scenario.hpp>
#include <functional>

namespace contrail::sim {
namespace {

using support::metres;

constexpr Subtick k_tick = 2048;

/// A world at tick 10 with balls 1 and 2 and one salvo of 8 (id 0) from 1 at 2.
class WorldFold : public testing::Test {
 protected:
  WorldFold() : world_(scenario()) {
    TickRecord record;
    record.tick = 1;
    record.spawns.push_back({1, 0, 1, 0, {0, 0, 0}, {0, 0, 0}, {}});
    record.spawns.push_back({2, 0, 2, 0, {0, 0, metres(400)}, {0, 0, 0}, {}});
    EXPECT_EQ(world_.fold(record).error, FoldError::none);
    record = {};
    record.tick = 10;
    record.launches.push_back(launch_at(10));
    EXPECT_EQ(world_.fold(record).error, FoldError::none);
  }
  static std::shared_ptr<const Scenario> scenario() {
    auto s = support::small_scenario();
    s.weapons[0].ripple_interval = 4000;
    return support::share(s);
  }
  static Launch launch_at(std::uint32_t tick) {
    Launch l;
    l.launcher = 1;
    l.target = 2;
    l.t0 = (tick - 1) * k_tick + 1;
    l.pieces = 32;
    l.count = 8;
    l.log2_piece = 13;
    return l;
  }
  static TickRecord next() {
    TickRecord record;
    record.tick = 11;
    return record;
  }
  void refuses(FoldError error, const TickRecord& record) {
    const Snapshot before = world_.snapshot();
    std::vector<WorldEvent> events;
    const auto advanced = record.tick == 11;
    EXPECT_EQ(world_.fold(record, &events).error, error) << describe(error);
    EXPECT_TRUE(events.empty());
    if (advanced) {
      EXPECT_EQ(world_.snapshot(), before) << describe(error);
    }
  }
  void refuses(FoldError error, const std::function<void(TickRecord&)>& edit) {
    TickRecord record = next();
    edit(record);
    refuses(error, record);
  }
  World world_;
};

TEST_F(WorldFold, RefusesTicksThatAreNotNext) {
  TickRecord record;
  for (const std::uint32_t tick : {0U, 1U, 10U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    record.tick = tick;
    refuses(FoldError::tick_out_of_order, record);
    EXPECT_EQ(world_.tick(), 10U);
  }
}

TEST_F(WorldFold, RefusesLaunchesThatDoNotFit) {
  const auto with = [](const std::function<void(Launch&)>& edit) {
    return [edit](TickRecord& r) {
      r.launches.push_back(launch_at(11));
      edit(r.launches.back());
    };
  };
  refuses(FoldError::time_out_of_tick, with([](Launch& l) { l.t0 = 10 * k_tick; }));
  refuses(FoldError::time_out_of_tick, with([](Launch& l) { l.t0 = 11 * k_tick + 1; }));
  refuses(FoldError::unknown_entity, with([](Launch& l) { l.launcher = 3; }));
  refuses(FoldError::unknown_entity, with([](Launch& l) { l.target = k_no_entity; }));
  refuses(FoldError::unknown_weapon, with([](Launch& l) { l.weapon = 1; }));
  refuses(FoldError::unknown_mount, with([](Launch& l) { l.mount = 1; }));
  refuses(FoldError::bad_value, with([](Launch& l) { l.count = 0; }));
  refuses(FoldError::bad_value, with([](Launch& l) { l.pieces = 0; }));
  refuses(FoldError::bad_value, with([](Launch& l) { l.pieces = 961; }));
  refuses(FoldError::bad_value, with([](Launch& l) { l.log2_piece = 14; }));
  refuses(FoldError::bad_value, with([](Launch& l) { l.count = 10; }));  // ripple beyond 1/2 s
}

TEST_F(WorldFold, RefusesOutcomesOfMissilesNotInFlight) {
  const auto outcome = [](std::uint16_t salvo, std::uint8_t index, Subtick time) {
    return [=](TickRecord& r) { r.outcomes.push_back({salvo, index, EndKind::hull, 2, time}); };
  };
  const Subtick t = 10 * k_tick + 5;
  refuses(FoldError::unknown_salvo, outcome(1, 0, t));
  refuses(FoldError::bad_missile, outcome(0, 8, t));
  refuses(FoldError::bad_missile, outcome(0, 7, t));  // still in its tube
  refuses(FoldError::time_out_of_tick, outcome(0, 0, t - k_tick));
  refuses(FoldError::bad_missile, [&](TickRecord& r) {
    outcome(0, 0, t)(r);
    outcome(0, 0, t + 1)(r);
  });
  refuses(FoldError::bad_value, [&](TickRecord& r) {
    r.outcomes.push_back({0, 0, EndKind::impact, 2, t});
  });
  refuses(FoldError::unknown_entity, [&](TickRecord& r) {
    r.outcomes.push_back({0, 0, EndKind::hull, 77, t});
  });
}

TEST_F(WorldFold, RefusesGuidanceBeyondItsRules) {
  const auto guide = [](std::uint16_t salvo, std::uint8_t group, std::uint32_t mask,
                        std::uint16_t target) {
    return [=](TickRecord& r) {
      r.guidance.push_back({salvo, group, GuidanceKind::retarget, mask, target});
    };
  };
  refuses(FoldError::unknown_salvo, guide(5, 0, 1, k_no_entity));
  refuses(FoldError::bad_missile, guide(0, 0, 1U << 8U, k_no_entity));
  refuses(FoldError::bad_missile, guide(0, 1, 1, k_no_entity));
  refuses(FoldError::unknown_entity, guide(0, 0, 1, 9));
  refuses(FoldError::bad_guidance, guide(0, 0, 1U << 7U, 1));  // not launched yet
  refuses(FoldError::bad_guidance, [&](TickRecord& r) {
    guide(0, 0, 1, 1)(r);
    guide(0, 0, 1, k_no_entity)(r);
  });
  for (int i = 0; i < 2; ++i) {
    TickRecord record;
    record.tick = world_.tick() + 1;
    guide(0, 0, 1, 1)(record);
    ASSERT_EQ(world_.fold(record).error, FoldError::none);
  }
  TickRecord third;
  third.tick = world_.tick() + 1;
  guide(0, 0, 1, 2)(third);
  EXPECT_EQ(world_.fold(third).error, FoldError::bad_guidance);  // the third names no target
  third.guidance[0].target = k_no_entity;
  EXPECT_EQ(world_.fold(third).error, FoldError::none);
}

TEST_F(WorldFold, RefusesEntitiesThatAreNotThereOrTwice) {
  refuses(FoldError::unknown_entity, [](TickRecord& r) { r.health.push_back({9, 1}); });
  refuses(FoldError::bad_value, [](TickRecord& r) { r.health.push_back({1, 11}); });
  refuses(FoldError::bad_value, [](TickRecord& r) { r.health = {{1, 5}, {1, 6}}; });
  refuses(FoldError::unknown_entity, [](TickRecord& r) {
    r.despawns.push_back({9, DespawnKind::removed, k_no_salvo, 11 * k_tick});
  });
  refuses(FoldError::time_out_of_tick, [](TickRecord& r) {
    r.despawns.push_back({1, DespawnKind::removed, k_no_salvo, 11 * k_tick - 1});
  });
  refuses(FoldError::entity_in_use, [](TickRecord& r) {
    r.spawns.push_back({1, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, {}});
  });
  refuses(FoldError::unknown_type, [](TickRecord& r) {
    r.spawns.push_back({5, 1, 0, 0, {0, 0, 0}, {0, 0, 0}, {}});
  });
  refuses(FoldError::bad_value, [](TickRecord& r) {
    r.spawns.push_back({5, 0, 0, 0, {k_world_limit + 1, 0, 0}, {0, 0, 0}, {}});
  });
  refuses(FoldError::bad_value, [](TickRecord& r) {
    r.spawns.push_back({5, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0}});
  });
  refuses(FoldError::unknown_entity, [](TickRecord& r) {
    r.turret_modes.push_back({9, 0, TurretOrder::hold, k_no_entity, 0, 0});
  });
  refuses(FoldError::bad_value, [](TickRecord& r) {
    r.turret_modes.push_back({1, 8, TurretOrder::hold, k_no_entity, 0, 0});
  });
  refuses(FoldError::unknown_entity, [](TickRecord& r) {
    r.shots.push_back({9, 0, 1, 10 * k_tick + 1, 0});
  });
}

TEST_F(WorldFold, RefusesKeysThatDoNotFit) {
  const TrackKey good{1, 3, false, {0, 0, 0}, {0, 0, 0}};
  const auto with = [&](const std::function<void(TrackKey&)>& edit) {
    return [=](TickRecord& r) {
      r.track_keys.push_back(good);
      edit(r.track_keys.back());
    };
  };
  refuses(FoldError::unknown_entity, with([](TrackKey& k) { k.entity = 4; }));
  refuses(FoldError::bad_key, with([](TrackKey& k) { k.log2_ticks = 10; }));
  refuses(FoldError::bad_key, with([](TrackKey& k) { k.jump = true; }));
  refuses(FoldError::bad_value, with([](TrackKey& k) { k.velocity.y = k_max_speed + 1; }));
  refuses(FoldError::bad_key, [&](TickRecord& r) {
    r.track_keys.push_back(good);
    r.relative_keys.push_back({1, 3, 0, {}, {}});
  });
  refuses(FoldError::bad_key, [](TickRecord& r) { r.relative_keys.push_back({1, 3, 16, {}, {}}); });
  refuses(FoldError::bad_key, [](TickRecord& r) { r.attitude_keys.push_back({1, 3, {}}); });
}

TEST_F(WorldFold, AReferenceIsFoundByTheLow16BitsOfItsLaunch) {
  EXPECT_EQ(world_.find_salvo_low(0)->id, 0U);
  EXPECT_EQ(world_.find_salvo_low(1), nullptr);
  EXPECT_EQ(world_.find_salvo_low(0xFFFF), nullptr);
}

TEST_F(WorldFold, AWrongStateHashNamesTheSubsystem) {
  std::optional<World> other;
  ASSERT_EQ(World::restore(world_.shared_scenario(), world_.snapshot(), other), FoldError::none);
  TickRecord record = next();
  record.health.push_back({2, 5});
  ASSERT_EQ(world_.fold(record).error, FoldError::none);
  record.state_hashes = {world_.take_state_hash()};
  record.health[0].health = 6;  // the other world is told something else
  const FoldResult result = other->fold(record);
  EXPECT_TRUE(result.hash.present);
  EXPECT_EQ(result.hash.differing, 1U << static_cast<unsigned>(Subsystem::health));
}

TEST_F(WorldFold, AMovedKnotIsSeenInTheFlightsAndNowhereElse) {
  std::optional<World> other;
  ASSERT_EQ(World::restore(world_.shared_scenario(), world_.snapshot(), other), FoldError::none);
  other->plant_fault(Fault::flight_knot);
  unsigned differing = 0;
  for (std::uint32_t n = 11; n < 130; ++n) {
    TickRecord record;
    record.tick = n;
    ASSERT_EQ(world_.fold(record).error, FoldError::none);
    record.state_hashes = {world_.take_state_hash()};
    const FoldResult result = other->fold(record);
    ASSERT_EQ(result.error, FoldError::none);
    differing |= result.hash.differing;
  }
  // Eight missiles of one salvo answer to rolls 0..7: they are early, before the moved knot.
  EXPECT_EQ(differing & ~(1U << static_cast<unsigned>(Subsystem::flights)), 0U);
  const Salvo& salvo = world_.salvos().front();
  const Subtick middle = world_.missile_launch_time(salvo, 0) + 16 * 8192;
  EXPECT_NE(world_.missile_position(salvo, 0, middle),
            other->missile_position(other->salvos().front(), 0, middle));
}

TEST_F(WorldFold, SnapshotsThatDoNotFitTogetherAreRefused) {
  const Snapshot good = world_.snapshot();
  const auto refused = [&](FoldError error, const std::function<void(Snapshot&)>& edit) {
    Snapshot bad = good;
    edit(bad);
    std::optional<World> out;
    EXPECT_EQ(World::restore(world_.shared_scenario(), bad, out), error) << describe(error);
    EXPECT_FALSE(out.has_value());
  };
  refused(FoldError::unknown_type, [](Snapshot& s) { s.entities[0].type = 9; });
  refused(FoldError::entity_in_use, [](Snapshot& s) { s.entities[1].entity = 1; });
  refused(FoldError::bad_value, [](Snapshot& s) { s.entities[1].health = 11; });
  refused(FoldError::unknown_entity, [](Snapshot& s) { s.tracks.pop_back(); });
  refused(FoldError::bad_key, [](Snapshot& s) { s.tracks[0].tick = 99; });
  refused(FoldError::bad_key, [](Snapshot& s) { s.keys.push_back({7, 12, false, 5, {}, {}}); });
  refused(FoldError::unknown_weapon, [](Snapshot& s) { s.salvos[0].launch.weapon = 3; });
  refused(FoldError::unknown_type, [](Snapshot& s) { s.salvos[0].anchor.target_type = 3; });
  refused(FoldError::unknown_salvo, [](Snapshot& s) { s.salvos[0].id = 1; });
  refused(FoldError::time_out_of_tick, [](Snapshot& s) { s.salvos[0].tick = 9; });
  refused(FoldError::unknown_entity, [](Snapshot& s) { s.salvos[0].launch.target = 5; });
  refused(FoldError::bad_missile, [](Snapshot& s) {
    s.ends.push_back({0, 8, EndKind::hull, 2, 10 * k_tick});
  });
  refused(FoldError::unknown_salvo, [](Snapshot& s) {
    s.ends.push_back({1, 0, EndKind::hull, 2, 10 * k_tick});
  });
  refused(FoldError::bad_guidance, [](Snapshot& s) {
    SnapshotEvent e;
    e.mask = 1;
    e.ordinal = 1;
    e.was_locked = true;
    e.tick = 10;
    s.events.push_back(e);
  });
}

}  // namespace
}  // namespace contrail::sim
