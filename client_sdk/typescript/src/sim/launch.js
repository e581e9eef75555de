// From a launch to a missile's base curve: SPEC.md, "Launch and base curve".

import { startFrame } from "./frame.js";
import {
  POINT_MAX, WORLD, add, along, clampVec, dot24, driftVec, length, maxAxis, negate, pow2, rn24Vec,
  scale, shr, shrVec, sub, unit,
} from "./numbers.js";
import { rotate, thawBasis } from "./orientation.js";
import { Stream, ball, draw, key } from "./random.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./orientation.js").Basis} Basis */
/** @typedef {import("./curve.js").Cubic} Cubic */

/** How far directions spread, Q14. @typedef {{readonly a: number, readonly b: number}} Cone */

/**
 * @typedef {object} Weapon
 * @property {number} noise NoiseKind
 * @property {Cone} muzzleCone
 * @property {Cone} approachCone
 * @property {number} muzzleHandle Q16 of the chord
 * @property {number} approachHandle Q16 of the chord
 * @property {number} amplitude of the noise, length units
 * @property {number} frequency of the noise, Q16 cells per second
 * @property {number} rippleInterval between two missiles of a salvo, subticks
 */

/** A capsule in a body's axes: from a to a + d, length units. @typedef {{readonly a: Vec, readonly d: Vec, readonly r: number}} HullPart */

/**
 * What a launch froze at its time t0.
 * @typedef {object} Anchor
 * @property {Vec} muzzle
 * @property {Vec} launcherVelocity
 * @property {Basis} muzzleBasis Q14
 * @property {Vec} target
 * @property {Vec} targetVelocity
 * @property {Basis} targetBasis Q14
 * @property {readonly HullPart[]} hull of the target's type
 */

/**
 * @typedef {object} Launch
 * @property {number} seed a word
 * @property {number} t0 subticks
 * @property {number} pieces N, 1..960
 * @property {number} log2Piece J, 8..13
 */

/**
 * Where on its target a missile aims, in the target's axes.
 * @param {readonly HullPart[]} hull
 * @param {number} seed of the launch
 * @param {number} missile
 * @param {number} lock 0 for the announced target, else the number of the event that gave it
 * @returns {Vec} length units
 */
export function aimOffset(hull, seed, missile, lock) {
  const k = key(seed, Stream.AIM_OFFSET, missile + 256 * lock);
  const part = hull[shr(draw(k, 0) * hull.length, 32)];
  const q = draw(k, 1) >>> 16;
  const within = shrVec(scale(ball(k, 2), shr(7 * part.r, 3)), 15);
  return add(add(part.a, shrVec(scale(part.d, q), 16)), within);
}

/** @param {Launch} launch @param {Weapon} weapon @param {number} missile @returns {number} T0, subticks */
export const launchTime = (launch, weapon, missile) =>
  launch.t0 + missile * weapon.rippleInterval;

/** @param {Launch} launch @returns {number} subticks */
export const flightTime = (launch) => launch.pieces * pow2(launch.log2Piece);

/**
 * Where the aimed-at place would be at a time if the target kept its velocity.
 * @param {Launch} launch @param {Anchor} anchor
 * @param {Vec} offset of lock 0
 * @param {number} T subticks
 * @returns {Vec}
 */
export function predicted(launch, anchor, offset, T) {
  const moved = add(anchor.target, driftVec(anchor.targetVelocity, T - launch.t0));
  return add(clampVec(moved, WORLD), rotate(thawBasis(anchor.targetBasis), offset));
}

/** @param {Vec} f Q24 @param {Cone} cone @param {number} k a key @returns {Vec} f, spread */
function spread(f, cone, k) {
  const off = scale(ball(k, 0), 512);
  return unit(shrVec(add(scale(f, cone.a), scale(off, cone.b)), 14), f);
}

/** @param {number} n a length @param {number} h Q16 @returns {number} */
const portion = (n, h) => shr(shr(n, 4) * h, 12);

/**
 * @param {Launch} launch @param {Weapon} weapon @param {Anchor} anchor @param {number} missile
 * @returns {{curve: Cubic, amplitude: number, offset: Vec}} the curve the noise displaces, how far at
 *   most, and the aim offset of lock 0; length units
 */
export function baseCurve(launch, weapon, anchor, missile) {
  const start = launchTime(launch, weapon, missile);
  const forward = thawBasis(anchor.muzzleBasis).f;
  const offset = aimOffset(anchor.hull, launch.seed, missile, 0);
  const carried = driftVec(anchor.launcherVelocity, start - launch.t0);
  const p0 = clampVec(add(anchor.muzzle, carried), WORLD);
  const p3 = predicted(launch, anchor, offset, start + flightTime(launch));

  const chord = sub(p3, p0);
  const len = length(chord);
  const ch = unit(chord, forward);
  const d0 = spread(forward, weapon.muzzleCone, key(launch.seed, Stream.LAUNCH_SPREAD, missile));
  const d1 = spread(
    negate(ch),
    weapon.approachCone,
    key(launch.seed, Stream.ARRIVAL_SPREAD, missile),
  );
  const p1 = add(p0, along(d0, portion(len, weapon.muzzleHandle)));
  let p2 = add(p3, along(d1, portion(len, weapon.approachHandle)));

  const c = dot24(d0, ch);
  if (c < 0) {
    // It starts away from its target: the way back leads around to one side.
    const across = sub(d0, rn24Vec(scale(ch, c)));
    const side = unit(maxAxis(across) < 1048576 ? startFrame(ch).r : across, ch);
    p2 = add(p2, along(side, shr(shr(portion(len, 81920), 4) * -c, 20)));
  }
  /** @type {Cubic} */
  const curve = [
    clampVec(p0, POINT_MAX),
    clampVec(p1, POINT_MAX),
    clampVec(p2, POINT_MAX),
    clampVec(p3, POINT_MAX),
  ];
  return { curve, amplitude: Math.min(weapon.amplitude, shr(maxAxis(chord), 3)), offset };
}
