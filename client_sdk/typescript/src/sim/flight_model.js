// How a ship under command moves: SPEC.md, "Flight model".

import {
  VMAX, WORLD, ZERO, add, along, clampVec, dot24, drift, driftVec, fdiv, isZero, isqrt, length,
  maxAxis, pow2, scale, shr, shrVec, sub, unit, vec,
} from "./numbers.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./track.js").RelativeKey} RelativeKey */

/** What a ship is told to do. */
export const Command = Object.freeze({ COAST: 0, ACCELERATE: 1, VELOCITY: 2, WAYPOINT: 3 });

/**
 * @typedef {object} Limits
 * @property {number} speed length units per second
 * @property {number} acceleration length units per second squared, < 2^26
 */

/** @typedef {{readonly p: Vec, readonly v: Vec}} Motion */

/** @param {Vec} d Q24 @param {number} n a length @returns {Vec} */
const stretch = (d, n) => (n < 268435456 ? shrVec(scale(d, n), 24) : along(d, n));

/** @param {Vec} v @param {number} n @returns {Vec} v, no longer than n */
const limit = (v, n) => (length(v) <= n ? v : stretch(unit(v, ZERO), n));

/**
 * The speed from which the ship can stop at its waypoint in whole steps.
 * @param {Vec} way to it, not zero @param {Vec} e its direction
 * @param {Vec} v0 @param {number} k @param {Limits} limits
 * @returns {number} length units per second
 */
function approachSpeed(way, e, v0, k, limits) {
  const braking = limits.acceleration - shr(limits.acceleration, 6);
  const rest = length(way) - shr(drift(dot24(v0, e), pow2(k)), 1);
  if (rest <= 0 || braking <= 0) return 0;
  const g = Math.min(drift(braking, pow2(k)), 33554432);
  const seen = Math.min(rest, fdiv(562949953421312, braking));
  return Math.min(isqrt(g * g + 2 * braking * seen) - g, shr(rest * 65536, k));
}

/**
 * One step of 2^k subticks.
 * @param {Motion} from
 * @param {number} command @param {Vec} value what the command names; none for coast
 * @param {number} k 9..20
 * @param {Limits} limits
 * @returns {Motion}
 */
export function step(from, command, value, k, limits) {
  const { p, v } = from;
  const time = pow2(k);
  const most = drift(limits.acceleration, time);
  let gain;
  if (command === Command.ACCELERATE) {
    gain = driftVec(limit(value, limits.acceleration), time);
  } else {
    let wanted = v;
    if (command === Command.VELOCITY) wanted = limit(value, limits.speed);
    if (command === Command.WAYPOINT) {
      const way = sub(value, p);
      const e = unit(way, ZERO);
      wanted = isZero(way)
        ? ZERO
        : stretch(e, Math.min(approachSpeed(way, e, v, k, limits), limits.speed));
    }
    gain = limit(sub(wanted, v), most);
  }
  const v1 = clampVec(limit(add(v, gain), limits.speed), VMAX);
  return { p: clampVec(add(p, shrVec(driftVec(add(v, v1), time), 1)), WORLD), v: v1 };
}

/**
 * The key that says a step in few bytes.
 * @param {Motion} from @param {Motion} to @param {number} k
 * @returns {RelativeKey | null} null where the step is too large for one
 */
export function relativeKey(from, to, k) {
  const d0 = sub(sub(to.p, from.p), driftVec(from.v, pow2(k)));
  const dv0 = sub(to.v, from.v);
  for (let scaling = 0; scaling <= 15; scaling++) {
    const half = scaling > 0 ? pow2(scaling - 1) : 0;
    const halves = vec(half, half, half);
    const d = shrVec(add(d0, halves), scaling);
    const dv = shrVec(add(dv0, halves), scaling);
    if (maxAxis(d) <= 32767 && maxAxis(dv) <= 32767) return { K: k, scale: scaling, d, dv };
  }
  return null;
}
