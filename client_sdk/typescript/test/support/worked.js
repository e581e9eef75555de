// The worked numbers of SPEC.md, computed anew: a function for each of its fences, giving its lines.

import { arcTangent, cosine, sine } from "../../src/sim/angles.js";
import { attitudeAt, attitudeKey, spawnAttitude } from "../../src/sim/attitude.js";
import { blossom, hermite, hodograph, point } from "../../src/sim/curve.js";
import { fingerprint } from "../../src/sim/fingerprint.js";
import { compileFlight, flightPosition } from "../../src/sim/flight.js";
import { Command, relativeKey, step } from "../../src/sim/flight_model.js";
import { MovingFrame } from "../../src/sim/frame.js";
import { keptVelocity, ramp, term } from "../../src/sim/homing.js";
import { aimOffset, baseCurve } from "../../src/sim/launch.js";
import { meetPath, meetStraight } from "../../src/sim/lead.js";
import { NoiseKind, gradientPhase, noise, splineKnot } from "../../src/sim/noise.js";
import {
  ONE, along, cross24, dot24, drift, fdiv, isqrt, length, lerp, pow2, unit, vec,
} from "../../src/sim/numbers.js";
import {
  anglesBasis, anglesQuat, faceBasis, freezeBasis, frozenQuatBasis, quatBasis, rightAxis, rotate,
} from "../../src/sim/orientation.js";
import { Stream, ball, draw, key, launchSeed, mix } from "../../src/sim/random.js";
import { burstEnd, roundOf, roundPosition, roundsUntil } from "../../src/sim/shot.js";
import { stateHash } from "../../src/sim/state_hash.js";
import {
  keyPiece, relativePiece, spawnPiece, trackFacing, trackPosition, trackVelocity,
} from "../../src/sim/track.js";
import {
  Controller, aimAt, axisMotion, axisStep, boreBasis, boreError, stoppingDistance, stoppingRate,
  turretPivot,
} from "../../src/sim/turret.js";
import { World } from "../../src/sim/world.js";
import { makeBurst, turretSight } from "../../src/sim/world_turrets.js";

const FORWARD = vec(0, 0, ONE);
const UP = vec(0, ONE, 0);

/** Three numbers as the specification prints them. */
const show = (v) => `${v.x} ${v.y} ${v.z}`.replace(/-0\b/g, "0");
const toUnit = (x, y, z) => unit(vec(x, y, z), undefined);

function primitives() {
  const d = toUnit(-1, 2, 3);
  const e = toUnit(5, -1, 2);
  const measured = (x, y, z) =>
    `unit(${x} ${y} ${z}) = ${show(toUnit(x, y, z))}, length = ${length(vec(x, y, z))}`;
  return [
    `floor_div(-7, 2) = ${fdiv(-7, 2)}`,
    `isqrt(1000000) = ${isqrt(1000000)}, isqrt(999999) = ${isqrt(999999)}`,
    `lerp(10, -3, 5, 4) = ${lerp(10, -3, 5, 4)}`,
    `drift(40000000, 1000001) = ${drift(40000000, 1000001)}, drift(-3, -5) = ${drift(-3, -5)}`,
    measured(3, 4, 0),
    measured(3000000001, -40000, 7),
    `unit(-1 1 -1) = ${show(toUnit(-1, 1, -1))}`,
    `d = unit(-1 2 3) = ${show(d)}, e = unit(5 -1 2) = ${show(e)}`,
    `dot24(d, e) = ${dot24(d, e)}, cross24(d, e) = ${show(cross24(d, e))}`,
    `along(d, 4000000000) = ${show(along(d, 4000000000))}`,
  ];
}

function randomness() {
  const k = key(42, 4, 7);
  return [
    `mix(0) = ${mix(0)}, mix(1) = ${mix(1)}, mix(4294967295) = ${mix(4294967295)}`,
    `key(42, 4, 7) = ${k}, draw(that, 3) = ${draw(k, 3)}`,
    `ball(that, 0) = ${show(ball(k, 0))}, ball(that, 2) = ${show(ball(k, 2))}`,
    `launch_seed(2^53 + 1, 0) = ${launchSeed(1, 2097152, 0)}, launch_seed(2^64 - 1, 9) = ` +
      launchSeed(4294967295, 4294967295, 9),
  ];
}

