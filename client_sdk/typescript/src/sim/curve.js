// Cubic curves: SPEC.md, "Curves". A parameter is t / 2^k, 0 <= t <= 2^k, k <= 20.

import { add, fdivVec, lerpVec, pow2, scale, sub } from "./numbers.js";

/** @typedef {import("./numbers.js").Vec} Vec */

/**
 * Four control points, int32 length units.
 * @typedef {readonly [Vec, Vec, Vec, Vec]} Cubic
 */

/** The differences of a cubic's points: a third of its derivative. @typedef {readonly [Vec, Vec, Vec]} Hodograph */

/** @param {Cubic} cubic @param {number} t @param {number} k @returns {Vec} */
export function point([p0, p1, p2, p3], t, k) {
  const a = lerpVec(p0, p1, t, k);
  const b = lerpVec(p1, p2, t, k);
  const c = lerpVec(p2, p3, t, k);
  return lerpVec(lerpVec(a, b, t, k), lerpVec(b, c, t, k), t, k);
}

/** @param {Cubic} cubic @returns {Hodograph} */
export const hodograph = ([p0, p1, p2, p3]) => [sub(p1, p0), sub(p2, p1), sub(p3, p2)];

/** @param {Hodograph} h @param {number} a 20 bits @param {number} b 20 bits @returns {Vec} */
export const blossom = ([h0, h1, h2], a, b) =>
  lerpVec(lerpVec(h0, h1, a, 20), lerpVec(h1, h2, a, 20), b, 20);

/**
 * The cubic from one place and velocity to another in 2^k subticks.
 * @param {Vec} p0 @param {Vec} v0 length units per second
 * @param {Vec} p1 @param {Vec} v1
 * @param {number} k
 * @returns {Cubic}
 */
export function hermite(p0, v0, p1, v1, k) {
  const time = pow2(k);
  return [
    p0,
    add(p0, fdivVec(scale(v0, time), 196608)),
    sub(p1, fdivVec(scale(v1, time), 196608)),
    p1,
  ];
}
