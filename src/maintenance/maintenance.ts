// The upkeep of an installation, a lane of its own so that one process does it at a time: what became too late
// where nobody sends is expired, and what is old is removed, in small batches with pauses between them. Two
// processes at once would do no harm; they would only do it twice.

import type { Core } from "#core/core.ts";
import { AutoResetEvent } from "#queue/auto-reset-event.ts";
import type { OpenLane } from "#queue/lanes.ts";
import { priorities } from "#queue/priority.ts";
import { idAt } from "#runtime/ids.ts";
import {
  emptyFile,
  findLooseFiles,
  findUnneededFiles,
  looseMs,
  removeLooseFile,
} from "#store/email/attachments.ts";
import { refreshStatistics } from "#store/engine/statistics.ts";
import { forgetSoftBounces, softRestMs } from "#store/feedback/bounces.ts";
import { forgetProofs } from "#store/feedback/callback-signatures.ts";
import { expireOverdue, findOverdue, forgetEnded, forgetRepeatable } from "#store/maintenance/overdue.ts";
import { forgetHold, readHold } from "#store/maintenance/restore-hold.ts";
import {
  type Removal,
  removeAudit,
  removeInbound,
  removeMessages,
  removeUnmatched,
  removeWebhookEvents,
} from "#store/maintenance/retention.ts";
import { keptMs } from "#store/messages/idempotency-keys.ts";
import { removeCalls } from "#store/pools/usage.ts";

/** The one lane of its kind. */
export const maintenanceLane = { id: "upkeep", kind: "upkeep" } as const;

/** How long things are kept, ms; null: for ever. */
export interface RetentionPolicy {
  messagesMs: number | null;
  webhooksMs: number;
  auditMs: number | null;
  /** The single AI calls; the sums of their days stay. */
  usageMs: number;
}

export interface MaintenanceParts extends Pick<Core, "clock" | "database" | "log" | "signals"> {
  retention: RetentionPolicy;
  /** How often there is a turn, ms. */
  intervalMs: number;
}

/** Rows in one transaction at the most: it keeps the writer for some tens of milliseconds. */
const atOnce = 500;
/** A removal that took longer than this (a slow disk, a busy machine) is followed by one of half as many rows, down to `fewest`. */
const longestBatchMs = 50;
const fewest = 50;
/** Of each kind in one turn: 50,000 rows a minute, more than what a busy installation accepts. */
const batchesATurn = 100;
/** Between two batches others get at least four times as long as the batch took, and never less than this. */
const shortestPauseMs = 20;
/** Files looked at together. */
const filesATurn = 50;
/** What a walk passed without removing it (it was pending, or unknown) is looked at again this much later. */
const againMs = 3_600_000;

/** Where the walks are. */
interface Place {
  after: string;
  /** When this walk began, monotonic ms. */
  begunAt: number;
  /** Rows in its next batch. */
  limit: number;
}

/** Rows for the next batch, after one of `limit` that took `ms`. */
function nextLimit(limit: number, ms: number): number {
  if (ms > longestBatchMs) return Math.max(fewest, Math.floor(limit / 2));
  return ms < longestBatchMs / 4 ? Math.min(atOnce, limit * 2) : limit;
}

