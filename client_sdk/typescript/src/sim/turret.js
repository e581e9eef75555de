// Turrets: how they turn, and where they have to point. SPEC.md, "Turrets".

import { arcTangent } from "./angles.js";
import {
  ZERO, add, cross24, dot, dot24, fdiv, isZero, isqrt, low, maxAxis, pow2, rn24, scale, shr, shrVec,
  sub, unit, vec,
} from "./numbers.js";
import { anglesBasis, compose, rightAxis, rotate } from "./orientation.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./orientation.js").Basis} Basis */

/** Turret angles of a full turn. */
export const TURRET_TURN = 268435456;
export const TURRET_HYSTERESIS = 2097152;
const HALF_TURN = 134217728;
const MAX_RATE = 33554432;

export const Controller = Object.freeze({ OPTIMAL: 0, ALIGN: 1 });

/**
 * What an axis can do; angles in turret angles, limits a second.
 * @typedef {{
 *   readonly fullTurn: boolean, readonly low: number, readonly high: number,
 *   readonly rest: number, readonly speed: number, readonly acceleration: number,
 * }} Axis
 */
/** @typedef {{readonly angle: number, readonly rate: number}} AxisState a rate a tick */
/** @typedef {{readonly angle: number, readonly rate: number, readonly hold: boolean}} AxisDemand */
/** @typedef {{readonly yaw: AxisState, readonly pitch: AxisState}} TurretState */
/**
 * @typedef {{
 *   readonly pivot: Vec, readonly orientation: Basis, readonly muzzles: readonly Vec[],
 *   readonly yaw: Axis, readonly pitch: Axis, readonly controller: number,
 *   readonly align: {
 *     readonly targetRadius: number, readonly slowRadius: number, readonly timeToTarget: number,
 *   },
 * }} TurretMount
 */
/** @typedef {{readonly position: Vec, readonly basis: Basis}} Platform */
/**
 * @typedef {{
 *   readonly direction: boolean, readonly heading: boolean, readonly yaw: number,
 *   readonly pitch: number, readonly bore: Vec,
 * }} Aim
 */

/** x by whole turns into -TURN/2 .. TURN/2 - 1. @param {number} x @returns {number} */
export const wrapTurret = (x) => low(x + HALF_TURN, 28) - HALF_TURN;
/** @param {number} angle turret angle @returns {number} int32 */
export const binaryAngle = (angle) => (angle << 4) | 0;
/** @param {number} binary int32 @returns {number} */
export const turretAngle = (binary) => shr(binary + 8, 4);

const within = (x, least, most) => Math.min(Math.max(x, least), most);

/** @param {Axis} axis @param {number} log2Tick @returns {{speed: number, gain: number}} a tick */
export function axisMotion(axis, log2Tick) {
  const n = 16 - log2Tick;
  const speed = within(shr(axis.speed, n), 1, MAX_RATE);
  return { speed, gain: within(shr(axis.acceleration, 2 * n), 1, 2 * speed) };
}

/** @param {number} rate >= 0 @param {number} gain @returns {number} */
export function stoppingDistance(rate, gain) {
  const k = fdiv(rate, gain);
  return (k + 1) * rate - gain * shr(k * (k + 1), 1);
}

/** @param {number} distance >= 0 @param {number} gain @returns {number} */
export function stoppingRate(distance, gain) {
  const d = Math.min(distance, 281474976710656);
  const k = shr(isqrt(4 * fdiv(2 * d, gain) + 1) - 1, 1);
  return k * gain + fdiv(d - gain * shr(k * (k + 1), 1), k + 1);
}

/** The goal between the stops. @returns {{angle: number, atStop: boolean}} */
function arcGoal(axis, state, demand) {
  const arc = axis.high - axis.low;
  const inside = low(demand - axis.low, 28);
  const middle = axis.low + axis.high;
  if (inside <= arc) {
    const otherEnd = arc === TURRET_TURN && inside === 0 && 2 * state.angle > middle;
    return { angle: axis.low + (otherEnd ? TURRET_TURN : inside), atStop: false };
  }
  const gap = TURRET_TURN - arc;
  const past = inside - arc;
  const margin = Math.min(2 * TURRET_HYSTERESIS, shr(gap, 1));
  const up = state.rate !== 0 ? state.rate > 0 : 2 * state.angle >= middle;
  const upper = up ? 2 * past <= gap + margin : 2 * past < gap - margin;
  return { angle: upper ? axis.high : axis.low, atStop: true };
}

function optimalRate(axis, state, demand, motion) {
  const rate = within(demand.rate, -motion.speed, motion.speed);
  let error;
  let own = rate;
  if (axis.fullTurn) {
    const relative = state.rate - rate;
    const braked = Math.max(Math.abs(relative) - motion.gain, 0);
    const bias =
      Math.sign(relative) * (stoppingDistance(braked, motion.gain) + TURRET_HYSTERESIS);
    error = bias + wrapTurret(demand.angle - state.angle - rate - bias);
  } else {
    const goal = arcGoal(axis, state, demand.angle);
    if (goal.atStop) own = 0;
    error = goal.angle - state.angle - own;
  }
  return own + Math.sign(error) * stoppingRate(Math.abs(error), motion.gain);
}

