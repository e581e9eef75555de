// Ships under command: what is taken and what is refused, what tracks cost, and how closely a
// driven ship follows its driver.

#include <contrail/flow/match.hpp>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <contrail/sim/arith.hpp>
#include <contrail/support/random_log.hpp>
#include <contrail/support/small_scenario.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::server {
namespace {

using sim::SteerKind;
using sim::Vec3;
using sim::WideVec3;
using support::metres;
using wire::CommandStatus;

constexpr std::uint64_t k_seed = 20'261'201;

struct Cockpit {
  explicit Cockpit(sim::Scenario scenario) : match(support::share(std::move(scenario))) {
    match.step();
  }
  std::uint32_t send(wire::Command command, std::uint32_t client = 1) {
    if (command.id == 0) command.id = ++last_id;
    match.submit(client, command);
    return command.id;
  }
  std::uint32_t steer(std::uint16_t entity, SteerKind kind, Vec3 value, std::uint32_t id = 0) {
    wire::Command c;
    c.id = id;
    c.kind = wire::CommandKind::steer;
    c.steer = {entity, {kind, value}, match.world().time() + 1};
    return send(c);
  }
  std::uint32_t drive(std::uint16_t entity, Vec3 position, Vec3 velocity) {
    wire::Command c;
    c.kind = wire::CommandKind::drive;
    c.drive = {entity, position, velocity, match.world().time() + 1};
    return send(c);
  }
  CommandStatus step() {
    const StepResult result = match.step();
    for (const sim::RelativeKey& key : result.entry.record.relative_keys) {
      (void)key;
      ++keys;
    }
    sim::TickRecord without = result.entry.record;
    without.relative_keys.clear();
    track_bytes += wire::record_bytes(result.entry.record) - wire::record_bytes(without);
    accepted = result.accepted;
    return result.results.empty() ? CommandStatus::launched : result.results.back().result.status;
  }
  const sim::Track& track(std::uint16_t entity) { return match.world().find_entity(entity)->track; }
  [[nodiscard]] sim::Subtick now() const { return match.world().time(); }

