// The resolver in the tick itself: pairs that are due, missiles that are still at their launcher.

#include <algorithm>
#include <optional>

#include <contrail/flow/hit_scan.hpp>
#include <contrail/sim/hit.hpp>

namespace contrail::server {

using sim::Subtick;

void HitResolver::use_compiled(const HotMissile& missile) {
  open_.push_back({store_.header(missile).id, missile.index});
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
    const Subtick launched = scan.launched(header, m);
    const Subtick first = std::max(scan.now + 1, launched);
    const Subtick last = std::min(scan.now + scan.tick_length, launched + scan.duration(header));
    const std::uint32_t body = bodies_.number_of(header.launch.launcher);
    if (body == k_no_body) {
      continue;  // the launcher is gone
    }
    std::optional<Subtick> apart;
    if (first <= last) {
      use_compiled(m);
      const MissileMotion motion(scan.world, scan.salvo(header.id), m.index, first, last,
                                 error_percent_);
      SearchCounters search;
      apart = first_on_hull(motion, bodies_.in_tick(scan.world, body).hull, false, first, search);
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
  constexpr std::size_t k_ahead = 8;
  for (std::size_t i = 0; i < due_pairs_.size();) {
    if (i + 2 * k_ahead < due_pairs_.size()) {
      store_.fetch(due_pairs_[i + 2 * k_ahead].missile.slot);
      store_.fetch_header(due_pairs_[i + k_ahead].missile.slot);
    }
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

/// The locked target of a missile in this tick, null: there is none.
const BodyTick* HitResolver::target_in_tick(const Scan& scan, std::uint16_t target) {
  const std::uint32_t body = target == sim::k_no_entity ? k_no_body : bodies_.number_of(target);
  return body == k_no_body ? nullptr : &bodies_.in_tick(scan.world, body);
}

/// All pairs of one missile in this tick. Most are done with after a quick look: at the ball around
/// the body, at a plane between course and hull, at the same with the target known exactly.
void HitResolver::look_at_missile(Scan& scan, std::span<const Pair> pairs,
                                  std::vector<Contact>& out) {
  const std::uint32_t slot = pairs.front().missile.slot;
  const HotMissile& m = store_.at(slot);
  const SalvoHeader& header = store_.header(m);
  const sim::Weapon& weapon = scan.weapon(header);
  CourseQuery query = course_query(scan, slot);
  query.end = std::min(scan.now + scan.tick_length, query.flight_end);
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
      use_compiled(m);
      motion.emplace(scan.world, scan.salvo(header.id), m.index, query.begin, query.end,
                     error_percent_);
    }
    ++counters_.searches;
    return *motion;
  };
  std::optional<Course> close;  // with the target where it is, not where it may be
  const auto close_course = [&]() -> const Course& {
    if (!close) {
      query.in_tick = target_in_tick(scan, m.target);
      close = scaled(course_of(query));
    }
    return *close;
  };
  const auto on_hull = [&](std::uint16_t entity) -> std::optional<Subtick> {
    const std::uint32_t number = bodies_.number_of(entity);
    if (number == k_no_body || entity == m.target) {
      return std::nullopt;
    }
    const Body& body = bodies_[number];
    Subtick from = query.begin;
    const bool own = entity == header.launch.launcher && body.entity->spawn_time < header.launch.t0;
    if (own) {
      if (m.free_after == k_no_slot) {
        return std::nullopt;
      }
      from = std::max(from, query.launched + m.free_after);
    }
    const Course other =
        scaled(course_of(body.horizon, scan.log2_tick, scan.now, course.begin, course.end));
    if (!meeting(course, other, body.radius + radius).possible) {
      return std::nullopt;
    }
    ++counters_.planes;
    const BodyTick& tick = bodies_.in_tick(scan.world, number);
    const bool leaves = own && from == query.launched;
    if (error_percent_ == 100 &&
        ((leaves && departs_clear(departure_of(query), tick, weapon)) ||
         apart(course, tick, weapon) ||
         (query.target != nullptr && apart(close_course(), tick, weapon)))) {
      return std::nullopt;
    }
    return first_on_hull(exact(), tick.hull, true, from, search);
  };
  for (const Pair& pair : pairs) {
    ++counters_.pairs;
    if (looked_ != nullptr) {
      looked_->push_back({header.id, m.index, pair.body});
    }
    std::optional<Subtick> touch;
    if (pair.body == k_ground) {
      touch = first_on_ground(exact(), search);
    } else if (pair.body >= k_first_obstacle) {
      touch = first_on_obstacle(exact(), scan.scenario().obstacles[pair.body - k_first_obstacle],
                                search);
    } else {
      touch = on_hull(static_cast<std::uint16_t>(pair.body));
    }
    if (touch) {
      const bool entity = pair.body < k_first_obstacle;
      out.push_back({*touch, entity ? ContactClass::hull : ContactClass::obstacle, header.id,
                     m.index, entity ? static_cast<std::uint16_t>(pair.body) : sim::k_no_entity});
    }
  }
  counters_.evaluations += search.evaluations;
}

}  // namespace contrail::server
