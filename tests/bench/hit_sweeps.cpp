#include "hit_sweeps.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <contrail/flow/hit_resolver.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/hit.hpp>

#include "hit_scene.hpp"

namespace contrail::bench {
namespace {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

/// Missile, victim.
using Touch = std::tuple<std::uint32_t, std::uint8_t, std::uint16_t>;

struct Found {
  std::set<Touch> exact;
  std::set<Touch> point;
  std::set<Touch> swept;
};

/// Does the segment from..to, relative to the hull, touch it: by halving, in the axes of the pose
/// at the end of the tick.
bool segment_touches(const sim::EntityType& type, const sim::Pose& pose, const sim::Weapon& weapon,
                     const WideVec3& from, const WideVec3& to) {
  constexpr int k_samples = 256;
  for (int i = 0; i <= k_samples; ++i) {
    const WideVec3 at = from + (to - from) * std::int64_t{i} / std::int64_t{k_samples};
    if (sim::touches_hull(type, pose, weapon, sim::clamp(at, sim::k_world_limit))) {
      return true;
    }
  }
  return false;
}

struct Touching {
  bool point = false;
  bool swept = false;
};

/// The missile at both ends of the tick against one hull.
Touching look(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
              const sim::Entity& e, Subtick begin, Subtick end) {
  const sim::EntityType& type = world.scenario().types[e.type];
  const sim::Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
  const sim::Pose before = e.track.pose(begin);
  const sim::Pose after = e.track.pose(end);
  const WideVec3 a(world.missile_position(salvo, index, begin));
  const WideVec3 b(world.missile_position(salvo, index, end));
  const WideVec3 from = a - WideVec3(before.position) + WideVec3(after.position);
  const std::int64_t reach = server::hull_reach(type) + sim::length(b - from) + 4096 * 20;
  if (sim::length(b - WideVec3(after.position)) > reach) {
    return {};
  }
  return {sim::touches_hull(type, after, weapon, Vec3(b)),
          segment_touches(type, after, weapon, from, b)};
}

void fly(const SceneSize& size, int ticks, Found& found) {
  const auto scenario = scene_scenario(size);
  server::Match match(scenario);
  SceneGunner gunner(size);
  sim::World world(scenario);
  server::HitResolver resolver;
  std::vector<server::Contact> contacts;
  std::vector<sim::WorldEvent> events;
  for (int n = 0; n < ticks; ++n) {
    gunner.fire(match);
    sim::TickRecord record = match.step().entry.record;
    record.outcomes.clear();  // missiles fly on through what they touch
    record.state_hashes.clear();
    std::vector<sim::Salvo> staged;
    for (const sim::Launch& l : record.launches) {
      staged.push_back(world.prepare_salvo(
          l, world.next_launch() + static_cast<std::uint32_t>(staged.size()), record.tick));
    }
    resolver.find(world, staged, contacts);
    for (const server::Contact& c : contacts) {
      found.exact.insert({c.salvo, c.index, c.victim});
    }
    events.clear();
    if (world.fold(record, &events).error != sim::FoldError::none) {
      std::printf("a record does not fold\n");
      return;
    }
    resolver.follow(world, events);
    const Subtick end = world.time();
    const Subtick begin = end - scenario->tick_length();
    for (const sim::Salvo& s : world.salvos()) {
      for (std::size_t i = 0; i < s.missiles.size(); ++i) {
        const auto index = static_cast<std::uint8_t>(i);
        if (s.missiles[i].end != sim::EndKind::alive ||
            world.missile_launch_time(s, index) > begin) {
          continue;
        }
        for (const sim::Entity& e : world.entities()) {
          if (e.id == s.launch.launcher || (s.missiles[i].locked && s.missiles[i].target == e.id)) {
            continue;
          }
          const Touching t = look(world, s, index, e, begin, end);
          const Touch touch{s.id, index, e.id};
          if (t.point) {
            found.point.insert(touch);
          }
          if (t.swept) {
            found.swept.insert(touch);
          }
        }
      }
    }
  }
  std::erase_if(found.exact, [&](const Touch& t) {
    const sim::Salvo* s = world.find_salvo(std::get<0>(t));
    return s != nullptr && s->launch.launcher == std::get<2>(t);
  });
}

std::size_t missing(const std::set<Touch>& of, const std::set<Touch>& in) {
  std::size_t count = 0;
  for (const Touch& t : of) {
    count += in.contains(t) ? 0 : 1;
  }
  return count;
}

}  // namespace

void compare_sweeps() {
  std::printf("\nwhat simpler tests make of the same flights, 32 Hz (own launcher left out)\n");
  std::printf("%-14s %7s | %-28s | %-28s\n", "chord speed", "touches", "a point each tick",
              "relative swept segment");
  for (const auto& [low, high] : {std::pair{80, 120}, std::pair{260, 340}, std::pair{850, 1150}}) {
    SceneSize size;
    size.missiles = 600;
    size.entities = 300;
    size.box_metres = low < 200 ? 1'200 : low < 500 ? 2'500 : 6'000;
    size.chord_low = low;
    size.chord_high = high;
    Found found;
    fly(size, 32 * 20, found);
    const auto all = static_cast<double>(std::max<std::size_t>(found.exact.size(), 1));
    const auto line = [&](const std::set<Touch>& f) {
      const std::size_t missed = missing(found.exact, f);
      const std::size_t invented = missing(f, found.exact);
      std::printf(" | missed %4zu (%4.1f %%) false %3zu", missed,
                  100 * static_cast<double>(missed) / all, invented);
    };
    std::printf("%4d..%4d m/s %8zu", low, high, found.exact.size());
    line(found.point);
    line(found.swept);
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace contrail::bench
