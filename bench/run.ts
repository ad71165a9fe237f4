// `npm run bench -- <measure…> [--engine sqlite|postgres] [--unpinned] [--short]`: measures, prints a Markdown table, stops.
// Without a measure: all of them. What each one does, and why so, is in README.md beside this file.

import { parseArgs } from "node:util";
import type { Kept } from "../test/keeper.ts";
import { startPostgres, urlVariable } from "../test/postgres.ts";
import type { Figure, Measure } from "./figure.ts";
import { bulk, ceiling, drain, lookup, memory, restart, single, stored } from "./measures.ts";
import { email } from "./measures-email.ts";
import { callbacks, webhooks } from "./measures-events.ts";
import { phoneMemory } from "./measures-phones.ts";
import { resend } from "./measures-resend.ts";
import { size } from "./measures-size.ts";
import { smpp } from "./measures-smpp.ts";
import { submission } from "./measures-submission.ts";
import { whatsapp } from "./measures-whatsapp.ts";
import { type Engine, machineFacts } from "./stage.ts";

const measures: Record<string, Measure> = {
  ceiling,
  single,
  bulk,
  drain,
  lookup,
  restart,
  memory,
  stored,
  webhooks,
  callbacks,
  email,
  submission,
  resend,
  size,
  smpp,
  whatsapp,
  phones: phoneMemory,
};
const everything = [
  "ceiling",
  "single",
  "bulk",
  "drain",
  "stored",
  "memory",
  "webhooks",
  "callbacks",
  "email",
  "submission",
  "resend",
  "size",
  "smpp",
  "whatsapp",
  "phones",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: "string" }, unpinned: { type: "boolean" }, short: { type: "boolean" } },
});
const names = positionals.length === 0 ? everything : positionals;
const engines: Engine[] = values.engine === undefined ? ["sqlite"] : [values.engine as Engine];
if (values.engine === undefined && names.includes("drain")) engines.push("postgres");
if (
  names.some((name) => measures[name] === undefined) ||
  engines.some((engine) => !["sqlite", "postgres"].includes(engine))
) {
  console.error(
    `usage: npm run bench -- [${Object.keys(measures).join(" | ")}] [--engine sqlite|postgres] [--unpinned] [--short]`,
  );
  process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
setTimeout(() => {
  console.error("not finished after 30 minutes: stopped");
  process.exit(1);
}, 30 * 60_000).unref();

let postgres: Kept | null = null;
if (engines.includes("postgres") && process.env[urlVariable] === undefined) {
  postgres = await startPostgres();
  process.env[urlVariable] = postgres.url;
}

console.log(`\`npm run bench -- ${process.argv.slice(2).join(" ")}\`\n\n${machineFacts()}\n`);
console.log("| engine | what | measured | goal | |\n|---|---|---|---|---|");
let failed = false;
for (const engine of engines) {
  // Without --engine PostgreSQL is measured for the drain alone: that is where two processes matter.
  for (const name of names.filter(
    (each) => values.engine !== undefined || engine === "sqlite" || each === "drain",
  )) {
    let figures: Figure[];
    try {
      figures = (await measures[name]?.(engine)) ?? [];
    } catch (error) {
      failed = true;
      const text = error instanceof Error ? error.message : String(error);
      figures = [{ what: name, value: `broke off: ${text.split("\n")[0]}`, goal: "", reached: false }];
      console.error(text);
    }
    for (const { what, value, goal, reached } of figures) {
      const mark = reached === null ? "" : reached ? "reached" : "**missed**";
      console.log(`| ${engine} | ${what} | ${value} | ${goal} | ${mark} |`);
    }
  }
}
await postgres?.stop();
// A missed goal is a result, not a failure: speed is never a test.
process.exit(failed ? 1 : 0);
