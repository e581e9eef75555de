#include <contrail/flow/hit_resolver.hpp>

#include <algorithm>
#include <optional>

#include <contrail/sim/hit.hpp>

#include <contrail/flow/motion_bound.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::WideVec3;

/// One missile inside one tick.
struct InFlight {
  const sim::World& world;
  const sim::Salvo& salvo;
  std::uint8_t index;
  const sim::Weapon& weapon;
  Subtick first;  // tested subticks, inclusive
  Subtick last;
  MotionBound motion;

  [[nodiscard]] sim::Vec3 position(Subtick t) const {
    return world.missile_position(salvo, index, t);
  }
};

enum class Verdict { apart, inside, unsure };

/// Missile against the hull of an entity.
struct HullTest {
  const InFlight& missile;
  const sim::Entity& entity;
  const sim::EntityType& type;
  MotionBound motion;

  [[nodiscard]] bool touching(Subtick t) const {
    return sim::touches_hull(type, entity.track.pose(t), missile.weapon, missile.position(t));
  }
  /// What holds for every subtick within `span` of t.
  [[nodiscard]] Verdict certify(Subtick t, Subtick span) const {
    const std::int64_t moved =
        missile.motion.displacement(span) + motion.displacement(span) + k_rounding_slack;
    const sim::Pose pose = entity.track.pose(t);
    const WideVec3 point(missile.position(t));
    bool apart = true;
    for (const sim::HullPart& part : type.hull) {
      const sim::WorldCapsule capsule = sim::place(part, missile.weapon, pose);
      const WideVec3 gap = point - sim::closest_axis_point(capsule, point);
      const std::int64_t below = sim::length(gap);
      if (length_above(gap) + moved < capsule.radius_sum) {
        return Verdict::inside;
      }
      apart = apart && below - moved > capsule.radius_sum;
    }
    return apart ? Verdict::apart : Verdict::unsure;
  }
};

struct GroundTest {
  const InFlight& missile;

  [[nodiscard]] bool touching(Subtick t) const {
    return sim::touches_ground(missile.world.scenario().ground, missile.weapon,
                               missile.position(t));
  }
  [[nodiscard]] Verdict certify(Subtick t, Subtick span) const {
    const std::int64_t moved = missile.motion.displacement(span) + k_rounding_slack;
    const std::int64_t height = std::int64_t{missile.position(t).y} - missile.weapon.radius -
                                missile.world.scenario().ground;
    if (height > moved) {
      return Verdict::apart;
    }
    return height < -moved ? Verdict::inside : Verdict::unsure;
  }
};

/// The first subtick of [first, last] where touching(t) == wanted, by bisection.
struct Bisection {
  template <class Test>
  static std::optional<Subtick> first_where(const Test& test, bool wanted, Subtick first,
                                            Subtick last) {
    constexpr Subtick k_leaf = 3;
    if (last - first < k_leaf) {
      for (Subtick t = first; t <= last; ++t) {
        if (test.touching(t) == wanted) {
          return t;
        }
      }
      return std::nullopt;
    }
    const Subtick middle = first + (last - first) / 2;
    const Verdict verdict = test.certify(middle, last - middle);
    if (verdict != Verdict::unsure) {
      return (verdict == Verdict::inside) == wanted ? std::optional(first) : std::nullopt;
    }
    if (const auto left = first_where(test, wanted, first, middle)) {
      return left;
    }
    return first_where(test, wanted, middle + 1, last);
  }
  static constexpr bool k_may_skip = true;
};

/// The same by looking at every subtick.
struct EverySubtick {
  template <class Test>
  static std::optional<Subtick> first_where(const Test& test, bool wanted, Subtick first,
                                            Subtick last) {
    for (Subtick t = first; t <= last; ++t) {
      if (test.touching(t) == wanted) {
        return t;
      }
    }
    return std::nullopt;
  }
  static constexpr bool k_may_skip = false;
};

/// An entity that can be hit in this tick.
struct Candidate {
  const sim::Entity& entity;
  const sim::EntityType& type;
  std::int64_t reach;
  MotionBound motion;
  Subtick middle;
  sim::Vec3 at_middle;
};

std::vector<Candidate> candidates(const sim::World& world, Subtick begin, Subtick end) {
  std::vector<Candidate> out;
  const Subtick middle = begin + (end - begin) / 2;
  for (const sim::Entity& entity : world.entities()) {
    if (entity.gone) {
      continue;
    }
    const sim::EntityType& type = world.scenario().types[entity.type];
    const std::int64_t reach = hull_reach(type);
    out.push_back({entity, type, reach, hull_motion(entity, reach, begin, end), middle,
                   entity.track.position(middle)});
  }
  return out;
}

