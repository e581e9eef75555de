// One salvo's way through every stage, one test a row of the README's table "Life of a missile".
// One session is played for all of them: a pilot fires eight darts over a lossy network at a ship
// on a route; one dart's way is barred.

#include <gtest/gtest.h>

#include <algorithm>
#include <contrail/edge/recorder.hpp>
#include <contrail/replay/recorded_session.hpp>
#include <contrail/replay/verify.hpp>
#include <contrail/support/small_scenario.hpp>
#include <contrail/support/temporary_directory.hpp>
#include <contrail/wire/codec.hpp>

#include "whole_stack.hpp"

namespace contrail::flow_test {
namespace {

using sim::Subtick;
using support::metres;
using Kind = sim::WorldEvent::Kind;

constexpr int k_ticks = 360;
constexpr std::uint16_t k_hunter = 0;
constexpr std::uint16_t k_quarry = 1;
constexpr std::uint16_t k_bystander = 2;
constexpr std::uint16_t k_flare = 3;

std::shared_ptr<const sim::Scenario> chase() {
  sim::Scenario s = support::small_scenario();
  s.weapons[0].amplitude = metres(6);
  s.weapons[0].frequency = 20'000;
  s.weapons[0].muzzle_cone = {16384, 3000};
  s.weapons[0].approach_cone = {16384, 6000};
  s.types[0].hit_points = 25;  // three hits
  sim::EntityType flare = s.types[0];
  flare.name = "flare";
  flare.launchers.clear();
  flare.decoy_chance = 24'000;  // of 65,536
  flare.decoy_range = metres(300);
  flare.lifetime = 3 * sim::k_subticks_per_second;
  sim::Dispenser& dispenser = s.types[0].dispenser;
  dispenser.type = 1;
  dispenser.count = 1;
  dispenser.ammunition = 1;
  dispenser.reload = 1;
  dispenser.velocity = {metres(4), metres(10), 0};
  dispenser.trigger = sim::DispenserTrigger::threatened;
  dispenser.warning = 2 * sim::k_subticks_per_second;
  s.types.push_back(flare);
  support::add_ball(s, 1, {0, 0, 0});
  support::add_ball(s, 2, {0, 0, metres(400)});
  support::add_ball(s, 2, {0, 0, metres(16)});
  s.entities[k_quarry].route = 0;
  s.entities[k_quarry].respawn_ticks = 32;
  sim::Route route;
  route.name = "dodge";
  route.start_position = {0, 0, metres(400)};
  route.start_velocity = {metres(20), 0, 0};
  route.keys = {{5, {metres(20), metres(5), metres(400)}, {metres(10), metres(20), 0}},
                {6, {metres(10), metres(40), metres(420)}, {metres(-20), metres(5), 0}},
                {6, {metres(-40), metres(30), metres(410)}, {metres(-10), metres(-20), 0}}};
  s.routes.push_back(route);
  return support::share(s);
}

/// The session, played once.
struct Chase {
  Chase() : rig(chase(), 11) {
    rig.network.set_conditions(conditions());
    recorder.emplace(server::RecorderConfig{directory.file("chase.mcap"), 1, 11, 64});
    EXPECT_TRUE(recorder->open(session_header(*rig.scenario))) << recorder->error();
    client::ClientConfig seat;
    seat.role = client::Role::pilot;
    seat.entity = k_hunter;
    pilot = &rig.join(seat);
    play(48);
    Subtick probe = 0;
    for (int i = 48; i < k_ticks; ++i) {
      if (i == 64) {
        EXPECT_EQ(pilot->core.fire({k_hunter, k_quarry, 1, {}}, command), client::Status::ok);
      }
      if (i == 150) late = &rig.join();
      play(1);
      const sim::World& world = rig.match.world();
      if (launched < 0 && !world.salvos().empty()) launched = world.salvos().front().launch.t0;
      probe = launched + 3 * sim::k_subticks_per_second / 2;
      if (launched >= 0 && at_probe.empty() && world.time() >= probe) probe_server(probe);
      if (!at_probe.empty() && drawn.empty() && pilot->core.render_time() >= probe_time) draw();
    }
    record();
  }
  void play(int ticks) { rig.run(ticks * wire::tick_nanoseconds(11)); }
  static support::LinkConditions conditions() {
    support::LinkConditions c;
    c.loss = 50;
    c.duplicates = 20;
    c.reorders = 50;
    c.delay = 20 * wire::k_millisecond;
    c.jitter = 5 * wire::k_millisecond;
    return c;
  }
  void probe_server(Subtick t) {
    probe_time = t;
    const sim::Salvo& salvo = rig.match.world().salvos().front();
    for (std::uint8_t i = 0; i < 8; ++i) {
      at_probe.push_back(rig.match.world().missile_position(salvo, i, t));
      flying.push_back(rig.match.world().missile_flies(salvo, i, t));
    }
  }
  void draw() {
    drawn.resize(16);
    const auto filled = pilot->core.missiles(probe_time, {0, 0, 0}, drawn);
    drawn.resize(filled.written);
    for (std::uint8_t i = 0; i < 8; ++i) {
      sim::Vec3 exact{0};
      pilot->core.missile_position({0, i}, probe_time, exact);
      exact_on_client.push_back(exact);
    }
  }
  /// Writes the log as the server would have, tick by tick.
  void record() {
    std::size_t next = 0;
    for (std::uint32_t n = 1; n <= rig.match.tick(); ++n) {
      std::vector<wire::Input> of_tick;
      for (; next < rig.inputs.size() && rig.inputs[next].tick == n; ++next) {
        of_tick.push_back(rig.inputs[next]);
      }
      const auto at = rig.log.find(n);
      EXPECT_TRUE(recorder->tick(n, of_tick, at == rig.log.end() ? wire::Bytes{} : at->second));
    }
    EXPECT_TRUE(recorder->close()) << recorder->error();
  }
  [[nodiscard]] std::vector<sim::WorldEvent> of(Kind kind) const {
    std::vector<sim::WorldEvent> out;
    std::copy_if(rig.folded.begin(), rig.folded.end(), std::back_inserter(out),
                 [kind](const sim::WorldEvent& e) { return e.kind == kind; });
    return out;
  }

