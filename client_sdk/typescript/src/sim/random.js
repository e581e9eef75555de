// Hashes in place of a random generator: SPEC.md, "Randomness". Words are 0..2^32 - 1.

import { int16, vec } from "./numbers.js";

/** @typedef {import("./numbers.js").Vec} Vec */

/** What a key is for. */
export const Stream = Object.freeze({
  LAUNCH_SPREAD: 1,
  ARRIVAL_SPREAD: 2,
  AIM_OFFSET: 3,
  SPLINE_KNOTS: 4,
  GRADIENT_X: 5,
  GRADIENT_Y: 6,
  GUNNER: 9,
});

/** @param {number} x a word @returns {number} a word */
export function mix(x) {
  x ^= x >>> 17;
  x = Math.imul(x, 0xed5ad4bb);
  x ^= x >>> 11;
  x = Math.imul(x, 0xac4c1b51);
  x ^= x >>> 15;
  x = Math.imul(x, 0x31848bab);
  x ^= x >>> 14;
  return x >>> 0;
}

/** The draw number d of a key. @param {number} key @param {number} d @returns {number} a word */
export function draw(key, d) {
  return mix((key + Math.imul(d, 0x9e3779b9) + 1) | 0);
}

/**
 * The key of one purpose of one missile.
 * @param {number} seed of the launch, a word
 * @param {number} stream
 * @param {number} i the missile's index
 * @returns {number} a word
 */
export function key(seed, stream, i) {
  return draw(mix(seed ^ Math.imul(stream, 0x85ebca6b)), i);
}

/** A point of the unit ball, from two draws. @param {number} k a key @param {number} d @returns {Vec} Q15 */
export function ball(k, d) {
  const a = draw(k, d);
  const x = int16(a);
  const y = int16(a >>> 16);
  const z = int16(draw(k, d + 1));
  return x * x + y * y + z * z > 1073741824 ? vec(x >> 1, y >> 1, z >> 1) : vec(x, y, z);
}

/**
 * The seed of a session's launch number m.
 * @param {number} low of the session's 64-bit seed, a word
 * @param {number} high
 * @param {number} m
 * @returns {number} a word
 */
export function launchSeed(low, high, m) {
  return draw((low ^ mix(high)) >>> 0, m);
}
