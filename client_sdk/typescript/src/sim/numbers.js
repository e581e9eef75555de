// Integers in JavaScript numbers: SPEC.md, "Numbers" and "Primitives".
//
// Every value here is an integer below 2^53 in magnitude, so a number holds it exactly. Products and
// sums are written as they stand in the specification; test/checked_build.js makes copies of these
// modules in which each of them throws when it reaches 2^53.

/** 1.0 in Q24. */
export const ONE = 16777216;
/** Positions lie within +-WORLD an axis, in length units of 1/4096 m. */
export const WORLD = 1073741824;
/** Velocities lie within +-VMAX an axis, in length units per second. */
export const VMAX = 40960000;
/** The largest magnitude of a control point: 2^31 - 1. */
export const POINT_MAX = 2147483647;

// 2^n by doubling: engines don't promise that 2 ** n is exact.
const powers = [1];
for (let n = 1; n <= 52; n++) powers.push(powers[n - 1] * 2);
Object.freeze(powers);

/** 2^n, n in 0..52. @param {number} n @returns {number} */
export function pow2(n) {
  return powers[n];
}

/** floor(a / 2^n): the specification's a >> n. @param {number} a @param {number} n @returns {number} */
export function shr(a, n) {
  return Math.floor(a / powers[n]);
}

/** a mod 2^n, 0..2^n - 1 for negative a too. @param {number} a @param {number} n @returns {number} */
export function low(a, n) {
  return a - Math.floor(a / powers[n]) * powers[n];
}

/**
 * floor(a / b). The quotient of two numbers is rounded to the nearest, which may be the next integer
 * up; the remainder tells.
 * @param {number} a |a| < 2^52
 * @param {number} b 0 < b < 2^27
 * @returns {number}
 */
export function fdiv(a, b) {
  const quotient = Math.floor(a / b);
  const rest = a - quotient * b;
  if (rest < 0) return quotient - 1;
  return rest >= b ? quotient + 1 : quotient;
}

/** floor(sqrt(x)). @param {number} x 0 <= x < 2^52 @returns {number} */
export function isqrt(x) {
  let root = Math.floor(Math.sqrt(x));
  while (root * root > x) root--;
  while ((root + 1) * (root + 1) <= x) root++;
  return root;
}

/** Limits a to -m..m; never gives -0. @param {number} a @param {number} m @returns {number} */
export function clamp(a, m) {
  return Math.max(-m, Math.min(a, m)) + 0;
}

/** The low 16 bits of a 32-bit word as a signed number. @param {number} x @returns {number} */
export function int16(x) {
  return (x << 16) >> 16;
}

/** A product of Q24 numbers back to Q24, to the nearest. @param {number} x @returns {number} */
export function rn24(x) {
  return Math.floor((x + 8388608) / 16777216);
}

/**
 * From a at t = 0 to b at t = 2^k, exact at both.
 * @param {number} a @param {number} b @param {number} t 0..2^k @param {number} k <= 20
 * @returns {number}
 */
export function lerp(a, b, t, k) {
  return a + Math.floor(((b - a) * t) / powers[k]);
}

/**
 * How far a velocity carries in a time.
 * @param {number} v length units per second
 * @param {number} t subticks, also negative
 * @returns {number} floor(v t / 65536), length units
 */
export function drift(v, t) {
  const whole = Math.floor(t / 65536);
  const part = t - whole * 65536;
  return v * whole + Math.floor((v * part) / 65536);
}

/**
 * Vectors are plain objects, not changed after they are made.
 * @typedef {{readonly x: number, readonly y: number, readonly z: number}} Vec
 */

/** @type {Vec} */
export const ZERO = Object.freeze({ x: 0, y: 0, z: 0 });

