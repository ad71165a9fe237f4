// The maintenance of an installation, a lane of its own so that one process runs it at a time: it expires overdue messages
// of lanes that do not send, cancels deferred completions whose key is gone, and removes what is older than the retention
// policy, in small batches with pauses between them. Two processes at once would do no harm, only the same work twice.

import type { Core } from "#core/core.ts";
import { smpp } from "#gateways/sms/smpp/smpp.ts";
import { openLoop } from "#queue/loop.ts";
import type { OpenLane } from "#queue/open-lane.ts";
import { priorities } from "#queue/priority.ts";
import { idAt } from "#runtime/ids.ts";
import { dayOf } from "#runtime/time-zones.ts";
import { countsTtlMs, deleteMessageCounts } from "#store/counts/message-counts.ts";
import {
  deleteFileContent,
  deleteUnboundFile,
  findUnboundFiles,
  findUnneededFiles,
  unboundTtlMs,
} from "#store/email/attachments.ts";
import { refreshStatistics } from "#store/engine/statistics.ts";
import { deleteSoftBounces, softBounceTtlMs } from "#store/feedback/bounces.ts";
import { deleteExpiredSignatures } from "#store/feedback/callback-signatures.ts";
import { settlePartlyDelivered } from "#store/feedback/partly-delivered.ts";
import { deleteReplyWindows, replyWindowMs } from "#store/feedback/reply-windows.ts";
import { deleteSenderNames, senderNameMs } from "#store/feedback/sender-names.ts";
import { deletePauses } from "#store/gateways/pauses.ts";
import {
  deleteExpiredSessions,
  deleteIdempotencyKeys,
  expireOverdue,
  findOverdueLanes,
} from "#store/maintenance/overdue.ts";
import { deleteEmptyRestoreHold, readRestoreHold } from "#store/maintenance/restore-hold.ts";
import {
  type DeletionStep,
  deleteAuditEntries,
  deleteInbound,
  deleteMessages,
  deleteUnmatchedReceipts,
  deleteWebhookEvents,
} from "#store/maintenance/retention.ts";
import { idempotencyTtlMs } from "#store/messages/idempotency-keys.ts";
import { choiceTtlMs, deleteSpreadChoices } from "#store/phones/spread.ts";
import { deleteExpiredAnswers } from "#store/pools/answers.ts";
import { deleteOldContents } from "#store/pools/call-contents.ts";
import { cancelKeyless, deleteDeferred } from "#store/pools/deferred-completions.ts";
import { deleteCalls } from "#store/pools/usage.ts";
import { deleteUsageSums } from "#store/pools/usage-retention.ts";

/** The one lane of its kind. */
export const maintenanceLane = { id: "maintenance", kind: "maintenance" } as const;

/** How long rows are kept after they ended, ms; null: for ever. */
export interface RetentionPolicy {
  messagesMs: number | null;
  webhooksMs: number;
  auditMs: number | null;
  /** The rows of single AI calls, and sums by hour, end user and tag; the sums of each day stay. */
  usageMs: number;
  /** Deferred completions, with their results, after they ended. */
  deferredMs: number;
}

export interface MaintenanceDeps extends Pick<Core, "clock" | "database" | "log"> {
  retention: RetentionPolicy;
  /** The time between two turns, ms. */
  intervalMs: number;
}

/** Rows in one transaction, at most: it occupies the writer for some tens of milliseconds. */
const batchSize = 500;
/** A removal that took longer (a slow disk, a busy machine) is followed by one of half as many rows, down to `minBatchSize`. */
const maxBatchMs = 50;
const minBatchSize = 50;
/** Batches of each kind in one turn: 50,000 rows a minute, more than what a busy installation accepts. */
const batchesPerTurn = 100;
/** The pause after a batch is four times as long as the batch took, and never shorter than this. */
const minPauseMs = 20;
/** Files in one page. */
const filePageSize = 50;
/** A scan that passed rows without removing them (they were pending, or unknown) starts over after this long. */
const rescanMs = 3_600_000;

