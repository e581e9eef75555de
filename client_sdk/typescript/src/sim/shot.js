// Rounds of a burst, a pure function of it: SPEC.md, "Shots".

import {
  VMAX, WORLD, ZERO, add, clampVec, driftVec, fdiv, rn24Vec, scale, shr, unit,
} from "./numbers.js";
import { rightAxis, rotate } from "./orientation.js";
import { Stream, ball, key } from "./random.js";

/** @typedef {import("./numbers.js").Vec} Vec */
/** @typedef {import("./orientation.js").Basis} Basis */

/**
 * What a turret fires; speed 0: nothing.
 * @typedef {{
 *   readonly speed: number, readonly life: number, readonly interval: number,
 *   readonly inherits: boolean, readonly error: number,
 * }} Gun life and interval in subticks, error a Q24 tangent
 */
/** @typedef {import("./turret.js").TurretMount & {readonly gun: Gun}} Turret */

/**
 * A burst as a record says it, with what its rounds start from.
 * @typedef {{
 *   entity: number, turret: number, count: number, time: number, seed: number,
 *   type: number, pivot: Vec, velocity: Vec, bore: Basis,
 * }} Burst count: rounds that left or will
 */
/** @typedef {{begin: number, end: number, start: Vec, velocity: Vec}} Round */

/** @param {Burst} burst @param {Gun} gun @param {number} i @returns {number} when round i leaves */
export const roundTime = (burst, gun, i) => burst.time + i * gun.interval;

/** When the last round has flown its time. @param {Burst} burst @param {Gun} gun */
export const burstEnd = (burst, gun) =>
  burst.count === 0 ? burst.time - 1 : roundTime(burst, gun, burst.count - 1) + gun.life;

/** How many rounds have left by T. @param {Burst} burst @param {Gun} gun @param {number} T */
export function roundsUntil(burst, gun, T) {
  if (T < burst.time) return 0;
  if (gun.interval === 0) return burst.count;
  return Math.min(burst.count, fdiv(T - burst.time, gun.interval) + 1);
}

/** The direction of round i, Q24. @param {Basis} bore */
function direction(bore, seed, i, error) {
  if (error === 0) return bore.f;
  const stray = ball(key(seed, Stream.GUNNER, i), 0);
  const x = shr(stray.x * error, 15);
  const y = shr(stray.y * error, 15);
  const across = add(rn24Vec(scale(rightAxis(bore), x)), rn24Vec(scale(bore.u, y)));
  return unit(add(bore.f, across), bore.f);
}

/** The velocity of a shot along a unit bore. @param {number} speed @param {Vec} inherited @param {Vec} way */
export const shotVelocity = (speed, inherited, way) =>
  clampVec(add(inherited, rn24Vec(scale(way, speed))), VMAX);

/** @param {Burst} burst @param {Turret} turret @param {number} i 0..count - 1 @returns {Round} */
export function roundOf(burst, turret, i) {
  const { gun, muzzles } = turret;
  const begin = roundTime(burst, gun, i);
  const muzzle = rotate(burst.bore, muzzles[i % muzzles.length]);
  const carried = driftVec(burst.velocity, begin - burst.time);
  const way = direction(burst.bore, burst.seed, i, gun.error);
  return {
    begin,
    end: begin + gun.life,
    start: clampVec(add(add(burst.pivot, muzzle), carried), WORLD),
    velocity: shotVelocity(gun.speed, gun.inherits ? burst.velocity : ZERO, way),
  };
}

/** @param {Round} round @param {number} T begin..end @returns {Vec} length units, also outside the world */
export const roundPosition = (round, T) =>
  add(round.start, driftVec(round.velocity, T - round.begin));
