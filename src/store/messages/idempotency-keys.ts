// Idempotency keys: a repeated request returns the first one instead of creating a second set of messages. A key is written in the
// transaction of its messages, so neither exists without the other.

import { sql } from "kysely";
import { readOperation, type Tx } from "#store/database.ts";
import type { IdempotencyKeysTable } from "#store/schema/schema.ts";

/** How long a key is kept, ms. */
export const idempotencyTtlMs = 86_400_000;

/** Names a request: `path` is the endpoint's, `key` the caller's. */
export interface IdempotencyKey {
  path: string;
  key: string;
  /** SHA-256 of the request, hex. */
  fingerprint: string;
}

/** The request that was accepted under a key. */
export type StoredRequest = Pick<IdempotencyKeysTable, "fingerprint" | "request_id" | "first_id" | "last_id">;

/** The request that was accepted under a key of the account, as of `at`; null if there is none or its key has expired. */
export const findStoredRequest = readOperation(
  "findStoredRequest",
  async (
    tx,
    input: { accountId: string; path: string; key: string; at: number },
  ): Promise<StoredRequest | null> => {
    const row = await tx.db
      .selectFrom("idempotency_keys")
      .select(["fingerprint", "request_id", "first_id", "last_id"])
      .where("account_id", "=", input.accountId)
      .where("path", "=", input.path)
      .where("key", "=", input.key)
      .where("created_at", ">", input.at - idempotencyTtlMs)
      .executeTakeFirst();
    return row ?? null;
  },
);

const nameOf = (row: { account_id: string; path: string; key: string }) =>
  JSON.stringify([row.account_id, row.path, row.key]);

/**
 * Claims keys for requests that are about to be stored. Returns, by the id of the new request, the request already stored under its key; a
 * request that is absent from the result has claimed its key. Waits for a key that another transaction is writing.
 */
export async function claimKeys(
  tx: Tx,
  keys: readonly IdempotencyKeysTable[],
): Promise<ReadonlyMap<string, StoredRequest>> {
  const repeated = new Map<string, StoredRequest>();
  if (keys.length === 0) return repeated;
  // One order for all transactions, so that two never deadlock.
  const sorted = keys.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const firsts = [...new Map(sorted.toReversed().map((row) => [nameOf(row), row])).values()].toReversed();
  const rows = tx.rows(
    "wanted",
    {
      account_id: "text",
      path: "text",
      key: "text",
      fingerprint: "text",
      request_id: "text",
      first_id: "text",
      last_id: "text",
      created_at: "bigint",
    },
    firsts,
  );
  await sql`
    insert into idempotency_keys (account_id, path, key, fingerprint, request_id, first_id, last_id, created_at)
    select account_id, path, key, fingerprint, request_id, first_id, last_id, created_at from ${rows} where true
    on conflict (account_id, path, key) do update set
      fingerprint = excluded.fingerprint, request_id = excluded.request_id, first_id = excluded.first_id,
      last_id = excluded.last_id, created_at = excluded.created_at
    where idempotency_keys.created_at <= excluded.created_at - ${sql.lit(idempotencyTtlMs)}
  `.execute(tx.db);
  const stored = await sql<IdempotencyKeysTable>`
    select * from ${tx.indexed("idempotency_keys")}
    where (account_id, path, key) in (select account_id, path, key from ${rows})
  `.execute(tx.db);
  const holders = new Map(stored.rows.map((row) => [nameOf(row), row]));
  for (const { request_id, ...name } of keys) {
    const holder = holders.get(nameOf(name))!;
    if (holder.request_id !== request_id) repeated.set(request_id, holder);
  }
  return repeated;
}

/** Frees the keys of requests that were refused after all. */
export async function releaseKeys(tx: Tx, rows: readonly IdempotencyKeysTable[]): Promise<void> {
  for (const row of rows) {
    await tx.db
      .deleteFrom("idempotency_keys")
      .where("account_id", "=", row.account_id)
      .where("path", "=", row.path)
      .where("key", "=", row.key)
      .where("request_id", "=", row.request_id)
      .execute();
  }
}

/** The messages of a request in the order of its contacts, as its answer named them. */
export const readRequestMessages = readOperation(
  "readRequestMessages",
  async (tx, input: { accountId: string; request: Omit<StoredRequest, "fingerprint"> }) => {
    const { request_id, first_id, last_id } = input.request;
    return await tx.db
      .selectFrom(tx.indexed("messages"))
      .select(["id", "recipient_raw", "schedule_at"])
      .where("id", ">=", first_id)
      .where("id", "<=", last_id)
      .where("account_id", "=", input.accountId)
      .where("request_id", "=", request_id)
      .orderBy("id")
      .execute();
  },
);