/** The last row that a scan has passed. */
interface ScanCursor {
  after: string;
  /** When this scan began, monotonic ms. */
  startedAt: number;
  /** Rows in the next batch. */
  limit: number;
}

/** The size of the next batch, after one of `limit` rows that took `ms`. */
function nextLimit(limit: number, ms: number): number {
  if (ms > maxBatchMs) return Math.max(minBatchSize, Math.floor(limit / 2));
  return ms < maxBatchMs / 4 ? Math.min(batchSize, limit * 2) : limit;
}

/** One turn. `cursors` are kept from turn to turn, so that a scan goes on where it stopped. */
export async function runMaintenance(
  deps: MaintenanceDeps,
  cursors: Map<string, ScanCursor>,
  signal: AbortSignal,
): Promise<void> {
  const { database, clock, log, retention } = deps;
  const now = clock.now();

  /** Runs batches until one returns false, the turn has had its share, or the signal aborts. */
  const runBatches = async (batch: () => Promise<boolean>): Promise<void> => {
    for (let count = 0; count < batchesPerTurn && !signal.aborted; count++) {
      const startedAt = clock.monotonic();
      if (!(await batch())) return;
      await clock.sleep(Math.max(minPauseMs, 4 * (clock.monotonic() - startedAt)), signal);
    }
  };
  const remove = async (
    what: string,
    removeBatch: (after: string, limit: number) => Promise<DeletionStep>,
  ): Promise<void> => {
    let cursor = cursors.get(what);
    if (!cursor || clock.monotonic() - cursor.startedAt >= rescanMs) {
      cursor = { after: "", startedAt: clock.monotonic(), limit: cursor?.limit ?? batchSize };
      cursors.set(what, cursor);
    }
    let removed = 0;
    await runBatches(async () => {
      const startedAt = clock.monotonic();
      const batch = await removeBatch(cursor.after, cursor.limit);
      cursor.limit = nextLimit(cursor.limit, clock.monotonic() - startedAt);
      removed += batch.deleted;
      if (batch.next !== null) cursor.after = batch.next;
      return batch.next !== null;
    });
    if (removed > 0)
      log.info(
        { event: "maintenance.removed", what, removed },
        "Maintenance removed rows past their retention.",
      );
  };

  const refreshed = cursors.get("statistics");
  if (!refreshed || clock.monotonic() - refreshed.startedAt >= rescanMs) {
    cursors.set("statistics", { after: "", startedAt: clock.monotonic(), limit: 1 });
    let after: string | null = null;
    await runBatches(async () => {
      after = await database.run(refreshStatistics, { after });
      return after !== null;
    });
    if (signal.aborted) return;
  }
  for (const overdue of await database.run(findOverdueLanes, { priorities, now })) {
    await runBatches(async () => {
      const found = await database.run(expireOverdue, {
        ...overdue,
        priorities,
        at: clock.now(),
        limit: batchSize,
      });
      return found === batchSize;
    });
  }
  await runBatches(async () => {
    const input = { kinds: [smpp.kind], at: clock.now(), limit: batchSize };
    const found = await database.run(settlePartlyDelivered, input);
    return found === batchSize;
  });
  await runBatches(async () => {
    const cancelled = await database.run(cancelKeyless, {
      poolId: null,
      at: clock.now(),
      limit: minBatchSize,
    });
    return cancelled === minBatchSize;
  });
  await runBatches(
    async () =>
      (await database.run(deleteIdempotencyKeys, { before: now - idempotencyTtlMs, limit: batchSize })) ===
      batchSize,
  );
  await runBatches(
    async () => (await database.run(deleteExpiredAnswers, { now, limit: minBatchSize })) === minBatchSize,
  );
  await runBatches(
    async () => (await database.run(deleteExpiredSignatures, { now, limit: batchSize })) === batchSize,
  );
  await runBatches(
    async () =>
      (await database.run(deleteReplyWindows, { before: now - replyWindowMs, limit: batchSize })) ===
      batchSize,
  );
  await runBatches(
    async () =>
      (await database.run(deleteSenderNames, { before: now - senderNameMs, limit: batchSize })) === batchSize,
  );
  const oldChoices = { before: now - choiceTtlMs, limit: batchSize };
  await runBatches(async () => (await database.run(deleteSpreadChoices, oldChoices)) === batchSize);
  await runBatches(
    async () =>
      (await database.run(deleteSoftBounces, { before: now - softBounceTtlMs, limit: batchSize })) ===
      batchSize,
  );
  for (const step of ["minute", "hour", "endpoint_hour"] as const) {
    const old = { step, before: now - countsTtlMs[step], limit: batchSize };
    await runBatches(async () => (await database.run(deleteMessageCounts, old)) === batchSize);
  }
  const oldPauses = { before: now - countsTtlMs.hour, limit: batchSize };
  await runBatches(async () => (await database.run(deletePauses, oldPauses)) === batchSize);
  if (signal.aborted) return;
  await database.run(deleteExpiredSessions, now);

  const hold = await database.run(readRestoreHold, null);
  if (hold !== null && hold.messages + hold.deliveries + hold.events === 0)
    await database.run(deleteEmptyRestoreHold, null);
  // A restored copy is full of old rows: nothing is removed until its operator releases or cancels what is held.
  else if (hold !== null) return;

  // A file is removed in steps, and each step counts as a batch.
  const runSteps = async (step: () => Promise<boolean>): Promise<void> => {
    let done = false;
    await runBatches(async () => {
      done = await step();
      return !done;
    });
  };
  for (const id of await database.run(findUnboundFiles, {
    before: now - unboundTtlMs,
    limit: filePageSize,
  })) {
    await runSteps(() => database.run(deleteUnboundFile, { id, at: clock.now() }));
  }
  await remove("contents of attachments", async (after) => {
    const page = await database.run(findUnneededFiles, { after, limit: filePageSize });
    for (const id of page.unneeded)
      await runSteps(() => database.run(deleteFileContent, { id, at: clock.now() }));
    return { deleted: page.unneeded.length, next: page.next };
  });

  if (retention.messagesMs !== null) {
    const since = now - retention.messagesMs;
    await remove("messages", (after, limit) =>
      database.run(deleteMessages, { after, before: idAt("msg", since), unchangedSince: since, limit }),
    );
    await remove("inbound messages", (_, limit) =>
      database.run(deleteInbound, { before: idAt("in", since), limit }),
    );
    await remove("unmatched receipts", (after, limit) =>
      database.run(deleteUnmatchedReceipts, { after, before: since, limit }),
    );
  }
  await remove("webhook events", (after, limit) =>
    database.run(deleteWebhookEvents, { after, before: now - retention.webhooksMs, limit }),
  );
  const { auditMs } = retention;
  if (auditMs !== null) {
    await remove("audit entries", (_, limit) =>
      database.run(deleteAuditEntries, { before: idAt("aud", now - auditMs), limit }),
    );
  }
  await remove("AI calls", async (_, limit) => {
    // The id of a call is the id of its request.
    const removed = await database.run(deleteCalls, {
      before: idAt("req", now - retention.usageMs),
      limit,
    });
    return { deleted: removed, next: removed === limit ? "" : null };
  });
  // From pool to pool: a walk that has passed the last one begins anew in the next turn.
  const contents = cursors.get("contents of AI calls") ?? { after: "", startedAt: 0, limit: minBatchSize };
  cursors.set("contents of AI calls", contents);
  await runBatches(async () => {
    const { after, limit } = contents;
    const { next } = await database.run(deleteOldContents, { after, now, limit });
    contents.after = next ?? "";
    return next !== null;
  });
  await remove("deferred completions", (after, limit) => {
    const endedBefore = now - retention.deferredMs;
    return database.run(deleteDeferred, { after, before: idAt("cmp", endedBefore), endedBefore, limit });
  });
  await remove("sums of AI usage", async (_, limit) => {
    const before = dayOf(now - retention.usageMs, "UTC");
    const removed = await database.run(deleteUsageSums, { before, limit });
    return { deleted: removed, next: removed === limit ? "" : null };
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
