// Session seeds have 64 bits, JavaScript numbers 53: they travel as texts and become two words.
//
//   node session_seed.js JSON     JSON is one line with a "seed" in quotes, as contrail prints them.
//                                 Prints {"seed": "...", "launch_seeds": [...]} of the same seed.

import { launchSeed } from "../src/sim/random.js";

/** The low and the high word of a decimal text. */
export function seedWords(text) {
  const seed = BigInt(text);
  return { low: Number(seed & 0xffffffffn), high: Number(seed >> 32n) };
}

/** The decimal text of two words. */
export const seedText = ({ low, high }) => ((BigInt(high) << 32n) | BigInt(low)).toString();

const said = JSON.parse(process.argv[2]);
if (typeof said.seed !== "string") {
  console.error(`session_seed: the seed is no text but ${typeof said.seed}: it has lost digits`);
  process.exit(1);
}
const words = seedWords(said.seed);
console.log(
  JSON.stringify({
    seed: seedText(words),
    launch_seeds: [0, 1, 2].map((m) => launchSeed(words.low, words.high, m)),
  }),
);
