import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { readFences, worked } from "./support/worked.js";

const spec = readFileSync(new URL("../../../protocol/SPEC.md", import.meta.url), "utf8");
const fences = readFences(spec);

for (const [name, compute] of Object.entries(worked)) {
  test(`SPEC.md's worked numbers of ${name} come out`, () => {
    assert.deepEqual(compute(), fences.get(name));
  });
}

test("no worked numbers of SPEC.md are left out", () => {
  assert.deepEqual([...fences.keys()].filter((name) => !(name in worked)), []);
});

test("a changed digit in SPEC.md would be noticed", () => {
  const changed = readFences(spec.replace("isqrt(1000000) = 1000", "isqrt(1000000) = 1001"));
  assert.notDeepEqual(worked.primitives(), changed.get("primitives"));
});