function alignRate(align, axis, state, demand, motion, log2Tick) {
  const error = axis.fullTurn
    ? wrapTurret(demand.angle - state.angle)
    : arcGoal(axis, state, demand.angle).angle - state.angle;
  const size = Math.abs(error);
  let wanted = motion.speed;
  if (size <= align.targetRadius) wanted = 0;
  else if (size < align.slowRadius) wanted = fdiv(motion.speed * size, align.slowRadius);
  const change = Math.sign(error) * wanted - state.rate;
  const time = Math.max(align.timeToTarget, pow2(log2Tick));
  const part = fdiv(Math.abs(change) * pow2(log2Tick) + time - 1, time);
  return state.rate + Math.sign(change) * part;
}

/**
 * One tick of one axis.
 * @param {Axis} axis @param {AxisState} state @param {AxisDemand} demand @param {TurretMount} mount
 * @param {number} log2Tick
 * @returns {AxisState}
 */
export function axisStep(axis, state, demand, mount, log2Tick) {
  const motion = axisMotion(axis, log2Tick);
  let wanted = 0;
  if (!demand.hold) {
    wanted = mount.controller === Controller.ALIGN
      ? alignRate(mount.align, axis, state, demand, motion, log2Tick)
      : optimalRate(axis, state, demand, motion);
  }
  let least = Math.max(-motion.speed, state.rate - motion.gain);
  let most = Math.min(motion.speed, state.rate + motion.gain);
  if (!axis.fullTurn) {
    least = Math.max(least, -stoppingRate(state.angle - axis.low, motion.gain));
    most = Math.min(most, stoppingRate(axis.high - state.angle, motion.gain));
  }
  const rate = within(wanted, least, most) + 0;
  const angle = state.angle + rate;
  return { angle: axis.fullTurn ? wrapTurret(angle) : angle, rate };
}

/**
 * One tick of both axes.
 * @param {TurretMount} mount @param {TurretState} state
 * @param {{yaw: AxisDemand, pitch: AxisDemand}} demand @param {number} log2Tick
 * @returns {TurretState}
 */
export const turretStep = (mount, state, demand, log2Tick) => ({
  yaw: axisStep(mount.yaw, state.yaw, demand.yaw, mount, log2Tick),
  pitch: axisStep(mount.pitch, state.pitch, demand.pitch, mount, log2Tick),
});

/** @param {TurretMount} mount @param {Platform} platform @returns {Vec} */
export const turretPivot = (mount, platform) =>
  add(platform.position, rotate(platform.basis, mount.pivot));

/** The same direction with its largest axis in 2^24 .. 2^25 - 1. */
function scaledWay(v) {
  let s = 0;
  while (shr(maxAxis(v), s) >= 33554432) s++;
  if (s > 0) return shrVec(v, s);
  while (maxAxis(v) * pow2(s) < 16777216) s++;
  return scale(v, pow2(s));
}

const NO_AIM = Object.freeze({
  direction: false, heading: false, yaw: 0, pitch: 0, bore: vec(0, 0, 16777216),
});

/** @param {TurretMount} mount @param {Basis} body @param {Vec} way @returns {Aim} */
export function aimAlong(mount, body, way) {
  if (isZero(way)) return NO_AIM;
  const axes = compose(body, mount.orientation);
  const w = scaledWay(way);
  const x = rn24(dot(rightAxis(axes), w));
  const y = rn24(dot(axes.u, w));
  const z = rn24(dot(axes.f, w));
  const level = isqrt(x * x + z * z);
  return {
    direction: true,
    heading: level !== 0,
    yaw: turretAngle(arcTangent(x, z)),
    pitch: turretAngle(arcTangent(y, level)),
    bore: unit(vec(x, y, z), ZERO),
  };
}

/** @param {TurretMount} mount @param {Platform} platform @param {Vec} point @returns {Aim} */
export const aimAt = (mount, platform, point) =>
  aimAlong(mount, platform.basis, sub(point, turretPivot(mount, platform)));

const followAxis = (known, before, was, now) => ({
  angle: now, rate: before ? wrapTurret(now - was) : 0, hold: !known,
});

/** @param {Aim} before one tick ago @param {Aim} now @returns {{yaw: AxisDemand, pitch: AxisDemand}} */
export const follow = (before, now) => ({
  yaw: followAxis(
    now.direction && now.heading, before.direction && before.heading, before.yaw, now.yaw,
  ),
  pitch: followAxis(now.direction, before.direction, before.pitch, now.pitch),
});

const anglesOf = (yaw, pitch) => anglesBasis(binaryAngle(yaw), binaryAngle(pitch), 0);

/** @param {TurretMount} mount @param {number} yaw @param {number} pitch @param {Basis} body */
export const boreBasis = (mount, yaw, pitch, body) =>
  compose(compose(body, mount.orientation), anglesOf(yaw, pitch));

/** The angle between bore and aim. @param {number} yaw @param {number} pitch @param {Aim} aim */
export function boreError(yaw, pitch, aim) {
  if (!aim.direction) return HALF_TURN;
  const bore = anglesOf(yaw, pitch).f;
  const across = cross24(bore, aim.bore);
  const angle = arcTangent(isqrt(dot(across, across)), dot24(bore, aim.bore));
  return angle < 0 ? HALF_TURN : turretAngle(angle);
}
