// The audit log. Rows are only added; the one change ever made to a row is the outcome of its call.

import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { AuditEntriesTable } from "#store/schema/identity.ts";

export const insertAuditEntry = writeOperation("insertAuditEntry", async (tx, entry: AuditEntriesTable) =>
  storeAuditEntries(tx, [entry]),
);

/** The same for several, inside a transaction. */
export async function storeAuditEntries(tx: Tx, entries: readonly AuditEntriesTable[]): Promise<void> {
  await tx.db.insertInto("audit_entries").values(entries).execute();
}

/** Records the outcome of a call that was logged as started. `createdId`: the id of what it created, if its path has none. */
export const finishAuditEntry = writeOperation(
  "finishAuditEntry",
  async (tx, input: { id: string; outcome: string; createdId: string | null }) => {
    await tx.db
      .updateTable("audit_entries")
      .set((eb) => ({ outcome: input.outcome, target: eb.fn.coalesce("target", eb.val(input.createdId)) }))
      .where("id", "=", input.id)
      .where("outcome", "=", "started")
      .execute();
  },
);

export interface AuditFilter {
  accountId: string | null;
  actorId: string | null;
  action: string | null;
  /** Entries before this id; null for the newest. */
  before: string | null;
  limit: number;
}

/** Newest first. */
export const listAuditEntries = readOperation("listAuditEntries", async (tx, filter: AuditFilter) => {
  const by =
    filter.actorId !== null
      ? "actor"
      : filter.accountId !== null
        ? "account"
        : filter.action !== null
          ? "action"
          : null;
  let query = tx.db
    .selectFrom(tx.indexed("audit_entries", by === null ? undefined : `audit_entries_${by}`))
    .selectAll();
  if (filter.accountId !== null) query = query.where("account_id", "=", filter.accountId);
  if (filter.actorId !== null) query = query.where("actor_id", "=", filter.actorId);
  if (filter.action !== null) query = query.where("action", "=", filter.action);
  if (filter.before !== null) query = query.where("id", "<", filter.before);
  return await query.orderBy("id", "desc").limit(filter.limit).execute();
});
