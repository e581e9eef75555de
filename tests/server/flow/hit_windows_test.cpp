// Single windows of 4,096 subticks, one missile against one hull, random and adversarial: the
// search by certificates against a loop over every subtick.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <contrail/flow/event_log.hpp>
#include <contrail/flow/exact_contact.hpp>
#include <contrail/flow/population.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/support/random_log.hpp>
#include <contrail/support/small_scenario.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;
using support::Dice;
using support::metres;

constexpr int k_log2_window = 12;

std::size_t windows_wanted() {
  return std::getenv("CONTRAIL_TEST_LONG") != nullptr ? 1'000'000 : 100'000;
}

enum class Kind { random, grazing, tangent, long_thin, overlapping, receding, smallest, eight };
constexpr std::size_t k_kinds = 8;
constexpr std::array<const char*, k_kinds> k_names{
    "random", "grazing", "tangent", "long thin", "overlapping", "receding", "smallest", "8 parts"};

struct Tally {
  std::size_t windows = 0;
  std::size_t hits = 0;
  std::size_t missed = 0;
  std::size_t invented = 0;
  std::size_t moved = 0;  // another subtick
  std::size_t evaluations = 0;

  void add(const std::optional<Subtick>& truth, const std::optional<Subtick>& found) {
    ++windows;
    hits += truth ? 1 : 0;
    missed += truth && !found ? 1 : 0;
    invented += found && !truth ? 1 : 0;
    moved += truth && found && *truth != *found ? 1 : 0;
  }
};

