#include <contrail/flow/guidance.hpp>

#include <algorithm>
#include <optional>

#include <contrail/flow/record_budget.hpp>
#include <contrail/flow/whereabouts.hpp>
#include <contrail/sim/arith.hpp>
#include <contrail/sim/base_curve.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/homing.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::WideVec3;

/// An unlocked missile looks around at every fourth lock test, salvos in turn.
constexpr std::int64_t k_search_interval = 4;

}  // namespace

/// Everything that one lock test looks at more than once.
struct GuidanceControl::Test {
  const sim::World& world;
  sim::TickRecord& record;
  Subtick at = 0;                                             // end of the tick
  Subtick interval = 0;                                       // since the lock test before
  std::vector<std::uint16_t> leaving;                         // entities, ascending
  std::vector<std::pair<std::uint16_t, std::uint8_t>> ended;  // by outcomes of this record, sorted
  std::vector<const sim::Entity*> decoys;                     // living, by id
  std::vector<const sim::Entity*> entities;                   // by id, null: not kept
  std::vector<std::uint32_t> motion_of;  // by id, into motions; 0: not known yet
  std::vector<TargetMotion> motions;     // from 1 on
  AnnouncedGap announced;                // of the salvo at hand, where its target is there
  Verdicts verdicts;                     // of the salvo at hand

  Test(const sim::World& w, sim::TickRecord& r) : world(w), record(r) {
    at = world.time() + world.scenario().tick_length();
    interval = std::max(k_lock_test_interval, world.scenario().tick_length());
    for (const sim::Despawn& d : record.despawns) {
      leaving.push_back(d.entity);
    }
    std::sort(leaving.begin(), leaving.end());
    for (const sim::Outcome& o : record.outcomes) {
      ended.emplace_back(o.salvo, o.index);
    }
    std::sort(ended.begin(), ended.end());
    const std::size_t ids = world.entities().empty() ? 0U : world.entities().back().id + 1U;
    entities.resize(ids);
    motion_of.resize(ids);
    motions.resize(1);
    motions.reserve(world.entities().size() + 1);
    for (const sim::Entity& e : world.entities()) {
      entities[e.id] = &e;
      if (stays(e) && world.scenario().types[e.type].is_decoy()) {
        decoys.push_back(&e);
      }
    }
  }

  /// Lives after the record and has been there for a while.
  [[nodiscard]] bool stays(const sim::Entity& e) const {
    return !e.gone && e.spawn_time < at &&
           !std::binary_search(leaving.begin(), leaving.end(), e.id);
  }
  [[nodiscard]] const sim::Weapon& weapon(const sim::Salvo& salvo) const {
    return world.scenario().weapons[salvo.launch.weapon];
  }
  [[nodiscard]] const sim::EntityType& type(const sim::Entity& e) const {
    return world.scenario().types[e.type];
  }
  [[nodiscard]] bool flies(const sim::Salvo& salvo, std::uint8_t index) const {
    const sim::Missile& m = salvo.missiles[index];
    return m.end == sim::EndKind::alive && m.end_time > at &&
           world.missile_launch_time(salvo, index) <= at &&
           !std::binary_search(ended.begin(), ended.end(),
                               std::pair(static_cast<std::uint16_t>(salvo.id), index));
  }
  [[nodiscard]] const sim::Entity* entity(std::uint16_t id) const {
    return id < entities.size() ? entities[id] : nullptr;
  }
  const TargetMotion& motion(const sim::Entity& e) {
    if (motion_of[e.id] == 0) {
      motion_of[e.id] = static_cast<std::uint32_t>(motions.size());
      motions.push_back(target_motion(world, e, at));
    }
    return motions[motion_of[e.id]];
  }
  [[nodiscard]] HomingSample sample(const sim::Salvo& salvo, std::uint8_t index,
                                    const sim::Entity& target) {
    return salvo.missiles[index].events == 0
               ? first_lock_sample(world, salvo, index, motion(target), announced, at)
               : lock_sample(world, salvo, index, at);
  }
  /// Another target may still be named: not by the third event, nor in the last half second.
  [[nodiscard]] bool may_take(const sim::Salvo& salvo, std::uint8_t index) const {
    const sim::Missile& m = salvo.missiles[index];
    return m.events + 1 < sim::k_max_events_per_missile && m.end_time - at >= sim::k_retarget_lead;
  }
  [[nodiscard]] std::optional<WideVec3> gap_to(const sim::Salvo& salvo, std::uint8_t index,
                                               const HomingSample& lost,
                                               const sim::Entity& target) const;
  [[nodiscard]] bool can_follow(const sim::Salvo& salvo, std::uint8_t index,
                                const HomingSample& lost, const sim::Entity& target) const;
  [[nodiscard]] const sim::Entity* nearest_in_sight(const Rules& rules, const sim::Salvo& salvo,
                                                    std::uint8_t index, const HomingSample& lost,
                                                    std::uint16_t except) const;
};

