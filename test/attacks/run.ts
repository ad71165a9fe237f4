// `npm run test:attacks`: every attack of the table on a process of its own, whole, and what held, as a table. Ends by
// itself; exit code 1 when anything broke.
// Options: --only TEXT (a part of a family's or an attack's name), --engine sqlite|postgres (where an attack has both).

import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Kept } from "../keeper.ts";
import { startPostgres, urlVariable } from "../postgres.ts";
import { type Attack, tally } from "./attack.ts";
import { apiKey, secrets } from "./installation.ts";
import { type Bounds, maxMib, maxSendMs, type Played, play } from "./play.ts";
import { playRebinding } from "./rebinding.ts";
import { openStage } from "./stage.ts";
import { attacks, enginesOf } from "./table.ts";

const { values } = parseArgs({ options: { only: { type: "string" }, engine: { type: "string" } } });
const { only = "", engine } = values;
if (engine !== undefined && engine !== "sqlite" && engine !== "postgres") {
  console.error("usage: npm run test:attacks -- [--only TEXT] [--engine sqlite|postgres]");
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
/** The whole program, should anything hang. */
setTimeout(() => {
  console.error("not finished after an hour: failed");
  process.exit(1);
}, 3_600_000).unref();

const rebindingName = "dns: rebinding in a private network";

const ms = (value: number | undefined) => (value === undefined ? "–" : `${Math.round(value)} ms`);

function row({ attack, engine, inputs, seen, probe, peakMib, cpuSeconds, broke, tookMs }: Played): string {
  const cells = [
    `${attack.family}: ${attack.name}${enginesOf(attack).length > 1 ? ` (${engine})` : ""}`,
    String(inputs),
    attack.expected,
    seen,
    ms(probe?.live.max),
    `${ms(probe?.sends.p50)} / ${ms(probe?.sends.p99)} / ${ms(probe?.sends.max)}`,
    peakMib === null ? "–" : `${Math.round(peakMib)} MiB`,
    cpuSeconds === null ? "–" : `${cpuSeconds.toFixed(1)} s`,
    broke.length === 0 ? "held" : "BROKE",
    `${(tookMs / 1000).toFixed(0)} s`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "/").replaceAll("\n", " ")).join(" | ")} |`;
}

/** No attack runs: what the same probe sees on this machine now. */
const idle: Attack = {
  family: "baseline",
  name: "nothing for 10 s",
  expected: "–",
  short: false,
  judged: false,
  run: async () => {
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    return tally();
  },
};

const common = { size: "whole", everyMs: 50, minMs: 5_000, limitMs: 300_000 } as const;
const unbounded = { sendP99Ms: Number.POSITIVE_INFINITY, cpuSeconds: Number.POSITIVE_INFINITY };

async function on(attack: Attack, where: "sqlite" | "postgres", bounds: Bounds): Promise<Played> {
  const stage = await openStage(where);
  try {
    // What V8 has not compiled yet is slow without an attack.
    for (let at = 0; at < 60; at += 1)
      await stage.ask({
        path: "/api/sms/send",
        headers: apiKey(secrets.ourKey),
        body: { contact: [{ number: "+15550000001", message: "warm" }] },
      });
    return await play(attack, stage, { ...common, bounds });
  } finally {
    await stage.close();
  }
}

/** A machine that is slow without an attack is slow under one. */
const boundsAfter = (baseline: Played): Bounds => ({
  ...unbounded,
  sendP99Ms: Math.max(maxSendMs, 4 * (baseline.probe?.sends.p99 ?? 0)),
});

/**
 * One attack. If nothing broke but the times, it is played once more, against what the machine does now when nothing
 * attacks: others may work on it. Null: the stage could not be set up.
 */
async function judge(attack: Attack, where: "sqlite" | "postgres", bounds: Bounds): Promise<Played | null> {
  try {
    const result = await on(attack, where, bounds);
    if (!result.onlySlow) return result;
    console.log(row(result).replace("BROKE", "slow; again"));
    const baseline = await on(idle, where, unbounded);
    console.log(row(baseline));
    return await on(attack, where, boundsAfter(baseline));
  } catch (error) {
    console.log(
      `${attack.family}: ${attack.name} (${where}): no stage: ${(error as Error).message.split("\n")[0]}`,
    );
    return null;
  }
}

async function main(): Promise<number> {
  const chosen = attacks.filter(({ family, name }) => `${family}: ${name}`.includes(only));
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.versions.node}`,
  );
  console.log(
    "| attack | inputs | expected | seen | worst probe | single sends p50 / p99 / max | peak RSS | CPU | | took |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  const baseline = await on(idle, "sqlite", unbounded);
  console.log(row(baseline));
  const bounds = boundsAfter(baseline);
  const broken: Played[] = [];
  let played = 0;
  let failures = 0;
  for (const attack of chosen) {
    for (const where of enginesOf(attack)) {
      if (engine !== undefined && engine !== where) continue;
      const result = await judge(attack, where, bounds);
      played += 1;
      if (result !== null) console.log(row(result));
      if (result?.broke.length === 0) continue;
      failures += 1;
      if (result !== null) broken.push(result);
    }
  }
  if (rebindingName.includes(only)) {
    const rebinding = await playRebinding();
    console.log(`\n${rebinding.lines.join("\n")}`);
    if (!rebinding.held) failures += 1;
  }
  console.log(
    `\n${played} attacks; single sends are judged at p99 ${Math.round(bounds.sendP99Ms)} ms, memory at ${maxMib} MiB.`,
  );
  console.log(failures === 0 ? "Everything held." : `${failures} BROKE:`);
  for (const { attack, engine, broke } of broken) {
    console.log(`  ${attack.family}: ${attack.name} (${engine})`);
    for (const line of broke) console.log(`    ${line}`);
  }
  return failures === 0 ? 0 : 1;
}

let postgres: Kept | null = null;
if (process.env[urlVariable] === undefined) {
  postgres = await startPostgres();
  process.env[urlVariable] = postgres.url;
}
let code = 1;
try {
  code = await main();
} finally {
  await postgres?.stop();
}
process.exit(code);
