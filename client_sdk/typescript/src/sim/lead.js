// When a shot can meet what moves: SPEC.md, "Turrets", lead.

import {
  add, drift, driftVec, fdiv, length, low, maxAxis, pow2, scale, shr, sub,
} from "./numbers.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/**
 * @typedef {{
 *   readonly pivot: Vec, readonly inherited: Vec, readonly speed: number, readonly muzzle: number,
 *   readonly maxFlightTime: number,
 * }} Shot
 */
/** @typedef {{readonly time: number, readonly way: Vec}} Meeting */

/** Sums of squares of numbers below 2^48, in three parts. */
const square = (x) => {
  const h = shr(x, 24);
  const l = low(x, 24);
  return { high: h * h, middle: 2 * h * l, low: l * l };
};
const plus = (a, b) => ({
  high: a.high + b.high, middle: a.middle + b.middle, low: a.low + b.low,
});
const minus = (a, b) => ({
  high: a.high - b.high, middle: a.middle - b.middle, low: a.low - b.low,
});
const squares = (v) => plus(plus(square(v.x), square(v.y)), square(v.z));

function signOf(sum) {
  const middle = sum.middle + shr(sum.low, 24);
  const high = sum.high + shr(middle, 24);
  if (high !== 0) return Math.sign(high);
  return low(middle, 24) !== 0 || low(sum.low, 24) !== 0 ? 1 : 0;
}

function firstThat(below, above, holds) {
  let lo = below;
  let hi = above;
  while (hi - lo > 1) {
    const m = shr(lo + hi, 1);
    if (holds(m)) hi = m;
    else lo = m;
  }
  return hi;
}

function bits(n) {
  let count = 0;
  while (shr(n, count) !== 0) count++;
  return count;
}

/** @returns {number | undefined} the first grid time */
function straightTime(shot, p, velocity) {
  const fastest = Math.max(maxAxis(velocity), shot.speed);
  const farthest = Math.max(maxAxis(p), shot.muzzle);
  const j = Math.max(0, bits(fastest) + bits(shot.maxFlightTime) - 47, bits(farthest) - 31);
  const unitLength = pow2(16 - j);
  const last = shr(shot.maxFlightTime, j);
  const difference = (t) =>
    minus(
      squares(add(scale(p, unitLength), scale(velocity, t))),
      square(shot.muzzle * unitLength + shot.speed * t),
    );
  const reached = (t) => signOf(difference(t)) <= 0;
  const rises = (t) => signOf(minus(difference(t + 1), difference(t))) >= 0;
  if (reached(0)) return 0;
  if (reached(last)) return firstThat(0, last, reached) * pow2(j);
  const faster = signOf(minus(squares(velocity), square(shot.speed))) > 0;
  if (!faster || rises(0) || !rises(last - 1)) return undefined;
  const lowest = firstThat(0, last - 1, rises);
  return reached(lowest) ? firstThat(0, lowest, reached) * pow2(j) : undefined;
}

/**
 * With a target of constant velocity.
 * @param {Shot} shot @param {Vec} position @param {Vec} velocity
 * @returns {Meeting | undefined}
 */
export function meetStraight(shot, position, velocity) {
  const p = sub(position, shot.pivot);
  const relative = sub(velocity, shot.inherited);
  const time = straightTime(shot, p, relative);
  return time === undefined ? undefined : { time, way: add(p, driftVec(relative, time)) };
}

/**
 * With a target on a known path.
 * @param {Shot} shot @param {number} fired absolute @param {(T: number) => Vec} path
 * @param {number} maxSpeed of the target
 * @returns {Meeting | undefined}
 */
export function meetPath(shot, fired, path, maxSpeed) {
  const way = (t) => sub(sub(path(fired + t), shot.pivot), driftVec(shot.inherited, t));
  const reach = (t) => shot.muzzle + drift(shot.speed, t);
  const reached = (t) => signOf(minus(squares(way(t)), square(reach(t)))) <= 0;
  const last = shot.maxFlightTime;
  const c = maxSpeed + length(shot.inherited);
  if (reached(0)) return { time: 0, way: way(0) };
  let before = 0;
  let after = last;
  if (shot.speed - c > 262144) {
    if (!reached(last)) return undefined;
  } else {
    after = 0;
    while (after === 0 || !reached(after)) {
      if (after === last) return undefined;
      before = after;
      const gap = length(way(before));
      const surely = gap - reach(before) - shr(gap, 20) - 8;
      const q = Math.min(Math.max(surely, 0), 34359738368);
      const ahead = fdiv(q * 32768, shr(shot.speed + c, 1) + 1);
      after = Math.min(last, before + Math.max(64, ahead));
    }
  }
  const time = firstThat(before, after, reached);
  return { time, way: way(time) };
}
