// `npm run test:faults`: the long fault runs, round after round until the time is up. Prints one line a
// run, the violations of those that failed, and the seed, which repeats a round.
// Options: --minutes 15, --seed N, --engine sqlite|postgres (both by default).

import { parseArgs } from "node:util";
import type { Kept } from "../keeper.ts";
import { startPostgres, urlVariable } from "../postgres.ts";
import { type Engine, engines } from "./installation.ts";
import {
  badProvider,
  commitPoints,
  crashAt,
  crashPoints,
  describe,
  frozenOwner,
  gracefulStops,
  lostProcess,
  type Result,
  randomKills,
  rolledBack,
} from "./runs.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" }, engine: { type: "string" } },
});
const minutes = Number(values.minutes ?? 15);
const firstSeed = Number(values.seed ?? Date.now() % 1_000_000);
const chosen: readonly Engine[] = engines.filter(
  (engine) => values.engine === undefined || values.engine === engine,
);
if (!(minutes > 0) || !Number.isInteger(firstSeed) || chosen.length === 0) {
  console.error("usage: npm run test:faults -- [--minutes 15] [--seed N] [--engine sqlite|postgres]");
  process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
const deadline = Date.now() + minutes * 60_000;
// A hanging run must not hang for ever: the longest one takes a few minutes.
setTimeout(
  () => {
    console.error("not finished 10 minutes after the time was up: failed");
    process.exit(1);
  },
  minutes * 60_000 + 600_000,
).unref();

/** One round: every fault once, in a fixed order for a seed. */
function* round(seed: number): Generator<() => Promise<Result>> {
  for (const engine of chosen) {
    for (const point of crashPoints) yield () => crashAt([point], engine, seed);
    if (engine === "sqlite") for (const point of commitPoints) yield () => crashAt([point], engine, seed);
    yield () => randomKills(engine, seed, 8);
    yield () => gracefulStops(engine, seed, 3);
    yield () => badProvider(engine, seed, 2);
    if (engine === "postgres") {
      yield () => lostProcess(seed, 4);
      yield () => frozenOwner(seed);
    }
  }
}

const failures: string[] = [];

function fail(line: string, details: readonly string[] = []): void {
  failures.push(line);
  for (const detail of details) console.log(`    ${detail}`);
}

async function attempt(run: () => Promise<Result>): Promise<Result | null> {
  try {
    const result = await run();
    console.log(describe(result));
    return result;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    console.log(`a run broke off: ${text}`);
    fail(text.split("\n")[0] ?? text);
    return null;
  }
}

async function main(): Promise<void> {
  let runs = 0;
  let acknowledged = 0;
  let struck = 0;
  if (chosen.includes("sqlite")) {
    const control = await attempt(() => rolledBack(firstSeed));
    if (control !== null && (control.verdict.lost.length === 0 || control.verdict.duplicates.length === 0)) {
      fail("the control saw nothing: the checker is blind");
    }
  }
  for (let seed = firstSeed; Date.now() < deadline; seed += 1) {
    for (const next of round(seed)) {
      if (Date.now() > deadline) break;
      const result = await attempt(next);
      runs += 1;
      acknowledged += result?.verdict.acknowledged ?? 0;
      struck += result?.fired ?? 0;
      if (result !== null && result.verdict.violations.length > 0) {
        fail(describe(result), [...result.verdict.violations.slice(0, 20), ...result.histories]);
      }
    }
  }
  console.log(
    `\n${runs} runs, ${struck} faults, ${acknowledged} acknowledged messages, first seed ${firstSeed}.`,
  );
  console.log(failures.length === 0 ? "Nothing lost, nothing repeated." : `${failures.length} FAILED:`);
  for (const line of failures) console.log(`  ${line}`);
}

let postgres: Kept | null = null;
if (chosen.includes("postgres") && process.env[urlVariable] === undefined) {
  postgres = await startPostgres();
  process.env[urlVariable] = postgres.url;
}
try {
  await main();
} finally {
  await postgres?.stop();
}
process.exit(failures.length === 0 ? 0 : 1);
