// Bases and quaternions: SPEC.md, "Orientation".

import { cosine, sine } from "./angles.js";
import {
  ONE, ZERO, add, cross24, fdiv, int16, isqrt, rn24, rn24Vec, scale, shr, unit, vec,
} from "./numbers.js";

/** @typedef {import("./numbers.js").Vec} Vec */

/**
 * Where a body points: its forward and its up axis, Q24.
 * @typedef {{readonly f: Vec, readonly u: Vec}} Basis
 */

/** @typedef {{readonly x: number, readonly y: number, readonly z: number, readonly w: number}} Quat */

const ONE_X = vec(ONE, 0, 0);

/** @param {Basis} basis @returns {Vec} */
export const rightAxis = (basis) => cross24(basis.u, basis.f);

/**
 * @param {Basis} basis
 * @param {Vec} o in the body's axes: x right, y up, z forward
 * @returns {Vec} in the world's
 */
export function rotate(basis, o) {
  const right = rightAxis(basis);
  return rn24Vec(add(add(scale(right, o.x), scale(basis.u, o.y)), scale(basis.f, o.z)));
}

/** @param {Basis} outer @param {Basis} inner in the axes of outer @returns {Basis} */
export const compose = (outer, inner) => ({
  f: rotate(outer, inner.f),
  u: rotate(outer, inner.u),
});

/** Q24 to Q14 as the log carries it. @param {number} c @returns {number} int16 */
const frozen = (c) => int16((c + 512) >> 10);

/** @param {Vec} a Q24 @returns {Vec} Q14 */
export const freeze = (a) => vec(frozen(a.x), frozen(a.y), frozen(a.z));
/** @param {Vec} a Q14 @returns {Vec} Q24 */
export const thaw = (a) => scale(a, 1024);
/** @param {Basis} b @returns {Basis} */
export const freezeBasis = (b) => ({ f: freeze(b.f), u: freeze(b.u) });
/** @param {Basis} b @returns {Basis} */
export const thawBasis = (b) => ({ f: thaw(b.f), u: thaw(b.u) });
/** @param {Quat} q Q24 @returns {Quat} Q14 */
export const freezeQuat = (q) => ({
  x: frozen(q.x),
  y: frozen(q.y),
  z: frozen(q.z),
  w: frozen(q.w),
});

/** @param {Vec} f @returns {Vec} the horizontal axis to the right of f */
export const levelRight = (f) => unit(vec(f.z, 0, -f.x), ONE_X);

/** The basis without roll that looks along f. @param {Vec} f @returns {Basis} */
export const faceBasis = (f) => ({ f, u: cross24(f, levelRight(f)) });

/** @param {Quat} q components up to 2^25, not all zero @returns {Quat} Q24 */
export function normalise(q) {
  const l = isqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const half = shr(l, 1);
  return {
    x: fdiv(q.x * ONE + half, l),
    y: fdiv(q.y * ONE + half, l),
    z: fdiv(q.z * ONE + half, l),
    w: fdiv(q.w * ONE + half, l),
  };
}

/** @param {Quat} q Q24, normalised @returns {Basis} */
export function quatBasis(q) {
  const { x, y, z, w } = q;
  const twice = (/** @type {number} */ p) => rn24(2 * p);
  return {
    f: vec(twice(x * z + y * w), twice(y * z - x * w), ONE - twice(x * x + y * y)),
    u: vec(twice(x * y - z * w), ONE - twice(x * x + z * z), twice(y * z + x * w)),
  };
}

/** @param {Quat} q Q14 @returns {Quat} Q24, not normalised */
export const thawQuat = (q) => ({
  x: q.x * 1024,
  y: q.y * 1024,
  z: q.z * 1024,
  w: q.w * 1024,
});

/** @param {Quat} q Q14, as the log carries it @returns {Basis} */
export const frozenQuatBasis = (q) => quatBasis(normalise(thawQuat(q)));

/**
 * Yaw from +Z toward +X, then pitch up, then roll with the right side down.
 * @param {number} yaw @param {number} pitch @param {number} roll a turn is 2^32
 * @returns {Basis}
 */
export function anglesBasis(yaw, pitch, roll) {
  const sy = sine(yaw);
  const cy = cosine(yaw);
  const sp = sine(pitch);
  const cp = cosine(pitch);
  const level = scale(vec(cy, 0, -sy), sine(roll));
  const upright = scale(vec(-rn24(sy * sp), cp, -rn24(cy * sp)), cosine(roll));
  return { f: vec(rn24(sy * cp), sp, rn24(cy * cp)), u: rn24Vec(add(upright, level)) };
}

/** @param {Quat} a @param {Quat} b @returns {Quat} a then, in its axes, b; Q24 */
function product(a, b) {
  return {
    x: rn24(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y),
    y: rn24(a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x),
    z: rn24(a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w),
    w: rn24(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z),
  };
}

/** @param {number} yaw @param {number} pitch @param {number} roll int32 @returns {Quat} Q14 */
export function anglesQuat(yaw, pitch, roll) {
  const [y, p, r] = [yaw >> 1, pitch >> 1, roll >> 1];
  const turned = product(
    { ...ZERO, y: sine(y), w: cosine(y) },
    { ...ZERO, x: -sine(p), w: cosine(p) },
  );
  return freezeQuat(normalise(product(turned, { ...ZERO, z: -sine(r), w: cosine(r) })));
}
