#include <contrail/flow/hit_resolver.hpp>

#include <algorithm>
#include <limits>
#include <optional>

#include <contrail/sim/assert.hpp>
#include <contrail/sim/hit.hpp>

namespace contrail::server {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

/// One call of find().
struct HitResolver::Scan {
  const sim::World& world;
  std::span<const sim::Salvo> staged;
  std::uint32_t tick;   // the world's; the one after it is searched
  Subtick now;          // its end
  Subtick tick_length;  // subticks
  std::uint32_t window_ticks;

  [[nodiscard]] const sim::Scenario& scenario() const { return world.scenario(); }
  [[nodiscard]] const sim::Salvo& salvo(std::uint32_t id) const {
    return id >= world.next_launch() ? staged[id - world.next_launch()] : *world.find_salvo(id);
  }
  [[nodiscard]] const sim::Weapon& weapon(const SalvoHeader& header) const {
    return scenario().weapons[header.launch.weapon];
  }
  /// The world tick in whose successor t lies.
  [[nodiscard]] std::uint32_t tick_before(Subtick t) const {
    return static_cast<std::uint32_t>((t - 1) / tick_length);
  }
};

void HitResolver::find(const sim::World& world, std::span<const sim::Salvo> staged,
                       std::vector<Contact>& out) {
  const Subtick half_second = sim::k_subticks_per_second / 2;
  const Subtick length = world.scenario().tick_length();
  Scan scan{world,
            staged,
            world.tick(),
            world.time(),
            length,
            window_ticks_ != 0 ? window_ticks_ : static_cast<std::uint32_t>(half_second / length)};
  counters_ = {};
  out.clear();
  look_at_bodies(world);
  look_at_obstacles(world);
  for (const sim::Salvo& salvo : staged) {
    admit(scan, salvo);
  }
  windows_.take(scan.tick, due_windows_);
  constexpr std::size_t k_ahead = 8;
  for (std::size_t i = 0; i < due_windows_.size(); ++i) {
    if (i + 2 * k_ahead < due_windows_.size()) {
      const std::uint32_t later = due_windows_[i + 2 * k_ahead].slot;
      store_.fetch(later);
      __builtin_prefetch(&watches_[later]);
    }
    if (i + k_ahead < due_windows_.size()) {
      store_.fetch_header(due_windows_[i + k_ahead].slot);
    }
    const SlotRef ref = due_windows_[i];
    if (store_.lives(ref) && watches_[ref.slot].next_window == scan.tick) {
      open_window(scan, ref.slot, scan.window_ticks);
    }
  }
  for (const SlotRef& ref : again_) {
    if (store_.lives(ref)) {
      open_window(scan, ref.slot, scan.window_ticks);
    }
  }
  again_.clear();
  meet_sudden(scan);
  free_attached(scan);
  look_at_pairs(scan, out);
  std::sort(out.begin(), out.end());
  release_compiled(scan);
}

void HitResolver::look_at_bodies(const sim::World& world) {
  for (const Body& body : bodies_) {
    body_of_[body.id] = k_no_slot;
  }
  bodies_.clear();
  body_of_.resize(65536, k_no_slot);
  const std::vector<sim::Entity>& entities = world.entities();
  Box extent;
  for (const sim::Entity& entity : entities) {
    const WideVec3 at(entity.track.pieces().back().p0);
    const Box one{at, at};
    extent = &entity == &entities.front() ? one : joined(extent, one);
  }
  grid_.clear(entities.size(), extent);
  const Subtick length = world.scenario().tick_length();
  const Subtick now = world.time();
  const Subtick until =
      now + std::max<Subtick>(sim::k_subticks_per_second / 2, Subtick{window_ticks_} * length);
  for (const sim::Entity& entity : entities) {
    if (entity.gone) {
      continue;
    }
    const sim::EntityType& type = world.scenario().types[entity.type];
    std::int64_t thickest = 0;
    for (const sim::HullPart& part : type.hull) {
      thickest = std::max<std::int64_t>(thickest, part.radius);
    }
    Body body{entity.id, &entity, &type, horizon_of(world, entity),
              hull_reach(type) + thickest + 16};
    body.horizon.sudden = body.horizon.sudden || entity.spawn_time == now;
    body_of_[entity.id] = static_cast<std::uint32_t>(bodies_.size());
    const Course course = scaled(course_of(body.horizon, length, now, now, until));
    grid_.add(box_around(course.from, course.to, course.radius + body.radius));
    bodies_.push_back(body);
  }
  grid_.build();
}

void HitResolver::look_at_obstacles(const sim::World& world) {
  if (obstacles_known_) {
    return;
  }
  obstacles_known_ = true;
  const auto& obstacles = world.scenario().obstacles;
  obstacle_grid_.clear(obstacles.size(), {});
  for (const sim::HullPart& part : obstacles) {
    const WideVec3 a(part.a);
    obstacle_grid_.add(box_around(a, a + WideVec3(part.d), part.radius));
  }
  obstacle_grid_.build();
}

void HitResolver::admit(Scan& scan, const sim::Salvo& salvo) {
  admitted_.clear();
  store_.admit(scan.world, salvo, admitted_);
  watches_.resize(store_.slots());
  for (const std::uint32_t slot : admitted_) {
    HotMissile& m = store_.at(slot);
    Watch& watch = watches_[slot];
    watch = {};
    const sim::Missile& missile = salvo.missiles[m.index];
    watch.target = missile.locked ? missile.target : sim::k_no_entity;
    leave_launcher(scan, slot);
    const Subtick launched = scan.world.missile_launch_time(salvo, m.index);
    const std::uint32_t first = scan.tick_before(launched);
    if (first > scan.tick) {
      watch.next_window = first;
      windows_.put(first, store_.ref(slot));
      continue;
    }
    // Windows of one salvo do not fall due together.
    const std::uint32_t salted = sim::mix(m.salvo + (std::uint32_t{m.index} << 24));
    open_window(scan, slot, 1 + salted % scan.window_ticks);
  }
}

/// A missile that starts clear of its launcher needs no watching; a base curve starts exactly where
/// the flight does.
void HitResolver::leave_launcher(Scan& scan, std::uint32_t slot) {
  HotMissile& m = store_.at(slot);
  const SalvoHeader& header = store_.header(m);
  const sim::Weapon& weapon = scan.weapon(header);
  const Subtick launched = sim::launch_time(header.launch, weapon, m.index);
  if (launched <= scan.now + scan.tick_length) {
    const sim::Entity& launcher = *scan.world.find_entity(header.launch.launcher);
    const Vec3 start = sim::clamp(WideVec3(m.base[0]), sim::k_world_limit);
    if (!sim::touches_hull(scan.scenario().types[launcher.type], launcher.track.pose(launched),
                           weapon, start)) {
      m.free_after = 0;
      return;
    }
  }
  attached_.push_back(store_.ref(slot));
}

CourseQuery HitResolver::course_query(const Scan& scan, std::uint32_t slot) const {
  const HotMissile& m = store_.at(slot);
  const SalvoHeader& header = store_.header(m);
  const sim::Weapon& weapon = scan.weapon(header);
  CourseQuery query{scan.world, header, m, nullptr, nullptr, {}, {}, 0, 0, 0};
  query.horizon_begin = scan.now;
  query.begin = std::max(scan.now + 1, sim::launch_time(header.launch, weapon, m.index));
  const std::uint32_t body =
      watches_[slot].target == sim::k_no_entity ? k_no_slot : body_of_[watches_[slot].target];
  if (body != k_no_slot) {
    query.target = &bodies_[body].horizon;
    query.type = bodies_[body].type;
  }
  if (m.events != 0) {
    const sim::Salvo& salvo = scan.salvo(m.salvo);
    query.lock = scan.world.lock_in_force(salvo, m.index, query.begin);
    query.end_point = scan.world.compiled(salvo, m.index).flight.end();
  }
  return query;
}

Course HitResolver::scaled(Course course) const {
  course.radius = course.radius * error_percent_ / 100;
  return course;
}

void HitResolver::open_window(Scan& scan, std::uint32_t slot, std::uint32_t ticks) {
  const HotMissile& m = store_.at(slot);
  CourseQuery query = course_query(scan, slot);
  if (query.begin > scan.now + scan.tick_length) {
    return;  // its first window is due when it flies
  }
  ++counters_.windows;
  if (m.events != 0) {
    use_compiled(scan, m);
  }
  const SalvoHeader& header = store_.header(m);
  const Subtick ends = sim::end_time(header.launch, scan.weapon(header), m.index);
  const std::uint32_t until = scan.tick + ticks;
  query.end = std::min(Subtick{until} * scan.tick_length, ends);
  Watch& watch = watches_[slot];
  watch.next_window = until;
  if (query.end < ends) {
    windows_.put(until, store_.ref(slot));
  }
  const Course course = scaled(course_of(query));
  watch.centre = sim::clamp(sim::shift_right(course.from + course.to, 1), sim::k_world_limit);
  const std::int64_t radius = course.radius + roughly_above(course.to - course.from) / 2 + 2;
  watch.radius = static_cast<std::int32_t>(
      std::min<std::int64_t>(radius, std::numeric_limits<std::int32_t>::max()));
  meet_bodies(scan, slot, course);
}

void HitResolver::meet_bodies(Scan& scan, std::uint32_t slot, const Course& course) {
  const HotMissile& m = store_.at(slot);
  const std::int64_t radius = std::max<std::int64_t>(
      sim::contact_radius(scan.weapon(store_.header(m))), sim::k_min_radius_sum);
  const Box box = box_around(course.from, course.to, course.radius + radius);
  near_.clear();
  grid_.find(box, near_);
  for (const std::uint32_t number : near_) {
    const Body& body = bodies_[number];
    if (body.entity->id == watches_[slot].target) {
      continue;
    }
    const Course other =
        scaled(course_of(body.horizon, scan.tick_length, scan.now, course.begin, course.end));
    add_pair(scan, slot, body.entity->id, meeting(course, other, body.radius + radius));
  }
  near_.clear();
  obstacle_grid_.find(box, near_);
  for (const std::uint32_t number : near_) {
    const sim::HullPart& part = scan.scenario().obstacles[number];
    const WideVec3 middle = WideVec3(part.a) + sim::shift_right(WideVec3(part.d), 1);
    const std::int64_t reach = length_above(WideVec3(part.d)) / 2 + part.radius + 2;
    add_pair(scan, slot, k_first_obstacle + number,
             meeting(course, {course.begin, course.end, middle, middle, 0}, reach + radius));
  }
  const std::int32_t ground = scan.scenario().ground;
  if (ground > -sim::k_world_limit && box.low.y <= ground) {
    add_pair(scan, slot, k_ground, {true, course.begin, course.end});
  }
}

void HitResolver::add_pair(Scan& scan, std::uint32_t slot, std::uint32_t body,
                           const Meeting& when) {
  if (!when.possible) {
    return;
  }
  const std::uint32_t first = std::max(scan.tick, scan.tick_before(when.first));
  pairs_.put(first, {store_.ref(slot), body, scan.tick_before(when.last)});
}

/// Bodies that broke their horizon, and bodies that are new: every window open now looks at them.
void HitResolver::meet_sudden(Scan& scan) {
  std::vector<std::uint32_t> sudden;
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].horizon.sudden) {
      sudden.push_back(i);
    }
  }
  constexpr std::size_t k_few = 16;
  const bool many = sudden.size() > k_few;
  for (std::uint32_t slot = 0; slot < store_.slots() && !sudden.empty(); ++slot) {
    Watch& watch = watches_[slot];
    if (!store_.alive(slot) || watch.radius == 0) {
      continue;  // nothing there, or not launched before this tick
    }
    const std::uint32_t target =
        watch.target == sim::k_no_entity ? k_no_slot : body_of_[watch.target];
    bool again = many || (target != k_no_slot && bodies_[target].horizon.sudden);
    for (std::size_t i = 0; i < sudden.size() && !again; ++i) {
      const Body& body = bodies_[sudden[i]];
      const Subtick until = Subtick{watch.next_window} * scan.tick_length;
      if (until <= scan.now) {
        continue;
      }
      const Course other =
          scaled(course_of(body.horizon, scan.tick_length, scan.now, scan.now, until));
      const Box box = box_around(other.from, other.to, other.radius + body.radius);
      const std::int64_t radius = std::int64_t{watch.radius} + 2 * sim::k_max_hull_radius;
      again = watch.radius == std::numeric_limits<std::int32_t>::max() ||
              overlap(box, box_around(WideVec3(watch.centre), WideVec3(watch.centre), radius));
    }
    if (again) {
      open_window(scan, slot, scan.window_ticks);
    }
  }
}

