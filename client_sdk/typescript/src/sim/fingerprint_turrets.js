// The stages turret and hit of SPEC.md, "Fingerprint". Draws stand in the order in which the
// specification names them, one statement each.

import { closestAxisPoint, place, touches } from "./hit.js";
import { meetPath, meetStraight } from "./lead.js";
import { ONE, add, along, pow2, scale, shr, shrVec, unit, vec } from "./numbers.js";
import { frozenQuatBasis } from "./orientation.js";
import { roundOf, roundPosition } from "./shot.js";
import { keyPiece, spawnPiece, trackPosition } from "./track.js";
import {
  TURRET_TURN, aimAt, axisMotion, axisStep, boreBasis, boreError, stoppingDistance, stoppingRate,
} from "./turret.js";

/** @typedef {import("./fingerprint_draws.js").Draws} Draws */
/** @typedef {import("./hash.js").Hash64} Hash64 */
/** @typedef {import("./turret.js").TurretMount} TurretMount */

/** @param {Draws} draws */
function limit(draws) {
  const shift = 1 + draws.below(16);
  return Math.max(1, draws.next() >>> shift);
}

/** @param {Draws} draws @returns {TurretMount} */
function drawMount(draws) {
  const fullTurn = draws.below(2) === 0;
  const low = draws.num(28);
  const high = Math.min(low + draws.below(268435457), TURRET_TURN);
  const speed = limit(draws);
  const acceleration = limit(draws);
  const yaw = { fullTurn, low, high, rest: 0, speed, acceleration };
  const controller = draws.below(2);
  const targetRadius = draws.below(4194304);
  const slowRadius = 1 + draws.below(67108864);
  const align = { targetRadius, slowRadius, timeToTarget: draws.below(655361) };
  const pivot = draws.vec(18);
  const orientation = frozenQuatBasis(draws.quat());
  const muzzle = draws.vec(14);
  const muzzles = [muzzle, draws.vec(14)];
  return { pivot, orientation, muzzles, yaw, pitch: yaw, controller, align };
}

/** @param {Draws} draws @param {TurretMount} mount @param {number} log2Tick @param {Hash64} hash */
function addSlews(draws, mount, log2Tick, hash) {
  const axis = mount.yaw;
  const motion = axisMotion(axis, log2Tick);
  hash.addSigned(motion.speed);
  hash.addSigned(motion.gain);
  const room = draws.next();
  const start = axis.fullTurn
    ? (room | 0) >> 4
    : axis.low + (room % (axis.high - axis.low + 1));
  let state = { angle: start, rate: 0 };
  for (let demand = 0; demand < 3; demand++) {
    const hold = draws.below(8) === 0;
    let angle = draws.num(28);
    const rate = draws.num(22);
    for (let i = 0; i < 16; i++) {
      angle = angle + rate;
      state = axisStep(axis, state, { angle, rate, hold }, mount, log2Tick);
      hash.addSigned(state.angle);
      hash.addSigned(state.rate);
    }
  }
  const rate = draws.next() >>> 6;
  const gain = 1 + (draws.next() >>> 6);
  hash.addSigned(stoppingDistance(rate, gain));
  hash.addSigned(stoppingRate(draws.next() * pow2(log2Tick - 9), gain));
}

/**
 * Where one unit decides which way round an axis goes.
 * @param {Draws} draws @param {TurretMount} mount @param {number} log2Tick @param {Hash64} hash
 */
function addChoices(draws, mount, log2Tick, hash) {
  const rate = draws.below(2) === 0 ? 1 : -1;
  const free = { ...mount.yaw, fullTurn: true };
  const angle = draws.num(27);
  const across = angle + rate * 2097152 + 134217727 + draws.below(2);
  const around = axisStep(free, { angle, rate }, still(across), mount, log2Tick);
  hash.addSigned(around.angle);
  hash.addSigned(around.rate);
  const low = -67108864 - draws.below(33554432);
  const high = 67108864 + draws.below(33554432);
  const arc = { ...mount.yaw, fullTurn: false, low, high };
  const gap = TURRET_TURN - (high - low);
  const between = high + shr(gap + rate * 4194304, 1) + draws.below(2);
  const stop = axisStep(arc, { angle: 0, rate }, still(between), mount, log2Tick);
  hash.addSigned(stop.angle);
  hash.addSigned(stop.rate);
}

/** @param {number} angle */
const still = (angle) => ({ angle, rate: 0, hold: false });

