// How a locked missile meets a target that moves: SPEC.md, "Homing".

import { ONE, VMAX, clampVec, fdiv, scale, shr, shrVec, sub } from "./numbers.js";

/** @typedef {import("./numbers.js").Vec} Vec */

const GAP_MAX = 67108864;
/** The kept velocity is measured over this time before an event, subticks. */
export const MEASURED = 1024;

/**
 * @param {number} t subticks since the lock
 * @param {number} D from the lock to the flight's end, subticks
 * @returns {number} Q24, from 0 to ONE
 */
export function ramp(t, D) {
  if (t <= 0) return 0;
  if (t >= D) return ONE;
  const u = fdiv(t * ONE, D);
  const u2 = shr(u * u, 20);
  const u3 = shr(u2 * u, 24);
  return shr(u3 * (shr(6 * u2, 4) - 15 * u + 10 * ONE), 28);
}

/**
 * What a lock adds to a missile's position.
 * @param {Vec} gap from where the flight ends to where it should, length units
 * @param {number} t @param {number} D as of ramp
 * @returns {Vec}
 */
export const term = (gap, t, D) => shrVec(scale(clampVec(gap, GAP_MAX), ramp(t, D)), 24);

/**
 * The velocity a missile keeps when it loses a lock.
 * @param {Vec} now the lock's term at the event @param {Vec} before the term MEASURED earlier
 * @returns {Vec} length units per second
 */
export const keptVelocity = (now, before) => clampVec(scale(sub(now, before), 64), VMAX);
