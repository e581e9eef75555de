#include <contrail/flow/rules.hpp>

#include <contrail/sim/arith.hpp>

#include <contrail/flow/guidance.hpp>
#include <contrail/flow/sight.hpp>

namespace contrail::server {
namespace {

using sim::Subtick;
using sim::WideVec3;
using wire::CommandStatus;

bool in_range(const sim::Weapon& weapon, std::int64_t distance) {
  return distance >= weapon.min_range && (weapon.max_range == 0 || distance <= weapon.max_range);
}

/// Was the target in the seeker's sight at the launch and at every lock test of the lock time.
bool is_locked_on(const FireRequest& request, const sim::Launcher& launcher,
                  const sim::Weapon& weapon) {
  const Subtick since = request.at - weapon.lock_time;
  if (request.from.spawn_time > since || request.target.spawn_time > since) {
    return false;
  }
  const auto seen = [&](Subtick t) {
    Sight sight = mount_sight(request.world, request.from, launcher.mount, t);
    sight.range = weapon.seeker_range;
    sight.cosine = weapon.seeker_cone;
    return sight.sees(request.target.track.position(t));
  };
  if (!seen(request.at) || !seen(since)) {
    return false;
  }
  Subtick t = request.at / k_lock_test_interval * k_lock_test_interval;
  for (; t >= since; t -= k_lock_test_interval) {
    if (!seen(t)) {
      return false;
    }
  }
  return true;
}

/// Does the turret that a launcher waits for look at the target, now: the bore within its tolerance
/// of the way there, without lead. A launcher that waits for none is always ready.
bool is_faced(const FireRequest& request, const sim::Launcher& launcher) {
  if (launcher.facing == sim::k_no_turret) {
    return true;
  }
  const Subtick now = request.world.time();
  const sim::Pose pose = request.from.track.pose(now);
  const sim::TurretMount& mount =
      request.world.scenario().types[request.from.type].turrets[launcher.facing].mount;
  const WideVec3 there(request.target.track.position(now));
  return sim::on_target(mount, request.from.turrets[launcher.facing].state,
                        sim::aim_at(mount, {pose.position, pose.basis}, there));
}

}  // namespace

CommandStatus StandardRules::may_fire(const FireRequest& request) const {
  const sim::Scenario& scenario = request.world.scenario();
  const sim::Launcher& launcher = scenario.types[request.from.type].launchers[request.launcher];
  const sim::Weapon& weapon = scenario.weapons[launcher.weapon];
  if (request.from.team != 0 && request.from.team == request.target.team) {
    return CommandStatus::refused_team;
  }
  if (request.ammunition == 0) {
    return CommandStatus::refused_ammunition;
  }
  if (request.ready > request.at) {
    return CommandStatus::refused_reloading;
  }
  const WideVec3 from(request.from.track.position(request.at));
  const sim::Vec3 to = request.target.track.position(request.at);
  if (!in_range(weapon, sim::length(from - WideVec3(to)))) {
    return CommandStatus::refused_range;
  }
  if (launcher.arc != -sim::k_one) {
    Sight arc = mount_sight(request.world, request.from, launcher.mount, request.at);
    arc.cosine = launcher.arc;
    if (!arc.sees(to)) {
      return CommandStatus::refused_arc;
    }
  }
  if (!is_faced(request, launcher)) {
    return CommandStatus::refused_arc;
  }
  const bool ready = weapon.lock_time == 0 || is_locked_on(request, launcher, weapon);
  return ready ? CommandStatus::launched : CommandStatus::refused_lock;
}

bool StandardRules::is_enemy(const sim::Entity& a, const sim::Entity& b) const {
  return a.team != b.team && a.team != 0 && b.team != 0;
}

std::uint16_t StandardRules::damage(const DamageRequest& request) const {
  const std::int64_t blast = request.weapon.blast_radius;
  if (request.distance == 0) {
    return request.weapon.damage;
  }
  if (request.distance >= blast) {
    return 0;
  }
  return static_cast<std::uint16_t>(request.weapon.damage * (blast - request.distance) / blast);
}

bool StandardRules::is_destroyed(const sim::World&, const sim::Entity&) const {
  return true;
}

std::shared_ptr<const Rules> standard_rules() {
  return std::make_shared<const StandardRules>();
}

}  // namespace contrail::server
