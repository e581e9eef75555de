import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { variant } from "./support/variant.js";

// Written by the C++ implementation and held by its own test.
const contacts = readFileSync(new URL("../../../tests/golden/contacts.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => /^\d/.test(line))
  .map((line) => line.split(" ").map(Number));

/** The number of contacts that come out otherwise than committed. */
async function differences(options) {
  const copy = variant(options);
  try {
    const hit = await copy.load("hit.js");
    const { anglesBasis } = await copy.load("orientation.js");
    const { vec } = await copy.load("numbers.js");
    const seen = options.checks ? (await copy.load("checker.js")).seen : undefined;
    if (seen) Object.assign(seen, { largest: 0, where: "" });
    let different = 0;
    for (const [, ...n] of contacts) {
      const take = () => vec(n.shift(), n.shift(), n.shift());
      const [a, d] = [take(), take()];
      const [radius, missile] = [n.shift(), n.shift()];
      const position = take();
      const basis = anglesBasis(n.shift(), n.shift(), n.shift());
      const point = take();
      const capsule = hit.place({ a, d, r: radius }, missile, position, basis);
      const { x, y, z } = hit.closestAxisPoint(capsule, point);
      const touching = hit.touches(capsule, point) ? 1 : 0;
      const [cx, cy, cz, wanted] = n;
      if (x !== cx || y !== cy || z !== cz || touching !== wanted) different++;
      assert.equal(hit.touchesHull([{ a, d, r: radius }], missile, position, basis, point), touching === 1);
    }
    return { different, seen };
  } finally {
    copy.remove();
  }
}

test("contacts are those of the C++ implementation, every intermediate exact", async (t) => {
  assert.equal(contacts.length, 1000);
  const { different, seen } = await differences({ checks: true });
  assert.equal(different, 0);
  t.diagnostic(`largest ${seen.largest} = 2^${Math.log2(seen.largest).toFixed(3)}: ${seen.where}`);
});

test("a quotient rounded another way is noticed", async () => {
  const fault = { file: "hit.js", from: "d.x * q, 16", to: "d.x * q + 65535, 16" };
  assert.ok((await differences({ fault })).different > 0);
});

test("the ground is touched from its height down, and none is not", async () => {
  const copy = variant({});
  const { touchesGround } = await copy.load("hit.js");
  const { WORLD } = await copy.load("numbers.js");
  copy.remove();
  assert.equal(touchesGround(-100, 10, { x: 0, y: -90, z: 0 }), true);
  assert.equal(touchesGround(-100, 10, { x: 0, y: -89, z: 0 }), false);
  assert.equal(touchesGround(-WORLD, 10, { x: 0, y: -WORLD, z: 0 }), false);
});
