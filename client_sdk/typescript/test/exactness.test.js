import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { variant, withChecks } from "./support/variant.js";

const LIMIT = 2 ** 53;

/** Checked copies of the modules, forgetting what loading them computed. */
async function checkedModules(t, ...files) {
  const copy = variant({ checks: true });
  t.after(copy.remove);
  const modules = [];
  for (const file of files) modules.push(await copy.load(file));
  const { seen } = await copy.load("checker.js");
  Object.assign(seen, { largest: 0, where: "", operations: 0 });
  return { modules, seen };
}

function report(t, seen) {
  const bits = Math.log2(seen.largest).toFixed(3);
  t.diagnostic(`${seen.operations} results, the largest ${seen.largest} = 2^${bits}: ${seen.where}`);
}

test("the fingerprint stays below 2^53 in every intermediate", async (t) => {
  const { modules, seen } = await checkedModules(t, "fingerprint.js");
  assert.equal(modules[0].fingerprint().all, "5fe1ec85a8ddb12b");
  report(t, seen);
  assert.ok(seen.operations > 1e6);
  assert.ok(seen.largest > 2 ** 45 && seen.largest < LIMIT);
});

/** Numbers at the edges of -m..m. */
function* corners(m) {
  for (let i = 0; i < 8; i++) yield { x: i & 1 ? m : -m, y: i & 2 ? m : -m, z: i & 4 ? m : -m };
}

test("flights across the whole world at the limits stay below 2^53", async (t) => {
  const files = ["flight.js", "orientation.js", "numbers.js"];
  const { modules, seen } = await checkedModules(t, ...files);
  const [{ compileFlight, duration, flightPosition }, { faceBasis, freezeBasis }, numbers] = modules;
  const toward = (v) => freezeBasis(faceBasis(numbers.unit(v, numbers.ZERO)));
  const spread = { a: 0, b: 16384 };
  const edge = 2 ** 21;
  let flights = 0;
  for (const muzzle of corners(2 ** 30)) {
    for (const target of corners(2 ** 30)) {
      for (const log2Piece of [8, 13]) {
        for (const pieces of log2Piece === 8 ? [1, 2, 48] : [3, flights < 20 ? 960 : 17]) {
          const kind = flights % 2;
          const forward = flights % 3 === 0 ? target : numbers.negate(target);
          const weapon = {
            noise: kind,
            muzzleCone: flights % 5 < 3 ? { a: 16384, b: 16384 } : spread,
            approachCone: spread,
            muzzleHandle: 65536,
            approachHandle: 65536,
            amplitude: 2 ** 28,
            frequency: 2 ** (31 - log2Piece - kind),
            rippleInterval: 128,
          };
          const anchor = {
            muzzle,
            launcherVelocity: numbers.clampVec(muzzle, numbers.VMAX),
            muzzleBasis: toward(forward),
            target,
            targetVelocity: numbers.clampVec(target, numbers.VMAX),
            targetBasis: toward(target),
            hull: [{ a: numbers.vec(edge, edge, edge), d: numbers.vec(-edge, edge, edge), r: edge }],
          };
          const launch = { seed: flights * 7919, t0: 65536, pieces, log2Piece };
          const flight = compileFlight(launch, weapon, anchor, flights % 255);
          for (const part of [0, 0.1, 0.5, 0.9, 1]) {
            flightPosition(flight, Math.floor(part * duration(flight)));
          }
          flights++;
        }
      }
    }
  }
  assert.ok(flights >= 320);
  report(t, seen);
  assert.ok(seen.largest > 2 ** 51 && seen.largest < LIMIT);
});

test("tracks, attitudes and ships at the limits stay below 2^53", async (t) => {
  const files = ["track.js", "flight_model.js", "numbers.js", "homing.js"];
  const { modules, seen } = await checkedModules(t, ...files);
  const [tracks, { step, relativeKey }, { WORLD, VMAX, vec, ONE, negate }, { term }] = modules;
  for (const p of corners(WORLD)) {
    for (const v of corners(VMAX)) {
      for (const K of [9, 16, 20]) {
        const path = [tracks.spawnPiece(512, p, v, vec(0, 0, ONE))];
        path.push(tracks.keyPiece(path, 1024, K, negate(p), v));
        for (const T of [1025, 1024 + 2 ** (K - 1), 1023 + 2 ** K, 2 ** 40]) {
          tracks.trackPosition(path, T);
          tracks.trackVelocity(path, T);
          tracks.trackFacing(path, T);
        }
      }
      for (let command = 0; command < 4; command++) {
        for (const k of [9, 20]) {
          for (const acceleration of [1, 2 ** 26 - 1]) {
            const from = { p, v };
            const value = command === 3 ? negate(p) : v;
            const to = step(from, command, value, k, { speed: VMAX, acceleration });
            relativeKey(from, to, k);
          }
        }
      }
    }
    for (const D of [1, 3, 960 * 8192]) term(p, D - 1, D);
  }
  report(t, seen);
  assert.ok(seen.largest < LIMIT);
});

