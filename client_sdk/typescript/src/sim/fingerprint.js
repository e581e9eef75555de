// What the arithmetic gives on a fixed battery: SPEC.md, "Fingerprint". Draws stand in the order in
// which the specification names them, one statement each.

import { attitudeAt, attitudeKey, spawnAttitude } from "./attitude.js";
import { compileFlight, duration, flightPosition } from "./flight.js";
import { Command, relativeKey, step } from "./flight_model.js";
import { MovingFrame } from "./frame.js";
import { Draws } from "./fingerprint_draws.js";
import { hitStage, turretStage } from "./fingerprint_turrets.js";
import { Hash64 } from "./hash.js";
import { keptVelocity, ramp, term } from "./homing.js";
import { aimOffset } from "./launch.js";
import { noise } from "./noise.js";
import {
  ONE, ZERO, along, cross24, drift, driftVec, fdiv, isqrt, length, lerp, pow2, rn24, scale, shr, shrVec,
  unit, vec,
} from "./numbers.js";
import {
  faceBasis, freezeBasis, frozenQuatBasis, quatBasis,
} from "./orientation.js";
import { ball, key, launchSeed } from "./random.js";
import {
  jumpPiece, keyPiece, relativePiece, spawnPiece, trackFacing, trackPosition, trackVelocity,
} from "./track.js";

/**
 * The primitives where a slip of one unit in a constant or a comparison shows.
 * @param {Draws} draws @param {number} i @param {Hash64} hash
 */
function addEdges(draws, i, hash) {
  const half = draws.num(28) * ONE + 8388608;
  hash.addSigned(rn24(half - 1));
  hash.addSigned(rn24(half));
  const d = 1 + draws.below(134217727);
  const n = draws.num(24) * d;
  hash.addSigned(fdiv(n, d));
  hash.addSigned(fdiv(n - 1, d));
  const r = 1 + (draws.next() >>> 7);
  hash.addSigned(isqrt(r * r - 1));
  hash.addSigned(isqrt(r * r));
  const k = i % 21;
  const from = draws.num(32);
  const to = draws.num(32);
  hash.addSigned(lerp(from, to, draws.below(pow2(k) + 1), k));
  const even = draws.num(10) * 65536;
  hash.addSigned(drift(even, 65535));
  hash.addSigned(drift(even + 1, 65535));
  const bits = i % 32;
  const x = pow2(bits) - (shr(i, 5) % 2);
  const y = draws.num(bits + 1);
  const v = vec(x, y, draws.num(bits + 1));
  hash.addVector(unit(v, vec(ONE, 0, 0)));
  hash.addSigned(length(v));
}

/** @param {Draws} draws @param {Hash64} hash */
function mixStage(draws, hash) {
  for (let i = 0; i < 256; i++) {
    const own = key(draws.next(), 1 + (i % 9), i);
    hash.addWord(own);
    hash.addWord(launchSeed(draws.next(), own, i));
    hash.addVector(ball(own, i));
    const v = scale(shrVec(draws.vec(32), i % 31), i % 2 === 0 ? 1 : 256);
    const d = unit(v, vec(ONE, 0, 0));
    hash.addVector(d);
    hash.addSigned(length(v));
    hash.addSigned(isqrt(draws.next() * pow2(i % 20)));
    hash.addVector(along(d, draws.next()));
    const velocity = draws.vec(26);
    hash.addVector(driftVec(velocity, draws.num(24)));
    hash.addVector(cross24(d, unit(draws.vec(20), d)));
    addEdges(draws, i, hash);
  }
}

/** @param {Draws} draws @param {Hash64} hash */
function noiseStage(draws, hash) {
  for (let i = 0; i < 64; i++) {
    const seed = draws.next();
    for (let j = 0; j < 8; j++) {
      const { x, y } = noise(i % 2, seed, i, draws.next() >>> 4);
      hash.addSigned(x);
      hash.addSigned(y);
    }
  }
}