void HitResolver::use_compiled(Scan& scan, const HotMissile& missile) {
  (void)scan;
  open_.push_back({missile.salvo, missile.index});
}

/// Flights that this tick did not need are closed.
void HitResolver::release_compiled(const Scan& scan) {
  std::sort(open_.begin(), open_.end());
  open_.erase(std::unique(open_.begin(), open_.end()), open_.end());
  counters_.compiled = open_.size();
  for (const Open& open : open_before_) {
    if (!std::binary_search(open_.begin(), open_.end(), open)) {
      if (const sim::Salvo* salvo = scan.world.find_salvo(open.salvo)) {
        scan.world.release(*salvo, open.index);
      }
    }
  }
  std::swap(open_, open_before_);
  open_.clear();
}

void HitResolver::free_attached(Scan& scan) {
  std::size_t kept = 0;
  for (const SlotRef& ref : attached_) {
    if (!store_.lives(ref)) {
      continue;
    }
    HotMissile& m = store_.at(ref.slot);
    const SalvoHeader& header = store_.header(m);
    const sim::Weapon& weapon = scan.weapon(header);
    const Subtick launched = sim::launch_time(header.launch, weapon, m.index);
    const Subtick first = std::max(scan.now + 1, launched);
    const Subtick last =
        std::min(scan.now + scan.tick_length, sim::end_time(header.launch, weapon, m.index));
    const std::uint32_t body = body_of_[header.launch.launcher];
    if (body == k_no_slot) {
      continue;  // the launcher is gone
    }
    std::optional<Subtick> apart;
    if (first <= last) {
      use_compiled(scan, m);
      const MissileMotion motion(scan.world, scan.salvo(m.salvo), m.index, first, last,
                                 error_percent_);
      SearchCounters search;
      apart = first_on_hull(motion, hull_motion(scan.world, *bodies_[body].entity), false, first,
                            search);
      ++counters_.searches;
      counters_.evaluations += search.evaluations;
    }
    if (apart) {
      m.free_after = static_cast<std::uint32_t>(*apart - launched);
    } else {
      attached_[kept++] = ref;
    }
  }
  attached_.resize(kept);
}

