// Orientation of an entity that doesn't just face where it goes: SPEC.md, "Attitude".

import { lerp, pow2 } from "./numbers.js";
import { freezeQuat, normalise, thawQuat } from "./orientation.js";
import { ruling } from "./track.js";

/** @typedef {import("./orientation.js").Quat} Quat */

/**
 * @typedef {object} AttitudePiece
 * @property {number} start subticks
 * @property {number} K lasts 2^K subticks
 * @property {Quat} a from, Q14
 * @property {Quat} b to, Q14
 */

/** @param {number} start @param {Quat} held Q14 @returns {AttitudePiece} */
export const spawnAttitude = (start, held) => ({ start, K: 0, a: held, b: held });

/**
 * @param {readonly AttitudePiece[]} pieces @param {number} T subticks
 * @returns {Quat} Q24
 */
export function attitudeAt(pieces, T) {
  const piece = ruling(pieces, T);
  const { a, b, K } = piece;
  const t = Math.max(0, Math.min(T - piece.start, pow2(K)));
  // The two signs of a quaternion are one orientation: take the nearer one.
  const sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
  const from = thawQuat(a);
  const to = thawQuat({ x: sign * b.x, y: sign * b.y, z: sign * b.z, w: sign * b.w });
  return normalise({
    x: lerp(from.x, to.x, t, K),
    y: lerp(from.y, to.y, t, K),
    z: lerp(from.z, to.z, t, K),
    w: lerp(from.w, to.w, t, K),
  });
}

/**
 * A piece that starts with the attitude at n.
 * @param {readonly AttitudePiece[]} pieces @param {number} n @param {number} K @param {Quat} b Q14
 * @returns {AttitudePiece}
 */
export const attitudeKey = (pieces, n, K, b) =>
  ({ start: n, K, a: freezeQuat(attitudeAt(pieces, n)), b });
