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

/// One ship in one tick.
struct Ship {
  const sim::Entity& entity;
  const sim::EntityType& type;
  sim::Pose before;
  sim::Pose after;
  std::int64_t reach = 0;  // of its hull from its position, length units
};

std::vector<Ship> ships_of(const sim::World& world, Subtick begin, Subtick end) {
  std::vector<Ship> ships;
  for (const sim::Entity& e : world.entities()) {
    const sim::EntityType& type = world.scenario().types[e.type];
    ships.push_back({e, type, e.track.pose(begin), e.track.pose(end),
                     server::hull_reach(type) + 20 * sim::k_units_per_metre});
  }
  return ships;
}

/// One missile over the part of a tick in which it flies, against every ship.
void look(const sim::World& world, const sim::Salvo& salvo, std::uint8_t index,
          const std::vector<Ship>& ships, Subtick begin, Subtick end, Found& found) {
  const sim::Weapon& weapon = world.scenario().weapons[salvo.launch.weapon];
  const sim::Missile& missile = salvo.missiles[index];
  const Subtick first = std::max(begin, world.missile_launch_time(salvo, index));
  const Subtick last = std::min(end, missile.end_time);
  if (first >= last) {
    return;
  }
  const WideVec3 a(world.missile_position(salvo, index, first));
  const WideVec3 b(world.missile_position(salvo, index, last));
  for (const Ship& ship : ships) {
    if (ship.entity.id == salvo.launch.launcher ||
        (missile.locked && missile.target == ship.entity.id)) {
      continue;
    }
    const std::int64_t far =
        ship.reach + sim::max_abs(b - a) +
        sim::max_abs(WideVec3(ship.after.position) - WideVec3(ship.before.position));
    if (sim::max_abs(b - WideVec3(ship.after.position)) > far) {
      continue;
    }
    const Touch touch{salvo.id, index, ship.entity.id};
    // A missile that ends inside the tick has no sample at the tick's end.
    if (last == end && sim::touches_hull(ship.type, ship.after, weapon, Vec3(b))) {
      found.point.insert(touch);
    }
    const sim::Pose from = first == begin ? ship.before : ship.entity.track.pose(first);
    const sim::Pose to = last == end ? ship.after : ship.entity.track.pose(last);
    const WideVec3 start = a - WideVec3(from.position) + WideVec3(to.position);
    if (segment_touches(ship.type, to, weapon, start, b)) {
      found.swept.insert(touch);
    }
  }
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
      const sim::Salvo& salvo = c.salvo >= world.next_launch()
                                    ? staged[c.salvo - world.next_launch()]
                                    : *world.find_salvo(c.salvo);
      if (salvo.launch.launcher != c.victim) {
        found.exact.insert({c.salvo, c.index, c.victim});
      }
    }
    events.clear();
    if (world.fold(record, &events).error != sim::FoldError::none) {
      std::printf("a record does not fold\n");
      return;
    }
    resolver.follow(world, events);
    const Subtick end = world.time();
    const Subtick begin = end - scenario->tick_length();
    const std::vector<Ship> ships = ships_of(world, begin, end);
    for (const sim::Salvo& s : world.salvos()) {
      for (std::size_t i = 0; i < s.missiles.size(); ++i) {
        const sim::EndKind how = s.missiles[i].end;
        if (how != sim::EndKind::aborted && s.missiles[i].end_time > begin) {
          look(world, s, static_cast<std::uint8_t>(i), ships, begin, end, found);
        }
      }
    }
  }
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
    size.missiles = low < 200 ? 600 : low < 500 ? 2'000 : 6'000;
    size.entities = 300;
    size.box_metres = low < 200 ? 1'200 : low < 500 ? 2'500 : 5'000;
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