/** @param {number} x @param {number} y @param {number} z @returns {Vec} */
export const vec = (x, y, z) => ({ x, y, z });
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const add = (a, b) => vec(a.x + b.x, a.y + b.y, a.z + b.z);
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const sub = (a, b) => vec(a.x - b.x, a.y - b.y, a.z - b.z);
/** @param {Vec} a @returns {Vec} */
export const negate = (a) => vec(-a.x, -a.y, -a.z);
/** @param {Vec} a @param {number} n @returns {Vec} */
export const scale = (a, n) => vec(a.x * n, a.y * n, a.z * n);
/** @param {Vec} a @param {number} n @returns {Vec} */
export const shrVec = (a, n) => vec(shr(a.x, n), shr(a.y, n), shr(a.z, n));
/** @param {Vec} a @param {number} b @returns {Vec} */
export const fdivVec = (a, b) => vec(fdiv(a.x, b), fdiv(a.y, b), fdiv(a.z, b));
/** @param {Vec} a @param {number} m @returns {Vec} */
export const clampVec = (a, m) => vec(clamp(a.x, m), clamp(a.y, m), clamp(a.z, m));
/** @param {Vec} a @returns {Vec} */
export const rn24Vec = (a) => vec(rn24(a.x), rn24(a.y), rn24(a.z));
/** @param {Vec} v @param {number} t @returns {Vec} */
export const driftVec = (v, t) => vec(drift(v.x, t), drift(v.y, t), drift(v.z, t));
/** @param {Vec} a @param {Vec} b @param {number} t @param {number} k @returns {Vec} */
export const lerpVec = (a, b, t, k) =>
  vec(lerp(a.x, b.x, t, k), lerp(a.y, b.y, t, k), lerp(a.z, b.z, t, k));

/** The largest magnitude of an axis. @param {Vec} a @returns {number} */
export const maxAxis = (a) => Math.max(Math.abs(a.x), Math.abs(a.y), Math.abs(a.z));
/** @param {Vec} a @returns {boolean} */
export const isZero = (a) => a.x === 0 && a.y === 0 && a.z === 0;
/** @param {Vec} a @param {Vec} b @returns {number} not scaled */
export const dot = (a, b) => a.x * b.x + a.y * b.y + a.z * b.z;
/** @param {Vec} a @param {Vec} b @returns {number} */
export const dot24 = (a, b) => rn24(dot(a, b));
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const cross24 = (a, b) =>
  vec(rn24(a.y * b.z - a.z * b.y), rn24(a.z * b.x - a.x * b.z), rn24(a.x * b.y - a.y * b.x));

/**
 * A direction times a length.
 * @param {Vec} d Q24
 * @param {number} n 0..2^32.2 length units
 * @returns {Vec} length units
 */
export function along(d, n) {
  const part = shr(n, 4);
  return vec(shr(part * d.x, 20), shr(part * d.y, 20), shr(part * d.z, 20));
}

/**
 * A vector brought to a largest axis of 2^24..2^25, and its length there.
 * @param {Vec} v not zero
 * @returns {{w: Vec, l: number, s: number}} w = v >> s, or v << -s
 */
function scaled(v) {
  const m = maxAxis(v);
  let s = 0;
  if (m >= 33554432) {
    while (shr(m, s) >= 33554432) s++;
  } else {
    while (m * powers[-s] < 16777216) s--;
  }
  const w = s >= 0 ? shrVec(v, s) : scale(v, powers[-s]);
  return { w, l: isqrt(dot(w, w)), s };
}

/**
 * The direction of v.
 * @param {Vec} v
 * @param {Vec} otherwise what the zero vector gives
 * @returns {Vec} Q24
 */
export function unit(v, otherwise) {
  if (isZero(v)) return otherwise;
  const { w, l } = scaled(v);
  const half = shr(l, 1);
  return vec(
    fdiv(w.x * ONE + half, l),
    fdiv(w.y * ONE + half, l),
    fdiv(w.z * ONE + half, l),
  );
}

/** The length of v, in its own unit. @param {Vec} v @returns {number} */
export function length(v) {
  if (isZero(v)) return 0;
  const { l, s } = scaled(v);
  return s >= 0 ? l * powers[s] : shr(l, -s);
}