/// A tight melee: everything within a few hundred metres, anywhere in the world.
std::shared_ptr<const sim::Scenario> melee(Dice& dice, Vec3& centre) {
  sim::Scenario s = support::small_scenario();
  s.seed = dice.next();
  s.log2_tick = k_log2_window;
  sim::Weapon& w = s.weapons[0];
  w.noise = dice.chance(30) ? sim::NoiseKind::perlin : sim::NoiseKind::bspline;
  w.amplitude = static_cast<std::int32_t>(dice.between(0, metres(40)));
  w.frequency = static_cast<std::int32_t>(dice.between(0, 2 * 65536));
  w.radius = static_cast<std::int32_t>(dice.between(0, metres(1)));
  w.muzzle_cone = {16384, static_cast<std::int32_t>(dice.between(0, 16000))};
  w.approach_cone = {16384, static_cast<std::int32_t>(dice.between(0, 16000))};
  w.muzzle_handle = static_cast<std::int32_t>(dice.between(0, 65536));
  w.approach_handle = static_cast<std::int32_t>(dice.between(0, 65536));
  w.ripple_interval = static_cast<std::int32_t>(dice.between(0, 900));
  sim::EntityType& type = s.types[0];
  type.own_attitude = dice.chance(15);
  type.hull = {{{0, 0, metres(-10)}, {0, 0, metres(20)}, metres(2)}};
  centre = dice.chance(20)
               ? Vec3(sim::k_world_limit - metres(100), -sim::k_world_limit + metres(100),
                      sim::k_world_limit - metres(200))
               : dice.vector(metres(100'000));
  const std::int64_t speed = dice.chance(30) ? metres(2500) : metres(300);
  for (int i = 0; i < 5; ++i) {
    const Vec3 at =
        sim::clamp(WideVec3(centre) + WideVec3(dice.vector(metres(250))), sim::k_world_limit);
    support::add_ball(s, static_cast<std::uint8_t>(1 + i % 2), at, dice.vector(speed));
  }
  return support::share(s);
}

/// Wild ships turn anywhere within a tick or two; others take their time.
void add_keys(const sim::World& world, const Vec3& centre, bool wild, Dice& dice,
              sim::TickRecord& record) {
  for (const sim::Entity& e : world.entities()) {
    if (!dice.chance(wild ? 40 : 8)) {
      continue;
    }
    const auto k = static_cast<std::uint8_t>(wild ? dice.between(0, 4) : dice.between(4, 7));
    const Vec3 to =
        sim::clamp(WideVec3(centre) + WideVec3(dice.vector(metres(250))), sim::k_world_limit);
    const Vec3 velocity = dice.vector(metres(dice.chance(20) ? 0 : 300));
    record.track_keys.push_back({e.id, k, false, to, velocity});
    if (e.track.own_attitude()) {
      const auto angle = [&] { return static_cast<std::int32_t>(dice.next()); };
      const std::int32_t yaw = angle();
      const std::int32_t pitch = angle();
      record.attitude_keys.push_back({e.id, k, sim::quaternion_of_angles(yaw, pitch, angle())});
    }
  }
}

std::int64_t inner_product(const WideVec3& a, const Vec3& b) {
  return (a.x * b.x + a.y * b.y + a.z * b.z) >> 24;
}

/// Everything of one missile and one entity in one tick, evaluated beforehand.
struct Window {
  const sim::World& world;
  const sim::Weapon& weapon;
  const sim::Entity& entity;
  Subtick first;
  const std::vector<Vec3>& missile;     // at first + i
  const std::vector<sim::Pose>& poses;  // at first + i
  [[nodiscard]] std::size_t size() const { return missile.size(); }

  /// The missile at instant i in the entity's axes, or nothing when it is too far away.
  [[nodiscard]] std::optional<Vec3> local(std::size_t i) const {
    const WideVec3 offset = WideVec3(missile[i]) - WideVec3(poses[i].position);
    if (sim::max_abs(offset) > sim::k_max_hull_offset / 2) {
      return std::nullopt;
    }
    const sim::Basis& b = poses[i].basis;
    return Vec3(WideVec3(inner_product(offset, sim::right(b)), inner_product(offset, b.up),
                         inner_product(offset, b.forward)));
  }
  [[nodiscard]] std::int64_t closest(const sim::HullPart& part) const {
    std::int64_t best = std::int64_t{1} << 40;
    for (std::size_t i = 0; i < size(); ++i) {
      const WideVec3 p(missile[i]);
      const sim::WorldCapsule c = sim::place(part, weapon, poses[i]);
      const WideVec3 gap = p - sim::closest_axis_point(c, p);
      best = std::min(best, gap.x * gap.x + gap.y * gap.y + gap.z * gap.z);
    }
    return sim::isqrt(best);
  }
  [[nodiscard]] std::optional<Subtick> first_where(const sim::EntityType& type, bool touching,
                                                   std::size_t step = 1) const {
    for (std::size_t i = step - 1; i < size(); i += step) {
      if (sim::touches_hull(type, poses[i], weapon, missile[i]) == touching) {
        return first + static_cast<Subtick>(i);
      }
    }
    return std::nullopt;
  }
};

/// A hull near the missile's path, as the kind wants it; none: an empty hull.
std::vector<sim::HullPart> hull_for(const Window& w, Kind kind, Dice& dice) {
  std::vector<sim::HullPart> hull;
  const auto last = static_cast<std::int64_t>(w.size()) - 1;
  const int parts = kind == Kind::eight ? 8 : 1;
  for (int i = 0; i < parts; ++i) {
    const bool at_start = kind == Kind::overlapping || kind == Kind::receding;
    const auto when = static_cast<std::size_t>(at_start ? 0 : dice.between(0, last));
    const auto near = w.local(when);
    if (!near) {
      continue;
    }
    sim::HullPart part;
    const std::int64_t aside = kind == Kind::overlapping ? metres(1) : metres(12);
    part.a = *near + dice.vector(aside);
    part.radius = static_cast<std::int32_t>(dice.between(0, metres(8)));
    const bool round = kind == Kind::tangent || dice.chance(20);
    part.d = round ? Vec3(0) : dice.vector(kind == Kind::long_thin ? metres(300) : metres(30));
    if (kind == Kind::long_thin) {
      part.a -= part.d / 2;
      part.radius = static_cast<std::int32_t>(dice.between(0, 1000));
    } else if (kind == Kind::smallest) {
      part.radius = 0;
    } else if (kind == Kind::overlapping) {
      part.radius = metres(3);
    }
    if (kind == Kind::grazing || kind == Kind::tangent || kind == Kind::receding ||
        (kind == Kind::long_thin && dice.chance(50))) {
      const std::int64_t wanted =
          w.closest(part) + dice.between(-3, 3) - sim::contact_radius(w.weapon);
      part.radius =
          static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, 0, sim::k_max_hull_radius));
    }
    hull.push_back(part);
  }
  return hull;
}

struct Findings {
  std::array<Tally, k_kinds> exact;
  Tally sampled;  // once a tick
  Tally unbound;  // certificates without their margins
  Tally leaving;  // first subtick apart
};

void look(const Window& w, const MissileMotion& motion, const MissileMotion& loose, Dice& dice,
          Findings& run) {
  const auto kind = static_cast<std::size_t>(dice.between(0, k_kinds - 1));
  sim::EntityType type = w.world.scenario().types[0];
  type.hull = hull_for(w, static_cast<Kind>(kind), dice);
  if (type.hull.empty()) {
    return;
  }
  const HullMotion as_is = hull_motion(w.world, w.entity);
  const HullMotion hull{w.entity, type, hull_arm(type), as_is.arc, as_is.spin};
  SearchCounters search;
  const auto truth = w.first_where(type, true);
  run.exact[kind].add(truth, first_on_hull(motion, hull, true, w.first, search));
  run.exact[kind].evaluations += search.evaluations;
  run.sampled.add(truth, w.first_where(type, true, std::size_t{1} << k_log2_window));
  if (dice.chance(10)) {
    run.unbound.add(truth, first_on_hull(loose, hull, true, w.first, search));
  }
  if (truth == w.first) {
    run.leaving.add(w.first_where(type, false),
                    first_on_hull(motion, hull, false, w.first, search));
  }
}

