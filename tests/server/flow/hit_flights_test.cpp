// Whole flights in crowded scenes, the resolver as the match uses it, against every subtick.

#include <gtest/gtest.h>

#include <algorithm>
#include <contrail/flow/event_log.hpp>
#include <contrail/flow/hit_resolver.hpp>
#include <contrail/flow/population.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/support/random_log.hpp>
#include <contrail/support/small_scenario.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "hit_oracle.hpp"

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::Vec3;
using support::Dice;
using support::metres;

std::size_t flights_wanted() {
  return std::getenv("CONTRAIL_TEST_LONG") != nullptr ? 100'000 : 2'000;
}

std::vector<sim::HullPart> random_hull(Dice& dice) {
  switch (dice.between(0, 3)) {
    case 0:  // long and thin
      return {{{0, 0, metres(-60)}, {0, 0, metres(120)}, 400}};
    case 1:  // a ball
      return {{{0, 0, 0}, {0, 0, 0}, static_cast<std::int32_t>(dice.between(0, metres(10)))}};
    case 2: {  // eight parts
      std::vector<sim::HullPart> hull;
      for (int i = 0; i < 8; ++i) {
        const Vec3 a = dice.vector(metres(20));
        hull.push_back(
            {a, dice.vector(metres(15)), static_cast<std::int32_t>(dice.between(0, metres(3)))});
      }
      return hull;
    }
    default:
      return {{{0, 0, metres(-8)}, {0, 0, metres(16)}, metres(2)}};
  }
}

