// Folds a recorded session anew and compares every state hash in it, and the positions of all
// missiles at the exported times.
//
//   contrail-replay export --vectors game.mcap | node recorded_session.js [--checked] [--fault]
//
// --checked: with every intermediate checked to be exact, and the largest printed. --fault: with
// a slip planted; a comparison that works then ends with status 1. The last line of stdout is JSON.

import { createInterface } from "node:readline";

import { variant } from "./support/variant.js";

const FAULT = { file: "homing.js", from: "15 * u", to: "14 * u" };
const LANES = ["launches", "anchors", "tracks", "health", "turrets", "flights"];

/** JSON as contrail writes it, in the names these modules use. */
function camelCase(key, value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, v]) => [
      name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase()),
      v,
    ]),
  );
}

/** What differs in one line, as text; empty where nothing does. */
function compareMissiles(world, { time, missiles }, result) {
  for (const [id, index, ...exported] of missiles) {
    const salvo = world.salvos.find((s) => s.id === id);
    const { x, y, z } = world.missilePosition(salvo, index, time);
    result.positions++;
    if (x === exported[0] && y === exported[1] && z === exported[2]) continue;
    return `missile ${id}:${index} at ${time}: ${x} ${y} ${z}, exported ${exported.join(" ")}`;
  }
  result.times++;
  return "";
}

async function run(checks, fault) {
  const copy = variant({ checks, fault: fault ? FAULT : undefined });
  const result = { records: 0, hashes: 0, times: 0, positions: 0, missiles: 0, different: "" };
  try {
    const { World } = await copy.load("world.js");
    const { seen } = await copy.load("checker.js");
    seen.largest = 0; // what loading computed doesn't count
    let world;
    for await (const line of createInterface({ input: process.stdin })) {
      const said = JSON.parse(line, camelCase);
      if (said.scenario) world = new World(said.scenario);
      if (said.record) {
        const lanes = world.fold(said.record);
        result.records++;
        result.hashes += said.record.stateHashes ? 1 : 0;
        for (const { count } of said.record.launches ?? []) result.missiles += count;
        if (lanes.length > 0) {
          const names = lanes.map((i) => LANES[i]).join(", ");
          result.different = `state hash of ${names} at tick ${world.tick}`;
        }
      }
      if (said.missiles) {
        while (world.time() < said.time) world.fold({ tick: world.tick + 1 });
        result.different = compareMissiles(world, said, result);
      }
      if (result.different) break;
    }
    if (checks) Object.assign(result, seen, { bits: Math.log2(seen.largest).toFixed(3) });
  } finally {
    copy.remove();
  }
  return result;
}

const options = process.argv.slice(2);
const unknown = options.find((option) => !["--checked", "--fault"].includes(option));
if (unknown) {
  console.error(`recorded_session: unknown argument '${unknown}'`);
  process.exit(2);
}
const result = await run(options.includes("--checked"), options.includes("--fault"));
console.log(JSON.stringify(result));
if (result.positions === 0 && !result.different) result.different = "nothing was compared";
if (result.different) console.error(`recorded_session: differs: ${result.different}`);
process.exitCode = result.different ? 1 : 0;
