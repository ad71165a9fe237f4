// What is removed once it is older than the retention policy allows.

import { idAt } from "#runtime/ids.ts";
import { dayOf } from "#runtime/time-zones.ts";
import type { Database, Operation } from "#store/database.ts";
import {
  type DeletionStep,
  deleteAuditEntries,
  deleteInbound,
  deleteMessages,
  deleteUnmatchedReceipts,
  deleteWebhookEvents,
} from "#store/maintenance/retention.ts";
import { deleteDeferred } from "#store/pools/deferred-completions.ts";
import { deleteCalls } from "#store/pools/usage.ts";
import { deleteUsageSums } from "#store/pools/usage-retention.ts";

/** How long rows are kept after they ended, ms; null to keep them forever. */
export interface RetentionPolicy {
  messagesMs: number | null;
  webhooksMs: number;
  auditMs: number | null;
  /** The rows of single AI calls, and sums by hour, end user and tag; the sums of each day stay. */
  usageMs: number;
  /** Deferred completions, with their results, after they ended. */
  deferredMs: number;
}

/** Removes a batch of rows that ended before `before` (epoch ms); a scan continues after `after`. */
interface BatchInput {
  before: number;
  after: string;
  limit: number;
}

interface Removal {
  what: string;
  age: keyof RetentionPolicy;
  run(database: Database, of: BatchInput): Promise<DeletionStep>;
}

/** For an operation that returns how many rows it removed: after a full batch there may be more. */
const removal = <I>(
  what: string,
  age: keyof RetentionPolicy,
  operation: Operation<I, DeletionStep | number>,
  input: (of: BatchInput) => I,
): Removal => ({
  what,
  age,
  run: async (database, of) => {
    const step = await database.run(operation, input(of));
    return typeof step === "number" ? { deleted: step, next: step === of.limit ? "" : null } : step;
  },
});

export const removals: readonly Removal[] = [
  removal("messages", "messagesMs", deleteMessages, ({ before, ...of }) => ({
    ...of,
    before: idAt("msg", before),
    unchangedSince: before,
  })),
  removal("inbound messages", "messagesMs", deleteInbound, ({ before, limit }) => ({
    before: idAt("in", before),
    limit,
  })),
  removal("unmatched receipts", "messagesMs", deleteUnmatchedReceipts, (of) => of),
  removal("webhook events", "webhooksMs", deleteWebhookEvents, (of) => of),
  removal("audit entries", "auditMs", deleteAuditEntries, ({ before, limit }) => ({
    before: idAt("aud", before),
    limit,
  })),
  // The id of a call is the id of its request.
  removal("AI calls", "usageMs", deleteCalls, ({ before, limit }) => ({
    before: idAt("req", before),
    limit,
  })),
  removal("deferred completions", "deferredMs", deleteDeferred, ({ before, ...of }) => ({
    ...of,
    before: idAt("cmp", before),
    endedBefore: before,
  })),
  removal("sums of AI usage", "usageMs", deleteUsageSums, ({ before, limit }) => ({
    before: dayOf(before, "UTC"),
    limit,
  })),
];
