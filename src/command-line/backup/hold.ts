// `trunkline hold` and `trunkline release`.

import { existsSync } from "node:fs";
import { type Api, runningHere } from "#command-line/api.ts";
import { openDatabase } from "#command-line/open.ts";
import { configured, databaseFile } from "#command-line/settings.ts";
import type { Result, Terminal } from "#command-line/terminal.ts";
import type { Config } from "#config.ts";
import { audit, commandLine } from "#identity/audit.ts";
import { holdAllPending, releaseAllHeld } from "#maintenance/restore-hold.ts";
import { createIds } from "#runtime/ids.ts";
import { systemRandom } from "#runtime/random.ts";
import type { Runtime } from "#runtime/runtime.ts";
import { systemRuntime } from "#runtime/system-runtime.ts";
import type { Database } from "#store/database.ts";
import type { RestoreHold } from "#store/maintenance/restore-hold.ts";

export function heldText(held: RestoreHold | null): string {
  if (held === null) return "nothing, for nothing was pending";
  return `${held.messages} messages, ${held.deliveries} webhook deliveries, ${held.events} events`;
}

type Deps = { database: Database } & Pick<Runtime, "clock" | "log">;

/** Changes the hold of a stopped installation, and records it in the audit log. */
async function withDatabase<T>(
  config: Config,
  action: string,
  change: (deps: Deps) => Promise<T>,
): Promise<T> {
  // Opening it would create one.
  if (!config.DATABASE_URL && !existsSync(databaseFile(config)))
    throw new Error(`There is no database at ${databaseFile(config)}.`);
  const { clock, log } = systemRuntime({ logLevel: "warn", outboundAllow: [] });
  const database = await openDatabase(config, { clock, log });
  try {
    const newId = createIds(clock, systemRandom());
    await audit({ database, clock, newId }, { actor: commandLine, action });
    return await change({ database, clock, log });
  } finally {
    await database.close();
  }
}

/** Holds what is pending, before the first start. */
export async function hold(terminal: Terminal): Promise<Result> {
  const config = configured(terminal);
  if ((await runningHere(config)) !== null)
    throw new Error("The service runs, so that what is pending is on its way. Stop it first.");
  const held = await withDatabase(config, "holdInstallation", ({ database, clock }) =>
    holdAllPending({ database, clock }),
  );
  return { text: `Held until you release it: ${heldText(held)}.`, data: held };
}

interface Released {
  messages: number;
  deliveries: number;
  events: number;
}

const releaseRunning = async (running: Api): Promise<Released> =>
  (await running.ask<{ data: Released }>("POST", "/api/manage/v1/installation/release")).data;

/** Releases what is held. */
export async function release(terminal: Terminal): Promise<Result> {
  const config = configured(terminal);
  const running = await runningHere(config);
  const released =
    running === null
      ? await withDatabase(config, "releaseHeldMessages", ({ database, clock }) =>
          releaseAllHeld({ database, clock }),
        )
      : await releaseRunning(running);
  const { messages, deliveries, events } = released;
  return {
    text: `Released: ${messages} messages, ${deliveries} webhook deliveries, ${events} events.`,
    data: { messages, deliveries, events },
  };
}
