// Deferred completions: each row is the request and its job in the lane of its pool. An attempt is counted before the pool is called, under
// the lane's fence, and settled by its number, so that of two owners of a lane only one ends the row.

import { sql } from "kysely";
import type { DeferredStatus } from "#contract/ai/deferred.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { type DueQuery, selectDue, selectNextDue } from "#store/lanes/due.ts";
import { newLane } from "#store/lanes/lanes.ts";
import type { DeferredCompletionsTable } from "#store/schema/pools.ts";
import { eventIdOf, recordEvents } from "#store/webhooks/outbox.ts";

/** The context in which a request and a result are sealed. */
export const deferredContext = (id: string, column: "request" | "result") =>
  `deferred_completions ${id} ${column}`;

/** How many deferred completions may wait in a pool. */
export const maxDeferred = 10_000;
export const maxDeferredBytes = 1024 * 1024 * 1024;
/** The share of one key: a tenth, so that no key blocks the others. */
export const maxKeyDeferred = maxDeferred / 10;
export const maxKeyDeferredBytes = Math.floor(maxDeferredBytes / 10);

/** The maximum size of kept results, sealed: of a pool, and of one of its keys. */
export const maxKeptBytes = 10 * 1024 * 1024 * 1024;
export const maxKeyKeptBytes = maxKeptBytes / 10;

export type InsertDeferredResult = { kind: "stored" } | { kind: "full"; of: "pool" | "key" };

/** Stores a deferred completion, and the lane of its pool if it has none yet. `full`: too many wait, in the pool or of the key. */
export const insertDeferred = writeOperation(
  "insertDeferred",
  async (tx, row: DeferredCompletionsTable): Promise<InsertDeferredResult> => {
    const waiting = await tx.db
      .selectFrom(tx.indexed("deferred_completions", "deferred_completions_due"))
      .select((eb) => [
        eb.fn.countAll<number>().as("count"),
        sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as("bytes"),
        sql<number>`cast(coalesce(sum(case when key_id = ${row.key_id} then 1 end), 0) as bigint)`.as("own"),
        sql<number>`cast(coalesce(sum(case when key_id = ${row.key_id} then bytes end), 0) as bigint)`.as(
          "own_bytes",
        ),
      ])
      .where("pool_id", "=", row.pool_id)
      .where("due_at", "is not", null)
      .executeTakeFirstOrThrow();
    if (Number(waiting.own) >= maxKeyDeferred || Number(waiting.own_bytes) + row.bytes > maxKeyDeferredBytes)
      return { kind: "full", of: "key" };
    if (Number(waiting.count) >= maxDeferred || Number(waiting.bytes) + row.bytes > maxDeferredBytes)
      return { kind: "full", of: "pool" };
    await tx.db.insertInto("deferred_completions").values(row).execute();
    const lanes = await tx.db
      .insertInto("lanes")
      .values(newLane(row.pool_id, "deferred"))
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .execute();
    if (lanes.length > 0) tx.changes.add("lanes");
    tx.changes.due(row.pool_id, row.due_at ?? undefined);
    tx.changes.topic(row.account_id, "calls");
    return { kind: "stored" };
  },
);

/** Bytes of the results that a pool keeps, by key. It reads one index entry for each. */
export const readKeptResults = readOperation(
  "readKeptResults",
  async (tx, poolId: string): Promise<{ keyId: string; bytes: number }[]> => {
    const kept = await tx.db
      .selectFrom(tx.indexed("deferred_completions", "deferred_completions_kept"))
      .select(["key_id", sql<number>`cast(sum(bytes) as bigint)`.as("bytes")])
      .where("pool_id", "=", poolId)
      .where("due_at", "is", null)
      .groupBy("key_id")
      .execute();
    return kept.map(({ key_id, bytes }) => ({ keyId: key_id, bytes: Number(bytes) }));
  },
);

/** The deferred completion with this id that the key created. */
export const findDeferred = readOperation(
  "findDeferred",
  async (tx, of: { id: string; keyId: string }): Promise<DeferredCompletionsTable | null> => {
    const row = await tx.db
      .selectFrom("deferred_completions")
      .selectAll()
      .where("id", "=", of.id)
      .where("key_id", "=", of.keyId)
      .executeTakeFirst();
    return row ?? null;
  },
);

/** How a deferred completion ends. `error`: the code, for the event. */
export interface DeferredEnd {
  status: Extract<DeferredStatus, "completed" | "failed" | "cancelled">;
  /** Sealed. */
  result: string | null;
  error: string | null;
}