void HitResolver::look_at_pairs(Scan& scan, std::vector<Contact>& out) {
  pairs_.take(scan.tick, due_pairs_);
  std::erase_if(due_pairs_, [&](const Pair& pair) { return !store_.lives(pair.missile); });
  const auto less = [](const Pair& a, const Pair& b) {
    return a.missile.slot != b.missile.slot ? a.missile.slot < b.missile.slot
           : a.body != b.body               ? a.body < b.body
                                            : a.until > b.until;
  };
  std::sort(due_pairs_.begin(), due_pairs_.end(), less);
  const auto same = [](const Pair& a, const Pair& b) {
    return a.missile.slot == b.missile.slot && a.body == b.body;
  };
  due_pairs_.erase(std::unique(due_pairs_.begin(), due_pairs_.end(), same), due_pairs_.end());
  for (std::size_t i = 0; i < due_pairs_.size();) {
    std::size_t j = i;
    while (j < due_pairs_.size() && due_pairs_[j].missile.slot == due_pairs_[i].missile.slot) {
      if (due_pairs_[j].until > scan.tick) {
        pairs_.put(scan.tick + 1, due_pairs_[j]);
      }
      ++j;
    }
    look_at_missile(scan, std::span(due_pairs_).subspan(i, j - i), out);
    i = j;
  }
}

