// A frame that turns about its curve as little as possible: SPEC.md, "Moving frame" (double
// reflection: Wang, Juttler, Zheng, Liu, ACM TOG 27(1), 2008).

import { blossom, hodograph } from "./curve.js";
import {
  ONE, add, cross24, dot, isZero, maxAxis, rn24, rn24Vec, scale, sub, unit, vec,
} from "./numbers.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./curve.js").Cubic} Cubic */
/** @typedef {import("./curve.js").Hodograph} Hodograph */

/**
 * The tangent and two axes across it, Q24.
 * @typedef {{readonly T: Vec, readonly r: Vec, readonly s: Vec}} Frame
 */

const FORWARD = vec(0, 0, ONE);
const KNOTS = 16;

/** @param {Cubic} cubic @returns {Vec} */
export const startTangent = ([p0, p1, p2, p3]) =>
  unit(sub(p1, p0), unit(sub(p2, p0), unit(sub(p3, p0), FORWARD)));
/** @param {Cubic} cubic @returns {Vec} */
export const endTangent = ([p0, p1, p2, p3]) =>
  unit(sub(p3, p2), unit(sub(p3, p1), unit(sub(p3, p0), FORWARD)));

/** @param {Vec} T @returns {Vec} the world axis that T has least of */
function leastAxis(T) {
  const [x, y, z] = [Math.abs(T.x), Math.abs(T.y), Math.abs(T.z)];
  if (x <= y && x <= z) return vec(ONE, 0, 0);
  return y <= z ? vec(0, ONE, 0) : FORWARD;
}

/** The frame a curve starts with. @param {Vec} T its tangent @returns {Frame} */
export function startFrame(T) {
  const s = unit(cross24(T, leastAxis(T)), FORWARD);
  const r = unit(cross24(s, T), FORWARD);
  return { T, r, s };
}

/** v mirrored in the plane across d. @param {Vec} v @param {Vec} d Q24 @returns {Vec} */
const reflect = (v, d) => sub(v, rn24Vec(scale(d, rn24(2 * dot(v, d)))));

/**
 * @param {Hodograph} h
 * @param {Frame} from the frame at a
 * @param {number} a 20 bits
 * @param {number} b 20 bits
 * @returns {Frame} at b
 */
function step(h, from, a, b) {
  const slope = blossom(h, b, b);
  const T = unit(slope, from.T);
  const chord = add(add(blossom(h, a, a), blossom(h, a, b)), slope);
  if (isZero(chord)) return { T, r: from.r, s: from.s };
  const c = unit(chord, FORWARD);
  const r = reflect(from.r, c);
  const s = reflect(from.s, c);
  const e = sub(T, reflect(from.T, c));
  if (maxAxis(e) < 4096) return { T, r, s };
  const d = unit(e, FORWARD);
  return { T, r: reflect(r, d), s: reflect(s, d) };
}

/** The frames of one cubic; knots are computed when a parameter first needs them. */
export class MovingFrame {
  /** @param {Cubic} cubic */
  constructor(cubic) {
    this.h = hodograph(cubic);
    /** @type {Frame[]} */
    this.knots = [startFrame(startTangent(cubic))];
  }

  /** @param {number} j 0..15 @returns {Frame} */
  knot(j) {
    for (let i = this.knots.length; i <= j; i++) {
      const next = step(this.h, this.knots[i - 1], (i - 1) * 65536, i * 65536);
      this.knots.push({ T: next.T, r: unit(next.r, FORWARD), s: unit(next.s, FORWARD) });
    }
    return this.knots[j];
  }

  /** @param {number} u 0..2^20 @returns {Frame} */
  at(u) {
    const j = Math.min(u >> 16, KNOTS - 1);
    return step(this.h, this.knot(j), j * 65536, u);
  }
}
