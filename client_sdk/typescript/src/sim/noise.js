// Two-channel noise in the unit disc: SPEC.md, "Noise".

import { int16, low, shr } from "./numbers.js";
import { Stream, draw, key } from "./random.js";

/** 1.0 of a noise channel. */
export const NOISE = 196608;

/** A weapon's kind of noise. */
export const NoiseKind = Object.freeze({ SPLINE: 0, GRADIENT: 1 });

/** @typedef {{readonly x: number, readonly y: number}} NoiseValue */

/** Knot i of the B-spline noise. @param {number} k a key @param {number} i @returns {NoiseValue} Q15 */
export function splineKnot(k, i) {
  const w = draw(k, i);
  const x = int16(w);
  const y = int16(w >>> 16);
  return x * x + y * y > 1073741824 ? { x: x >> 1, y: y >> 1 } : { x, y };
}

/** @param {number} k a key @param {number} n cells, Q16 @returns {NoiseValue} */
function spline(k, n) {
  const c = shr(n, 16);
  const t = low(n, 16);
  const s = 65536 - t;
  const w0 = shr(shr(s * s, 16) * s, 16);
  const w3 = shr(shr(t * t, 16) * t, 16);
  const w2 = 65536 + shr(3 * t * (65536 + shr(t * s, 16)), 16);
  const w1 = 393216 - w0 - w2 - w3;
  const [a, b, d, e] = [0, 1, 2, 3].map((i) => splineKnot(k, c + i));
  return {
    x: shr(w0 * a.x + w1 * b.x + w2 * d.x + w3 * e.x, 16),
    y: shr(w0 * a.y + w1 * b.y + w2 * d.y + w3 * e.y, 16),
  };
}

/** @param {number} k a key @param {number} n cells, Q16 @returns {number} one channel */
function gradient(k, n) {
  const m = n + gradientPhase(k);
  const c = shr(m, 16);
  const t = low(m, 16);
  const a = int16(draw(k, c + 1)) * t;
  const b = int16(draw(k, c + 2)) * (t - 65536);
  const t2 = shr(t * t, 16);
  const t3 = shr(t2 * t, 16);
  const fade = shr(t3 * (6 * t2 - 15 * t + 655360), 16);
  const v = a + shr((b - a) * fade, 16);
  return shr(v * 139022, 30);
}

/** Where a channel's cells begin. @param {number} k a key @returns {number} cells, Q16 */
export const gradientPhase = (k) => draw(k, 0) >>> 16;

/**
 * @param {number} kind NoiseKind
 * @param {number} seed of the launch
 * @param {number} missile index in its salvo
 * @param {number} n cells, Q16, 0 <= n < 2^41
 * @returns {NoiseValue}
 */
export function noise(kind, seed, missile, n) {
  if (kind === NoiseKind.SPLINE) return spline(key(seed, Stream.SPLINE_KNOTS, missile), n);
  return {
    x: gradient(key(seed, Stream.GRADIENT_X, missile), n),
    y: gradient(key(seed, Stream.GRADIENT_Y, missile), n),
  };
}
