// Turrets of a match: who is shot at, when, and what comes of it.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include <contrail/flow/match.hpp>
#include <contrail/flow/turret_control.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/support/small_scenario.hpp>

#include "staged_match.hpp"

namespace contrail::server {
namespace {

using sim::EndKind;
using sim::Subtick;
using sim::TurretOrder;
using support::add_ball;
using support::metres;
using support::share;
using Kind = sim::WorldEvent::Kind;

constexpr std::int32_t degrees(int d) {
  return static_cast<std::int32_t>(std::int64_t{sim::k_turret_turn} * d / 360);
}

/// A gun that turns 120 degrees a second and fires bursts of `rounds`.
sim::Turret gun_turret(int rounds, std::int32_t error = 0) {
  sim::Turret t;
  t.name = "gun";
  t.mount.pivot = {0, metres(2), 0};
  t.mount.muzzles = {{0, 0, metres(1)}};
  t.mount.yaw.max_speed = t.mount.pitch.max_speed = degrees(120);
  t.mount.yaw.max_acceleration = t.mount.pitch.max_acceleration = degrees(480);
  t.mount.pitch.full_turn = false;
  t.mount.pitch.low = degrees(-20);
  t.mount.pitch.high = degrees(85);
  t.gun.speed = metres(800);
  t.gun.radius = metres(1) / 2;
  t.gun.damage = 5;
  t.gun.life = 2 * sim::k_subticks_per_second;
  t.gun.burst = static_cast<std::uint8_t>(rounds);
  t.gun.interval = 1000;
  t.gun.reload = sim::k_subticks_per_second / 2;
  t.gun.range = metres(900);
  t.gun.error = error;
  t.gun.point_defence = true;
  return t;
}

/// A gunless hunter 1.5 km off, and a frigate with `turrets` guns.
sim::Scenario raid(int turrets, int missiles, std::int32_t error = 0) {
  sim::Scenario s = support::small_scenario();
  s.weapons[0].speed = metres(250);
  s.weapons[0].radius = metres(1) / 4;
  s.weapons[0].ripple_interval = 1500;
  s.types[0].launchers[1].salvo = static_cast<std::uint8_t>(missiles);
  s.types[0].hit_points = 60'000;
  s.types.push_back(s.types[0]);
  sim::EntityType& frigate = s.types[1];
  frigate.name = "frigate";
  frigate.launchers.clear();
  for (int i = 0; i < turrets; ++i) {
    frigate.turrets.push_back(gun_turret(4, error));
    frigate.turrets.back().mount.pivot.x = metres(3 * i);
  }
  add_ball(s, 1, {0, metres(100), 0});
  add_ball(s, 2, {0, 0, metres(1500)}, {metres(20), 0, 0});
  s.entities[1].type = 1;
  return s;
}

wire::Command fire_salvo(const Match& match) {
  wire::Command c;
  c.id = 1;
  c.fire = {0, 1, 1, match.world().time() + 1};
  return c;
}

struct Raid {
  explicit Raid(const sim::Scenario& scenario) : match(share(scenario)) {
    play(1);
    match.submit(1, fire_salvo(match));
  }
  /// Plays on; every record is also folded by a reader.
  void play(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      const StepResult step = match.step();
      records.push_back(step.entry.record);
    }
  }
  Match match;
  std::vector<sim::TickRecord> records;
};

std::string summary(const MatchCounters& c) {
  return std::to_string(c.bursts) + " bursts, " + std::to_string(c.rounds) + " rounds, " +
         std::to_string(c.intercepted) + " intercepted, " + std::to_string(c.impacts) + " impacts";
}

TEST(TurretControl, APerfectGunnerInterceptsASalvoThatComesOneByOne) {
  Raid four(raid(1, 4));
  four.play(400);
  const MatchCounters& c = four.match.counters();
  SCOPED_TRACE(summary(c));
  EXPECT_EQ(c.missiles, 4U);
  EXPECT_EQ(c.intercepted, 4U);
  EXPECT_EQ(c.impacts, 0U);
  EXPECT_EQ(four.match.world().find_entity(1)->health, 60'000);
}

TEST(TurretControl, ASalvoIsSharedOutAndNothingIsShotAtTwice) {
  Raid shared(raid(4, 4));
  std::map<std::pair<std::uint16_t, std::uint8_t>, std::set<int>> shooters;  // of each missile
  for (int i = 0; i < 400; ++i) {
    shared.play(1);
    for (const sim::Shot& shot : shared.records.back().shots) {
      const sim::TurretMode& mode =
          shared.match.world().find_entity(shot.entity)->turrets[shot.turret].mode;
      ASSERT_EQ(mode.order, TurretOrder::missile);
      shooters[{mode.target, mode.index}].insert(shot.turret);
    }
  }
  SCOPED_TRACE(summary(shared.match.counters()));
  EXPECT_EQ(shared.match.counters().intercepted, 4U);
  EXPECT_EQ(shooters.size(), 4U);
  std::set<int> used;
  for (const auto& [missile, turrets] : shooters) {
    EXPECT_EQ(turrets.size(), 1U);
    used.insert(turrets.begin(), turrets.end());
  }
  EXPECT_EQ(used.size(), 4U) << "each turret took one";
  // A missile that is destroyed is shot at no more.
  EXPECT_EQ(shared.match.counters().bursts, 4U);
}

TEST(TurretControl, WithoutThreatsNothingIsWrittenAndNothingTurns) {
  sim::Scenario s = raid(4, 4);
  s.entities[0].position = {0, 0, metres(-60'000)};
  Match match(share(s));
  for (int i = 0; i < 200; ++i) {
    const StepResult step = match.step();
    EXPECT_TRUE(step.entry.record.turret_modes.empty());
    EXPECT_TRUE(step.entry.record.shots.empty());
  }
  for (const sim::EntityTurret& unit : match.world().find_entity(1)->turrets) {
    EXPECT_EQ(unit.state, sim::TurretState{});
  }
}

TEST(TurretControl, FollowingCostsNoBytesAndFiresOnlyOnTarget) {
  // One slow missile from afar: seconds of tracking, with a burst now and then.
  sim::Scenario s = raid(1, 1, 0);
  s.weapons[0].speed = metres(60);
  s.types[1].turrets[0].gun.life = sim::k_subticks_per_second;
  s.types[1].turrets[0].gun.range = metres(600);
  Raid one(s);
  std::size_t orders = 0;
  std::size_t shots = 0;
  std::size_t followed = 0;
  std::size_t off_target = 0;
  for (int i = 0; i < 900; ++i) {
    const sim::World& world = one.match.world();
    const sim::Entity* frigate = world.find_entity(1);
    std::vector<bool> bears;
    for (const sim::EntityTurret& unit : frigate->turrets) {
      const sim::TurretSight sight = world.turret_sight(*frigate, unit.mode);
      followed += sight.target ? 1U : 0U;
      bears.push_back(sight.meeting &&
                      sim::on_target(s.types[1].turrets[0].mount, unit.state, sight.aim));
    }
    one.play(1);
    orders += one.records.back().turret_modes.size();
    for (const sim::Shot& shot : one.records.back().shots) {
      ++shots;
      off_target += bears[shot.turret] ? 0U : 1U;
    }
  }
  EXPECT_GT(followed, 40U) << "ticks on a target";
  EXPECT_LE(orders, 2U) << "one to follow, one to rest";
  EXPECT_GE(shots, 1U);
  EXPECT_EQ(off_target, 0U);
}

TEST(TurretControl, ReactionAndReloadAreWaitedFor) {
  sim::Scenario s = raid(1, 8, sim::k_one / 40);  // strays: many bursts
  sim::Gun& gun = s.types[1].turrets[0].gun;
  gun.reaction = sim::k_subticks_per_second / 2;
  gun.reload = sim::k_subticks_per_second * 3 / 4;
  Raid busy(s);
  busy.play(500);
  Subtick last_shot = -gun.reload;
  Subtick ordered = 0;
  std::size_t shots = 0;
  for (const sim::TickRecord& record : busy.records) {
    for (const sim::Shot& shot : record.shots) {
      ++shots;
      EXPECT_GE(shot.time, last_shot + gun.reload);
      EXPECT_GE(shot.time, ordered + gun.reaction);
      last_shot = shot.time;
    }
    if (!record.turret_modes.empty()) ordered = Subtick{record.tick} * s.tick_length();
  }
  EXPECT_GE(shots, 2U);
}

TEST(TurretControl, ReadersOfTheLogHoldTheSameTurretsAndRounds) {
  const sim::Scenario s = raid(3, 20, sim::k_one / 60);
  Raid match(s);
  sim::World reader(share(s));
  sim::World lagging(share(s));
  lagging.plant_fault(sim::Fault::turret_lag);
  std::size_t differing = 0;
  match.play(400);
  std::size_t shots = 0;
  std::size_t checks = 0;
  for (const sim::TickRecord& record : match.records) {
    shots += record.shots.size();
    const sim::FoldResult folded = reader.fold(record);
    ASSERT_EQ(folded.error, sim::FoldError::none);
    checks += folded.hash.present ? 1U : 0U;
    EXPECT_EQ(folded.hash.differing, 0);
    differing += lagging.fold(record).hash.differing != 0 ? 1U : 0U;
  }
  EXPECT_EQ(reader.snapshot(), match.match.world().snapshot());
  EXPECT_GT(shots, 5U);
  EXPECT_GT(checks, 20U);
  EXPECT_GT(differing, 0U) << "the control: turrets without the target's rate";
}

TEST(TurretControl, ALauncherWaitsForTheTurretThatHasToFaceItsTarget) {
  sim::Scenario s = support::small_scenario();
  sim::Turret director = gun_turret(1);
  director.gun = {};
  director.mount.yaw.max_speed = degrees(45);  // a second for a quarter turn, and more to start
  s.weapons[0].max_range = metres(3000);
  s.types[0].hit_points = 60'000;
  s.types.push_back(s.types[0]);  // the target has none
  s.types[0].turrets.push_back(director);
  s.types[0].launchers[0].facing = 0;
  add_ball(s, 1, {0, 0, 0});
  add_ball(s, 2, {metres(800), 0, 0});  // abeam: the turret rests ahead
  s.entities[1].type = 1;
  Match match(share(s));
  match.step();
  const auto ask = [&](std::uint8_t launcher, std::uint32_t id) {
    wire::Command c;
    c.id = id;
    c.fire = {0, 1, launcher, match.world().time() + 1};
    match.submit(1, c);
    return match.step().results.at(0).result.status;
  };
  EXPECT_EQ(ask(1, 1), wire::CommandStatus::launched) << "waits for nobody";
  std::uint32_t id = 2;
  int refused = 0;
  wire::CommandStatus answer = ask(0, id++);
  for (; answer == wire::CommandStatus::refused_arc && refused < 200; ++refused) {
    answer = ask(0, id++);
  }
  EXPECT_EQ(answer, wire::CommandStatus::launched);
  EXPECT_GT(refused, 60) << "ticks of turning: two seconds and more";
  EXPECT_LT(refused, 120);
}

// ---- rounds against every subtick

/// The stages of a match around its turrets, with the rounds' contacts laid open.
struct Gunnery {
  explicit Gunnery(std::shared_ptr<const sim::Scenario> scenario)
      : log(scenario),
        rules(standard_rules()),
        fire_control(scenario->seed),
        population(*scenario),
        turrets(*scenario, *rules) {}

  void step(bool fires) {
    const sim::World& world = log.world();
    sim::TickRecord record;
    record.tick = world.tick() + 1;
    std::vector<wire::Input> inputs;
    if (fires) {
      wire::Command c;
      c.id = 1;
      c.fire = {0, 1, 1, world.time() + 1};
      inputs.push_back({record.tick, 1, c});
    }
    std::vector<InputResult> results;
    fire_control.step(world, inputs, record.launches, results);
    turrets.fire(world, record);
    std::vector<sim::Salvo> staged;
    for (const sim::Launch& l : record.launches) {
      staged.push_back(world.prepare_salvo(
          l, world.next_launch() + static_cast<std::uint32_t>(staged.size()), record.tick));
    }
    std::vector<Contact> contacts;
    hits.find(world, staged, contacts);
    std::vector<Contact> met;
    rounds.find(world, staged, record.shots, *rules, hits, met);
    compare(staged, met);
    contacts.insert(contacts.end(), met.begin(), met.end());
    Resolution resolution(world, staged, *rules, &rounds);
    resolution.run(std::move(contacts), record);
    rounds.spend(resolution.spent());
    population.step(world, record);
    turrets.order(world, record);
    hits.follow(world, log.append(std::move(record), false).events);
  }

  /// Every round that flies against every missile that flies, at every subtick.
  void compare(std::span<const sim::Salvo> staged, std::vector<Contact> met) {
    std::vector<Contact> truth;
    std::erase_if(met, [](const Contact& c) { return c.kind != ContactClass::shot; });
    const sim::World& world = log.world();
    const auto look = [&](const sim::Salvo& salvo) {
      for (int i = 0; i < salvo.launch.count; ++i) {
        const auto index = static_cast<std::uint8_t>(i);
        if (salvo.missiles[index].end == EndKind::alive) walk(world, salvo, index, truth);
      }
    };
    for (const sim::Salvo& salvo : world.salvos()) look(salvo);
    for (const sim::Salvo& salvo : staged) look(salvo);
    std::sort(met.begin(), met.end());
    std::sort(truth.begin(), truth.end());
    found += truth.size();
    std::vector<Contact> difference;
    std::set_symmetric_difference(met.begin(), met.end(), truth.begin(), truth.end(),
                                  std::back_inserter(difference));
    wrong += difference.size();
  }

  void walk(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
            std::vector<Contact>& truth) {
    const sim::Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
    const Subtick begin = world.time() + 1;
    const Subtick end = world.time() + world.scenario().tick_length();
    const Subtick first = std::max(begin, sim::launch_time(salvo.launch, weapon, index));
    const Subtick last = std::min(end, sim::end_time(salvo.launch, weapon, index));
    if (first > last) return;
    const sim::WideVec3 start(world.missile_position(salvo, index, first));
    std::vector<sim::Vec3> way;  // from `first` on, as far as a round asks
    const auto position = [&](Subtick t) {
      while (way.size() <= static_cast<std::size_t>(t - first)) {
        way.push_back(
            world.missile_position(salvo, index, first + static_cast<Subtick>(way.size())));
      }
      return sim::WideVec3(way[static_cast<std::size_t>(t - first)]);
    };
    for (std::uint32_t b = world.first_burst(); b < world.first_burst() + world.bursts().size() + 8;
         ++b) {
      for (int n = 0; n < 8; ++n) {
        const LiveRound* r = rounds.find_round(b, static_cast<std::uint8_t>(n));
        if (r == nullptr) continue;
        const Subtick from = std::max(first, r->path.begin);
        const Subtick to = std::min(last, r->path.end);
        // The two close in at less than 2 km/s.
        if (from > to || sim::length(start - r->path.position(first)) >
                             metres(10) + ((to - begin) * metres(2000) >> 16)) {
          continue;
        }
        const std::int64_t sum =
            std::max<std::int64_t>(r->radius + weapon.radius, sim::k_min_radius_sum);
        const auto touches = [&](Subtick t) {
          const sim::WideVec3 gap = position(t) - r->path.position(t);
          return gap.x * gap.x + gap.y * gap.y + gap.z * gap.z <= sum * sum;
        };
        sampled += to == end && touches(end) ? 1U : 0U;  // all that one look a tick would see
        for (Subtick t = from; t <= to; ++t) {
          ++subticks;
          if (!touches(t)) continue;
          truth.push_back({t, ContactClass::shot, salvo.id, index, r->shooter, b,
                           static_cast<std::uint8_t>(n)});
          break;
        }
      }
    }
  }

  EventLog log;
  std::shared_ptr<const Rules> rules;
  FireControl fire_control;
  HitResolver hits;
  ShotResolver rounds;
  Population population;
  TurretControl turrets;
  std::size_t found = 0;
  std::size_t sampled = 0;
  std::size_t wrong = 0;
  std::uint64_t subticks = 0;
};

Gunnery fought(std::uint64_t seed, int error_percent) {
  support::Dice dice(seed);
  sim::Scenario s = raid(4, 40, sim::k_one / 50);
  s.seed = dice.next();
  s.log2_tick = static_cast<std::uint8_t>(10 + seed % 3);
  s.weapons[0].amplitude = metres(12);
  s.weapons[0].frequency = 70'000;
  s.weapons[0].muzzle_cone = {16384, 6000};
  s.weapons[0].approach_cone = {16384, 9000};
  s.weapons[0].ripple_interval = 600;
  s.types[1].turrets[1].gun.inherits = false;
  s.types[1].turrets[2].gun.radius = metres(3);
  s.types[1].turrets[3].mount.controller = sim::TurretController::align;
  Gunnery gunnery(share(s));
  gunnery.rounds.scale_errors(error_percent);
  for (int i = 0; i < 8 << (16 - s.log2_tick); ++i) gunnery.step(i == 2);
  return gunnery;
}

TEST(ShotResolver, FindsExactlyWhatALoopOverEverySubtickFinds) {
  std::size_t found = 0;
  std::size_t sampled = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Gunnery gunnery = fought(seed, 100);
    EXPECT_EQ(gunnery.wrong, 0U) << "seed " << seed;
    found += gunnery.found;
    sampled += gunnery.sampled;
  }
  std::printf("%zu contacts, a sampler at tick ends sees %zu\n", found, sampled);
  EXPECT_GT(found, 25U);
  EXPECT_LT(sampled, found / 2);
}

TEST(ShotResolver, BoundsThatLieMissContacts) {
  std::size_t wrong = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) wrong += fought(seed, -400).wrong;
  EXPECT_GT(wrong, 0U);
}

TEST(ShotResolver, RoundsHurtHostileHullsAndPassTheirOwn) {
  // The frigate's guns look at hulls: no missile comes.
  sim::Scenario s = raid(1, 1);
  s.entities[0].position = {0, 0, metres(1000)};  // of team 1, 500 m off
  add_ball(s, 2, {metres(4), 0, metres(1250)});   // a friend close to the line of fire
  s.entities[1].velocity = {0, 0, 0};
  Match match(share(s));
  for (int i = 0; i < 200; ++i) match.step();
  EXPECT_GT(match.counters().bursts, 3U);
  EXPECT_LT(match.world().find_entity(0)->health, 60'000);
  EXPECT_EQ((60'000 - match.world().find_entity(0)->health) % 5, 0);
  EXPECT_EQ(match.world().find_entity(2)->health, 60'000);
  EXPECT_EQ(match.world().find_entity(1)->health, 60'000);
}

}  // namespace
}  // namespace contrail::server