function angles() {
  const lines = [0, 1, 536870912, 1000000000, 1073741824, -5].map(
    (a) => `angle ${a}: sin ${sine(a)}, cos ${cosine(a)}`,
  );
  const arcs = [[1, 1], [-3, 1000], [7, -9]].map(
    ([y, x]) => `atan2(${y}, ${x}) = ${arcTangent(y, x)}`,
  );
  return [
    ...lines,
    arcs.join(", "),
    `atan2(123456789012, -98765) = ${arcTangent(123456789012, -98765)}`,
  ];
}

function orientation() {
  const turned = [500000000, 200000000, -100000000];
  const q = anglesQuat(...turned);
  const basis = frozenQuatBasis(q);
  const direct = anglesBasis(...turned);
  const frozen = freezeBasis(basis);
  const face = faceBasis(toUnit(1, 2, -3));
  return [
    `q of yaw 500000000, pitch 200000000, roll -100000000: ${show(q)} ${q.w}`,
    `its basis: f ${show(basis.f)}, u ${show(basis.u)}, right ${show(rightAxis(basis))}`,
    `the basis of the angles: f ${show(direct.f)}, u ${show(direct.u)}`,
    `rotate(basis of q, 100 -200 3000) = ${show(rotate(basis, vec(100, -200, 3000)))}`,
    `frozen: f ${show(frozen.f)}, u ${show(frozen.u)}`,
    `face_basis(unit(1 2 -3)): f ${show(face.f)}, u ${show(face.u)}`,
  ];
}

const EXAMPLE = [vec(0, 0, 0), vec(0, 204800, 0), vec(204800, 204800, 163840), vec(409600, 0, 0)];

function curve() {
  const h = hodograph(EXAMPLE);
  const joined = hermite(vec(100, 0, -7), vec(4096, -5, 0), vec(900, 50, 0), vec(-1, 8192, 3), 14);
  return [
    `P = ${EXAMPLE.map(show).join(", ")}`,
    ...[1, 300000, 524288, 1048575].map(
      (t) =>
        `t = ${t} of 2^20: point ${show(point(EXAMPLE, t, 20))}, slope ${show(blossom(h, t, t))}`,
    ),
    `blossom(h, 65536, 131072) = ${show(blossom(h, 65536, 131072))}`,
    `hermite(100 0 -7, 4096 -5 0, 900 50 0, -1 8192 3, 14): ${show(joined[1])}, ${show(joined[2])}`,
  ];
}

// The specification leaves seed and missile of this example to the keys: 42 and 7, as above it.
function noiseNumbers() {
  const [seed, missile] = [42, 7];
  const k = key(seed, Stream.SPLINE_KNOTS, missile);
  const both = (n) => {
    const a = noise(NoiseKind.SPLINE, seed, missile, n);
    const b = noise(NoiseKind.GRADIENT, seed, missile, n);
    return `argument ${n}: spline ${a.x} ${a.y}, gradient ${b.x} ${b.y}`;
  };
  const phases = [Stream.GRADIENT_X, Stream.GRADIENT_Y].map((s) =>
    gradientPhase(key(seed, s, missile)),
  );
  return [
    ...[0, 1, 2, 3].map((i) => `knot ${i}: ${splineKnot(k, i).x} ${splineKnot(k, i).y}`),
    ...[0, 20000, 65536, 1000000].map(both),
    `gradient phases: ${phases.join(" ")}`,
  ];
}

function frame() {
  const moving = new MovingFrame(EXAMPLE);
  const lines = [0, 65536, 65537, 300000, 983040, 1048575].map((u) => {
    const { T, r, s } = moving.at(u);
    return `u = ${u}: T ${show(T)}, r ${show(r)}, s ${show(s)}`;
  });
  return ["the curve of the example above", ...lines];
}

/** The flight section's example. */
function shot(forward, kind, pieces, log2Piece) {
  const weapon = {
    noise: kind,
    muzzleCone: { a: 16384, b: 4240 },
    approachCone: { a: 16384, b: 8192 },
    muzzleHandle: 26214,
    approachHandle: 19660,
    amplitude: 40960,
    frequency: 131072,
    rippleInterval: 1000,
  };
  const anchor = {
    muzzle: vec(1000, 2000, 3000),
    launcherVelocity: vec(0, 0, 409600),
    muzzleBasis: freezeBasis({ f: forward, u: UP }),
    target: vec(400000, 100000, 2000000),
    targetVelocity: vec(-81920, 0, 0),
    targetBasis: freezeBasis({ f: vec(ONE, 0, 0), u: UP }),
    hull: [
      { a: vec(0, 0, -40960), d: vec(0, 0, 81920), r: 8192 },
      { a: vec(0, 8192, 0), d: vec(0, 0, 0), r: 12288 },
    ],
  };
  return { weapon, anchor, launch: { seed: 42, t0: 1000000, pieces, log2Piece } };
}

