// Rows that end or are deleted by their age, independently of the retention policy: one after another, each in small batches.

import { smpp } from "#gateways/sms/smpp/smpp.ts";
import { countsTtlMs, deleteMessageCounts } from "#store/counts/message-counts.ts";
import type { Database, Operation } from "#store/database.ts";
import { deleteSoftBounces, softBounceTtlMs } from "#store/feedback/bounces.ts";
import { deleteExpiredSignatures } from "#store/feedback/callback-signatures.ts";
import { settlePartlyDelivered } from "#store/feedback/partly-delivered.ts";
import { deleteReplyWindows, replyWindowMs } from "#store/feedback/reply-windows.ts";
import { deleteSenderNames, senderNameMs } from "#store/feedback/sender-names.ts";
import { deletePauses } from "#store/gateways/pauses.ts";
import { deleteIdempotencyKeys } from "#store/maintenance/overdue.ts";
import { idempotencyTtlMs } from "#store/messages/idempotency-keys.ts";
import { choiceTtlMs, deleteSpreadChoices } from "#store/phones/spread.ts";
import { deleteExpiredAnswers } from "#store/pools/answers.ts";
import { cancelKeyless } from "#store/pools/deferred-completions.ts";
import { batchSize, minBatchSize } from "./batches.ts";

/** `now`: the beginning of the turn, `at`: that of the batch, both epoch ms. */
interface BatchInput {
  now: number;
  at: number;
  limit: number;
}

interface Sweep {
  /** Rows in one batch, at most. */
  limit: number;
  /** Runs one batch; returns the number of rows in it. */
  run(database: Database, of: BatchInput): Promise<number>;
}

const sweep = <I>(
  operation: Operation<I, number>,
  input: (of: BatchInput) => I,
  limit = batchSize,
): Sweep => ({ limit, run: (database, of) => database.run(operation, input(of)) });

/** The input of operations that delete what is older than this, ms. */
const olderThan =
  (ms: number) =>
  ({ now, limit }: BatchInput) => ({ before: now - ms, limit });

export const sweeps: readonly Sweep[] = [
  sweep(settlePartlyDelivered, ({ at, limit }) => ({ kinds: [smpp.kind], at, limit })),
  sweep(cancelKeyless, ({ at, limit }) => ({ poolId: null, at, limit }), minBatchSize),
  sweep(deleteIdempotencyKeys, olderThan(idempotencyTtlMs)),
  sweep(deleteExpiredAnswers, ({ now, limit }) => ({ now, limit }), minBatchSize),
  sweep(deleteExpiredSignatures, ({ now, limit }) => ({ now, limit })),
  sweep(deleteReplyWindows, olderThan(replyWindowMs)),
  sweep(deleteSenderNames, olderThan(senderNameMs)),
  sweep(deleteSpreadChoices, olderThan(choiceTtlMs)),
  sweep(deleteSoftBounces, olderThan(softBounceTtlMs)),
  ...(["minute", "hour", "endpoint_hour"] as const).map((step) =>
    sweep(deleteMessageCounts, (of) => ({ step, ...olderThan(countsTtlMs[step])(of) })),
  ),
  sweep(deletePauses, olderThan(countsTtlMs.hour)),
];
