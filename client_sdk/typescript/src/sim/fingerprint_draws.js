// The inputs of the fingerprint's battery: SPEC.md, "Fingerprint".

import { vec } from "./numbers.js";
import { freezeQuat, normalise } from "./orientation.js";
import { draw } from "./random.js";

/** @typedef {import("./launch.js").HullPart} HullPart */

/** The inputs of one stage, in order. */
export class Draws {
  /** @param {number} stage */
  constructor(stage) {
    this.key = 0xc0ffee00 + stage;
    this.i = 0;
  }
  next() {
    return draw(this.key, this.i++);
  }
  /** @param {number} n */
  below(n) {
    return this.next() % n;
  }
  /** @param {number} bits */
  num(bits) {
    return (this.next() | 0) >> (32 - bits);
  }
  /** @param {number} bits */
  vec(bits) {
    const x = this.num(bits);
    const y = this.num(bits);
    const z = this.num(bits);
    return vec(x, y, z);
  }
  quat() {
    const axis = this.vec(15);
    const w = 1 + (this.num(15) & 0x3fff);
    return freezeQuat(normalise({ ...axis, w }));
  }
  /** @returns {HullPart[]} */
  hull() {
    const parts = [];
    for (let count = 1 + this.below(8); count > 0; count--) {
      const a = this.vec(18);
      const d = this.vec(18);
      parts.push({ a, d, r: this.below(262144) });
    }
    return parts;
  }
}
