// The determinism matrix's battery: "stage hash" lines for the stages that this implementation has,
// then "all hash" over them. tests/determinism/battery.hpp says what the C++ one prints.

import { fingerprint } from "../src/sim/fingerprint.js";

const { stages, all } = fingerprint();
for (const { name, hash } of stages) console.log(`${name} ${hash}`);
console.log(`all ${all}`);
