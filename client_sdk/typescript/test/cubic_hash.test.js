import assert from "node:assert/strict";
import { test } from "node:test";

import { point } from "../src/sim/curve.js";
import { vec } from "../src/sim/numbers.js";

const MASK = 0xffffffffffffffffn;

/** SplitMix64 and FNV-1a, 64 bits, as the C++ test has them. */
function cubicPointsHash(count, step) {
  let state = 42n;
  const next = () => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  };
  const axis = () => Number(next() % 819201n) - 409600;
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < count; i++) {
    const curve = [0, 1, 2, 3].map(() => vec(axis(), axis(), axis()));
    const t = Number(next() % 1048577n);
    const p = point(curve, Math.min(t + step, 1048576), 20);
    for (const value of [p.x, p.y, p.z]) {
      for (let byte = 0; byte < 4; byte++) {
        hash = ((hash ^ BigInt((value >> (8 * byte)) & 255)) * 0x100000001b3n) & MASK;
      }
    }
  }
  return hash;
}

// The number of the C++ test of the same name.
test("case_07: a hundred thousand cubic points have one hash", () => {
  assert.equal(cubicPointsHash(100000, 0), 0x561bd57827bb974fn);
});

test("case_07: points of another parameter have another hash", () => {
  assert.notEqual(cubicPointsHash(100, 1), cubicPointsHash(100, 0));
});