/// 100 m/s to 5 km/s, 8 to 128 Hz, anywhere in the world.
std::shared_ptr<const sim::Scenario> scene(Dice& dice, Vec3& centre) {
  sim::Scenario s = support::small_scenario();
  s.seed = dice.next();
  s.log2_tick = static_cast<std::uint8_t>(dice.between(9, 13));
  centre = dice.chance(15)
               ? Vec3(sim::k_world_limit - metres(150), sim::k_world_limit - metres(50), 0)
               : dice.vector(metres(1'000));
  if (dice.chance(50)) {
    s.ground = centre.y - metres(100);
  }
  sim::Weapon& w = s.weapons[0];
  w.amplitude = static_cast<std::int32_t>(dice.between(0, metres(30)));
  w.frequency = static_cast<std::int32_t>(dice.between(0, 2 * 65536));
  w.radius = static_cast<std::int32_t>(dice.between(0, metres(1)));
  w.fuse_radius = dice.chance(30) ? metres(6) : 0;
  w.muzzle_cone = {16384, 9000};
  w.approach_cone = {16384, 12000};
  w.ripple_interval = static_cast<std::int32_t>(dice.between(0, 1500));
  sim::EntityType& type = s.types[0];
  type.own_attitude = dice.chance(30);
  type.max_acceleration = metres(60);
  type.hull = random_hull(dice);
  type.mounts[0].offset = dice.vector(metres(dice.chance(50) ? 3 : 12));
  for (int i = 0; i < 4 && dice.chance(50); ++i) {
    const Vec3 at = sim::clamp(sim::WideVec3(centre) + sim::WideVec3(dice.vector(metres(150))),
                               sim::k_world_limit - metres(150));
    s.obstacles.push_back(
        {at, dice.vector(metres(100)), static_cast<std::int32_t>(dice.between(0, metres(8)))});
  }
  const std::int64_t speed = metres(dice.chance(20) ? 1500 : 120);
  for (int i = 0; i < 6; ++i) {
    const Vec3 at = sim::clamp(sim::WideVec3(centre) + sim::WideVec3(dice.vector(metres(200))),
                               sim::k_world_limit);
    support::add_ball(s, static_cast<std::uint8_t>(1 + i % 2), at, dice.vector(speed));
    s.entities.back().spawn_tick = dice.chance(80) ? 1 : 8;
  }
  return support::share(s);
}

/// What a match might decide: launches, guidance, and steering within limits, beyond them, and
/// jumps.
void add_events(const sim::World& world, const Vec3& centre, Dice& dice, sim::TickRecord& record) {
  const auto& entities = world.entities();
  const auto any = [&] {
    return &entities[static_cast<std::size_t>(
        dice.between(0, static_cast<std::int64_t>(entities.size()) - 1))];
  };
  if (entities.size() >= 2 && dice.chance(60)) {
    const sim::Entity* from = any();
    const sim::Entity* to = any();
    if (from != to && !from->gone && !to->gone) {
      sim::Launch l;
      l.seed = static_cast<std::uint32_t>(dice.next());
      l.launcher = from->id;
      l.target = to->id;
      l.t0 = world.time() + dice.between(1, world.scenario().tick_length());
      l.count = static_cast<std::uint8_t>(dice.between(1, 8));
      l.log2_piece = static_cast<std::uint8_t>(dice.between(8, 11));
      // Some outlast several legs of a window, and what a lost lock left drifts all the way.
      const std::int64_t duration = dice.between(4'000, dice.chance(15) ? 120'000 : 40'000);
      l.pieces = static_cast<std::uint16_t>(std::max<std::int64_t>(1, duration >> l.log2_piece));
      record.launches.push_back(l);
    }
  }
  for (const sim::Salvo& s : world.salvos()) {
    if (s.alive == 0 || !dice.chance(4)) {
      continue;
    }
    for (std::size_t i = 0; i < s.missiles.size(); ++i) {
      if (s.missiles[i].end == sim::EndKind::alive && s.missiles[i].events < 2 &&
          s.missiles[i].locked) {
        record.guidance.push_back({static_cast<std::uint16_t>(s.id), 0,
                                   sim::GuidanceKind::lock_lost, 1U << i, sim::k_no_entity});
        break;
      }
    }
  }
  for (const sim::Entity& e : entities) {
    if (e.gone || !dice.chance(12)) {
      continue;
    }
    const Vec3 to = sim::clamp(sim::WideVec3(centre) + sim::WideVec3(dice.vector(metres(200))),
                               sim::k_world_limit);
    const bool jump = dice.chance(10);
    const auto k =
        static_cast<std::uint8_t>(jump ? 0 : dice.between(1, 16 - world.scenario().log2_tick));
    if (!jump && dice.chance(60)) {
      // Within the type's limits: coasting, and a push.
      const auto push = static_cast<std::int16_t>(dice.between(-60, 60));
      record.relative_keys.push_back({e.id, k, 8, {push, 0, 0}, {0, push, 0}});
    } else {
      record.track_keys.push_back({e.id, k, jump, to, dice.vector(metres(150))});
    }
    if (e.track.own_attitude()) {
      const auto angle = [&] { return static_cast<std::int32_t>(dice.next()); };
      const std::int32_t yaw = angle();
      const std::int32_t pitch = angle();
      record.attitude_keys.push_back({e.id, k, sim::quaternion_of_angles(yaw, pitch, angle())});
    }
  }
}

struct Sum {
  std::size_t flights = 0;
  std::size_t contacts = 0;
  std::size_t missed = 0;
  std::size_t invented = 0;
  std::size_t unlooked = 0;  // pairs that touch and were not in the calendar
  std::size_t sampled = 0;   // missed by a look at the end of each tick
  std::size_t unbound = 0;   // missed with margins of zero
  std::size_t pairs = 0;
  std::uint64_t subticks = 0;
  int walked_bare = 0;  // sessions in which no pair was skipped
};

std::size_t missing(const std::vector<Contact>& of, const std::vector<Contact>& in) {
  std::vector<Contact> difference;
  std::set_difference(of.begin(), of.end(), in.begin(), in.end(), std::back_inserter(difference));
  return difference.size();
}

/// Pairs of the one that the other does not have in this tick, whatever the subtick.
std::size_t missing_pairs(const std::vector<Contact>& of, const std::vector<Contact>& in) {
  return static_cast<std::size_t>(std::count_if(of.begin(), of.end(), [&](const Contact& c) {
    return std::none_of(in.begin(), in.end(), [&](const Contact& other) {
      return other.salvo == c.salvo && other.index == c.index && other.victim == c.victim;
    });
  }));
}

std::vector<sim::Salvo> stage(const sim::World& world, const sim::TickRecord& record) {
  std::vector<sim::Salvo> staged;
  for (const sim::Launch& l : record.launches) {
    staged.push_back(world.prepare_salvo(
        l, world.next_launch() + static_cast<std::uint32_t>(staged.size()), record.tick));
  }
  return staged;
}

/// Contacts end nothing here: missiles fly on and touch more.
void fly(std::uint64_t seed, Sum& sum) {
  Dice dice(seed);
  Vec3 centre{0};
  EventLog log(scene(dice, centre));
  Population population(log.world().scenario());
  HitResolver resolver;
  HitResolver loose;
  loose.scale_errors(0);
  HitOracle oracle;
  HitOracle sampler;
  oracle.skip_far = seed % 4 != 0;
  sum.walked_bare += oracle.skip_far ? 0 : 1;
  std::vector<HitResolver::Looked> looked;
  resolver.record_looked(&looked);
  const Subtick length = log.world().scenario().tick_length();
  const auto ticks = static_cast<int>(2 * sim::k_subticks_per_second / length);
  for (int n = 0; n < ticks; ++n) {
    sim::TickRecord record;
    record.tick = log.world().tick() + 1;
    add_events(log.world(), centre, dice, record);
    const std::vector<sim::Salvo> staged = stage(log.world(), record);
    std::vector<Contact> found;
    std::vector<Contact> careless;
    std::vector<Contact> truth;
    std::vector<Contact> seen;
    looked.clear();
    resolver.find(log.world(), staged, found);
    loose.find(log.world(), staged, careless);
    oracle.find(log.world(), staged, truth);
    sampler.find(log.world(), staged, seen, length);
    sum.missed += missing(truth, found);
    sum.invented += missing(found, truth);
    sum.unbound += missing_pairs(truth, careless);
    sum.sampled += missing_pairs(truth, seen);
    sum.contacts += truth.size();
    std::sort(looked.begin(), looked.end());
    sum.pairs += looked.size();
    for (const HitResolver::Looked& pair : oracle.near) {
      sum.unlooked += std::binary_search(looked.begin(), looked.end(), pair) ? 0 : 1;
    }
    for (const sim::Salvo& s : staged) {
      sum.flights += s.missiles.size();
    }
    population.step(log.world(), record);
    const LogEntry& entry = log.append(record, false);
    resolver.follow(log.world(), entry.events);
    loose.follow(log.world(), entry.events);
  }
  sum.subticks += oracle.subticks;
}

TEST(HitFlights, TheResolverFindsExactlyWhatALoopOverEverySubtickFinds) {
  Sum sum;
  std::uint64_t seed = 1;
  for (; sum.flights < flights_wanted(); ++seed) {
    const std::size_t before = sum.missed + sum.invented + sum.unlooked;
    fly(seed, sum);
    EXPECT_EQ(sum.missed + sum.invented + sum.unlooked, before) << "seed " << seed;
  }
  std::printf(
      "seeds 1..%d: %zu flights, %llu subticks, %zu contacts, %zu missed, %zu false; %zu "
      "pairs looked at, %zu touching pairs not among them; in %d sessions no pair was skipped\n",
      static_cast<int>(seed - 1), sum.flights, static_cast<unsigned long long>(sum.subticks),
      sum.contacts, sum.missed, sum.invented, sum.pairs, sum.unlooked, sum.walked_bare);
  std::printf("controls: a look at each tick's end misses %zu; margins of zero miss %zu\n",
              sum.sampled, sum.unbound);
  EXPECT_GT(sum.contacts, sum.flights / 4);
  EXPECT_GT(sum.sampled, 0U);
  EXPECT_GT(sum.walked_bare, 0);
  EXPECT_GT(sum.unbound, 0U);
}

/// Random logs of everything there is: deaths, respawns, retargets, decoys' blends, ripples.
TEST(HitFlights, RandomLogsGiveTheSameContactsAsEverySubtick) {
  std::size_t contacts = 0;
  std::size_t flights = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Dice dice(seed);
    sim::World world(support::random_scenario(dice));
    HitResolver resolver;
    HitOracle oracle;
    for (int n = 0; n < 60; ++n) {
      const sim::TickRecord record = support::random_record(world, dice);
      const std::vector<sim::Salvo> staged = stage(world, record);
      std::vector<Contact> found;
      std::vector<Contact> truth;
      resolver.find(world, staged, found);
      oracle.find(world, staged, truth);
      ASSERT_EQ(found, truth) << "seed " << seed << " tick " << n;
      contacts += truth.size();
      flights += record.launches.size();
      std::vector<sim::WorldEvent> events;
      ASSERT_EQ(world.fold(record, &events).error, sim::FoldError::none);
      resolver.follow(world, events);
    }
  }
  std::printf("%zu salvos, %zu contacts\n", flights, contacts);
  EXPECT_GT(contacts, 0U);
}

/// The first contact of each pair over a whole session.
using Firsts = std::map<HitResolver::Looked, Subtick>;

/// The same launches, keys and losses, all keys and losses on sixteenths of a second.
Firsts session(std::uint64_t seed, int log2_tick) {
  Dice dice(seed);
  sim::Scenario s = support::small_scenario();
  s.log2_tick = static_cast<std::uint8_t>(log2_tick);
  s.ground = metres(-200);
  s.weapons[0].amplitude = metres(20);
  s.weapons[0].frequency = 65536;
  s.weapons[0].ripple_interval = 700;
  s.weapons[0].muzzle_cone = {16384, 12000};
  s.types[0].hull = {{{0, 0, metres(-30)}, {0, 0, metres(60)}, metres(2)}};
  s.types[0].mounts[0].offset = {0, 0, metres(33)};
  s.obstacles.push_back({{0, 0, 0}, {metres(80), 0, 0}, metres(5)});
  const auto scenario = support::share(s);
  sim::World world(scenario);
  HitResolver resolver;
  Firsts firsts;
  const Subtick length = scenario->tick_length();
  constexpr Subtick k_grid = 4096;
  for (Subtick slot = 0; slot < 48; ++slot) {
    // What happens in this sixteenth of a second, drawn alike at every rate.
    std::vector<sim::Launch> launches;
    sim::TickRecord at_end;
    if (slot == 0) {
      for (std::uint16_t id = 1; id <= 6; ++id) {
        const Vec3 at = dice.vector(metres(180));
        at_end.spawns.push_back(
            {id, 0, static_cast<std::uint8_t>(id % 2), 0, at, dice.vector(metres(150)), {}});
      }
    } else {
      for (int i = 0; i < 2; ++i) {
        sim::Launch l;
        l.seed = static_cast<std::uint32_t>(dice.next());
        l.launcher = static_cast<std::uint16_t>(dice.between(1, 3));
        l.target = static_cast<std::uint16_t>(dice.between(4, 6));
        l.t0 = slot * k_grid + dice.between(1, k_grid);
        l.count = 4;
        l.log2_piece = 10;
        l.pieces = static_cast<std::uint16_t>(dice.between(20, 90));
        launches.push_back(l);
      }
      std::sort(launches.begin(), launches.end(),
                [](const sim::Launch& a, const sim::Launch& b) { return a.t0 < b.t0; });
      const auto id = static_cast<std::uint16_t>(dice.between(1, 6));
      const auto log2_grid = static_cast<int>(dice.between(0, 3));
      at_end.track_keys.push_back({id, static_cast<std::uint8_t>(12 - log2_tick + log2_grid), false,
                                   dice.vector(metres(180)), dice.vector(metres(150))});
      const auto lost = static_cast<std::uint32_t>(dice.between(0, 3));
      const std::uint32_t oldest = world.next_launch() > 6 ? world.next_launch() - 6 : 0;
      const sim::Salvo* salvo = world.find_salvo(oldest);
      if (salvo != nullptr && salvo->missiles[lost].end == sim::EndKind::alive &&
          salvo->missiles[lost].events == 0 &&
          world.missile_end_time(*salvo, static_cast<std::uint8_t>(lost)) > (slot + 1) * k_grid) {
        at_end.guidance.push_back({static_cast<std::uint16_t>(oldest), 0,
                                   sim::GuidanceKind::lock_lost, 1U << lost, sim::k_no_entity});
      }
    }
    for (Subtick t = slot * k_grid; t < (slot + 1) * k_grid; t += length) {
      sim::TickRecord record;
      record.tick = world.tick() + 1;
      if (t + length == (slot + 1) * k_grid) {
        record = at_end;
        record.tick = world.tick() + 1;
      }
      for (const sim::Launch& l : launches) {
        if (l.t0 > t && l.t0 <= t + length) {
          record.launches.push_back(l);
        }
      }
      std::vector<Contact> found;
      resolver.find(world, stage(world, record), found);
      for (const Contact& c : found) {
        firsts.try_emplace({c.salvo, c.index, c.kind == ContactClass::obstacle ? 99999U : c.victim},
                           c.time);
      }
      std::vector<sim::WorldEvent> events;
      EXPECT_EQ(world.fold(record, &events).error, sim::FoldError::none);
      resolver.follow(world, events);
    }
  }
  return firsts;
}

TEST(HitFlights, TheTickRateChangesNoContact) {
  std::size_t contacts = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Firsts at_16 = session(seed, 12);
    contacts += at_16.size();
    EXPECT_EQ(session(seed, 11), at_16) << "32 Hz, seed " << seed;
    EXPECT_EQ(session(seed, 10), at_16) << "64 Hz, seed " << seed;
    EXPECT_EQ(session(seed, 9), at_16) << "128 Hz, seed " << seed;
    EXPECT_NE(session(seed + 100, 11), at_16);
  }
  std::printf("%zu first contacts at 16, 32, 64 and 128 Hz alike\n", contacts);
  EXPECT_GT(contacts, 100U);
}

}  // namespace
}  // namespace contrail::server