  support::TemporaryDirectory directory;
  WholeStack rig;
  std::optional<server::Recorder> recorder;
  Watcher* pilot = nullptr;
  Watcher* late = nullptr;
  std::uint32_t command = 0;
  Subtick launched = -1;
  Subtick probe_time = 0;
  std::vector<sim::Vec3> at_probe;  // on the server
  std::vector<bool> flying;
  std::vector<sim::Vec3> exact_on_client;  // the same
  std::vector<client::MissileView> drawn;
};

class LifeOfAMissile : public testing::Test {
 protected:
  static void SetUpTestSuite() { session_ = std::make_unique<Chase>(); }
  static void TearDownTestSuite() { session_.reset(); }
  static Chase& chase_() { return *session_; }

 private:
  static std::unique_ptr<Chase> session_;
};
std::unique_ptr<Chase> LifeOfAMissile::session_;

TEST_F(LifeOfAMissile, Stage01AFireRequestBecomesALaunchAndIsAnswered) {
  const Chase& c = chase_();
  ASSERT_EQ(c.pilot->results.size(), 1U);
  EXPECT_EQ(c.pilot->results[0].id, c.command);
  EXPECT_EQ(c.pilot->results[0].status, wire::CommandStatus::launched);
  EXPECT_EQ(c.pilot->results[0].launch, 0U);
  ASSERT_EQ(c.of(Kind::launch).size(), 1U);
  EXPECT_EQ(c.rig.match.counters().missiles, 8U);
}

TEST_F(LifeOfAMissile, Stage02ContactsAreFoundWhereTheWayIsBarred) {
  std::size_t barred = 0;
  for (const sim::WorldEvent& e : chase_().of(Kind::missile_end)) {
    if (e.end == sim::EndKind::hull) {
      ++barred;
      EXPECT_EQ(e.entity, k_bystander);
      // On the sphere around the bystander, to what one subtick moves.
      const std::int64_t distance =
          sim::length(sim::WideVec3(e.position) - sim::WideVec3(0, 0, metres(16)));
      EXPECT_LE(distance, metres(1));
      EXPECT_GT(distance, metres(1) - 64);
    }
  }
  EXPECT_GT(barred, 0U);
  EXPECT_LT(barred, 8U);
}

TEST_F(LifeOfAMissile, Stage03DamageDestroysTheTargetOnce) {
  const Chase& c = chase_();
  std::size_t impacts = 0;
  for (const sim::WorldEvent& e : c.of(Kind::missile_end)) {
    impacts += e.end == sim::EndKind::impact ? 1U : 0U;
  }
  EXPECT_GE(impacts, 3U);
  const auto destroyed = c.of(Kind::destroyed);
  EXPECT_EQ(std::count_if(destroyed.begin(), destroyed.end(),
                          [](const sim::WorldEvent& e) { return e.entity == k_quarry; }),
            1);
}

TEST_F(LifeOfAMissile, Stage04ADecoyWinsSomeMissilesByTheirSeededRoll) {
  const Chase& c = chase_();
  const auto taken = c.of(Kind::retarget);
  EXPECT_GT(taken.size(), 0U);
  EXPECT_LT(taken.size(), 8U);
  EXPECT_EQ(taken.size(), c.rig.match.counters().decoyed);
  for (const sim::WorldEvent& e : taken) EXPECT_EQ(e.entity, k_flare);
  std::size_t events = 0;  // missiles share theirs
  for (const auto& [tick, bytes] : c.rig.log) {
    sim::TickRecord record;
    ASSERT_TRUE(wire::decode_record(bytes, 11, record));
    events += record.guidance.size();
  }
  EXPECT_GE(events, 1U);
  EXPECT_LE(events, taken.size());
}

TEST_F(LifeOfAMissile, Stage05TheDestroyedShipComesBackUnderANewId) {
  const auto spawns = chase_().of(Kind::spawn);
  ASSERT_EQ(spawns.size(), 5U);  // three ships, a flare, and one of them again
  EXPECT_EQ(spawns.back().entity, 4);
  EXPECT_EQ(spawns.back().position, (sim::Vec3{0, 0, metres(400)}));
}

TEST_F(LifeOfAMissile, Stage06AThreatenedShipThrowsADecoyThatVanishesAgain) {
  const auto spawns = chase_().of(Kind::spawn);
  const auto flare = std::find_if(spawns.begin(), spawns.end(),
                                  [](const sim::WorldEvent& e) { return e.entity == k_flare; });
  ASSERT_NE(flare, spawns.end());
  const auto gone = chase_().of(Kind::despawn);
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].entity, k_flare);
  EXPECT_EQ(gone[0].time, flare->time + 3 * sim::k_subticks_per_second);
}

