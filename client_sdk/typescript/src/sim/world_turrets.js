// Turrets of entities in the fold: what they look at, one step a tick, the bursts they fire.
// SPEC.md, "World".

import { launchTime } from "./launch.js";
import { meetPath } from "./lead.js";
import { VMAX, WORLD, ZERO, clampVec, fdiv, length, pow2, sub } from "./numbers.js";
import { burstEnd, roundsUntil } from "./shot.js";
import { trackPosition, trackVelocity } from "./track.js";
import {
  aimAlong, aimAt, boreBasis, follow, turretAngle, turretPivot, turretStep,
} from "./turret.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./shot.js").Burst} Burst */
/** @typedef {import("./shot.js").Turret} Turret */
/** @typedef {import("./turret.js").Aim} Aim */
/** @typedef {import("./turret.js").TurretState} TurretState */
/** @typedef {import("./world.js").Entity} Entity */
/** @typedef {import("./world.js").Salvo} Salvo */
/** @typedef {import("./world.js").World} World */

export const TurretOrder = Object.freeze({ REST: 0, HOLD: 1, ENTITY: 2, MISSILE: 3, BEARING: 4 });

/**
 * A turret's order as a record says it.
 * @typedef {{order: number, target: number, index: number, bearing: number}} TurretMode
 */
/** @typedef {{mode: TurretMode, state: TurretState}} EntityTurret */
/**
 * What a turret looks at. aim: of the meeting, where there is none of the target itself.
 * @typedef {{aim: Aim, meeting: import("./lead.js").Meeting | undefined}} Sight
 */

/** Bursts are remembered for a second after their last round's end. */
const BURST_MEMORY = 65536;
const NONE = Object.freeze({ angle: 0, rate: 0, hold: true });
const HOLD = Object.freeze({ yaw: NONE, pitch: NONE });
const NO_DIRECTION = Object.freeze({ direction: false, heading: false, yaw: 0, pitch: 0 });

/** @param {Turret} turret @returns {TurretState} */
const restState = ({ yaw, pitch }) => ({
  yaw: { angle: yaw.rest, rate: 0 }, pitch: { angle: pitch.rest, rate: 0 },
});

/** A new entity's turrets. @param {readonly Turret[]} turrets @returns {EntityTurret[]} */
export const restingTurrets = (turrets) =>
  turrets.map((turret) => ({
    mode: { order: TurretOrder.REST, target: 65535, index: 0, bearing: 0 },
    state: restState(turret),
  }));

/** @param {number} bearing @returns {Aim} */
function bearingAim(bearing) {
  const yaw = turretAngle(((bearing | 0) >> 16) * 65536);
  const pitch = turretAngle(((bearing << 16) >> 16) * 65536);
  return { direction: true, heading: true, yaw, pitch, bore: ZERO };
}

/** No missile of the salvo is faster, as far as lead is concerned. @param {World} world @param {Salvo} salvo */
function fastest(world, { launch, anchor }) {
  const duration = launch.pieces * pow2(launch.log2Piece);
  const chord = length(sub(anchor.target, anchor.muzzle));
  const mean = fdiv(chord, fdiv(duration, 64) + 1) * 1024;
  const weapon = world.scenario.weapons[launch.weapon];
  const { maxSpeed } = world.scenario.types[anchor.targetType];
  return Math.min(3 * mean + Math.min(weapon.maxExtraSpeed, 4 * maxSpeed), VMAX);
}

/** @param {World} world @param {Entity} entity @param {Turret} turret @param {number} T */
function sightOf(world, entity, turret, T, path, maxSpeed) {
  const platform = world.pose(entity, T);
  const { gun } = turret;
  let meeting;
  if (gun.speed > 0) {
    const shot = {
      pivot: clampVec(turretPivot(turret, platform), WORLD),
      inherited: gun.inherits ? trackVelocity(entity.track, T) : ZERO,
      speed: gun.speed,
      muzzle: Math.max(0, turret.muzzles[0].z),
      maxFlightTime: gun.life,
    };
    meeting = meetPath(shot, T, path, maxSpeed);
  }
  const aim = meeting && meeting.time > 0
    ? aimAlong(turret, platform.basis, meeting.way)
    : aimAt(turret, platform, path(T));
  return { aim, meeting };
}

