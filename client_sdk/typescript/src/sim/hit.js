// When a missile touches something, one subtick at a time: SPEC.md, "Contact".

import { WORLD, add, dot, fdiv, maxAxis, shr, sub, vec } from "./numbers.js";
import { rotate } from "./orientation.js";

/** @typedef {import("./numbers.js").Vec} Vec */

/** The smallest sum of the radii of a hull part and a missile: 0.3 m. */
export const MIN_RADIUS_SUM = 1229;

/**
 * A capsule in the world at one subtick, length units.
 * @typedef {{a: Vec, d: Vec, radiusSum: number}} Capsule axis from a to a + d
 */

/**
 * A hull part where its entity is.
 * @param {import("./launch.js").HullPart} part
 * @param {number} missileRadius length units
 * @param {Vec} position of the entity
 * @param {import("./orientation.js").Basis} basis of the entity
 * @returns {Capsule}
 */
export function place(part, missileRadius, position, basis) {
  return {
    a: add(position, rotate(basis, part.a)),
    d: rotate(basis, part.d),
    radiusSum: Math.max(part.r + missileRadius, MIN_RADIUS_SUM),
  };
}

const outside = (p, d, r) => p < Math.min(0, d) - r || p > Math.max(0, d) + r;

/**
 * The point of a capsule's axis that the distance is measured to. The offset of p from a must be
 * below 2^26 an axis.
 * @param {Capsule} capsule
 * @param {Vec} p
 * @returns {Vec}
 */
export function closestAxisPoint({ a, d }, p) {
  const along = dot(sub(p, a), d);
  const square = dot(d, d);
  if (along <= 0 || square === 0) return a;
  if (along >= square) return add(a, d);
  let s = 0;
  while (shr(square, s) >= 68719476736) s++; // 2^36
  const q = Math.min(fdiv(shr(along, s) * 65536, shr(square, s)), 65536);
  return add(a, vec(shr(d.x * q, 16), shr(d.y * q, 16), shr(d.z * q, 16)));
}

/** Does a missile at p touch the capsule. @param {Capsule} capsule @param {Vec} p @returns {boolean} */
export function touches(capsule, p) {
  const { a, d, radiusSum } = capsule;
  const o = sub(p, a);
  if (outside(o.x, d.x, radiusSum) || outside(o.y, d.y, radiusSum) || outside(o.z, d.z, radiusSum)) {
    return false;
  }
  const gap = sub(p, closestAxisPoint(capsule, p));
  return maxAxis(gap) <= radiusSum && dot(gap, gap) <= radiusSum * radiusSum;
}

/**
 * Does a missile at p touch any part of a hull.
 * @param {readonly import("./launch.js").HullPart[]} hull
 * @param {number} missileRadius
 * @param {Vec} position of the entity
 * @param {import("./orientation.js").Basis} basis of the entity
 * @param {Vec} p
 * @returns {boolean}
 */
export const touchesHull = (hull, missileRadius, position, basis, p) =>
  hull.some((part) => touches(place(part, missileRadius, position, basis), p));

/**
 * Does a missile at p touch the ground; a ground of -WORLD is none.
 * @param {number} ground
 * @param {number} missileRadius
 * @param {Vec} p
 * @returns {boolean}
 */
export const touchesGround = (ground, missileRadius, p) =>
  ground > -WORLD && p.y - missileRadius <= ground;
