// The maintenance of an installation, a lane of its own so that one process runs it at a time: it expires overdue messages
// of lanes that do not send, cancels deferred completions whose key is gone, and removes what is older than the retention
// policy, in small batches with pauses between them. Two processes at once would do no harm, only the same work twice.

import type { Core } from "#core/core.ts";
import { openLoop } from "#queue/loop.ts";
import type { OpenLane } from "#queue/open-lane.ts";
import { priorities } from "#queue/priority.ts";
import {
  deleteFileContent,
  deleteUnboundFile,
  findUnboundFiles,
  findUnneededFiles,
  unboundTtlMs,
} from "#store/email/attachments.ts";
import { refreshStatistics } from "#store/engine/statistics.ts";
import { deleteExpiredSessions, expireOverdue, findOverdueLanes } from "#store/maintenance/overdue.ts";
import { deleteEmptyRestoreHold, readRestoreHold } from "#store/maintenance/restore-hold.ts";
import { deleteOldContents } from "#store/pools/call-contents.ts";
import { Batches, batchSize, minBatchSize, type ScanCursor } from "./batches.ts";
import { type RetentionPolicy, removals } from "./removals.ts";
import { sweeps } from "./sweeps.ts";

/** The one lane of its kind. */
export const maintenanceLane = { id: "maintenance", kind: "maintenance" } as const;

export interface MaintenanceDeps extends Pick<Core, "clock" | "database" | "log"> {
  retention: RetentionPolicy;
  /** The time between two turns, ms. */
  intervalMs: number;
}

/** Files in one page. */
const filePageSize = 50;

/** One turn. `cursors` are kept between turns, so that a scan continues where it stopped. */
export async function runMaintenance(
  deps: MaintenanceDeps,
  cursors: Map<string, ScanCursor>,
  signal: AbortSignal,
): Promise<void> {
  const { database, clock } = deps;
  const now = clock.now();
  const batches = new Batches(deps, cursors, signal);

  await refreshAllStatistics(deps, batches);
  if (signal.aborted) return;
  await expireMessages(deps, batches, now);
  for (const { limit, run } of sweeps) {
    await batches.run(async () => {
      return (await run(database, { now, at: clock.now(), limit })) === limit;
    });
  }
  if (signal.aborted) return;
  await database.run(deleteExpiredSessions, now);

  const hold = await database.run(readRestoreHold, null);
  if (hold !== null && hold.messages + hold.deliveries + hold.events === 0)
    await database.run(deleteEmptyRestoreHold, null);
  // A restored copy is full of old rows: nothing is removed until its operator releases or cancels what is held.
  else if (hold !== null) return;

  await removeFiles(deps, batches, now);
  for (const { what, age, run } of removals) {
    const keptMs = deps.retention[age];
    if (keptMs === null) continue;
    await batches.remove(what, (after, limit) => run(database, { before: now - keptMs, after, limit }));
  }
  await removeContents(deps, batches, cursors, now);
}

async function refreshAllStatistics({ database }: MaintenanceDeps, batches: Batches): Promise<void> {
  if (!batches.scan("statistics").isNew) return;
  let after: string | null = null;
  await batches.run(async () => {
    after = await database.run(refreshStatistics, { after });
    return after !== null;
  });
}

async function expireMessages(deps: MaintenanceDeps, batches: Batches, now: number): Promise<void> {
  for (const overdue of await deps.database.run(findOverdueLanes, { priorities, now })) {
    await batches.run(async () => {
      const at = deps.clock.now();
      const found = await deps.database.run(expireOverdue, { ...overdue, priorities, at, limit: batchSize });
      return found === batchSize;
    });
  }
}

/** A file is removed in steps. */
async function removeFiles(
  { database, clock }: MaintenanceDeps,
  batches: Batches,
  now: number,
): Promise<void> {
  const unbound = { before: now - unboundTtlMs, limit: filePageSize };
  for (const id of await database.run(findUnboundFiles, unbound))
    await batches.steps(() => database.run(deleteUnboundFile, { id, at: clock.now() }));
  await batches.remove("contents of attachments", async (after) => {
    const page = await database.run(findUnneededFiles, { after, limit: filePageSize });
    for (const id of page.unneeded)
      await batches.steps(() => database.run(deleteFileContent, { id, at: clock.now() }));
    return { deleted: page.unneeded.length, next: page.next };
  });
}

/** From pool to pool: a walk that has passed the last one starts over in the next turn. */
async function removeContents(
  { database }: MaintenanceDeps,
  batches: Batches,
  cursors: Map<string, ScanCursor>,
  now: number,
): Promise<void> {
  const cursor = cursors.get("contents of AI calls") ?? { after: "", startedAt: 0, limit: minBatchSize };
  cursors.set("contents of AI calls", cursor);
  await batches.run(async () => {
    const { after, limit } = cursor;
    const { next } = await database.run(deleteOldContents, { after, now, limit });
    cursor.after = next ?? "";
    return next !== null;
  });
}

/** Starts the maintenance in the process that owns its lane. */
export function openMaintenance(deps: MaintenanceDeps, lane: { id: string; fence: number }): OpenLane {
  const { clock, log, intervalMs } = deps;
  const cursors = new Map<string, ScanCursor>();
  return openLoop(lane, {
    clock,
    log,
    turn: async (signal) => {
      await runMaintenance(deps, cursors, signal);
      return intervalMs;
    },
    failure: {
      event: "maintenance.failed",
      message: "Maintenance stopped early; it goes on in its next turn.",
    },
    retry: { firstMs: intervalMs, maxMs: intervalMs },
  });
}
