#include <contrail/flow/hit_resolver.hpp>

#include <algorithm>
#include <limits>

#include <contrail/flow/hit_scan.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/sim/hit.hpp>

namespace contrail::server {

using sim::Subtick;
using sim::Vec3;
using sim::WideVec3;

void HitResolver::find(const sim::World& world, std::span<const sim::Salvo> staged,
                       std::vector<Contact>& out) {
  const Subtick length = world.scenario().tick_length();
  const auto window_ticks = window_ticks_ != 0
                                ? window_ticks_
                                : static_cast<std::uint32_t>(sim::k_subticks_per_second / length);
  Scan scan{world,       staged, world.tick(), world.time(), length, world.scenario().log2_tick,
            window_ticks};
  counters_ = {};
  out.clear();
  bodies_.look(world, Subtick{window_ticks} * length, error_percent_);
  for (const sim::Salvo& salvo : staged) {
    admit(scan, salvo);
  }
  open_windows(scan);
  meet_sudden(scan);
  free_attached(scan);
  look_at_pairs(scan, out);
  std::sort(out.begin(), out.end());
  release_compiled(scan);
}

void HitResolver::admit(Scan& scan, const sim::Salvo& salvo) {
  admitted_.clear();
  store_.admit(scan.world, salvo, admitted_);
  watches_.resize(store_.slots());
  const sim::Entity& launcher = *scan.world.find_entity(salvo.launch.launcher);
  Subtick posed = 0;  // ripples leave one by one, all others together
  sim::Pose pose;
  for (const std::uint32_t slot : admitted_) {
    HotMissile& m = store_.at(slot);
    watches_[slot] = {};
    const Subtick launched = scan.launched(store_.header(m), m);
    const std::uint32_t first = scan.tick_before(launched);
    if (first > scan.tick) {
      attached_.push_back(store_.ref(slot));
      m.next_window = first;
      windows_.put(first, store_.ref(slot));
      continue;
    }
    if (launched != posed) {
      posed = launched;
      pose = launcher.track.pose(launched);
    }
    leave_launcher(scan, slot, launcher, pose);
    // Windows of one salvo do not fall due together.
    const std::uint32_t salted = sim::mix(salvo.id + (std::uint32_t{m.index} << 24));
    open_window(scan, slot, 1 + salted % scan.window_ticks);
  }
}

/// A missile that starts clear of its launcher needs no watching; a base curve starts exactly where
/// the flight does.
void HitResolver::leave_launcher(const Scan& scan, std::uint32_t slot, const sim::Entity& launcher,
                                 const sim::Pose& pose) {
  HotMissile& m = store_.at(slot);
  const SalvoHeader& header = store_.header(m);
  const Vec3 start = sim::clamp(WideVec3(m.base[0]), sim::k_world_limit);
  if (sim::touches_hull(scan.scenario().types[launcher.type], pose, scan.weapon(header), start)) {
    attached_.push_back(store_.ref(slot));
  } else {
    m.free_after = 0;
  }
}

CourseQuery HitResolver::course_query(const Scan& scan, std::uint32_t slot) const {
  const HotMissile& m = store_.at(slot);
  const SalvoHeader& header = store_.header(m);
  CourseQuery query = server::course_query(scan.world, header, m);
  query.horizon_begin = scan.now;
  query.begin = std::max(scan.now + 1, query.launched);
  const std::uint32_t body = m.target == sim::k_no_entity ? k_no_body : bodies_.number_of(m.target);
  if (body != k_no_body) {
    query.target = &bodies_[body].horizon;
    query.type = bodies_[body].type;
  }
  if (m.events != 0) {
    const sim::Salvo& salvo = scan.salvo(header.id);
    query.lock = scan.world.lock_in_force(salvo, m.index, query.begin);
    query.lock_time = query.begin;
    query.end_point = scan.world.compiled(salvo, m.index).flight.end();
  }
  return query;
}

Course HitResolver::scaled(Course course) const {
  course.radius = course.radius * error_percent_ / 100;
  return course;
}

/// Windows that are due, and those that guidance has overtaken.
void HitResolver::open_windows(Scan& scan) {
  windows_.take(scan.tick, due_windows_);
  constexpr std::size_t k_ahead = 8;
  for (std::size_t i = 0; i < due_windows_.size(); ++i) {
    if (i + 2 * k_ahead < due_windows_.size()) {
      const std::uint32_t later = due_windows_[i + 2 * k_ahead].slot;
      store_.fetch(later);
      __builtin_prefetch(&watches_[later], 1);
    }
    if (i + k_ahead < due_windows_.size()) {
      store_.fetch_header(due_windows_[i + k_ahead].slot);
    }
    const SlotRef ref = due_windows_[i];
    if (store_.lives(ref) && store_.at(ref.slot).next_window == scan.tick) {
      open_window(scan, ref.slot, scan.window_ticks);
    }
  }
  for (const SlotRef& ref : again_) {
    if (store_.lives(ref)) {
      open_window(scan, ref.slot, scan.window_ticks);
    }
  }
  again_.clear();
}

void HitResolver::open_window(Scan& scan, std::uint32_t slot, std::uint32_t ticks) {
  HotMissile& m = store_.at(slot);
  CourseQuery query = course_query(scan, slot);
  if (query.begin > scan.now + scan.tick_length) {
    return;  // its first window is due when it flies
  }
  ++counters_.windows;
  if (m.events != 0) {
    use_compiled(m);
  }
  const std::uint32_t until = scan.tick + ticks;
  query.end = std::min(Subtick{until} * scan.tick_length, query.flight_end);
  m.next_window = until;
  if (query.end < query.flight_end) {
    windows_.put(until, store_.ref(slot));
  }
  const Course course = scaled(course_of(query));
  Watch& watch = watches_[slot];
  watch.centre = sim::clamp(sim::shift_right(course.from + course.to, 1), sim::k_world_limit);
  const std::int64_t radius = course.radius + roughly_above(course.to - course.from) / 2 + 2;
  watch.radius = static_cast<std::int32_t>(
      std::min<std::int64_t>(radius, std::numeric_limits<std::int32_t>::max()));
  meet_bodies(scan, slot, query, course);
}

/// The window tells who may be met, its legs tell when: a leg a quarter as long strays a sixteenth
/// as far from its chord.
void HitResolver::cut_into_legs(const Scan& scan, const CourseQuery& window, const Course& course) {
  if (window.end - window.begin < k_leg) {
    legs_.push_back(course);
    return;
  }
  CourseQuery leg = window;
  const Subtick length = std::max(scan.tick_length, k_leg);
  while (leg.begin <= window.end) {
    leg.end = std::min((leg.begin - 1) / length * length + length, window.end);
    legs_.push_back(scaled(course_of(leg)));
    leg.begin = leg.end + 1;
  }
}

void HitResolver::meet_bodies(Scan& scan, std::uint32_t slot, const CourseQuery& query,
                              const Course& course) {
  const HotMissile& m = store_.at(slot);
  const std::int64_t radius = std::max<std::int64_t>(
      sim::contact_radius(scan.weapon(store_.header(m))), sim::k_min_radius_sum);
  const Box box = box_around(course.from, course.to, course.radius + radius);
  legs_.clear();
  const auto meet = [&](std::uint32_t body, std::int64_t distance, const auto& course_of_body) {
    if (!meeting(course, course_of_body(course.begin, course.end), distance).possible) {
      return;
    }
    if (legs_.empty()) {
      cut_into_legs(scan, query, course);
    }
    Meeting when;
    for (const Course& leg : legs_) {
      const Meeting in_leg = meeting(leg, course_of_body(leg.begin, leg.end), distance);
      if (in_leg.possible) {
        when = {true, when.possible ? when.first : in_leg.first, in_leg.last};
      }
    }
    if (when.possible) {
      const std::uint32_t first = std::max(scan.tick, scan.tick_before(when.first));
      pairs_.put(first, {store_.ref(slot), body, scan.tick_before(when.last)});
    }
  };
  for (const std::uint32_t number : bodies_.find(box)) {
    const Body& body = bodies_[number];
    if (body.id != m.target) {
      meet(body.id, body.radius + radius, [&](Subtick begin, Subtick end) {
        return scaled(course_of(body.horizon, scan.log2_tick, scan.now, begin, end));
      });
    }
  }
  for (const std::uint32_t number : bodies_.find_obstacles(box)) {
    const sim::HullPart& part = scan.scenario().obstacles[number];
    const WideVec3 middle = WideVec3(part.a) + sim::shift_right(WideVec3(part.d), 1);
    const std::int64_t reach = length_above(WideVec3(part.d)) / 2 + part.radius + 2;
    meet(k_first_obstacle + number, reach + radius, [&](Subtick begin, Subtick end) {
      return Course{begin, end, middle, middle, 0};
    });
  }
  const std::int32_t ground = scan.scenario().ground;
  if (ground > -sim::k_world_limit && box.low.y <= ground) {
    const std::uint32_t first = std::max(scan.tick, scan.tick_before(course.begin));
    pairs_.put(first, {store_.ref(slot), k_ground, scan.tick_before(course.end)});
  }
}

/// Bodies that broke their horizon, and bodies that are new: every window open now looks at them.
void HitResolver::meet_sudden(Scan& scan) {
  const std::span<const std::uint32_t> sudden = bodies_.sudden();
  constexpr std::size_t k_few = 16;
  const bool many = sudden.size() > k_few;
  for (std::uint32_t slot = 0; slot < store_.slots() && !sudden.empty(); ++slot) {
    const HotMissile& m = store_.at(slot);
    const Watch& watch = watches_[slot];
    if (!store_.alive(slot) || watch.radius == 0) {
      continue;  // nothing there, or not launched before this tick
    }
    const std::uint32_t target =
        m.target == sim::k_no_entity ? k_no_body : bodies_.number_of(m.target);
    bool again = many || (target != k_no_body && bodies_[target].horizon.sudden);
    for (std::size_t i = 0; i < sudden.size() && !again; ++i) {
      const Body& body = bodies_[sudden[i]];
      const Subtick until = Subtick{m.next_window} * scan.tick_length;
      if (until <= scan.now) {
        continue;
      }
      const Course other =
          scaled(course_of(body.horizon, scan.log2_tick, scan.now, scan.now, until));
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
      store_.at(slot).target = missile.locked ? missile.target : sim::k_no_entity;
      again_.push_back(store_.ref(slot));
    }
  }
}

std::size_t HitResolver::bytes() const {
  return store_.bytes() + watches_.capacity() * sizeof(Watch) + windows_.bytes() + pairs_.bytes() +
         due_windows_.capacity() * sizeof(SlotRef) + due_pairs_.capacity() * sizeof(Pair);
}

}  // namespace contrail::server