/// Plays one melee and looks at all pairs of all its ticks.
void play(std::uint64_t seed, Findings& run) {
  Dice dice(seed);
  Vec3 centre{0};
  EventLog log(melee(dice, centre));
  Population population(log.world().scenario());
  const bool wild = seed % 8 == 0;
  for (int n = 0; n < 12; ++n) {
    const sim::World& world = log.world();
    sim::TickRecord record;
    record.tick = world.tick() + 1;
    if (world.entities().size() >= 2 && n < 6) {
      sim::Launch l;
      l.seed = static_cast<std::uint32_t>(dice.next());
      l.launcher = world.entities()[0].id;
      l.target = world.entities()[static_cast<std::size_t>(dice.between(1, 4))].id;
      l.t0 = world.time() + dice.between(1, 4096);
      l.count = 3;
      l.log2_piece = static_cast<std::uint8_t>(dice.between(8, 11));
      l.pieces = static_cast<std::uint16_t>(
          std::max<std::int64_t>(1, (dice.between(3'000, 40'000)) >> l.log2_piece));
      record.launches.push_back(l);
    }
    population.step(world, record);
    add_keys(world, centre, wild, dice, record);
    const Subtick begin = world.time();
    const Subtick end = begin + world.scenario().tick_length();
    for (const sim::Salvo& salvo : world.salvos()) {
      for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
        const auto index = static_cast<std::uint8_t>(i);
        const Subtick first = std::max(begin + 1, world.missile_launch_time(salvo, index));
        const Subtick last = std::min(end, world.missile_end_time(salvo, index));
        if (salvo.missiles[i].end != sim::EndKind::alive || first > last) {
          continue;
        }
        std::vector<Vec3> missile;
        for (Subtick t = first; t <= last; ++t) {
          missile.push_back(world.missile_position(salvo, index, t));
        }
        const MissileMotion motion(world, salvo, index, first, last);
        const MissileMotion loose(world, salvo, index, first, last, 0);
        for (const sim::Entity& e : world.entities()) {
          std::vector<sim::Pose> poses;
          const Window window{world, world.scenario().weapons[0], e, first, missile, poses};
          const auto probe =
              sim::WideVec3(missile[missile.size() / 2]) - sim::WideVec3(e.track.position(first));
          if (sim::max_abs(probe) > 2 * sim::k_max_hull_offset) {
            continue;
          }
          for (Subtick t = first; t <= last; ++t) {
            poses.push_back(e.track.pose(t));
          }
          for (int k = 0; k < 10; ++k) {
            look(window, motion, loose, dice, run);
          }
        }
      }
    }
    log.append(std::move(record), false);
  }
}

TEST(HitWindows, TheSearchFindsExactlyWhatALoopOverEverySubtickFinds) {
  Findings run;
  std::uint64_t seed = 1;
  const auto windows = [&] {
    std::size_t sum = 0;
    for (const Tally& t : run.exact) {
      sum += t.windows;
    }
    return sum;
  };
  for (; windows() < windows_wanted(); ++seed) {
    play(seed, run);
  }
  std::printf("seeds 1..%d\n", static_cast<int>(seed - 1));
  std::size_t hits = 0;
  for (std::size_t kind = 0; kind < k_kinds; ++kind) {
    const Tally& t = run.exact[kind];
    std::printf(
        "%-12s %7zu windows %6zu hits %zu missed %zu false %zu at another subtick, %zu exact "
        "positions each\n",
        k_names[kind], t.windows, t.hits, t.missed, t.invented, t.moved,
        t.evaluations / std::max<std::size_t>(t.windows, 1));
    EXPECT_EQ(t.missed + t.invented + t.moved, 0U) << k_names[kind];
    EXPECT_GT(t.hits, 0U) << k_names[kind];
    hits += t.hits;
  }
  std::printf("%zu windows, %zu hits; off a hull: %zu windows, %zu missed %zu false %zu moved\n",
              windows(), hits, run.leaving.windows, run.leaving.missed, run.leaving.invented,
              run.leaving.moved);
  std::printf("controls: a look at the tick's end misses %zu; margins of zero miss %zu\n",
              run.sampled.missed, run.unbound.missed);
  EXPECT_EQ(run.leaving.missed + run.leaving.invented + run.leaving.moved, 0U);
  EXPECT_GT(run.leaving.hits, 0U);
  EXPECT_GT(run.sampled.missed, hits / 10);
  EXPECT_GT(run.unbound.missed, 0U);
}

}  // namespace
}  // namespace contrail::server
