#include <contrail/sim/shot.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/sim/basis.hpp>
#include <contrail/sim/intercept.hpp>

namespace contrail::sim {
namespace {

/// The direction a round leaves in, Q24: the bore, off by a seeded part of the gunner's error.
Vec3 direction(const Basis& bore, std::uint32_t seed, int i, std::int32_t error) {
  if (error == 0) {
    return bore.forward;
  }
  // A point of the unit ball, Q15; its two axes across the bore lie in the unit disc.
  const Vec3 stray = ball(key(seed, Stream::gunner, static_cast<std::uint32_t>(i)), 0);
  const std::int64_t x = (std::int64_t{stray.x} * error) >> 15;
  const std::int64_t y = (std::int64_t{stray.y} * error) >> 15;
  return unit_or(
      WideVec3(bore.forward) + round24(WideVec3(right(bore)) * x) + round24(WideVec3(bore.up) * y),
      bore.forward);
}

}  // namespace

WideVec3 Round::position(Subtick t) const {
  return WideVec3(start) + drift(velocity, t - begin);
}

Subtick burst_end(const Shot& shot, const Gun& gun) {
  return shot.count == 0 ? shot.time - 1 : round_time(shot, gun, shot.count - 1) + gun.life;
}

std::uint8_t rounds_until(const Shot& shot, const Gun& gun, Subtick time) {
  if (time < shot.time) {
    return 0;
  }
  const std::int64_t left =
      gun.interval == 0 ? shot.count : floor_div(time - shot.time, gun.interval) + 1;
  return static_cast<std::uint8_t>(std::min<std::int64_t>(left, shot.count));
}

Round round_of(const SnapshotBurst& burst, const Turret& turret, int i) {
  require(i >= 0 && i < burst.shot.count, "a round is one of the burst's");
  const Gun& gun = turret.gun;
  const auto barrels = static_cast<int>(turret.mount.muzzles.size());
  const Vec3& muzzle = turret.mount.muzzles[static_cast<std::size_t>(i % barrels)];
  Round round;
  round.begin = round_time(burst.shot, gun, i);
  round.end = round.begin + gun.life;
  round.start = clamp(WideVec3(burst.pivot) + rotate(burst.bore, muzzle) +
                          drift(burst.velocity, round.begin - burst.shot.time),
                      k_world_limit);
  ShotBallistics ballistics;
  ballistics.speed = gun.speed;
  ballistics.inherited = gun.inherits ? burst.velocity : Vec3{0};
  round.velocity = shot_velocity(ballistics, direction(burst.bore, burst.shot.seed, i, gun.error));
  return round;
}

}  // namespace contrail::sim