/// From where the missile would end without a lock from now on to its aim point on `target`.
std::optional<WideVec3> GuidanceControl::Test::gap_to(const sim::Salvo& salvo, std::uint8_t index,
                                                      const HomingSample& lost,
                                                      const sim::Entity& target) const {
  const sim::Missile& missile = salvo.missiles[index];
  const sim::LockInForce lock = world.lock_in_force(salvo, index, at);
  WideVec3 blind = WideVec3(world.compiled(salvo, index).flight.end()) + lock.kept_at_end;
  if (missile.locked) {
    blind += lost.term[0] +
             sim::drift(sim::kept_velocity(lost.term[0], lost.term[1]), missile.end_time - at);
  }
  const sim::Pose pose = target.track.pose(at);
  const sim::Vec3 offset =
      sim::aim_offset(salvo.launch.seed, index, missile.events + 1U, type(target));
  const WideVec3 gap = WideVec3(pose.position) + sim::rotate(pose.basis, offset) - blind;
  return sim::max_abs(gap) <= sim::k_retarget_limit ? std::optional(gap) : std::nullopt;
}

/// A lock that homing could not follow within the weapon's limits even if the target stood still is
/// not worth an event: the ramp's slope is at most 15/8, its bend 5.78 a window.
bool GuidanceControl::Test::can_follow(const sim::Salvo& salvo, std::uint8_t index,
                                       const HomingSample& lost, const sim::Entity& target) const {
  const auto gap = gap_to(salvo, index, lost, target);
  if (!gap) {
    return false;
  }
  const sim::Weapon& w = weapon(salvo);
  const std::int64_t distance = sim::max_abs(*gap);
  const Subtick window = salvo.missiles[index].end_time - at;
  const std::int64_t speed = distance * 15 / 8 * sim::k_subticks_per_second / window;
  const std::int64_t acceleration =
      distance * 6 * sim::k_subticks_per_second / window * sim::k_subticks_per_second / window;
  return distance <= w.max_displacement && speed <= w.max_extra_speed &&
         acceleration <= w.max_extra_acceleration;
}

