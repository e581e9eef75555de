// The 64-bit hash of the fingerprint, in two lanes: SPEC.md, "Fingerprint".

import { mix } from "./random.js";

/** @typedef {import("./numbers.js").Vec} Vec */

export class Hash64 {
  a = 0x243f6a88;
  b = 0x85a308d3;

  /** @param {number} w taken mod 2^32 */
  addWord(w) {
    this.a = mix(this.a ^ w);
    this.b = mix((this.b + Math.imul(w, 0x9e3779b9) + 1) | 0);
  }

  /** @param {number} n |n| < 2^53: its 64 bits in two's complement */
  addSigned(n) {
    this.addWord(n >>> 0);
    this.addWord(Math.floor(n / 4294967296) >>> 0);
  }

  /** @param {Vec} v */
  addVector(v) {
    this.addSigned(v.x);
    this.addSigned(v.y);
    this.addSigned(v.z);
  }

  /** @returns {string} 16 hex digits */
  hex() {
    return [this.a, this.b].map((lane) => lane.toString(16).padStart(8, "0")).join("");
  }
}