/** Looks after the installation once. `places` is kept from turn to turn, so that nothing is read over and over. */
export async function runMaintenance(
  parts: MaintenanceParts,
  places: Map<string, Place>,
  signal: AbortSignal,
): Promise<void> {
  const { database, clock, log, retention: keep } = parts;
  const now = clock.now();

  /** Batches until there is nothing more, the turn has had its share, or it is to stop. */
  const batches = async (one: () => Promise<boolean>): Promise<void> => {
    for (let batch = 0; batch < batchesATurn && !signal.aborted; batch++) {
      const begun = clock.monotonic();
      if (!(await one())) return;
      await clock.sleep(Math.max(shortestPauseMs, 4 * (clock.monotonic() - begun)), signal);
    }
  };
  const remove = async (
    what: string,
    one: (after: string, limit: number) => Promise<Removal>,
  ): Promise<void> => {
    let place = places.get(what);
    if (!place || clock.monotonic() - place.begunAt >= againMs) {
      place = { after: "", begunAt: clock.monotonic(), limit: place?.limit ?? atOnce };
      places.set(what, place);
    }
    let removed = 0;
    await batches(async () => {
      const begun = clock.monotonic();
      const batch = await one(place.after, place.limit);
      place.limit = nextLimit(place.limit, clock.monotonic() - begun);
      removed += batch.removed;
      if (batch.next !== null) place.after = batch.next;
      return batch.next !== null;
    });
    if (removed > 0) log.info({ what, removed }, "removed what was kept for long enough");
  };

  const refreshed = places.get("statistics");
  if (!refreshed || clock.monotonic() - refreshed.begunAt >= againMs) {
    places.set("statistics", { after: "", begunAt: clock.monotonic(), limit: 1 });
    let after: string | null = null;
    await batches(async () => {
      after = await database.run(refreshStatistics, { after });
      return after !== null;
    });
    if (signal.aborted) return;
  }
  for (const overdue of await database.run(findOverdue, { bands: priorities, now })) {
    await batches(async () => {
      const found = await database.run(expireOverdue, {
        ...overdue,
        bands: priorities,
        at: clock.now(),
        limit: atOnce,
      });
      if (found > 0) parts.signals.emit("eventsRecorded");
      return found === atOnce;
    });
  }
  await batches(
    async () => (await database.run(forgetRepeatable, { before: now - keptMs, limit: atOnce })) === atOnce,
  );
  await batches(async () => (await database.run(forgetProofs, { now, limit: atOnce })) === atOnce);
  await batches(
    async () =>
      (await database.run(forgetSoftBounces, { before: now - softRestMs, limit: atOnce })) === atOnce,
  );
  if (signal.aborted) return;
  await database.run(forgetEnded, now);

  const hold = await database.run(readHold, null);
  if (hold !== null && hold.messages + hold.deliveries + hold.events === 0)
    await database.run(forgetHold, null);
  // A copy of long ago is full of what is old: first its operator says what is to become of it.
  else if (hold !== null) return;

  // Of files, a batch is one at most: its steps are the small ones, and each is one too.
  const inSteps = async (step: () => Promise<boolean>): Promise<void> => {
    let done = false;
    await batches(async () => {
      done = await step();
      return !done;
    });
  };
  for (const id of await database.run(findLooseFiles, { before: now - looseMs, limit: filesATurn })) {
    await inSteps(() => database.run(removeLooseFile, { id, at: clock.now() }));
  }
  await remove("contents of attachments", async (after) => {
    const page = await database.run(findUnneededFiles, { after, limit: filesATurn });
    for (const id of page.unneeded) await inSteps(() => database.run(emptyFile, { id, at: clock.now() }));
    return { removed: page.unneeded.length, next: page.next };
  });

  if (keep.messagesMs !== null) {
    const since = now - keep.messagesMs;
    await remove("messages", (after, limit) =>
      database.run(removeMessages, { after, before: idAt("msg", since), unchangedSince: since, limit }),
    );
    await remove("inbound messages", (_, limit) =>
      database.run(removeInbound, { before: idAt("in", since), limit }),
    );
    await remove("unmatched receipts", (after, limit) =>
      database.run(removeUnmatched, { after, before: since, limit }),
    );
  }
  await remove("webhook events", (after, limit) =>
    database.run(removeWebhookEvents, { after, before: now - keep.webhooksMs, limit }),
  );
  const { auditMs } = keep;
  if (auditMs !== null) {
    await remove("audit entries", (_, limit) =>
      database.run(removeAudit, { before: idAt("aud", now - auditMs), limit }),
    );
  }
  await remove("AI calls", async (_, limit) => {
    // A call is named by its request.
    const removed = await database.run(removeCalls, {
      before: idAt("req", now - keep.usageMs),
      limit,
    });
    return { removed, next: removed === limit ? "" : null };
  });
}

/** Drives the upkeep in the process that owns its lane. */
export function openMaintenance(parts: MaintenanceParts, lane: { id: string; fence: number }): OpenLane {
  const { clock, log, intervalMs: everyMs } = parts;
  const stopping = new AbortController();
  const wait = new AutoResetEvent();
  const places = new Map<string, Place>();
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await runMaintenance(parts, places, stopping.signal);
      } catch (error) {
        log.warn({ error }, "the upkeep was broken off; it goes on in its next turn");
      }
      if (!stopping.signal.aborted) await wait.wait(clock, everyMs);
    }
  };
  const ended = run();
  return {
    ...lane,
    inFlight: 0,
    wake: () => {},
    stop: async () => {
      stopping.abort();
      wait.set();
      await ended;
    },
    abort: () => stopping.abort(),
  };
}