test("blossoms of a base curve at the limits stay below 2^53, and close to it", async (t) => {
  const { modules, seen } = await checkedModules(t, "frame.js", "numbers.js");
  const [{ MovingFrame }, { POINT_MAX, vec }] = modules;
  const same = (n) => vec(n, n, n);
  const outer = 2 ** 30 + 2 ** 24;
  const frame = new MovingFrame([same(-outer), same(POINT_MAX), same(-POINT_MAX), same(outer)]);
  for (let u = 0; u <= 2 ** 20; u += 4096) frame.at(u);
  report(t, seen);
  assert.ok(seen.largest > 2 ** 52.8 && seen.largest < 2 ** 52.82);
});

test("angles stay below 2^53 over the circle and for the longest vectors", async (t) => {
  const { modules, seen } = await checkedModules(t, "angles.js");
  const [{ sine, arcTangent }] = modules;
  for (let i = 0; i <= 4096; i++) {
    sine(i * 2 ** 20 - 1);
    sine(i * 2 ** 20);
    arcTangent(Math.floor((i / 4096) * (2 ** 52 - 1)), 2 ** 52 - 1);
    arcTangent(i, 4096 - i);
  }
  report(t, seen);
  assert.ok(seen.largest < 2 ** 52.6);
});

test("turrets and lead at the limits stay below 2^53", async (t) => {
  const { modules, seen } = await checkedModules(t, "turret.js", "lead.js", "numbers.js");
  const [{ Controller, TURRET_TURN, aimAt, axisStep, boreError }, lead, { driftVec, add }] = modules;
  const mount = {
    controller: Controller.OPTIMAL,
    align: { targetRadius: 0, slowRadius: TURRET_TURN / 4, timeToTarget: 655360 },
  };
  const largest = 2 ** 31 - 1;
  for (const log2Tick of [9, 13]) {
    for (const [speed, acceleration] of [[largest, 1], [largest, largest], [1, largest]]) {
      for (const controller of Object.values(Controller)) {
        const axis = { fullTurn: true, low: 0, high: 0, speed, acceleration };
        let state = { angle: 0, rate: log2Tick === 13 && speed > 1 ? 2 ** 25 : 0 };
        for (const angle of [largest, -largest, 0, TURRET_TURN / 2, 7]) {
          const demand = { angle, rate: -angle, hold: false };
          state = axisStep(axis, state, demand, { ...mount, controller }, log2Tick);
        }
        const arc = { ...axis, fullTurn: false, low: -TURRET_TURN, high: 0 };
        state = axisStep(arc, { angle: 0, rate: 0 }, { angle: largest, rate: 9, hold: false },
          { ...mount, controller }, log2Tick);
        assert.ok(state.angle <= 0);
      }
    }
  }
  const level = { f: { x: 0, y: 0, z: 2 ** 24 }, u: { x: 0, y: 2 ** 24, z: 0 } };
  const turret = { pivot: { x: 1, y: 2, z: 3 }, orientation: level };
  let met = 0;
  for (const pivot of corners(2 ** 30)) {
    for (const target of corners(2 ** 30)) {
      const aim = aimAt(turret, { position: pivot, basis: level }, target);
      assert.ok(boreError(aim.yaw, aim.pitch, aim) < 8);
      for (const velocity of corners(40960000)) {
        const shot = {
          pivot, inherited: { x: 0, y: 0, z: 40960000 }, speed: 40960000, muzzle: 2 ** 21,
          maxFlightTime: 2 ** 31,
        };
        if (lead.meetStraight(shot, target, velocity)) met++;
        const path = (T) => add(target, driftVec(velocity, T % 65536));
        lead.meetPath({ ...shot, maxFlightTime: 2 ** 17 }, 0, path, 40960000);
      }
    }
  }
  assert.ok(met > 50);
  report(t, seen);
  assert.ok(seen.largest > 2 ** 51 && seen.largest < LIMIT);
});

test("the checked copy throws where a result reaches 2^53, and names the place", async (t) => {
  const { modules } = await checkedModules(t, "numbers.js");
  const [{ lerp, dot, vec, shr }] = modules;
  assert.equal(lerp(0, 2 ** 32, 2 ** 20, 20), 2 ** 32);
  assert.throws(() => lerp(0, 2 ** 33, 2 ** 20, 20), /is not exact: numbers\.js:\d+: \(b - a\) \* t/);
  // The sum comes back into range; one of its terms was out of it.
  const big = vec(2 ** 27, 2 ** 27, 0);
  assert.throws(() => dot(big, vec(2 ** 26, -(2 ** 26), 0)), /is not exact/);
  assert.throws(() => lerp(0.5, 1, 1, 1), /is not exact/);
  assert.equal(shr(-1, 4), -1);
});

test("the checked copy throws where a 32-bit shift would lose bits", () => {
  const text = withChecks("export const half = (x) => x >> 1;", "example.js");
  assert.match(text, /word\(\s*x, "example\.js:1: x >> 1"\) >> 1/);
});

test("checks reach every product, sum and difference of the modules", () => {
  for (const file of ["numbers.js", "frame.js", "flight.js", "launch.js", "noise.js"]) {
    const text = readFileSync(new URL(`../src/sim/${file}`, import.meta.url), "utf8");
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
    const operators = code.match(/(?<=[\w)\]]\s+)[-+*](?=\s)/g).length;
    const checks = withChecks(text, file).match(/ checked\(/g).length;
    assert.equal(checks, operators, file);
  }
  assert.throws(() => withChecks("let a = 1; a *= 3;", "example.js"), /write it out/);
});