TEST_F(LifeOfAMissile, Stage07TheTargetFollowedItsRouteByKeys) {
  std::size_t keys = 0;
  for (const auto& [tick, bytes] : chase_().rig.log) {
    sim::TickRecord record;
    ASSERT_TRUE(wire::decode_record(bytes, 11, record));
    for (const sim::TrackKey& key : record.track_keys) {
      keys += key.entity == k_quarry ? 1U : 0U;
    }
  }
  EXPECT_EQ(keys, 3U);
}

TEST_F(LifeOfAMissile, Stage08TheLogIsCanonicalAndTheServerFliesIt) {
  const Chase& c = chase_();
  sim::World world(c.rig.match.world().shared_scenario());
  for (const auto& [tick, bytes] : c.rig.log) {
    sim::TickRecord record;
    ASSERT_TRUE(wire::decode_record(bytes, 11, record));
    EXPECT_EQ(wire::encode_record(record, 11), bytes);
    const sim::FoldResult folded = world.fold(record);
    ASSERT_EQ(folded.error, sim::FoldError::none);
    EXPECT_EQ(folded.hash.differing, 0);
  }
  world.advance(c.rig.match.tick());
  EXPECT_EQ(world.snapshot(), c.rig.match.world().snapshot());
}

TEST_F(LifeOfAMissile, Stage09TheRecordingHoldsEveryRecord) {
  const Chase& c = chase_();
  EXPECT_EQ(c.recorder->statistics().records, c.rig.log.size());
  EXPECT_EQ(c.recorder->statistics().inputs, 1U);
}

