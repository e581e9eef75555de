// Turrets of entities: what they look at, one step a tick, and the bursts they fire.

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/world_state.hpp>

namespace contrail::sim {
namespace {

constexpr TurretDemand k_hold{{0, 0, true}, {0, 0, true}};

std::int32_t high_half(std::uint32_t bits) {
  return static_cast<std::int32_t>(bits & 0xFFFF'0000U);
}

TurretAim bearing_aim(std::uint32_t bearing) {
  TurretAim aim;
  aim.direction = aim.heading = true;
  aim.yaw = turret_angle(high_half(bearing));
  aim.pitch = turret_angle(high_half(bearing << 16));
  return aim;
}

/// No missile is faster than this as far as lead is concerned: three times its mean, and what
/// homing may add.
std::int32_t fastest(const Weapon& weapon, const Salvo& salvo, const EntityType& target) {
  const Subtick duration = Subtick{salvo.launch.pieces} << salvo.launch.log2_piece;
  const std::int64_t chord =
      length(WideVec3(salvo.anchor.target_position) - WideVec3(salvo.anchor.muzzle));
  const std::int64_t mean = floor_div(chord, floor_div(duration, 64) + 1) * 1024;
  const std::int64_t homing =
      std::min<std::int64_t>(weapon.max_extra_speed, 4 * std::int64_t{target.max_speed});
  return static_cast<std::int32_t>(std::min<std::int64_t>(3 * mean + homing, k_max_speed));
}

/// The sight of a path: of a meeting with it where there is a gun and a meeting, else of where it
/// is.
template <class Path>
TurretSight sight_of(const Turret& turret, const Entity& entity, Subtick at, const Path& path,
                     std::int32_t max_speed) {
  const Pose pose = entity.track.pose(at);
  const TurretPlatform platform{pose.position, pose.basis};
  TurretSight sight;
  sight.target = true;
  if (turret.gun.speed > 0) {
    ShotBallistics shot;
    shot.pivot = clamp(turret_pivot(turret.mount, platform), k_world_limit);
    shot.inherited = turret.gun.inherits ? entity.track.velocity(at) : Vec3{0};
    shot.speed = turret.gun.speed;
    shot.muzzle = std::max(0, turret.mount.muzzles.front().z);
    shot.max_flight_time = turret.gun.life;
    sight.meeting = intercept(shot, at, PathView(path), max_speed);
  }
  sight.aim = sight.meeting && sight.meeting->time > 0
                  ? aim_along(turret.mount, pose.basis, sight.meeting->way)
                  : aim_at(turret.mount, platform, WideVec3(path(at)));
  return sight;
}

}  // namespace

std::vector<EntityTurret> resting_turrets(const EntityType& type, std::uint16_t entity) {
  std::vector<EntityTurret> out;
  for (const Turret& turret : type.turrets) {
    EntityTurret& one = out.emplace_back();
    one.mode.entity = entity;
    one.mode.turret = static_cast<std::uint8_t>(out.size() - 1);
    one.state = rest_state(turret.mount);
  }
  return out;
}

TurretSight World::State::sight(const Entity& entity, const TurretMode& mode, Subtick at) const {
  const Turret& own = turret(entity, mode.turret);
  if (mode.order == TurretOrder::entity) {
    const Entity* target = find_entity(mode.target);
    if (target == nullptr || target->gone || target->spawn_time > at) {
      return {};
    }
    const auto path = [target](Subtick t) { return target->track.position(t); };
    return sight_of(own, entity, at, path, scenario->types[target->type].max_speed);
  }
  if (mode.order == TurretOrder::missile) {
    const Salvo* salvo = find_salvo_low(mode.target);
    if (salvo == nullptr || mode.index >= salvo->missiles.size() ||
        salvo->missiles[mode.index].end != EndKind::alive ||
        launch_time(salvo->launch, weapon(salvo->launch), mode.index) > at) {
      return {};
    }
    const Subtick end = salvo->missiles[mode.index].end_time;
    const auto path = [&](Subtick t) {
      return missile_position(*salvo, mode.index, std::min(t, end));
    };
    return sight_of(
        own, entity, at, path,
        fastest(weapon(salvo->launch), *salvo, scenario->types[salvo->anchor.target_type]));
  }
  return {};
}

void World::State::step_turrets() {
  const auto demand = [this](const Entity& entity, const EntityTurret& unit) {
    switch (unit.mode.order) {
      case TurretOrder::rest:
        return rest_demand(turret(entity, unit.mode.turret).mount);
      case TurretOrder::bearing: {
        const TurretAim aim = bearing_aim(unit.mode.bearing);
        return follow(aim, aim);
      }
      case TurretOrder::entity:
      case TurretOrder::missile: {
        const TurretSight now = sight(entity, unit.mode, time());
        if (!now.target) {
          return k_hold;
        }
        const TurretSight before = sight(entity, unit.mode, time() - tick_length());
        TurretDemand wanted = follow(before.aim, now.aim);
        if (fault == Fault::turret_lag) {
          wanted.yaw.rate = wanted.pitch.rate = 0;
        }
        return wanted;
      }
      case TurretOrder::hold:
        break;
    }
    return k_hold;
  };
  for (Entity& entity : entities) {
    if (entity.turrets.empty() || entity.spawn_time >= time()) {
      continue;
    }
    for (EntityTurret& unit : entity.turrets) {
      const TurretMount& mount = turret(entity, unit.mode.turret).mount;
      if (unit.mode.order == TurretOrder::rest && unit.state == rest_state(mount)) {
        continue;
      }
      unit.state = turret_step(mount, unit.state, demand(entity, unit), scenario->log2_tick);
    }
  }
}

Burst World::State::make_burst(const Shot& shot) const {
  const Entity& entity = *find_entity(shot.entity);
  const Turret& own = turret(entity, shot.turret);
  const Subtick before = shot.time - 1;
  const Pose pose = entity.track.pose(before);
  const TurretPlatform platform{pose.position, pose.basis};
  Burst burst;
  burst.shot = shot;
  burst.type = entity.type;
  burst.pivot = clamp(turret_pivot(own.mount, platform), k_world_limit);
  burst.velocity = entity.track.velocity(before);
  burst.bore = bore_basis(own.mount, entity.turrets[shot.turret].state, pose.basis);
  return burst;
}

const std::vector<Burst>& World::bursts() const {
  return state_->bursts;
}

std::uint32_t World::first_burst() const {
  return state_->first_burst;
}

TurretSight World::turret_sight(const Entity& entity, const TurretMode& mode) const {
  return state_->sight(entity, mode, time());
}

Burst World::prepare_burst(const Shot& shot) const {
  return state_->make_burst(shot);
}

const Gun& World::gun_of(const Burst& burst) const {
  return state_->gun(burst);
}

}  // namespace contrail::sim
