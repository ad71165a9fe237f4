// Ending the hold on a restored installation: what was pending in the copy goes out, or is cancelled. Until then
// new sends flow as ever.

import type { Core } from "#core/core.ts";
import type { Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import {
  cancelHeld,
  type Hold,
  holdPending,
  readHold,
  releaseHeld,
} from "#store/maintenance/restore-hold.ts";

type HoldParts = Pick<Core, "clock" | "database">;

/** How much was released or cancelled. */
export interface HeldCounts {
  messages: number;
  deliveries: number;
  events: number;
}

/** Rows of a kind in one transaction. */
const atOnce = 1000;

/** The hold, with what is held now; null: there is none. */
export const currentHold = (database: Database): Promise<Hold | null> => database.run(readHold, null);

/** Holds what is pending. For a stopped installation: what a running one is just doing would go on. */
export async function holdAllPending({ database, clock }: HoldParts): Promise<Hold | null> {
  const at = clock.now();
  while (!(await database.run(holdPending, { at, limit: atOnce })));
  return await currentHold(database);
}

/** Lets everything go that is held: it is due when it was due, and what is too late by now expires. */
export async function releaseAllHeld(parts: HoldParts & Pick<Core, "signals">): Promise<HeldCounts> {
  const detail = "Released. It was held because this installation was restored from a backup.";
  return await step(parts, (at) => parts.database.run(releaseHeld, { at, limit: atOnce, detail }));
}

/** Cancels everything that is held; its credit goes back. */
export async function cancelAllHeld(parts: HoldParts & Pick<Core, "signals">): Promise<HeldCounts> {
  const detail = "Cancelled. It was held because this installation was restored from a backup.";
  return await step(parts, (at) => parts.database.run(cancelHeld, { at, limit: atOnce, detail }));
}

async function step(
  { clock, signals }: HoldParts & Pick<Core, "signals">,
  one: (at: number) => Promise<HeldCounts & { lanes: string[]; done: boolean }>,
): Promise<HeldCounts> {
  const ended: HeldCounts = { messages: 0, deliveries: 0, events: 0 };
  for (;;) {
    const { messages, deliveries, events, lanes, done } = await one(clock.now());
    ended.messages += messages;
    ended.deliveries += deliveries;
    ended.events += events;
    for (const lane of lanes) signals.emit("laneDue", lane);
    // Both ways may have left something to tell.
    signals.emit("laneDue", "fan_out");
    if (done) return ended;
  }
}

/** At start: says that something is held, and what to do about it. */
export async function warnAboutHold(parts: { database: Database; log: Log }): Promise<void> {
  const hold = await currentHold(parts.database);
  if (hold === null) return;
  const { at, ...held } = hold;
  parts.log.warn(
    { ...held, heldSince: new Date(at).toISOString() },
    "this installation was restored, and what was pending in the copy is held: release it (POST /api/manage/v1/installation/release, or `npm start -- release`) or cancel it (POST /api/manage/v1/installation/cancel-held); new sends go out as ever",
  );
}