/// All pairs of one missile in this tick.
void HitResolver::look_at_missile(Scan& scan, std::span<const Pair> pairs,
                                  std::vector<Contact>& out) {
  const std::uint32_t slot = pairs.front().missile.slot;
  const HotMissile& m = store_.at(slot);
  const SalvoHeader& header = store_.header(m);
  const sim::Weapon& weapon = scan.weapon(header);
  CourseQuery query = course_query(scan, slot);
  query.end = std::min(scan.now + scan.tick_length, sim::end_time(header.launch, weapon, m.index));
  if (query.begin > query.end) {
    return;
  }
  const Course course = scaled(course_of(query));
  const std::int64_t radius =
      std::max<std::int64_t>(sim::contact_radius(weapon), sim::k_min_radius_sum);
  std::optional<MissileMotion> motion;
  SearchCounters search;
  const auto exact = [&]() -> const MissileMotion& {
    if (!motion) {
      use_compiled(scan, m);
      motion.emplace(scan.world, scan.salvo(m.salvo), m.index, query.begin, query.end,
                     error_percent_);
    }
    ++counters_.searches;
    return *motion;
  };
  for (const Pair& pair : pairs) {
    ++counters_.pairs;
    if (looked_ != nullptr) {
      looked_->push_back({m.salvo, m.index, pair.body});
    }
    std::optional<Subtick> touch;
    if (pair.body == k_ground) {
      touch = first_on_ground(exact(), search);
    } else if (pair.body >= k_first_obstacle) {
      touch = first_on_obstacle(exact(), scan.scenario().obstacles[pair.body - k_first_obstacle],
                                search);
    } else {
      const std::uint32_t number = body_of_[pair.body];
      if (number == k_no_slot || pair.body == watches_[slot].target) {
        continue;
      }
      const Body& body = bodies_[number];
      Subtick from = query.begin;
      if (pair.body == header.launch.launcher && body.entity->spawn_time < header.launch.t0) {
        if (m.free_after == k_no_slot) {
          continue;
        }
        from = std::max(from, sim::launch_time(header.launch, weapon, m.index) + m.free_after);
      }
      const Course other =
          scaled(course_of(body.horizon, scan.tick_length, scan.now, course.begin, course.end));
      if (!meeting(course, other, body.radius + radius).possible) {
        continue;
      }
      const HullMotion hull = hull_motion(scan.world, *body.entity);
      const bool leaves = from == sim::launch_time(header.launch, weapon, m.index) &&
                          pair.body == header.launch.launcher;
      if (error_percent_ == 100 && ((leaves && departs_clear(departure_of(query), hull, weapon)) ||
                                    apart(course, hull, weapon))) {
        continue;
      }
      touch = first_on_hull(exact(), hull, true, from, search);
    }
    if (touch) {
      const bool entity = pair.body < k_first_obstacle;
      out.push_back({*touch, entity ? ContactClass::hull : ContactClass::obstacle, m.salvo, m.index,
                     entity ? static_cast<std::uint16_t>(pair.body) : sim::k_no_entity});
    }
  }
  counters_.evaluations += search.evaluations;
}

