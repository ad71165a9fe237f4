// The hold on an installation that was restored from a backup: everything that was pending in the copy is held until the operator releases or
// cancels it. New messages are sent meanwhile.

import type { Core } from "#core/core.ts";
import { commandWords } from "#runtime/program.ts";
import type { Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import {
  cancelHeld,
  holdPending,
  type RestoreHold,
  readRestoreHold,
  releaseHeld,
} from "#store/maintenance/restore-hold.ts";

type HoldDeps = Pick<Core, "clock" | "database">;

/** How many rows were released or cancelled. */
interface HeldCounts {
  messages: number;
  deliveries: number;
  events: number;
}

/** Rows of a kind in one transaction. */
const batchSize = 1000;

/** The hold, with the number of rows that are held now. Null when nothing is held. */
export const currentHold = (database: Database): Promise<RestoreHold | null> =>
  database.run(readRestoreHold, null);

/** Holds everything that is pending. Only for a stopped installation: a running one would go on sending what is in flight. */
export async function holdAllPending({ database, clock }: HoldDeps): Promise<RestoreHold | null> {
  const at = clock.now();
  while (!(await database.run(holdPending, { at, limit: batchSize })));
  return await currentHold(database);
}

/** Releases everything that is held. Messages keep their due times; those that are overdue expire. */
export async function releaseAllHeld(deps: HoldDeps): Promise<HeldCounts> {
  const detail = "Released. It was held because this installation was restored from a backup.";
  return await runBatches(deps, (at) => deps.database.run(releaseHeld, { at, limit: batchSize, detail }));
}

/** Cancels everything that is held and refunds its credit. */
export async function cancelAllHeld(deps: HoldDeps): Promise<HeldCounts> {
  const detail = "Cancelled. It was held because this installation was restored from a backup.";
  return await runBatches(deps, (at) => deps.database.run(cancelHeld, { at, limit: batchSize, detail }));
}

async function runBatches(
  { clock }: HoldDeps,
  runBatch: (at: number) => Promise<HeldCounts & { done: boolean }>,
): Promise<HeldCounts> {
  const total: HeldCounts = { messages: 0, deliveries: 0, events: 0 };
  for (;;) {
    const { messages, deliveries, events, done } = await runBatch(clock.now());
    total.messages += messages;
    total.deliveries += deliveries;
    total.events += events;
    if (done) return total;
  }
}

/** At start: warns that rows are held, and says how to release or cancel them. */
export async function warnAboutHold(deps: { database: Database; log: Log }): Promise<void> {
  const hold = await currentHold(deps.database);
  if (hold === null) return;
  const { at, ...held } = hold;
  deps.log.warn(
    { event: "restore_hold.active", ...held, heldSince: new Date(at).toISOString() },
    `This installation was restored, and what was pending in the copy is held. Release it (POST /api/manage/v1/installation/release, or ${commandWords("release")}) or cancel it (POST /api/manage/v1/installation/cancel-held). New sends go out.`,
  );
}