function flightLines({ weapon, anchor, launch }) {
  const base = baseCurve(launch, weapon, anchor, 3);
  const flight = compileFlight(launch, weapon, anchor, 3);
  const end = launch.pieces * pow2(launch.log2Piece);
  const lines = [
    `aim offset ${show(aimOffset(anchor.hull, 42, 3, 0))}`,
    `base curve ${base.curve.map(show).join(", ")}; amplitude ${base.amplitude}`,
  ];
  for (let i = 0; i < flight.points.length; i += 3) {
    lines.push(`point ${i}: ${flight.points.slice(i, i + 3).map(show).join(", ")}`);
  }
  for (const t of [1, 5000, end - 1]) {
    lines.push(`position ${t} after launch: ${show(flightPosition(flight, t))}`);
  }
  return { lines, base };
}

function flight() {
  const spline = shot(FORWARD, NoiseKind.SPLINE, 4, 13);
  const { lines, base } = flightLines(spline);
  const moving = new MovingFrame(base.curve);
  const knots = [1, 2, 3].map((k) => {
    const { x, y } = noise(NoiseKind.SPLINE, 42, 3, (k * 8192 * 131072) / 65536);
    const { r, s } = moving.at(k * 262144);
    return `k = ${k}: noise ${x} ${y}, r ${show(r)}, s ${show(s)}`;
  });
  const backward = vec(0, 0, -ONE);
  return [
    "missile 3, seed 42, B-spline noise, N = 4, J = 13",
    ...lines,
    ...knots,
    "muzzle forward 0 0 -16384, gradient noise, N = 2",
    ...flightLines(shot(backward, NoiseKind.GRADIENT, 2, 13)).lines,
    "the same, N = 1",
    ...flightLines(shot(backward, NoiseKind.GRADIENT, 1, 13)).lines,
  ];
}

function homing() {
  const gap = vec(100000000, -5000, 77);
  const now = term(gap, 20000, 32768);
  const before = term(gap, 18976, 32768);
  return [
    ...[1, 1000, 16384, 30000, 32767].map(
      (t) => `ramp(${t}, 32768) = ${ramp(t, 32768)}, ramp(${t}, 100000) = ${ramp(t, 100000)}`,
    ),
    `term(100000000 -5000 77, 20000, 32768) = ${show(now)}`,
    `1024 before: ${show(before)}; kept velocity ${show(keptVelocity(now, before))}`,
  ];
}

function track() {
  const path = [spawnPiece(2048, vec(1000, 0, 0), vec(0, 0, 409600), FORWARD)];
  path.push(keyPiece(path, 8192, 14, vec(50000, 20000, 150000), vec(409600, 0, -409600)));
  const relative = { K: 13, scale: 3, d: vec(-100, 200, 30), dv: vec(1000, -2000, 5) };
  const last = relativePiece(path, 20480, relative);
  path.push(last);
  const lines = [`relative key at 20480: end ${show(last.p1)}, velocity ${show(last.v1)}`];
  for (const T of [2048, 2049, 8192, 8193, 15000, 20480, 20481, 25000, 40000]) {
    const { f, u } = faceBasis(trackFacing(path, T));
    lines.push(`T = ${T}: p ${show(trackPosition(path, T))}, v ${show(trackVelocity(path, T))}`);
    lines.push(`  f ${show(f)}, u ${show(u)}`);
  }
  return lines;
}

function attitude() {
  const pieces = [spawnAttitude(-1, { x: 0, y: 0, z: 0, w: 16384 })];
  pieces.push(attitudeKey(pieces, 0, 14, { x: -3000, y: -9000, z: 100, w: -13357 }));
  return [1, 8192, 16384].map((t) => {
    const q = attitudeAt(pieces, t);
    const short = [q.x, q.y, q.z, q.w].map((c) => (c + 512) >> 10).join(" ");
    const { f, u } = quatBasis(q);
    return `t = ${t}: q ${short}, f ${show(f)}, u ${show(u)}`;
  });
}

function flightModel() {
  const from = { p: vec(1000, 2000, 3000), v: vec(100000, 0, -50000) };
  const limits = { speed: 2048000, acceleration: 409600 };
  const commands = [
    ["coast", Command.COAST, vec(0, 0, 0)],
    ["accelerate 300000 -300000 100000", Command.ACCELERATE, vec(300000, -300000, 100000)],
    ["velocity 0 0 3000000", Command.VELOCITY, vec(0, 0, 3000000)],
    ["waypoint 50000 2000 3000", Command.WAYPOINT, vec(50000, 2000, 3000)],
  ];
  return commands.map(([name, command, value]) => {
    const to = step(from, command, value, 14, limits);
    const said = relativeKey(from, to, 14);
    return (
      `${name}: p ${show(to.p)}, v ${show(to.v)}, scale ${said.scale}, ` +
      `d ${show(said.d)}, dv ${show(said.dv)}`
    );
  });
}