TEST_F(LifeOfAMissile, Stage10TheNetworkLostDatagramsAndNothingWasLost) {
  const Chase& c = chase_();
  EXPECT_GT(c.rig.network.lost(), 10U);
  EXPECT_LE(c.rig.network.largest(), 1200U);
  for (const Watcher* seat : {c.pilot, c.late}) {
    ASSERT_NE(seat->core.world(), nullptr);
    EXPECT_EQ(seat->core.state(), client::State::live) << seat->core.describe_state();
    EXPECT_GE(seat->core.world()->tick(), c.rig.match.tick() - 32);
  }
}

TEST_F(LifeOfAMissile, Stage11TheClientReadTheSameEvents) {
  const Chase& c = chase_();
  const auto ends = c.of(Kind::missile_end);
  std::size_t seen = 0;
  for (const SeenEvent& e : c.pilot->events) {
    if (e.kind == client::EventKind::impact || e.kind == client::EventKind::missile_end) {
      const auto at = std::find_if(ends.begin(), ends.end(), [&](const sim::WorldEvent& s) {
        return s.index == e.index && s.time == e.time && s.end == e.end;
      });
      EXPECT_NE(at, ends.end()) << "missile " << int{e.index};
      ++seen;
    }
  }
  EXPECT_EQ(seen, ends.size());
}

TEST_F(LifeOfAMissile, Stage12EveryStateHashAgreesEarlyAndLate) {
  const Chase& c = chase_();
  for (const Watcher* seat : {c.pilot, c.late}) {
    const auto log = seat->core.statistics().log;
    EXPECT_GT(log.hash_checks, 4U);
    EXPECT_EQ(log.hash_mismatches, 0U);
  }
}

TEST_F(LifeOfAMissile, Stage13AFlightIsThePureFunctionOfTimeThatTheServerFlew) {
  const Chase& c = chase_();
  ASSERT_EQ(c.at_probe.size(), 8U);
  ASSERT_EQ(c.exact_on_client.size(), 8U);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    if (c.flying[i]) {
      EXPECT_EQ(c.exact_on_client[i], c.at_probe[i]) << "missile " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2U);
}

TEST_F(LifeOfAMissile, Stage14MissilesComeOutInMetresAroundTheCamera) {
  const Chase& c = chase_();
  ASSERT_FALSE(c.drawn.empty());
  for (const client::MissileView& view : c.drawn) {
    const sim::Vec3& exact = c.at_probe[view.id.index];
    EXPECT_TRUE(c.flying[view.id.index]);
    EXPECT_NEAR(view.position.z, static_cast<float>(exact.z) / 4096.0F, 1e-3F);
    EXPECT_NEAR(view.position.x, static_cast<float>(exact.x) / 4096.0F, 1e-3F);
    EXPECT_GT(view.velocity.z, 0.0F);
  }
}

TEST_F(LifeOfAMissile, Stage15TheRecordingPlaysAgainToTheSameBytes) {
  const Chase& c = chase_();
  server::RecordedSession session;
  ASSERT_TRUE(session.open(c.recorder->path())) << session.error();
  const server::VerifyResult verified = server::verify(session);
  EXPECT_EQ(verified.exit_code, server::ExitCode::ok) << verified.message;
  EXPECT_EQ(verified.records, c.rig.log.size());
}

}  // namespace
}  // namespace contrail::flow_test
