// Requests and answers of calls to pools that keep a content log, sealed. The pool's current setting decides how long they are kept, when
// they are read and when they are deleted, so that a shorter time, or disabling the log, also applies to what is already stored.

import { sql } from "kysely";
import { batchedOperation, readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { CallContentsTable } from "#store/schema/pools.ts";

/** The context in which a call's content is sealed. */
export const contentContext = (callId: string) => `call_contents ${callId} content`;

const columns = {
  call_id: "text",
  account_id: "text",
  pool_id: "text",
  stored_at: "bigint",
  bytes: "bigint",
  content: "text",
} as const satisfies Record<keyof CallContentsTable, "text" | "bigint">;

const dayMs = 86_400_000;

/** How long the pool keeps contents, ms; null if it keeps none or no longer exists. */
async function retentionOf(tx: Tx, poolId: string): Promise<number | null> {
  const pool = await tx.db.selectFrom("pools").select("rules").where("id", "=", poolId).executeTakeFirst();
  if (pool === undefined) return null;
  const { content_log: log } = JSON.parse(pool.rules) as { content_log?: { retention_days: number } | null };
  return log ? log.retention_days * dayMs : null;
}

/** Stores contents of pools that keep them; an existing one is not replaced. */
export const keepCallContents = batchedOperation(
  "keepCallContents",
  async (tx, batches: readonly CallContentsTable[][]) => {
    const unique = [...new Map(batches.flat().map((row) => [row.call_id, row])).values()];
    const keeping = new Set<string>();
    for (const poolId of new Set(unique.map(({ pool_id }) => pool_id)))
      if ((await retentionOf(tx, poolId)) !== null) keeping.add(poolId);
    // The log may have been disabled while a call ran.
    const rows = unique.filter(({ pool_id }) => keeping.has(pool_id));
    if (rows.length === 0) return batches.map(() => null);
    for (const { account_id } of rows) tx.changes.topic(account_id, "calls");
    const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
    await sql`
      insert into call_contents (${names}) select ${names} from ${tx.rows("contents", columns, rows)} where true
      on conflict (call_id) do nothing
    `.execute(tx.db);
    return batches.map(() => null);
  },
);

/** A stored content, and when it is deleted by the pool's current setting. `off`: the pool keeps none. */
export type FoundContent = "off" | { content: string; stored_at: number; deleted_at: number } | null;

/** The request and answer of a call of the account's pool; null if nothing is stored of it. */
export const findCallContent = readOperation(
  "findCallContent",
  async (
    tx,
    of: { accountId: string; poolId: string; callId: string; now: number },
  ): Promise<FoundContent> => {
    const keptMs = await retentionOf(tx, of.poolId);
    if (keptMs === null) return "off";
    const row = await tx.db
      .selectFrom(tx.indexed("call_contents"))
      .select(["content", "stored_at"])
      .where("call_id", "=", of.callId)
      .where("pool_id", "=", of.poolId)
      .where("account_id", "=", of.accountId)
      .executeTakeFirst();
    if (row === undefined) return null;
    const storedAt = Number(row.stored_at);
    const deletedAt = storedAt + keptMs;
    return deletedAt <= of.now ? null : { content: row.content, stored_at: storedAt, deleted_at: deletedAt };
  },
);

/** Most bytes of one batch: SQLite reads a text to its end to free its pages. */
const maxBatchBytes = 4 * 1024 * 1024;

/**
 * Deletes contents of the first pool after `after` that are older than the pool keeps them, at most `limit`; all of them, if the pool keeps
 * none or no longer exists. `next`: where the next batch continues; null after the last pool.
 */
export const deleteOldContents = writeOperation(
  "deleteOldContents",
  async (
    tx,
    of: { after: string; now: number; limit: number },
  ): Promise<{ deleted: number; next: string | null }> => {
    const first = await tx.db
      .selectFrom(tx.indexed("call_contents", "call_contents_pool"))
      .select("pool_id")
      .where("pool_id", ">", of.after)
      .orderBy("pool_id")
      .limit(1)
      .executeTakeFirst();
    if (first === undefined) return { deleted: 0, next: null };
    const { pool_id: poolId } = first;
    const keptMs = await retentionOf(tx, poolId);
    const before = keptMs === null ? Number.MAX_SAFE_INTEGER : of.now - keptMs;
    const old = await tx.db
      .selectFrom(tx.indexed("call_contents", "call_contents_pool"))
      .select(["call_id", "bytes"])
      .where("pool_id", "=", poolId)
      .where("stored_at", "<=", before)
      .orderBy("stored_at")
      .limit(of.limit)
      .execute();
    let bytes = 0;
    const past = old.findIndex((row, at) => {
      bytes += Number(row.bytes);
      return at > 0 && bytes > maxBatchBytes;
    });
    const batch = past === -1 ? old : old.slice(0, past);
    if (batch.length > 0) {
      const ids = tx.list(batch.map(({ call_id }) => call_id));
      await tx.db.deleteFrom(tx.indexed("call_contents")).where("call_id", "in", ids).execute();
    }
    const isDone = past === -1 && old.length < of.limit;
    return { deleted: batch.length, next: isDone ? poolId : of.after };
  },
);