/** @param {Draws} draws @param {TurretMount} mount @param {Hash64} hash */
function addAim(draws, mount, hash) {
  const position = draws.vec(29);
  const basis = frozenQuatBasis(draws.quat());
  const aim = aimAt(mount, { position, basis }, draws.vec(30));
  hash.addSigned(aim.yaw);
  hash.addSigned(aim.pitch);
  hash.addVector(aim.bore);
  const yaw = aim.yaw + draws.num(24);
  const pitch = aim.pitch + draws.num(24);
  const bore = boreBasis(mount, yaw, pitch, basis);
  hash.addVector(bore.f);
  hash.addVector(bore.u);
  hash.addSigned(boreError(yaw, pitch, aim));
}

/** @param {Hash64} hash @param {import("./lead.js").Meeting | undefined} meeting */
function addMeeting(hash, meeting) {
  hash.addSigned(meeting ? meeting.time : -1);
  if (meeting) hash.addVector(meeting.way);
}

/** @param {Draws} draws @param {number} i @param {Hash64} hash */
function addLeads(draws, i, hash) {
  const pivot = draws.vec(24);
  const inherited = draws.vec(22);
  const speed = 1 + draws.below(pow2(20 + (i % 6)));
  const muzzle = draws.below(65536);
  const shot = { pivot, inherited, speed, muzzle };
  const straight = { ...shot, maxFlightTime: 1 + (draws.next() >>> (8 + (i % 12))) };
  const position = draws.vec(20 + (i % 8));
  const velocity = draws.vec(22 + (i % 4));
  addMeeting(hash, meetStraight(straight, position, velocity));
  const walked = { ...shot, maxFlightTime: 1 + (draws.next() >>> (13 + (i % 8))) };
  const track = [spawnPiece(0, position, velocity, vec(0, 0, ONE))];
  const end = draws.vec(24);
  track.push(keyPiece(track, 0, 17, end, draws.vec(22)));
  const maxSpeed = draws.below(pow2(18 + (i % 8)));
  addMeeting(hash, meetPath(walked, 1000, (T) => trackPosition(track, T), maxSpeed));
}

/** @param {Draws} draws @param {TurretMount} mount @param {number} i @param {Hash64} hash */
function addRound(draws, mount, i, hash) {
  const speed = 1 + draws.below(33554432);
  const interval = draws.below(4096);
  const inherits = draws.below(2) === 1;
  const error = i % 4 === 0 ? 0 : draws.below(16777216);
  const time = 1 + draws.next();
  const seed = draws.next();
  const pivot = draws.vec(29);
  const velocity = draws.vec(24);
  const bore = frozenQuatBasis(draws.quat());
  const burst = { entity: 0, turret: 0, type: 0, count: 255, time, seed, pivot, velocity, bore };
  const gun = { speed, life: 65536, interval, inherits, error };
  const round = roundOf(burst, { ...mount, gun }, draws.below(255));
  hash.addSigned(round.begin);
  hash.addVector(round.start);
  hash.addVector(round.velocity);
  hash.addVector(roundPosition(round, round.begin + draws.below(65537)));
}

/** @param {Draws} draws @param {Hash64} hash */
export function turretStage(draws, hash) {
  for (let i = 0; i < 96; i++) {
    const mount = drawMount(draws);
    addSlews(draws, mount, 9 + (i % 5), hash);
    addChoices(draws, mount, 9 + (i % 5), hash);
    addAim(draws, mount, hash);
    addLeads(draws, i, hash);
    addRound(draws, mount, i, hash);
  }
}

/** @param {Hash64} hash @param {import("./hit.js").Capsule} capsule */
function addContact(hash, capsule, point) {
  hash.addVector(closestAxisPoint(capsule, point));
  hash.addWord(touches(capsule, point) ? 1 : 0);
}

/** @param {Draws} draws @param {Hash64} hash */
export function hitStage(draws, hash) {
  for (let i = 0; i < 256; i++) {
    const bits = 4 + (i % 18);
    const a = draws.vec(bits);
    const d = draws.vec(bits);
    const r = draws.below(pow2(bits));
    const missile = draws.below(pow2(1 + (i % 16)));
    const position = draws.vec(29);
    const basis = frozenQuatBasis(draws.quat());
    const part = { a, d: i % 4 === 0 ? vec(0, 0, 0) : d, r };
    const capsule = place(part, missile, position, basis);
    hash.addVector(capsule.a);
    hash.addVector(capsule.d);
    for (let j = 0; j < 4; j++) {
      const s = draws.below(81920) - 8192;
      const way = unit(draws.vec(20), vec(ONE, 0, 0));
      const distance = capsule.radiusSum + draws.num(2);
      const onAxis = add(capsule.a, shrVec(scale(capsule.d, s), 16));
      addContact(hash, capsule, add(onAxis, along(way, distance)));
    }
    for (const distance of [capsule.radiusSum, capsule.radiusSum + 1]) {
      const edge = [0, 0, 0];
      edge[i % 3] = distance;
      addContact(hash, capsule, add(capsule.a, vec(edge[0], edge[1], edge[2])));
    }
  }
}
