// `npm run test:failover`: the sixteen scenarios with the bench's full timings, in both stream modes, and S15 again
// for providers whose `GET models` lies or is missing. Prints the scorecard; takes about two minutes.
// Option: --fast, for the short timings.

import { parseArgs } from "node:util";
import { bench, onGround, printed, runOutage } from "./bench.ts";
import { fast, full } from "./profile.ts";

const { values } = parseArgs({ options: { fast: { type: "boolean", default: false } } });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

await onGround(values.fast ? fast : full, async (ground) => {
  const [cards, outages] = await Promise.all([
    Promise.all([bench(ground, "live"), bench(ground, "complete")]),
    Promise.all((["lying", "none"] as const).map((checks) => runOutage(ground, "live", checks))),
  ]);
  for (const card of cards) console.log(printed(card));
  for (const [at, { id, verdict, note }] of outages.entries())
    console.log(`${id} with ${at === 0 ? "checks that lie" : "no checks"}: ${verdict}, ${note}`);
  const [live, complete] = cards;
  const passes = (rows: readonly { verdict: string }[]) =>
    rows.filter((row) => row.verdict === "pass").length;
  const failed = [...live!.rows, ...complete!.rows, ...outages].some((row) => row.verdict === "fail");
  if (failed || passes(live!.rows) < 12 || passes(complete!.rows) < 16) process.exitCode = 1;
});