const AXIS = { fullTurn: true, low: 0, high: 0, speed: 89478485, acceleration: 67108864 };
const ARC = { ...AXIS, fullTurn: false, low: -89478485, high: 89478485 };
const MOUNT = {
  pivot: vec(0, 8192, -4096),
  orientation: anglesBasis(1000000000, 50000000, 0),
  muzzles: [vec(600, 0, 9000)],
  yaw: AXIS,
  pitch: AXIS,
  controller: Controller.OPTIMAL,
  align: { targetRadius: 745654, slowRadius: 22369621, timeToTarget: 6554 },
};

function turretSlew(name, axis, controller, from, angle, rate = 0) {
  const mount = { ...MOUNT, controller };
  let state = from;
  const shown = [];
  for (let tick = 1; tick <= 96; tick++) {
    const demand = { angle: angle + tick * rate, rate, hold: false };
    state = axisStep(axis, state, demand, mount, 11);
    if (tick < 3 || tick % 24 === 0) shown.push(`${tick}: ${state.angle} ${state.rate}`);
  }
  const turning = rate === 0 ? "" : ` turning by ${rate}`;
  return `${name}, from ${from.angle} at ${from.rate} to ${angle}${turning}: ${shown.join(", ")}`;
}

function turretLead() {
  const from = {
    pivot: vec(1000, 2000, 3000),
    inherited: vec(0, 0, 409600),
    speed: 1064960,
    muzzle: 20480,
    maxFlightTime: 655360,
  };
  const p = vec(4259840, 0, 500000);
  const path = [spawnPiece(0, p, vec(-409600, 0, 0), FORWARD)];
  path.push(keyPiece(path, 0, 17, vec(3500000, 400000, 900000), vec(0, 0, -819200)));
  const at = (T) => trackPosition(path, T);
  const said = (name, meeting) =>
    meeting ? `${name}: time ${meeting.time}, way ${show(meeting.way)}` : `${name}: none`;
  return [
    said("straight, slower", meetStraight(from, p, vec(-100000, 50000, 0))),
    said("straight, faster", meetStraight(from, p, vec(-2000000, 300000, 700000))),
    said("straight, gone", meetStraight(from, p, vec(2000000, 0, 0))),
    said("track, slower", meetPath(from, 1000, at, 500000)),
    said("track, walked", meetPath(from, 1000, at, 900000)),
  ];
}

function turrets() {
  const { speed, gain } = axisMotion(AXIS, 11);
  const stop = stoppingDistance(1000000, gain);
  const { OPTIMAL, ALIGN } = Controller;
  const still = (angle) => ({ angle, rate: 0 });
  const platform = {
    position: vec(100000, 2000, -300000),
    basis: anglesBasis(-700000000, 90000000, 40000000),
  };
  const aim = aimAt(MOUNT, platform, vec(5000000, 600000, 2000000));
  const pose = [aim.yaw - 300000, aim.pitch + 70000];
  const bore = boreBasis(MOUNT, ...pose, platform.basis);
  const pivot = turretPivot(MOUNT, platform);
  const muzzle = rotate(bore, MOUNT.muzzles[0]);
  const there = vec(pivot.x + muzzle.x, pivot.y + muzzle.y, pivot.z + muzzle.z);
  return [
    `S = ${speed}, a = ${gain}`,
    `stop(1000000) = ${stop}, within(that) = ${stoppingRate(stop, gain)}, ` +
      `within(12345678) = ${stoppingRate(12345678, gain)}, within(3) = ${stoppingRate(3, gain)}`,
    turretSlew("free", AXIS, OPTIMAL, still(0), 100000000),
    turretSlew("free", AXIS, OPTIMAL, { angle: 20000000, rate: 2500000 }, 30000000),
    turretSlew("free", AXIS, OPTIMAL, { angle: -100000000, rate: -1000000 }, 120000000, 400000),
    turretSlew("stops +-89478485", ARC, OPTIMAL, still(70000000), 130000000),
    turretSlew("stops +-89478485", ARC, OPTIMAL, still(70000000), 145000000),
    turretSlew("align 745654 22369621 6554", AXIS, ALIGN, still(0), 100000000),
    `pivot ${show(pivot)}, yaw ${aim.yaw}, pitch ${aim.pitch}, direction ${show(aim.bore)}`,
    `300000 to the left of it and 70000 above: error ${boreError(...pose, aim)}, ` +
      `bore ${show(bore.f)}, muzzle ${show(there)}`,
    ...turretLead(),
  ];
}