/**
 * Where a living entity's turret looks at T to follow its order.
 * @param {World} world @param {Entity} entity @param {number} number of the turret
 * @param {TurretMode} mode @param {number} T subticks, a time the entity exists at
 * @returns {Sight | undefined} undefined: there is nothing to look at
 */
export function turretSight(world, entity, number, mode, T) {
  const turret = world.scenario.types[entity.type].turrets[number];
  if (mode.order === TurretOrder.ENTITY) {
    const target = world.entities.get(mode.target);
    if (!target || target.goneTime !== null || target.spawnTime > T) return undefined;
    const path = (at) => trackPosition(target.track, at);
    return sightOf(world, entity, turret, T, path, world.scenario.types[target.type].maxSpeed);
  }
  if (mode.order !== TurretOrder.MISSILE) return undefined;
  const salvo = world.salvos.find(({ id }) => id % 65536 === mode.target);
  const missile = salvo?.missiles[mode.index];
  if (!salvo || !missile || missile.end !== 0) return undefined;
  const weapon = world.scenario.weapons[salvo.launch.weapon];
  if (launchTime(salvo.launch, weapon, mode.index) > T) return undefined;
  const path = (at) => world.missilePosition(salvo, mode.index, Math.min(at, missile.endTime));
  return sightOf(world, entity, turret, T, path, fastest(world, salvo));
}

function demandOf(world, entity, number, mode) {
  const turret = world.scenario.types[entity.type].turrets[number];
  if (mode.order === TurretOrder.REST) {
    return {
      yaw: { angle: turret.yaw.rest, rate: 0, hold: false },
      pitch: { angle: turret.pitch.rest, rate: 0, hold: false },
    };
  }
  if (mode.order === TurretOrder.BEARING) {
    const aim = bearingAim(mode.bearing);
    return follow(aim, aim);
  }
  const T = world.time();
  const now = turretSight(world, entity, number, mode, T);
  if (!now) return HOLD;
  const before = turretSight(world, entity, number, mode, T - pow2(world.scenario.log2Tick));
  return follow(before ? before.aim : NO_DIRECTION, now.aim);
}

const rests = ({ mode, state }, turret) =>
  mode.order === TurretOrder.REST &&
  state.yaw.angle === turret.yaw.rest && state.yaw.rate === 0 &&
  state.pitch.angle === turret.pitch.rest && state.pitch.rate === 0;

/** One tick of every turret, to the world's time. @param {World} world */
export function stepTurrets(world) {
  for (const entity of world.entities.values()) {
    if (entity.goneTime !== null || entity.spawnTime >= world.time()) continue;
    const { turrets } = world.scenario.types[entity.type];
    entity.turrets.forEach((unit, number) => {
      if (rests(unit, turrets[number])) return;
      const demand = demandOf(world, entity, number, unit.mode);
      unit.state = turretStep(turrets[number], unit.state, demand, world.scenario.log2Tick);
    });
  }
}

/** The burst of a shot, with the poses before its record. @param {World} world @returns {Burst} */
export function makeBurst(world, { entity: id, turret: number, count, time, seed }) {
  const entity = world.entity(id);
  const turret = world.scenario.types[entity.type].turrets[number];
  const platform = world.pose(entity, time - 1);
  const { yaw, pitch } = entity.turrets[number].state;
  return {
    entity: id, turret: number, count, time, seed, type: entity.type,
    pivot: clampVec(turretPivot(turret, platform), WORLD),
    velocity: trackVelocity(entity.track, time - 1),
    bore: boreBasis(turret, yaw.angle, pitch.angle, platform.basis),
  };
}

/** @param {World} world @param {Burst} burst */
const gunOf = (world, burst) => world.scenario.types[burst.type].turrets[burst.turret].gun;

/** Rounds still in a turret when its entity goes never fly. @param {World} world */
export function cutBursts(world, entity, time) {
  for (const burst of world.bursts) {
    if (burst.entity === entity) burst.count = roundsUntil(burst, gunOf(world, burst), time);
  }
}

/** From the front only: the bursts' numbers stay. @param {World} world */
export function pruneBursts(world) {
  const { bursts } = world;
  while (
    bursts.length > 0 && burstEnd(bursts[0], gunOf(world, bursts[0])) + BURST_MEMORY < world.time()
  ) {
    bursts.shift();
    world.firstBurst++;
  }
}
