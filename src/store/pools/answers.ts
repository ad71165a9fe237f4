// Answers that serve more than one request of a pool key: those of the pool's cache, and those under an `Idempotency-Key`. On PostgreSQL a
// row exists from the beginning of its call, leased by the process that makes it, so that other processes wait for the answer; a lease that
// is not renewed expires, and the row is free.

import { sql } from "kysely";
import { readOperation, writeOperation } from "#store/database.ts";
import type { PoolAnswersTable } from "#store/schema/pools.ts";

/** The context in which an answer is sealed. */
export const answerContext = (name: string) => `pool_answers ${name} answer`;

/** The row stored under a name. `answer` is null while its call is under way. */
export type FoundAnswer = Pick<PoolAnswersTable, "answer" | "expires_at" | "fingerprint">;

/** The row under the name, as of `now`; null if there is none. */
export const findAnswer = readOperation(
  "findAnswer",
  async (tx, of: { name: string; now: number }): Promise<FoundAnswer | null> => {
    const row = await tx.db
      .selectFrom("pool_answers")
      .select(["answer", "expires_at", "fingerprint"])
      .where("name", "=", of.name)
      .where("expires_at", ">", of.now)
      .executeTakeFirst();
    return row ?? null;
  },
);

/** Leases the name until `expires_at` and returns null, or returns the row that is already stored under it as of `now`. */
export const claimAnswer = writeOperation(
  "claimAnswer",
  async (tx, { now, ...row }: PoolAnswersTable & { now: number }): Promise<FoundAnswer | null> => {
    const { numInsertedOrUpdatedRows: claimed } = await tx.db
      .insertInto("pool_answers")
      .values(row)
      // One statement, so that of two concurrent processes the second sees the first.
      .onConflict((conflict) =>
        conflict.column("name").doUpdateSet(row).where("pool_answers.expires_at", "<=", now),
      )
      .executeTakeFirstOrThrow();
    if (Number(claimed ?? 0) > 0) return null;
    const found = await tx.db
      .selectFrom("pool_answers")
      .select(["answer", "expires_at", "fingerprint"])
      .where("name", "=", row.name)
      .executeTakeFirst();
    return found ?? null;
  },
);

/** Stores an answer in place of its lease or of an earlier row. */
export const keepAnswer = writeOperation("keepAnswer", async (tx, row: PoolAnswersTable): Promise<void> => {
  await tx.db
    .insertInto("pool_answers")
    .values(row)
    .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
    .execute();
});

/** Frees the name of a call whose answer is not kept. */
export const releaseAnswer = writeOperation(
  "releaseAnswer",
  async (tx, of: { name: string; owner: string }): Promise<void> => {
    await tx.db
      .deleteFrom(tx.indexed("pool_answers"))
      .where("name", "=", of.name)
      .where("owner", "=", of.owner)
      .execute();
  },
);

/** Extends the leases of calls that are under way in this process. */
export const renewAnswers = writeOperation(
  "renewAnswers",
  async (tx, of: { names: readonly string[]; owner: string; until: number }): Promise<void> => {
    await tx.db
      .updateTable(tx.indexed("pool_answers"))
      .set({ expires_at: of.until })
      .where("name", "in", of.names)
      .where("owner", "=", of.owner)
      .execute();
  },
);

/** How many answers of the key are stored, and their size in bytes; counts up to `limit` of them. */
export const sizeOfAnswers = readOperation(
  "sizeOfAnswers",
  async (
    tx,
    of: { poolId: string; keyId: string; limit: number },
  ): Promise<{ count: number; bytes: number }> => {
    const stored = tx.db
      .selectFrom(tx.indexed("pool_answers", "pool_answers_size"))
      .select("bytes")
      .where("pool_id", "=", of.poolId)
      .where("key_id", "=", of.keyId)
      .limit(of.limit);
    const { count, bytes } = await tx.db
      .selectFrom(stored.as("stored"))
      .select((eb) => [
        eb.fn.countAll<number>().as("count"),
        sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as("bytes"),
      ])
      .executeTakeFirstOrThrow();
    return { count: Number(count), bytes: Number(bytes) };
  },
);

/** Deletes expired answers and leases, at most `limit`; returns how many. */
export const deleteExpiredAnswers = writeOperation(
  "deleteExpiredAnswers",
  async (tx, of: { now: number; limit: number }): Promise<number> => {
    const result = await tx.db
      .deleteFrom(tx.indexed("pool_answers"))
      .where(
        sql<boolean>`name in (
          select name from pool_answers where expires_at <= ${of.now} order by expires_at limit ${of.limit})`,
      )
      // Leased again since it was read.
      .where("expires_at", "<=", of.now)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  },
);