/// Can the two meet at all: spheres around both, at the middle of the tick.
bool far_apart(const InFlight& missile, const Candidate& c, const sim::Vec3& at_probe,
               Subtick probe) {
  std::int64_t reach = c.reach + k_rounding_slack;
  std::int64_t radius = 0;
  for (const sim::HullPart& part : c.type.hull) {
    radius = std::max(radius, sim::radius_sum(part, missile.weapon));
  }
  reach += radius;
  const Subtick hull_span = std::max(c.middle - missile.first, missile.last - c.middle);
  const Subtick missile_span = std::max(probe - missile.first, missile.last - probe);
  const MotionBound centre{c.motion.speed, 0, 0};
  reach += centre.displacement(std::max<Subtick>(hull_span, 0)) +
           missile.motion.displacement(missile_span);
  return sim::length(WideVec3(at_probe) - WideVec3(c.at_middle)) > reach;
}

}  // namespace

template <class Search>
void HitResolver::find_with(const sim::World& world, std::span<const sim::Salvo> staged,
                            std::vector<Contact>& out) {
  const Subtick begin = world.time();
  const Subtick end = begin + world.scenario().tick_length();
  const std::vector<Candidate> hulls = candidates(world, begin, end);

  const auto test_missile = [&](const sim::Salvo& salvo, std::uint8_t index) {
    const Subtick launched = world.missile_launch_time(salvo, index);
    const Subtick first = std::max(launched, begin + 1);
    const Subtick last = std::min(end, world.missile_end_time(salvo, index));
    if (first > last) {
      return;
    }
    const InFlight missile{world,
                           salvo,
                           index,
                           world.scenario().weapons[salvo.launch.weapon],
                           first,
                           last,
                           missile_motion(world, salvo, index, first, last)};
    if (world.scenario().ground > -sim::k_world_limit) {
      if (const auto t = Search::first_where(GroundTest{missile}, true, first, last)) {
        out.push_back({*t, ContactClass::obstacle, salvo.id, index, sim::k_no_entity});
      }
    }
    const Subtick probe = first + (last - first) / 2;
    const sim::Vec3 at_probe = missile.position(probe);
    const sim::Missile& state = salvo.missiles[index];
    for (const Candidate& c : hulls) {
      if (state.locked && state.target == c.entity.id) {
        continue;
      }
      const HullTest test{missile, c.entity, c.type, c.motion};
      Subtick from = first;
      if (c.entity.id == salvo.launch.launcher && c.entity.spawn_time < salvo.launch.t0) {
        Separated& separated = separated_[salvo.id];
        if (!separated[index]) {
          const auto apart = Search::first_where(test, false, first, last);
          if (!apart) {
            continue;
          }
          separated.set(index);
          from = *apart;
        }
      }
      if (Search::k_may_skip && far_apart(missile, c, at_probe, probe)) {
        continue;
      }
      if (const auto t = Search::first_where(test, true, from, last)) {
        out.push_back({*t, ContactClass::hull, salvo.id, index, c.entity.id});
      }
    }
  };

  const auto test_salvo = [&](const sim::Salvo& salvo) {
    for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
      if (salvo.missiles[i].end == sim::EndKind::alive) {
        test_missile(salvo, static_cast<std::uint8_t>(i));
      }
    }
  };
  std::for_each(world.salvos().begin(), world.salvos().end(), test_salvo);
  std::for_each(staged.begin(), staged.end(), test_salvo);
  forget_ended(world);
}

void HitResolver::find(const sim::World& world, std::span<const sim::Salvo> staged,
                       std::vector<Contact>& out) {
  find_with<Bisection>(world, staged, out);
}

void HitResolver::find_by_every_subtick(const sim::World& world, std::span<const sim::Salvo> staged,
                                        std::vector<Contact>& out) {
  find_with<EverySubtick>(world, staged, out);
}

void HitResolver::forget_ended(const sim::World& world) {
  std::erase_if(separated_, [&](const auto& entry) {
    const sim::Salvo* salvo = world.find_salvo(entry.first);
    return entry.first < world.next_launch() && (salvo == nullptr || salvo->alive == 0);
  });
}

}  // namespace contrail::server