/** Two muzzles, rounds off the bore by the gunner. */
function shots() {
  const gun = { speed: 4096000, life: 98304, interval: 3000, inherits: true, error: 50000 };
  const turret = { ...MOUNT, gun, muzzles: [vec(-600, 0, 9000), vec(600, 0, 9000)] };
  const burst = {
    entity: 0, turret: 0, type: 0, count: 3, time: 100353, seed: 42,
    pivot: vec(104635, 9569, -302260),
    velocity: vec(0, 0, 409600),
    bore: anglesBasis(300000000, 80000000, 0),
  };
  const rounds = [0, 1, 2].map((i) => {
    const round = roundOf(burst, turret, i);
    return (
      `round ${i}: ${round.begin} to ${round.end}, start ${show(round.start)}, ` +
      `velocity ${show(round.velocity)}, at 120000 ${show(roundPosition(round, 120000))}`
    );
  });
  const left = [103353, 103352].map((T) => roundsUntil(burst, gun, T));
  return [
    ...rounds,
    `burst over at ${burstEnd(burst, gun)}, left by 103353: ${left[0]}, by 103352: ${left[1]}`,
  ];
}

/** A turret follows a ship that passes. */
function turretFold() {
  const gun = { speed: 4096000, life: 98304, interval: 0, inherits: true, error: 0 };
  const yaw = { ...AXIS, rest: 0 };
  const pitch = { ...yaw, fullTurn: false, low: -10000000, high: 60000000 };
  const turret = { ...MOUNT, orientation: { f: FORWARD, u: UP }, yaw, pitch, gun };
  const type = { hull: [], hitPoints: 1, maxSpeed: 2048000, ownAttitude: false, mounts: [], turrets: [turret] };
  const world = new World({ log2Tick: 11, weapons: [], types: [type] });
  const spawn = (entity, team, position, velocity) => ({
    entity, type: 0, team, userTag: 0, position, velocity, attitude: { x: 0, y: 0, z: 0, w: 16384 },
  });
  world.fold({
    tick: 1,
    spawns: [
      spawn(7, 0, vec(0, 0, 0), vec(0, 0, 40960)),
      spawn(9, 1, vec(400000, 30000, 400000), vec(0, 0, -819200)),
    ],
  });
  const order = { entity: 7, turret: 0, order: 2, target: 9, index: 0, bearing: 0 };
  world.fold({ tick: 2, turretModes: [order] });
  const ticks = [2, 3, 4, 5, 12, 24].map((tick) => {
    while (world.tick < tick) world.fold({ tick: world.tick + 1 });
    const entity = world.entity(7);
    const { yaw: y, pitch: p } = entity.turrets[0].state;
    const { meeting, aim } = turretSight(world, entity, 0, order, world.time());
    return (
      `tick ${tick}: yaw ${y.angle} ${y.rate}, pitch ${p.angle} ${p.rate}, meeting after ` +
      `${meeting.time} at yaw ${aim.yaw}, pitch ${aim.pitch}`
    );
  });
  const shot = { entity: 7, turret: 0, count: 1, time: world.time() + 1, seed: 5 };
  const { pivot, velocity, bore } = makeBurst(world, shot);
  return [
    ...ticks,
    `burst of tick 25: pivot ${show(pivot)}, velocity ${show(velocity)}, bore ${show(bore.f)}`,
    `lane turrets ${stateHash(world).lanes[4]}`,
  ];
}

function fingerprintLines() {
  const { stages, all } = fingerprint();
  return [...stages.map(({ name, hash }) => `${name} ${hash}`), `all ${all}`];
}

/** By the name of the fence. */
export const worked = {
  primitives,
  randomness,
  angles,
  orientation,
  curve,
  noise: noiseNumbers,
  frame,
  flight,
  homing,
  track,
  attitude,
  flight_model: flightModel,
  turrets,
  shots,
  fingerprint: fingerprintLines,
  turret_fold: turretFold,
};

/** The fences of SPEC.md: a map from names to lines. */
export function readFences(text) {
  const fences = new Map();
  for (const [, name, body] of text.matchAll(/^```worked (\w+)\n([\s\S]*?)\n```$/gm)) {
    fences.set(name, body.split("\n"));
  }
  return fences;
}
