// Integer sine, cosine and arc tangent: SPEC.md, "Angles". A turn is 2^32; results of sine and
// cosine are Q24. Turrets and compilers of scenarios need them.

import { fdiv, pow2, shr } from "./numbers.js";

const QUARTER = 1073741824;
const EIGHTH = 536870912;

const SMALL = [421657428, -173399667, 21392326, -1256749, 43068, -966];
const LARGE = [268435456, -331168970, 68093890, -5600498, 246762, -6765, 126];
const ARC = [
  170891319, -56963773, 34178264, -24413046, 18987924, -15535574, 13145486, -11392755, 10052431,
  -8994280, 8137682,
];

/** @param {readonly number[]} coefficients lowest first @param {number} y Q26 @returns {number} */
function horner(coefficients, y) {
  let sum = coefficients[coefficients.length - 1];
  for (let i = coefficients.length - 2; i >= 0; i--) sum = coefficients[i] + shr(sum * y, 26);
  return sum;
}

/** @param {number} q 0..2^30, a quarter turn @returns {number} Q24 */
function quarterSine(q) {
  const small = q <= EIGHTH;
  const x = ((small ? q : QUARTER - q) + 1) >> 1;
  const c = ((small ? q : QUARTER - q) + 4) >> 3;
  const y = shr(c * c + 134217728, 28);
  if (!small) return (horner(LARGE, y) + 8) >> 4;
  return shr(x * ((horner(SMALL, y) + 8) >> 4) + 268435456, 29);
}

/** @param {number} angle taken mod 2^32 @returns {number} Q24 */
export function sine(angle) {
  const wrapped = angle | 0;
  const size = Math.abs(wrapped);
  const value = quarterSine(size > QUARTER ? 2147483648 - size : size);
  return (wrapped < 0 ? -value : value) + 0;
}

/** @param {number} angle taken mod 2^32 @returns {number} Q24 */
export function cosine(angle) {
  return sine((angle + QUARTER) | 0);
}

/**
 * The angle of (x, y), from the x axis toward the y axis; 0 for (0, 0).
 * @param {number} y |y| < 2^52
 * @param {number} x |x| < 2^52
 * @returns {number} int32
 */
export function arcTangent(y, x) {
  let larger = Math.max(Math.abs(x), Math.abs(y));
  let smaller = Math.min(Math.abs(x), Math.abs(y));
  if (larger === 0) return 0;
  let s = 0;
  while (shr(larger, s) >= 67108864) s++;
  larger = shr(larger, s);
  smaller = shr(smaller, s);
  s = 0;
  while (larger * pow2(s) < 33554432) s++;
  larger = larger * pow2(s);
  smaller = smaller * pow2(s);

  const beyond = 5 * smaller > 2 * larger;
  const n = beyond ? larger - smaller : smaller;
  const d = beyond ? larger + smaller : larger;
  const z = fdiv(n * 33554432 + shr(d, 1), d);
  const y2 = shr(z * z + 8388608, 24);
  let angle = shr(z * horner(ARC, y2) + 4194304, 23);
  if (beyond) angle = EIGHTH - angle;
  if (Math.abs(y) > Math.abs(x)) angle = QUARTER - angle;
  if (x < 0) angle = 2147483648 - angle;
  if (y < 0) angle = -angle;
  return angle | 0;
}