const sim::Entity* GuidanceControl::Test::nearest_in_sight(const Rules& rules,
                                                           const sim::Salvo& salvo,
                                                           std::uint8_t index,
                                                           const HomingSample& lost,
                                                           std::uint16_t except) const {
  const sim::Entity* launcher = entity(salvo.launch.launcher);
  if (launcher == nullptr) {
    return nullptr;  // long gone: nobody knows whose missile it is
  }
  const sim::Weapon& w = weapon(salvo);
  const sim::Vec3 position = world.missile_position(salvo, index, at);
  const Sight sight{position,
                    sim::unit_or(WideVec3(world.missile_velocity(salvo, index, at)),
                                 sim::thaw(salvo.anchor.muzzle_basis).forward),
                    w.seeker_range, w.seeker_cone};
  std::vector<std::pair<std::int64_t, const sim::Entity*>> seen;
  for (const sim::Entity& e : world.entities()) {
    if (e.id == except || !stays(e) || type(e).is_decoy() || !rules.is_enemy(*launcher, e)) {
      continue;
    }
    const sim::Vec3 there = e.track.position(at);
    if (sight.sees(there)) {
      seen.emplace_back(sim::length(WideVec3(there) - WideVec3(position)), &e);
    }
  }
  std::stable_sort(seen.begin(), seen.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto best = std::find_if(seen.begin(), seen.end(), [&](const auto& s) {
    return can_follow(salvo, index, lost, *s.second);
  });
  return best == seen.end() ? nullptr : best->second;
}

void GuidanceControl::step(const sim::World& world, std::span<const sim::Salvo> staged,
                           sim::TickRecord& record) {
  const Subtick interval = std::max(k_lock_test_interval, world.scenario().tick_length());
  if ((world.time() + world.scenario().tick_length()) % interval != 0) {
    return;
  }
  Test test(world, record);
  for (const sim::Salvo& salvo : world.salvos()) {
    if (salvo.alive != 0) {
      test_salvo(test, salvo);
    }
  }
  for (const sim::Salvo& salvo : staged) {
    test_salvo(test, salvo);
  }
}

void GuidanceControl::test_salvo(Test& test, const sim::Salvo& salvo) {
  if (!has_room_for_guidance(test.record)) return;
  const sim::Weapon& weapon = test.weapon(salvo);
  const bool pristine = salvo.events.empty();  // all missiles on the announced target
  const sim::Entity* announced = test.entity(salvo.launch.target);
  bool holds = false;
  const bool decoyed = announced != nullptr &&
                       std::any_of(test.decoys.begin(), test.decoys.end(),
                                   [&](const auto* d) { return d->team == announced->team; });
  if (announced != nullptr && !announced->gone) {
    const TargetMotion& motion = test.motion(*announced);
    test.announced = announced_gap(salvo, motion, test.at);
    holds = fault_ == GuidanceFault::never_loses ||
            whole_salvo_holds(test.world, salvo, motion, test.announced);
    counters_.salvos_passed += holds ? 1U : 0U;
  }
  const auto last = static_cast<std::uint8_t>(salvo.launch.count - 1);
  const bool looks = (weapon.seeker_range != 0 || weapon.seeker_cone != -sim::k_one) &&
                     test.world.missile_launch_time(salvo, last) > test.at - test.interval;
  if (pristine && holds && !looks && !decoyed) {
    return;
  }
  test.verdicts.clear();
  for (std::size_t i = salvo.next_end; i < salvo.missiles.size(); ++i) {
    const auto index = static_cast<std::uint8_t>(i);
    if (test.flies(salvo, index)) {
      test_missile(test, salvo, index, holds && salvo.missiles[i].events == 0);
    }
  }
  while (!test.verdicts.empty()) {
    const auto [first, verdict] = test.verdicts.front();
    const auto group = static_cast<std::uint8_t>(first / 32);
    std::uint32_t mask = 0;
    std::erase_if(test.verdicts, [&, same = verdict](const auto& v) {
      const bool joins = v.first / 32 == group && v.second == same;
      mask |= joins ? std::uint32_t{1} << (v.first % 32) : 0U;
      return joins;
    });
    if (!has_room_for_guidance(test.record)) return;  // tested again at the next lock test
    test.record.guidance.push_back(
        {static_cast<std::uint16_t>(salvo.id), group, verdict.kind, mask, verdict.target});
  }
}

void GuidanceControl::test_missile(Test& test, const sim::Salvo& salvo, std::uint8_t index,
                                   bool holds) {
  const sim::Missile& missile = salvo.missiles[index];
  if (!missile.locked) {
    search(test, salvo, index);
    return;
  }
  const sim::Entity* target = test.entity(missile.target);
  if (target == nullptr || !test.stays(*target)) {
    return;  // the record that takes the target takes the lock
  }
  const sim::Weapon& weapon = test.weapon(salvo);
  const Subtick launched = test.world.missile_launch_time(salvo, index);
  if (launched > test.at - test.interval && fault_ != GuidanceFault::never_loses) {
    const Sight seeker{
        sim::clamp(WideVec3(salvo.anchor.muzzle) +
                       sim::drift(salvo.anchor.launcher_velocity, launched - salvo.launch.t0),
                   sim::k_world_limit),
        sim::thaw(salvo.anchor.muzzle_basis).forward, weapon.seeker_range, weapon.seeker_cone};
    if (!seeker.sees(target->track.position(test.at))) {
      lose(test, salvo, index, test.sample(salvo, index, *target));
      return;
    }
  }
  if (!holds) {
    ++counters_.missiles_tested;
    const HomingSample sample = test.sample(salvo, index, *target);
    if (exceeds_limits(sample, weapon) && fault_ != GuidanceFault::never_loses) {
      lose(test, salvo, index, sample);
      return;
    }
  }
  if (!test.decoys.empty()) {
    try_decoys(test, salvo, index);
  }
}

/// The lock ends; where the weapon looks for another target and sees one, in the same event.
void GuidanceControl::lose(Test& test, const sim::Salvo& salvo, std::uint8_t index,
                           const HomingSample& sample) {
  Verdict verdict;
  if (test.weapon(salvo).retarget && test.may_take(salvo, index)) {
    if (const sim::Entity* next =
            test.nearest_in_sight(rules_, salvo, index, sample, salvo.missiles[index].target)) {
      verdict = {sim::GuidanceKind::retarget, next->id};
    }
  }
  test.verdicts.emplace_back(index, verdict);
}

/// The roll of a missile and a decoy: a pure function of both, so it falls once, however often the
/// two come near one another.
bool GuidanceControl::draws(const Test& test, const sim::Salvo& salvo, std::uint8_t index,
                            const sim::Entity& decoy) const {
  const std::uint32_t roll =
      sim::draw(sim::key(salvo.launch.seed, sim::Stream::decoy_roll, index), decoy.id) >> 16;
  return roll < static_cast<std::uint32_t>(test.type(decoy).decoy_chance) ||
         fault_ == GuidanceFault::decoys_always_win;
}

/// Decoys draw missiles away from targets of their own team.
void GuidanceControl::try_decoys(Test& test, const sim::Salvo& salvo, std::uint8_t index) {
  const sim::Entity& target = *test.entity(salvo.missiles[index].target);
  if (!test.may_take(salvo, index) || test.type(target).is_decoy()) {
    return;
  }
  std::optional<HomingSample> sample;
  std::optional<Whereabouts> roughly;
  std::optional<WideVec3> position;
  for (const sim::Entity* decoy : test.decoys) {
    if (decoy->team != target.team || !draws(test, salvo, index, *decoy)) {
      continue;
    }
    const sim::Vec3 there = decoy->track.position(test.at);
    if (!sample) {
      sample = test.sample(salvo, index, target);
      if (salvo.missiles[index].events == 0) {
        roughly = whereabouts(test.world, salvo, index, sample->term[0], test.at);
      }
    }
    if (roughly && roughly->beyond(test.type(*decoy).decoy_range, there)) {
      continue;
    }
    if (!position) {
      position = WideVec3(test.world.missile_position(salvo, index, test.at));
    }
    const WideVec3 way = WideVec3(there) - *position;
    if (sim::length(way) <= test.type(*decoy).decoy_range &&
        test.can_follow(salvo, index, *sample, *decoy)) {
      test.verdicts.emplace_back(index, Verdict{sim::GuidanceKind::decoy, decoy->id});
      break;
    }
  }
  if (position) {
    test.world.release(salvo, index);  // many missiles pass a decoy, few keep being looked at
  }
}

void GuidanceControl::search(Test& test, const sim::Salvo& salvo, std::uint8_t index) {
  const std::int64_t turn = test.at / test.interval + salvo.id;
  if (!test.weapon(salvo).retarget || turn % k_search_interval != 0 ||
      !test.may_take(salvo, index)) {
    return;
  }
  if (const sim::Entity* next = test.nearest_in_sight(rules_, salvo, index, {}, sim::k_no_entity)) {
    test.verdicts.emplace_back(index, Verdict{sim::GuidanceKind::retarget, next->id});
  }
}

}  // namespace contrail::server