void HitResolver::follow(const sim::World& world, std::span<const sim::WorldEvent> events) {
  using Kind = sim::WorldEvent::Kind;
  for (const sim::WorldEvent& event : events) {
    if (event.kind == Kind::launch) {
      sim::require(store_.knows(event.salvo), "a salvo is searched in the tick of its launch");
    } else if (event.kind == Kind::missile_end) {
      store_.end(event.salvo, event.index);
    } else if (event.kind == Kind::lock_lost || event.kind == Kind::retarget) {
      const std::uint32_t slot = store_.slot_of(event.salvo, event.index);
      if (slot == k_no_slot) {
        continue;
      }
      const sim::Missile& missile = world.find_salvo(event.salvo)->missiles[event.index];
      store_.at(slot).events = missile.events;
      watches_[slot].target = missile.locked ? missile.target : sim::k_no_entity;
      again_.push_back(store_.ref(slot));
    }
  }
}

void HitResolver::missiles_near(const WideVec3& low, const WideVec3& high,
                                std::vector<Missile>& out) const {
  for (std::uint32_t slot = 0; slot < store_.slots(); ++slot) {
    if (!store_.alive(slot)) {
      continue;
    }
    const Watch& watch = watches_[slot];
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis) {
      apart = apart || watch.centre[axis] + std::int64_t{watch.radius} < low[axis] ||
              watch.centre[axis] - std::int64_t{watch.radius} > high[axis];
    }
    if (!apart) {
      out.push_back({store_.at(slot).salvo, store_.at(slot).index});
    }
  }
}

std::size_t HitResolver::bytes() const {
  return store_.bytes() + watches_.capacity() * sizeof(Watch);
}

}  // namespace contrail::server
