// A missile's flight: cubic pieces over knots that noise displaces from the base curve. SPEC.md,
// "Flight".

import { point } from "./curve.js";
import { MovingFrame } from "./frame.js";
import { baseCurve } from "./launch.js";
import { NOISE, noise } from "./noise.js";
import {
  POINT_MAX, add, clampVec, fdiv, fdivVec, pow2, rn24Vec, scale, shr, shrVec, sub,
} from "./numbers.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./curve.js").Cubic} Cubic */
/** @typedef {import("./launch.js").Launch} Launch */
/** @typedef {import("./launch.js").Weapon} Weapon */
/** @typedef {import("./launch.js").Anchor} Anchor */

/**
 * @typedef {object} Flight
 * @property {readonly Vec[]} points 3 N + 1 control points; piece k has those from 3 k to 3 k + 3
 * @property {number} log2Piece J: a piece takes 2^J subticks
 * @property {Vec} offset the aim offset of lock 0
 */

/**
 * The places between the pieces, S_1..S_(N-1), at index k.
 * @param {Launch} launch @param {Weapon} weapon @param {number} missile
 * @param {Cubic} curve @param {number} amplitude
 * @returns {Vec[]}
 */
function displacedKnots(launch, weapon, missile, curve, amplitude) {
  const frame = new MovingFrame(curve);
  const knots = [curve[0]];
  for (let k = 1; k < launch.pieces; k++) {
    const u = fdiv(k * 1048576, launch.pieces);
    const w = shr(u, 4);
    const hump = shr(4 * w * (65536 - w), 16);
    const reach = shr(amplitude * shr(hump * hump, 16), 16);
    const cells = shr(k * pow2(launch.log2Piece) * weapon.frequency, 16);
    const { x, y } = noise(weapon.noise, launch.seed, missile, cells);
    const { r, s } = frame.at(u);
    const off = add(scale(r, fdiv(reach * x, NOISE)), scale(s, fdiv(reach * y, NOISE)));
    knots.push(clampVec(add(point(curve, u, 20), rn24Vec(off)), POINT_MAX));
  }
  return knots;
}

/**
 * @param {Launch} launch @param {Weapon} weapon @param {Anchor} anchor @param {number} missile
 * @returns {Flight}
 */
export function compileFlight(launch, weapon, anchor, missile) {
  const { curve, amplitude, offset } = baseCurve(launch, weapon, anchor, missile);
  const [p0, p1, p2, p3] = curve;
  const N = launch.pieces;
  const m0 = fdivVec(scale(sub(p1, p0), 3), N);
  const mN = fdivVec(scale(sub(p3, p2), 3), N);
  const S = displacedKnots(launch, weapon, missile, curve, amplitude);
  if (N > 1) {
    S[0] = shrVec(add(sub(scale(p0, 3), S[1]), m0), 1);
    S[N] = shrVec(sub(sub(scale(p3, 3), S[N - 1]), mN), 1);
  }
  const points = [p0];
  for (let k = 0; k < N; k++) {
    const first = k === 0 ? add(p0, fdivVec(m0, 3)) : fdivVec(add(scale(S[k], 2), S[k + 1]), 3);
    const second =
      k === N - 1 ? sub(p3, fdivVec(mN, 3)) : fdivVec(add(S[k], scale(S[k + 1], 2)), 3);
    if (k > 0) points.push(shrVec(add(points[points.length - 1], first), 1));
    points.push(first, second);
  }
  points.push(p3);
  return { points, log2Piece: launch.log2Piece, offset };
}

/** @param {Flight} flight @returns {number} N */
const pieces = (flight) => (flight.points.length - 1) / 3;

/** @param {Flight} flight @returns {number} subticks */
export const duration = (flight) => pieces(flight) * pow2(flight.log2Piece);

/**
 * Where the missile is, homing and guidance not included.
 * @param {Flight} flight
 * @param {number} t subticks after its launch; held to 0 and the flight's end
 * @returns {Vec} length units
 */
export function flightPosition(flight, t) {
  const J = flight.log2Piece;
  const N = pieces(flight);
  const held = Math.max(0, Math.min(t, duration(flight)));
  const k = Math.min(shr(held, J), N - 1);
  const p = flight.points;
  return point([p[3 * k], p[3 * k + 1], p[3 * k + 2], p[3 * k + 3]], held - k * pow2(J), J);
}
