// The path of an entity: SPEC.md, "Track".

import { hermite, point } from "./curve.js";
import {
  ONE, VMAX, WORLD, add, clampVec, dot24, driftVec, isZero, lerpVec, maxAxis, pow2, scale, shrVec,
  sub, unit, vec,
} from "./numbers.js";
import { freeze, levelRight, thaw } from "./orientation.js";

/** @typedef {import("./numbers.js").Vec} Vec */

/**
 * A jump has no duration: it is at p1 with v1 from its start on. It keeps f0 all the same.
 * @typedef {object} TrackPiece
 * @property {number} start subticks
 * @property {boolean} jump
 * @property {number} K lasts 2^K subticks
 * @property {Vec} p0 @property {Vec} v0
 * @property {Vec} p1 @property {Vec} v1
 * @property {Vec} f0 the facing at the start, Q14
 */

/** Pieces in the order in which they came, by start; never empty. @typedef {readonly TrackPiece[]} Track */

const FORWARD = vec(0, 0, ONE);

/**
 * The last piece that starts before T, or the first one.
 * @template {{readonly start: number}} P
 * @param {readonly P[]} pieces
 * @param {number} T
 * @returns {P}
 */
export function ruling(pieces, T) {
  let i = pieces.length - 1;
  while (i > 0 && pieces[i].start >= T) i--;
  return pieces[i];
}

/**
 * The piece that counts at T and the time within it, 0 at and before the first one.
 * @param {Track} track @param {number} T
 * @returns {{piece: TrackPiece, t: number}}
 */
function locate(track, T) {
  const piece = ruling(track, T);
  return { piece, t: Math.max(0, T - piece.start) };
}

/** @param {TrackPiece} piece @param {number} t @returns {boolean} */
const coasts = (piece, t) => piece.jump || t >= pow2(piece.K);

/** @param {Track} track @param {number} T subticks @returns {Vec} length units */
export function trackPosition(track, T) {
  const { piece, t } = locate(track, T);
  const { p0, v0, p1, v1, K } = piece;
  if (coasts(piece, t)) {
    return clampVec(add(p1, driftVec(v1, piece.jump ? t : t - pow2(K))), WORLD);
  }
  return clampVec(point(hermite(p0, v0, p1, v1, K), t, K), WORLD);
}

/** @param {Track} track @param {number} T subticks @returns {Vec} length units per second */
export function trackVelocity(track, T) {
  const { piece, t } = locate(track, T);
  const { p0, v0, p1, v1, K } = piece;
  if (coasts(piece, t)) return v1;
  const m = sub(sub(shrVec(scale(sub(p1, p0), 196608), K), v0), v1);
  return clampVec(lerpVec(lerpVec(v0, m, t, K), lerpVec(m, v1, t, K), t, K), VMAX);
}

/** @param {Track} track @param {number} T subticks @returns {Vec} Q24 */
export function trackFacing(track, T) {
  const { piece, t } = locate(track, T);
  const { v1, K } = piece;
  const f0 = thaw(piece.f0);
  const f1 = isZero(v1) ? unit(f0, FORWARD) : unit(v1, FORWARD);
  if (coasts(piece, t)) return f1;
  if (dot24(f0, f1) >= 0) return unit(lerpVec(f0, f1, t, K), f1);
  const sum = add(f0, f1);
  const m = maxAxis(sum) < 65536 ? levelRight(f0) : unit(sum, f1);
  const half = pow2(K - 1);
  if (t < half) return unit(lerpVec(f0, m, 2 * t, K), f1);
  return unit(lerpVec(m, f1, 2 * t - 2 * half, K), f1);
}

/**
 * The track of an entity that appears.
 * @param {number} start @param {Vec} p @param {Vec} v
 * @param {Vec} forward Q24
 * @returns {TrackPiece}
 */
export const spawnPiece = (start, p, v, forward) =>
  ({ start, jump: true, K: 0, p0: p, v0: v, p1: p, v1: v, f0: freeze(forward) });

/**
 * A piece that starts where the track is at n.
 * @param {Track} track @param {number} n
 * @param {number} K @param {Vec} p1 @param {Vec} v1
 * @returns {TrackPiece}
 */
export const keyPiece = (track, n, K, p1, v1) => ({
  start: n,
  jump: false,
  K,
  p0: trackPosition(track, n),
  v0: clampVec(trackVelocity(track, n), VMAX),
  p1,
  v1,
  f0: freeze(trackFacing(track, n)),
});

/** @param {Track} track @param {number} n @param {Vec} p1 @param {Vec} v1 @returns {TrackPiece} */
export const jumpPiece = (track, n, p1, v1) => ({ ...keyPiece(track, n, 0, p1, v1), jump: true });

/**
 * @typedef {object} RelativeKey
 * @property {number} K
 * @property {number} scale
 * @property {Vec} d @property {Vec} dv int16 an axis
 */

/** @param {Track} track @param {number} n @param {RelativeKey} relative @returns {TrackPiece} */
export function relativePiece(track, n, relative) {
  const p0 = trackPosition(track, n);
  const v0 = clampVec(trackVelocity(track, n), VMAX);
  const unitOf = pow2(relative.scale);
  const drifted = add(p0, driftVec(v0, pow2(relative.K)));
  const p1 = clampVec(add(drifted, scale(relative.d, unitOf)), WORLD);
  const v1 = clampVec(add(v0, scale(relative.dv, unitOf)), VMAX);
  return keyPiece(track, n, relative.K, p1, v1);
}