/** @param {Draws} draws @param {Hash64} hash */
function frameStage(draws, hash) {
  for (let i = 0; i < 32; i++) {
    let p0 = draws.vec(26);
    let p1 = draws.vec(26);
    let p2 = draws.vec(26);
    let p3 = draws.vec(26);
    if (i === 0 || i === 2 || i === 3) p1 = p0;
    if (i === 1 || i === 2 || i === 3) p2 = p3;
    if (i === 3) p2 = p3 = p0;
    if (i === 5 || i === 6) {
      p0 = ZERO;
      p1 = vec(i === 5 ? 40960 : 81920, 40960, 40960);
    }
    /** @type {import("./curve.js").Cubic} */
    const cubic =
      i === 4 ? [ZERO, vec(40960, 0, 0), vec(-40960, 0, 0), vec(81920, 0, 0)] : [p0, p1, p2, p3];
    const frame = new MovingFrame(cubic);
    for (const u of [0, 1, 65535, 65536, 262144, draws.next() >>> 12, 1048576]) {
      const { T, r, s } = frame.at(u);
      hash.addVector(T);
      hash.addVector(r);
      hash.addVector(s);
    }
  }
}

/** @param {Draws} draws @returns {import("./launch.js").Weapon} */
function drawWeapon(draws) {
  const kind = draws.below(2);
  const muzzleCone = { a: 16384, b: draws.below(16384) };
  const approachCone = { a: draws.below(2) === 0 ? 0 : 16384, b: 16384 };
  const muzzleHandle = draws.below(65537);
  const approachHandle = draws.below(65537);
  const amplitude = draws.below(1048576);
  const frequency = draws.below(262144);
  const rippleInterval = draws.below(129);
  return {
    noise: kind, muzzleCone, approachCone, muzzleHandle, approachHandle, amplitude, frequency,
    rippleInterval,
  };
}

/** @param {Draws} draws @param {number} bits @returns {import("./launch.js").Anchor} */
function drawAnchor(draws, bits) {
  const hull = draws.hull();
  const muzzle = draws.vec(bits);
  const launcherVelocity = draws.vec(22);
  const target = draws.vec(bits);
  const targetVelocity = draws.vec(22);
  const muzzleBasis = freezeBasis(frozenQuatBasis(draws.quat()));
  const targetBasis = freezeBasis(frozenQuatBasis(draws.quat()));
  return { muzzle, launcherVelocity, muzzleBasis, target, targetVelocity, targetBasis, hull };
}

/** @param {Draws} draws @param {Hash64} hash */
function flightStage(draws, hash) {
  for (let i = 0; i < 48; i++) {
    const weapon = drawWeapon(draws);
    const anchor = drawAnchor(draws, 20 + (i % 12));
    const seed = draws.next();
    const t0 = draws.next() >>> 8;
    const pieces = 1 + (i < 8 ? i : draws.below(i < 40 ? 64 : 960));
    const log2Piece = 8 + draws.below(6);
    const missile = draws.below(255);
    const flight = compileFlight({ seed, t0, pieces, log2Piece }, weapon, anchor, missile);
    for (const p of flight.points) hash.addVector(p);
    for (let j = 0; j < 8; j++) {
      hash.addVector(flightPosition(flight, draws.next() % (duration(flight) + 1)));
    }
    hash.addVector(flightPosition(flight, duration(flight)));
  }
}