/** Ends rows that are locked, and records the event for the account's endpoints. */
async function end(tx: Tx, rows: readonly EndedRow[], at: number): Promise<void> {
  for (const { row, ...ended } of rows) {
    tx.changes.topic(row.account_id, "calls");
    await tx.db
      .updateTable("deferred_completions")
      .set({
        status: ended.status,
        result: ended.result,
        request: null,
        bytes: ended.result?.length ?? 0,
        due_at: null,
        finished_at: at,
      })
      .where("id", "=", row.id)
      .execute();
  }
  await recordEvents(
    tx,
    rows.map(({ row, status, error }) => ({
      id: eventIdOf(row.id, "done"),
      accountId: row.account_id,
      type: "completion.done",
      at,
      data: { id: row.id, object: "deferred_completion", status, attempts: row.attempts, error },
    })),
  );
}

interface EndedRow extends DeferredEnd {
  row: Pick<DeferredCompletionsTable, "account_id" | "attempts" | "id">;
}

/** The owner of the completion: the key that created it, or a pool of an account. */
type Whose = { keyId: string } | { accountId: string; poolId: string };

const isOf = ({ key_id, account_id, pool_id }: DeferredCompletionsTable, whose: Whose): boolean =>
  "keyId" in whose ? key_id === whose.keyId : account_id === whose.accountId && pool_id === whose.poolId;

/** Cancels a deferred completion. `ended`: it had already ended. Null if there is none with this id. */
export const cancelDeferred = writeOperation(
  "cancelDeferred",
  async (
    tx,
    of: { id: string; at: number } & Whose,
  ): Promise<{ row: DeferredCompletionsTable; ended: boolean } | null> => {
    const row = await tx.db
      .selectFrom("deferred_completions")
      .selectAll()
      .where("id", "=", of.id)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (!row || !isOf(row, of)) return null;
    if (row.finished_at !== null) return { row, ended: true };
    await end(tx, [{ row, status: "cancelled", result: null, error: null }], of.at);
    return { row: { ...row, status: "cancelled", due_at: null, finished_at: of.at }, ended: false };
  },
);

/**
 * Cancels waiting completions of keys that were revoked, have expired by `at` or no longer exist: of one pool, or of all (null). At most
 * `limit` in one transaction; returns how many.
 */
export const cancelKeyless = writeOperation(
  "cancelKeyless",
  async (tx, input: { poolId: string | null; at: number; limit: number }): Promise<number> => {
    let query = tx.db
      .selectFrom(tx.indexed("deferred_completions", "deferred_completions_due"))
      .select(["id", "account_id", "attempts"])
      .where("due_at", "is not", null)
      .where(
        sql<boolean>`not exists (select 1 from pool_keys where pool_keys.id = deferred_completions.key_id
          and pool_keys.revoked_at is null
          and (pool_keys.expires_at is null or pool_keys.expires_at > ${input.at}))`,
      );
    if (input.poolId !== null) query = query.where("pool_id", "=", input.poolId);
    const rows = await query.limit(input.limit).modifyEnd(tx.lock("update")).execute();
    await end(
      tx,
      rows.map((row) => ({ row, status: "cancelled", result: null, error: "invalid_api_key" })),
      input.at,
    );
    return rows.length;
  },
);

/** A completion that waits or is being served, without its request. */
export type WaitingDeferred = Omit<DeferredCompletionsTable, "request" | "result">;

/** The waiting completions of the account's pool, newest first, before an id (null: the newest of all). `keyId` null: of every key. */
export const listWaitingDeferred = readOperation(
  "listWaitingDeferred",
  async (
    tx,
    of: { accountId: string; poolId: string; keyId: string | null; before: string | null; limit: number },
  ): Promise<WaitingDeferred[]> => {
    let query = tx.db
      .selectFrom(tx.indexed("deferred_completions", "deferred_completions_due"))
      .select([
        "id",
        "account_id",
        "pool_id",
        "key_id",
        "api",
        "status",
        "priority",
        "due_at",
        "attempts",
        "expires_at",
        "bytes",
        "scheduled_for",
        "created_at",
        "finished_at",
      ])
      .where("pool_id", "=", of.poolId)
      .where("account_id", "=", of.accountId)
      .where("due_at", "is not", null);
    if (of.keyId !== null) query = query.where("key_id", "=", of.keyId);
    if (of.before !== null) query = query.where("id", "<", of.before);
    return await query.orderBy("id", "desc").limit(of.limit).execute();
  },
);