  Match match;
  std::uint32_t last_id = 0;
  std::size_t keys = 0;
  std::size_t track_bytes = 0;
  std::vector<wire::Input> accepted;
};

sim::Scenario one_ball() {
  sim::Scenario s = support::small_scenario();
  support::add_ball(s, 1, {0, metres(1000), 0});
  return s;
}

TEST(Pilots, a_steered_ship_accelerates_as_it_is_told_and_then_flies_on) {
  Cockpit c(one_ball());
  c.steer(0, SteerKind::accelerate, {metres(50), 0, 0});
  EXPECT_EQ(c.step(), CommandStatus::taken);
  const sim::Subtick begun = c.now();
  for (int i = 0; i < 64; ++i) c.step();
  // 50 m/s^2 for 2 s.
  EXPECT_EQ(c.now() - begun, 2 * sim::k_subticks_per_second);
  EXPECT_NEAR(c.track(0).velocity(c.now()).x, metres(100), 8);
  EXPECT_NEAR(c.track(0).position(c.now()).x, metres(100), 64);
  c.steer(0, SteerKind::coast, {0, 0, 0});
  for (int i = 0; i < 4; ++i) c.step();
  const std::size_t keys = c.keys;
  const Vec3 before = c.track(0).velocity(c.now());
  for (int i = 0; i < 64; ++i) c.step();
  EXPECT_EQ(c.keys, keys) << "a coasting ship costs nothing";
  EXPECT_EQ(c.track(0).velocity(c.now()), before);
}

TEST(Pilots, what_is_asked_beyond_the_types_limits_is_held_to_them) {
  Cockpit c(one_ball());
  c.steer(0, SteerKind::accelerate, {metres(10'000), 0, 0});
  EXPECT_EQ(c.step(), CommandStatus::taken);
  for (int i = 0; i < 32; ++i) c.step();
  EXPECT_NEAR(c.track(0).velocity(c.now()).x, metres(100), 32);
  for (int i = 0; i < 320; ++i) c.step();
  EXPECT_LE(c.track(0).velocity(c.now()).x, metres(500));
  EXPECT_GE(c.track(0).velocity(c.now()).x, metres(500) - 64);
}

TEST(Pilots, a_waypoint_is_reached_and_costs_nothing_any_more) {
  Cockpit c(one_ball());
  const Vec3 goal{metres(300), metres(1100), metres(-200)};
  c.steer(0, SteerKind::waypoint, goal);
  for (int i = 0; i < 32 * 30; ++i) c.step();
  EXPECT_LE(sim::length(WideVec3(c.track(0).position(c.now())) - WideVec3(goal)), 1024);
  const std::size_t keys = c.keys;
  for (int i = 0; i < 320; ++i) c.step();
  EXPECT_EQ(c.keys, keys);
}

TEST(Pilots, refusals_have_reasons_and_change_nothing) {
  Cockpit c(one_ball());
  const auto hash = [&] { return c.match.world().state_hash().lanes; };
  c.steer(7, SteerKind::coast, {0, 0, 0});
  EXPECT_EQ(c.step(), CommandStatus::refused_entity);
  wire::Command late;
  late.kind = wire::CommandKind::steer;
  for (int i = 0; i < 32; ++i) c.step();
  late.steer = {0, {SteerKind::velocity, {metres(10), 0, 0}}, c.now() - 16384};
  c.send(late);
  EXPECT_EQ(c.step(), CommandStatus::refused_late);
  late.steer.at = c.now() + 2 * 65536;
  c.send(late);
  EXPECT_EQ(c.step(), CommandStatus::refused_early);
  const auto before = hash();
  c.steer(0, SteerKind::velocity, {metres(10), 0, 0}, 50);
  EXPECT_EQ(c.step(), CommandStatus::taken);
  c.steer(0, SteerKind::velocity, {metres(-10), 0, 0}, 49);
  EXPECT_EQ(c.step(), CommandStatus::refused_stale);
  EXPECT_TRUE(c.accepted.empty());
  wire::Command salvo;
  salvo.id = 60;
  salvo.kind = wire::CommandKind::self_destruct;
  salvo.self_destruct = {12, c.now() + 1};
  c.send(salvo);
  EXPECT_EQ(c.step(), CommandStatus::refused_salvo);
  wire::Command decoys;
  decoys.id = 61;
  decoys.kind = wire::CommandKind::release;
  decoys.release = {0, c.now() + 1};
  c.send(decoys);
  EXPECT_EQ(c.step(), CommandStatus::refused_decoys);
  EXPECT_NE(hash(), before) << "the steered ship has moved";
}

TEST(Pilots, the_last_command_of_a_tick_is_flown) {
  Cockpit c(one_ball());
  c.steer(0, SteerKind::velocity, {metres(10), 0, 0});
  c.steer(0, SteerKind::velocity, {0, 0, metres(10)});
  c.step();
  EXPECT_EQ(c.accepted.size(), 2U);
  for (int i = 0; i < 64; ++i) c.step();
  EXPECT_EQ(c.track(0).velocity(c.now()), Vec3(0, 0, metres(10)));
}

/// Track bytes a second and ship, when `ships` pilots each send `per_second` new accelerations of
/// 100 m/s^2.
double bytes_per_ship(int ships, int per_second, bool& limited) {
  sim::Scenario s = support::small_scenario();
  for (int i = 0; i < ships; ++i) support::add_ball(s, 1, {metres(200 * i), metres(2000), 0});
  Cockpit c(s);
  support::Dice dice(k_seed);
  constexpr int k_seconds = 20;
  int sent = 0;
  for (int tick = 1; tick <= 32 * k_seconds; ++tick) {
    for (; sent * 32 < tick * per_second; ++sent) {
      for (int i = 0; i < ships; ++i) {
        const auto axis = [&] { return static_cast<std::int32_t>(dice.between(-4096, 4096)); };
        const Vec3 way = sim::unit(WideVec3(axis(), axis(), axis() | 1));
        c.steer(static_cast<std::uint16_t>(i), SteerKind::accelerate,
                Vec3(sim::shift_right(WideVec3(way) * std::int64_t{metres(100)}, 24)));
      }
    }
    c.step();
    for (int i = 0; i < ships; ++i) {
      const Vec3 v = c.track(static_cast<std::uint16_t>(i)).velocity(c.now());
      limited = limited && sim::length(WideVec3(v)) <= metres(500) + 64;
    }
  }
  return static_cast<double>(c.track_bytes) / (ships * k_seconds);
}

TEST(Pilots, a_manoeuvring_ship_costs_at_most_300_bytes_a_second_before_resends) {
  bool limited = true;
  const double mouse = bytes_per_ship(10, 60, limited);
  const double calm = bytes_per_ship(10, 4, limited);
  const double alone = bytes_per_ship(1, 60, limited);
  RecordProperty("bytes_per_second_at_60_commands", std::to_string(mouse));
  RecordProperty("bytes_per_second_at_4_commands", std::to_string(calm));
  std::printf("track bytes a second and ship: %.1f at 60 commands/s, %.1f at 4, %.1f when alone\n",
              mouse, calm, alone);
  EXPECT_LE(mouse, 300.0);
  EXPECT_LE(calm, 150.0);
  EXPECT_GT(calm, 60.0) << "each command needs a key";
  // A record that holds nothing else spends 8 bytes more on the vector of a single key.
  EXPECT_LE(alone * 16 / 24, 300.0);
  EXPECT_TRUE(limited);
}

/// A host's ship in exact integers, steered at random within the type's limits.
struct HostShip {
  sim::Motion motion;
  sim::MotionLimits limits{metres(500), metres(100)};
  support::Dice dice;
  sim::Steer steer;
  void tick() {
    if (dice.chance(10)) {
      const auto axis = [&] {
        return static_cast<std::int32_t>(dice.between(-metres(100), metres(100)));
      };
      steer = {SteerKind::accelerate, {axis(), axis(), axis()}};
    }
    motion = sim::steer(motion, steer, limits, 11);
  }
};

TEST(Pilots, a_driven_ship_stays_within_the_tolerance_of_its_driver) {
  SCOPED_TRACE("seed " + std::to_string(k_seed));
  // 5 cm, and a L^2: what both accelerations can differ by over one tick; 2 units of rounding.
  constexpr std::int64_t k_bound = k_drive_tolerance + metres(100) / 1024 + 2;
  std::int64_t worst = 0;
  std::size_t keys = 0;
  std::size_t ticks = 0;
  for (std::uint64_t run = 0; run < 20; ++run) {
    Cockpit c(one_ball());
    HostShip ship{{c.track(0).position(c.now()), {0, 0, 0}},
                  {metres(500), metres(100)},
                  support::Dice(k_seed + run),
                  {}};
    for (int i = 0; i < 640; ++i, ++ticks) {
      ship.tick();
      c.drive(0, ship.motion.position, ship.motion.velocity);
      ASSERT_EQ(c.step(), CommandStatus::taken) << "run " << run << " tick " << i;
      worst = std::max(worst, sim::length(WideVec3(c.track(0).position(c.now())) -
                                          WideVec3(ship.motion.position)));
    }
    keys += c.keys;
  }
  std::printf("driven: at most %.1f cm off (bound %.1f), %.1f keys a second\n",
              static_cast<double>(worst) / 40.96, static_cast<double>(k_bound) / 40.96,
              static_cast<double>(keys) * 32 / static_cast<double>(ticks));
  EXPECT_LE(worst, k_bound);
  EXPECT_LT(keys, ticks / 2) << "what is expected needs no key";
  EXPECT_GT(keys, 0U);
}

TEST(Pilots, a_driver_cannot_move_a_ship_faster_than_its_type_flies) {
  Cockpit c(one_ball());
  const Vec3 at = c.track(0).position(c.now());
  c.drive(0, at + Vec3(metres(100), 0, 0), {0, 0, 0});
  EXPECT_EQ(c.step(), CommandStatus::refused_speed) << "a jump";
  c.drive(0, at, {metres(501), 0, 0});
  EXPECT_EQ(c.step(), CommandStatus::refused_speed) << "beyond its speed";
  c.drive(0, at, {metres(50), 0, 0});
  EXPECT_EQ(c.step(), CommandStatus::refused_speed) << "beyond its acceleration";
  c.drive(0, at, {metres(1), 0, 0});
  EXPECT_EQ(c.step(), CommandStatus::taken);
}

TEST(Pilots, a_salvo_told_to_blow_up_ends_once_and_by_self_destruct) {
  sim::Scenario s = support::small_scenario();
  support::add_ball(s, 1, {0, metres(1000), 0});
  support::add_ball(s, 2, {0, metres(1000), metres(2000)});
  Cockpit c(s);
  wire::Command fire;
  fire.fire = {0, 1, 1, c.now() + 1};
  c.send(fire);
  ASSERT_EQ(c.step(), CommandStatus::launched);
  for (int i = 0; i < 20; ++i) c.step();
  wire::Command order;
  order.kind = wire::CommandKind::self_destruct;
  order.self_destruct = {0, c.now() + 1};
  c.send(order);
  EXPECT_EQ(c.step(), CommandStatus::taken);
  for (int i = 0; i < 32 * 30; ++i) c.step();
  EXPECT_EQ(c.match.counters().self_destructs, 8U);
  EXPECT_EQ(c.match.counters().impacts, 0U);
}

TEST(Pilots, a_match_with_pilots_and_a_host_runs_again_to_the_same_bytes) {
  std::vector<wire::Input> inputs;
  sim::Hash64 first;
  for (int pass = 0; pass < 2; ++pass) {
    sim::Scenario s = one_ball();
    support::add_ball(s, 2, {0, metres(1000), metres(1500)});
    Match match(support::share(std::move(s)));
    support::Dice dice(k_seed);
    std::uint32_t id = 0;
    std::size_t next = 0;
    for (std::uint32_t tick = 1; tick <= 640; ++tick) {
      if (pass == 1) {
        for (; next < inputs.size() && inputs[next].tick == tick; ++next) {
          match.submit(inputs[next].client, inputs[next].command);
        }
      } else if (tick > 1 && tick % 5 == 0) {
        wire::Command c;
        c.id = ++id;
        c.kind = static_cast<wire::CommandKind>(dice.between(0, 7));
        const auto at = match.world().time() + 1;
        const auto axis = [&] {
          return static_cast<std::int32_t>(dice.between(-400'000, 400'000));
        };
        c.fire = c.kind == wire::CommandKind::fire ? wire::FireCommand{0, 1, 0, at}
                                                   : wire::FireCommand{};
        if (c.kind == wire::CommandKind::steer) {
          c.steer = {1, {SteerKind::accelerate, {axis(), axis(), axis()}}, at};
        } else if (c.kind == wire::CommandKind::release) {
          c.release = {0, at};
        } else if (c.kind == wire::CommandKind::self_destruct) {
          c.self_destruct = {static_cast<std::uint32_t>(dice.between(0, 20)), at};
        } else if (c.kind == wire::CommandKind::drive) {
          const sim::Track& track = match.world().find_entity(0)->track;
          const auto end = match.world().time() + match.world().scenario().tick_length();
          c.drive = {0, track.position(end) + Vec3(100, 0, 0), track.velocity(end), at};
        } else if (c.kind == wire::CommandKind::spawn) {
          c.spawn.position = {axis(), axis(), axis()};
        } else if (c.kind == wire::CommandKind::despawn) {
          c.despawn = static_cast<std::uint16_t>(dice.between(2, 20));
        } else if (c.kind == wire::CommandKind::custom) {
          c.custom = {7, {1, 2, 3}};
        }
        match.submit(c.kind > wire::k_last_client_kind ? wire::k_host_client : 1, c);
      }
      const StepResult result = match.step();
      if (pass == 0) {
        inputs.insert(inputs.end(), result.accepted.begin(), result.accepted.end());
        for (const wire::Input& input : result.accepted) {
          wire::Input back;
          ASSERT_TRUE(wire::decode_input(wire::encode_input(input), back));
          ASSERT_EQ(back, input);
        }
      } else {
        ASSERT_EQ(result.accepted.size(), result.results.size());
      }
    }
    if (pass == 0) {
      first = match.log().hash();
    } else {
      EXPECT_EQ(match.log().hash(), first);
    }
  }
  EXPECT_GT(inputs.size(), 60U);
}

}  // namespace
}  // namespace contrail::server