/** @param {Draws} draws @param {Hash64} hash */
function trackStage(draws, hash) {
  for (let i = 0; i < 32; i++) {
    const ownAttitude = i % 2 === 1;
    const held = draws.quat();
    const place = draws.vec(30);
    const velocity = draws.vec(i % 8 === 0 ? 1 : 25);
    let start = 2048;
    const track = [spawnPiece(start, place, velocity, frozenQuatBasis(held).f)];
    const attitude = [spawnAttitude(start, held)];
    for (let j = 0; j < 16; j++) {
      const n = start + 512 * (1 + draws.below(128));
      for (let m = 0; m < 3; m++) {
        const T = start + 1 + (draws.next() % (n - start));
        hash.addVector(trackPosition(track, T));
        hash.addVector(trackVelocity(track, T));
        const { f, u } = ownAttitude
          ? quatBasis(attitudeAt(attitude, T))
          : faceBasis(trackFacing(track, T));
        hash.addVector(f);
        hash.addVector(u);
      }
      const K = 9 + draws.below(12);
      const kind = draws.below(4);
      if (kind === 1) {
        const scaling = draws.below(16);
        const d = [];
        const dv = [];
        for (let axis = 0; axis < 3; axis++) {
          d.push(draws.num(16));
          dv.push(draws.num(16));
        }
        const relative = {
          K, scale: scaling, d: vec(d[0], d[1], d[2]), dv: vec(dv[0], dv[1], dv[2]),
        };
        track.push(relativePiece(track, n, relative));
      } else {
        const p = draws.vec(30);
        const v = draws.vec(25);
        track.push(kind === 0 ? jumpPiece(track, n, p, v) : keyPiece(track, n, K, p, v));
      }
      if (ownAttitude) attitude.push(attitudeKey(attitude, n, K, draws.quat()));
      start = n; // where the piece before still holds
      hash.addVector(trackPosition(track, start));
      hash.addVector(trackVelocity(track, start));
    }
    hash.addVector(trackPosition(track, start + 16777216));
  }
}

/** @param {Draws} draws @param {Hash64} hash */
function homingStage(draws, hash) {
  for (let i = 0; i < 256; i++) {
    const D = 1 + (draws.next() >>> (9 + (i % 16)));
    const t = draws.next() % (D + 2);
    hash.addSigned(ramp(t, D));
    const gap = draws.vec(24 + (i % 9));
    const now = term(gap, t, D);
    hash.addVector(now);
    hash.addVector(keptVelocity(now, term(gap, t - 1024, D)));
    const hull = draws.hull();
    hash.addVector(aimOffset(hull, draws.next(), i, i % 4));
  }
}

/** @param {Draws} draws @param {Hash64} hash */
function flightModelStage(draws, hash) {
  for (let i = 0; i < 32; i++) {
    const speed = draws.below(16777216);
    const acceleration = draws.below(4194304);
    const p = draws.vec(28);
    let from = { p, v: draws.vec(20) };
    for (let m = 0; m < 16; m++) {
      const k = draws.below(5) + 11;
      const command = draws.below(4);
      const value = draws.vec(command === Command.WAYPOINT ? 28 : 22);
      const to = step(from, command, value, k, { speed, acceleration });
      hash.addVector(to.p);
      hash.addVector(to.v);
      const relative = relativeKey(from, to, k);
      hash.addWord(relative ? relative.scale : 255);
      if (relative) {
        hash.addVector(relative.d);
        hash.addVector(relative.dv);
      }
      from = to;
    }
  }
}

/** @type {readonly (readonly [string, (draws: Draws, hash: Hash64) => void])[]} */
const STAGES = [
  ["mix", mixStage],
  ["noise", noiseStage],
  ["frame", frameStage],
  ["flight", flightStage],
  ["track", trackStage],
  ["homing", homingStage],
  ["flight_model", flightModelStage],
  ["turret", turretStage],
  ["hit", hitStage],
];

/**
 * @returns {{stages: {name: string, hash: string}[], all: string}} peers whose hash over all differs
 *   don't play together; the first stage that differs is the cause
 */
export function fingerprint() {
  const over = new Hash64();
  const stages = STAGES.map(([name, run], i) => {
    const hash = new Hash64();
    run(new Draws(i), hash);
    over.addWord(hash.a);
    over.addWord(hash.b);
    return { name, hash: hash.hex() };
  });
  return { stages, all: over.hex() };
}
