// Management tokens: the credentials of programs that manage an installation. A revoked one stays as a row, so that the audit log's ids
// still have a name, until another token takes that name.

import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { ManagementTokensTable } from "#store/schema/identity.ts";

/** The token with this SHA-256 (hex) that is not revoked; it may have expired. */
export const findManagementToken = readOperation("findManagementToken", async (tx, hash: string) => {
  const token = await tx.db
    .selectFrom("management_tokens")
    .selectAll()
    .where("hash", "=", hash)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return token ?? null;
});

/** Newest first, before an id (null: the newest of all). */
export const listManagementTokens = readOperation(
  "listManagementTokens",
  async (tx, input: { before: string | null; limit: number }) => {
    let query = tx.db.selectFrom("management_tokens").selectAll();
    if (input.before !== null) query = query.where("id", "<", input.before);
    return await query.orderBy("id", "desc").limit(input.limit).execute();
  },
);

/** Records when a token was used. Of concurrent requests, the first one writes. */
export const noteTokenUse = writeOperation(
  "noteTokenUse",
  async (tx, { id, at, noted }: { id: string; at: number; noted: number | null }) => {
    await tx.db
      .updateTable("management_tokens")
      .set({ last_used_at: at })
      .where("id", "=", id)
      .where("last_used_at", noted === null ? "is" : "=", noted)
      .execute();
  },
);

/** False if a valid token has the name (or, if the text was given by the caller, the same text). */
export const insertManagementToken = writeOperation(
  "insertManagementToken",
  async (tx, token: ManagementTokensTable) => {
    await tx.db
      .deleteFrom("management_tokens")
      .where("name", "=", token.name)
      .where((eb) => eb.or([eb("revoked_at", "is not", null), eb("expires_at", "<=", token.created_at)]))
      .execute();
    return await insertNew(tx, token);
  },
);

async function insertNew(tx: Tx, token: ManagementTokensTable): Promise<boolean> {
  const inserted = await tx.db
    .insertInto("management_tokens")
    .values(token)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute();
  return inserted.length > 0;
}

/**
 * Creates the token of a name, or updates that token's text, role, account and expiry, and reactivates it. Null if another name has the
 * same token.
 */
export const saveManagementToken = writeOperation(
  "saveManagementToken",
  async (tx, token: ManagementTokensTable) => {
    const { id: _id, name, created_at: _created, last_used_at: _used, ...change } = token;
    const holder = await tx.db
      .selectFrom("management_tokens")
      .select("name")
      .where("hash", "=", token.hash)
      .executeTakeFirst();
    if (holder !== undefined && holder.name !== name) return null;
    const { id } = await tx.db
      .insertInto("management_tokens")
      .values(token)
      .onConflict((conflict) => conflict.column("name").doUpdateSet(change))
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  },
);

/** The token's row after revoking it, now or before; null if no token has this id. */
export const revokeManagementToken = writeOperation(
  "revokeManagementToken",
  async (tx, input: { id: string; at: number }) => {
    await tx.db
      .updateTable("management_tokens")
      .set({ revoked_at: input.at })
      .where("id", "=", input.id)
      .where("revoked_at", "is", null)
      .execute();
    const token = await tx.db
      .selectFrom("management_tokens")
      .selectAll()
      .where("id", "=", input.id)
      .executeTakeFirst();
    return token ?? null;
  },
);