export interface DueDeferred {
  id: string;
  priority: number;
  due_at: number;
}

/** The next due completions of a pool; the lane is the pool's. Read-only. */
export const readDueDeferred = readOperation(
  "readDueDeferred",
  async (tx, input: DueQuery) =>
    await selectDue<DueDeferred>(tx, "deferred_completions", sql`id, priority, due_at`, input),
);

/** When the pool's next completion that is not due yet becomes due; null if there is none. */
export const nextDueDeferred = readOperation(
  "nextDueDeferred",
  async (tx, input: { laneId: string; priorities: readonly number[]; now: number }) =>
    await selectNextDue(tx, "deferred_completions", input),
);

/**
 * Counts an attempt of each one that still waits. They stay due, so that the next owner of the lane retries those that were under way when
 * this one died. `fenced`: the lane belongs to another process.
 */
export const beginDeferred = writeOperation(
  "beginDeferred",
  async (
    tx,
    input: { poolId: string; fence: number; ids: readonly string[] },
  ): Promise<{ kind: "begun"; rows: DeferredCompletionsTable[] } | { kind: "fenced" }> => {
    const lane = await tx.db
      .selectFrom("lanes")
      .select("fence")
      .where("id", "=", input.poolId)
      // A takeover waits for this transaction, or this one sees its higher fence.
      .modifyEnd(tx.lock("share"))
      .executeTakeFirst();
    if (lane?.fence !== input.fence) return { kind: "fenced" };
    const rows = await tx.db
      .updateTable(tx.indexed("deferred_completions"))
      .set((eb) => ({ status: "in_progress", attempts: eb("attempts", "+", 1) }))
      .where("id", "in", input.ids)
      .where("due_at", "is not", null)
      .returningAll()
      .execute();
    return { kind: "begun", rows };
  },
);

/** The outcome of an attempt. `dueAt`: when the pool is called again, epoch ms. */
export type DeferredOutcome = ({ kind: "ended" } & DeferredEnd) | { kind: "retry"; dueAt: number };

/** Stores the outcome of an attempt, unless it was cancelled or belongs to an earlier owner. Returns when it is due again. */
export const settleDeferred = writeOperation(
  "settleDeferred",
  async (
    tx,
    input: { id: string; attempt: number; at: number; outcome: DeferredOutcome },
  ): Promise<number | null> => {
    const row = await tx.db
      .selectFrom("deferred_completions")
      .select(["id", "account_id", "attempts", "due_at"])
      .where("id", "=", input.id)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (!row) return null;
    if (row.due_at === null || row.attempts !== input.attempt) return row.due_at;
    const { outcome } = input;
    if (outcome.kind === "ended") {
      const { status, result, error } = outcome;
      await end(tx, [{ row, status, result, error }], input.at);
      return null;
    }
    await tx.db
      .updateTable("deferred_completions")
      .set({ status: "queued", due_at: outcome.dueAt })
      .where("id", "=", input.id)
      .execute();
    return outcome.dueAt;
  },
);

/** Ends the completions that wait in a restored copy, because it is unknown whether the original has answered them. Returns how many. */
export async function failRestored(tx: Tx, at: number, limit: number): Promise<number> {
  const rows = await tx.db
    .selectFrom(tx.indexed("deferred_completions", "deferred_completions_due"))
    .select(["id", "account_id", "attempts"])
    .where("due_at", "is not", null)
    .limit(limit)
    .execute();
  await end(
    tx,
    rows.map((row) => ({ row, status: "failed", result: null, error: "restored" })),
    at,
  );
  return rows.length;
}

/** Removes those that ended before `endedBefore`, walking along ids after `after`. Reads `limit` of them. */
export const deleteDeferred = writeOperation(
  "deleteDeferred",
  async (tx, input: { after: string; before: string; endedBefore: number; limit: number }) => {
    const found = await tx.db
      .selectFrom("deferred_completions")
      .select(["id", "finished_at"])
      .where("id", ">", input.after)
      .where("id", "<", input.before)
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const ids = found.flatMap(({ id, finished_at }) =>
      finished_at !== null && finished_at < input.endedBefore ? [id] : [],
    );
    if (ids.length > 0)
      await tx.db.deleteFrom(tx.indexed("deferred_completions")).where("id", "in", tx.list(ids)).execute();
    return { deleted: ids.length, next: found.length < input.limit ? null : found.at(-1)!.id };
  },
);
