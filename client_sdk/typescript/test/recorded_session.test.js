import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

// Written by the C++ implementation and held by its own test: launches, outcomes, guidance,
// despawns, spawns, turrets, keys of every kind, a state hash in every eighth record.
const log = readFileSync(new URL("../../../tests/golden/random_log.jsonl", import.meta.url), "utf8");
const program = fileURLToPath(new URL("recorded_session.js", import.meta.url));

function compare(input, ...options) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...options], {
    input,
    encoding: "utf8",
  });
  return { status, stderr, ...JSON.parse(stdout || "{}") };
}

test("a random log of all kinds of records folds to the same hashes and positions", (t) => {
  const result = compare(log, "--checked");
  assert.equal(result.status, 0, result.stderr);
  t.diagnostic(`largest ${result.largest} = 2^${result.bits}: ${result.where}`);
  assert.equal(result.hashes, 150);
  assert.ok(result.positions > 1000);
});

test("a slip in the homing ramp shows in a position or a hash", () => {
  const result = compare(log, "--fault");
  assert.equal(result.status, 1);
  assert.match(result.different, /^(missile|state hash)/);
});

for (const [lane, from] of [
  ["launches", /("launches":\[\{.*?"count":)(\d+)/g],
  ["tracks", /("relative_keys":\[\{.*?"scale":)(\d+)/g],
  ["health", /("health":\[\{"entity":\d+,"health":)(\d+)/g],
  ["turrets", /("turret_modes":\[\{.*?"bearing":)(\d+)/g],
  ["turrets", /("shots":\[\{.*?"seed":)(\d+)/g],
]) {
  test(`a record changed in what the lane ${lane} covers is noticed: ${from.source.slice(0, 20)}`, () => {
    const changed = log.replace(from, (_, head, number) => head + (Number(number) + 1));
    assert.notEqual(changed, log);
    const result = compare(changed);
    assert.equal(result.status, 1);
    assert.ok(result.different.includes(lane) || result.different.startsWith("missile"));
  });
}

test("an empty input is no success", () => {
  assert.equal(compare("").status, 1);
});
