import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { fingerprint } from "../src/sim/fingerprint.js";
import { launchSeed } from "../src/sim/random.js";
import { NoiseKind, noise } from "../src/sim/noise.js";
import { variant } from "./support/variant.js";

const read = (path) => readFileSync(new URL(`../../../tests/${path}`, import.meta.url), "utf8");
const golden = [...read("protocol/sim/golden_fingerprint.hpp").matchAll(/"([0-9a-f]{16})"/g)].map(
  (match) => match[1],
);

test("every stage has the hash that the C++ implementation has", () => {
  const { stages, all } = fingerprint();
  assert.equal(golden.length, 10);
  assert.deepEqual([...stages.map(({ hash }) => hash), all], golden);
});

test("the battery prints a line a stage, then the hash over all", () => {
  const program = fileURLToPath(new URL("battery.js", import.meta.url));
  const lines = execFileSync(process.execPath, [program], { encoding: "utf8" }).trim().split("\n");
  assert.deepEqual(lines.map((line) => line.split(" ")[1]), golden);
  assert.equal(lines[0].split(" ")[0], "mix");
  assert.equal(lines[9].split(" ")[0], "all");
});

test("noise of the committed list comes out", () => {
  const lines = read("golden/noise.txt").split("\n").filter((line) => line && line[0] !== "#");
  const computed = lines.map((line) => {
    const [kind, session, argument] = line.split(" ");
    const seed = BigInt(session);
    const words = [seed & 0xffffffffn, seed >> 32n].map(Number);
    const which = kind === "bspline" ? NoiseKind.SPLINE : NoiseKind.GRADIENT;
    const { x, y } = noise(which, launchSeed(words[0], words[1], 0), 0, Number(argument));
    return `${kind} ${session} ${argument} ${x} ${y}`;
  });
  assert.ok(lines.length > 50);
  assert.deepEqual(computed, lines);
});

// A slip in each stage's own arithmetic, and the stage in which it has to show first.
const FAULTS = [
  ["mix", "random.js", "x ^= x >>> 14", "x ^= x >>> 13"],
  ["mix", "random.js", "0xed5ad4bb", "0xed5ad4bd"],
  ["mix", "random.js", "0xac4c1b51", "0xac4c1b53"],
  ["mix", "random.js", "0x31848bab", "0x31848bad"],
  ["mix", "numbers.js", "(x + 8388608) / 16777216", "x / 16777216"],
  ["mix", "numbers.js", "x + 8388608", "x + 8388607"],
  ["mix", "numbers.js", "x + 8388608", "x + 8388609"],
  ["mix", "numbers.js", "if (rest < 0) return quotient - 1;", "if (a < 0) return Math.trunc(a / b);"],
  ["mix", "numbers.js", "(root + 1) * (root + 1) <= x", "(root + 1) * (root + 1) <= x + 1"],
  ["mix", "numbers.js", "const half = shr(l, 1)", "const half = 0"],
  ["mix", "numbers.js", "(v * part) / 65536", "(v * part + 1) / 65536"],
  ["mix", "numbers.js", "shr(m, s) >= 33554432", "shr(m, s) > 33554432"],
  ["noise", "noise.js", "655360", "655361"],
  ["noise", "noise.js", "139022", "139021"],
  ["noise", "noise.js", "393216", "393215"],
  ["frame", "frame.js", "KNOTS = 16", "KNOTS = 15"],
  ["frame", "frame.js", "x <= y && x <= z", "x < y && x <= z"],
  ["flight", "flight.js", "add(scale(S[k], 2), S[k + 1])", "add(S[k], scale(S[k + 1], 2))"],
  ["flight", "flight.js", "shr(hump * hump, 16)", "shr(hump * hump, 15)"],
  ["flight", "noise.js", "NOISE = 196608", "NOISE = 196609"],
  ["flight", "launch.js", "shr(maxAxis(chord), 3)", "shr(maxAxis(chord), 4)"],
  ["flight", "launch.js", "81920", "81921"],
  ["track", "track.js", "maxAxis(sum) < 65536", "maxAxis(sum) < 16777216"],
  ["track", "track.js", "pieces[i].start >= T", "pieces[i].start > T"],
  ["track", "attitude.js", "< 0 ? -1 : 1", "< 0 ? 1 : 1"],
  ["homing", "homing.js", "15 * u", "14 * u"],
  ["homing", "homing.js", "10 * ONE", "10 * ONE + 1"],
  ["flight_model", "flight_model.js", "shr(limits.acceleration, 6)", "shr(limits.acceleration, 7)"],
  ["turret", "turret.js", "TURRET_HYSTERESIS = 2097152", "TURRET_HYSTERESIS = 2097153"],
  ["turret", "turret.js", "shr(binary + 8, 4)", "shr(binary + 7, 4)"],
  ["turret", "turret.js", "MAX_RATE = 33554432", "MAX_RATE = 33554431"],
  ["turret", "turret.js", "k * gain + fdiv", "k * gain + 1 + fdiv"],
  ["turret", "turret.js", "size <= align.targetRadius", "size < align.slowRadius"],
  ["turret", "lead.js", "signOf(difference(t)) <= 0", "signOf(difference(t + 1)) <= 0"],
  ["turret", "lead.js", "reached = (t) => signOf(minus(squares(way(t))", "reached = (t) => signOf(minus(squares(way(t + 1))"],
  ["turret", "shot.js", "shr(stray.x * error, 15)", "shr(stray.x * error, 14)"],
  ["turret", "shot.js", "muzzles[i % muzzles.length]", "muzzles[0]"],
  ["hit", "hit.js", "MIN_RADIUS_SUM = 1229", "MIN_RADIUS_SUM = 1230"],
  ["hit", "hit.js", ">= 68719476736", ">= 1048576"],
  ["hit", "hit.js", "dot(gap, gap) <= radiusSum * radiusSum", "dot(gap, gap) < radiusSum * radiusSum"],
];

for (const [stage, file, from, to] of FAULTS) {
  test(`a fault in ${file} (${to}) shows first in stage ${stage}`, async (t) => {
    const changed = variant({ fault: { file, from, to } });
    t.after(changed.remove);
    const { fingerprint: compute } = await changed.load("fingerprint.js");
    const { stages, all } = compute();
    const differing = stages.filter(({ hash }, i) => hash !== golden[i]).map(({ name }) => name);
    assert.equal(differing[0], stage, `differing: ${differing}`);
    assert.notEqual(all, golden[9]);
  });
}
