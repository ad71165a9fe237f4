// Maintenance that does not depend on the lanes: messages that become too late on a lane that does not send, and rows that are kept for a
// limited time (idempotency keys, sessions, set-up codes).

import { sql } from "kysely";
import { readOperation, writeOperation } from "#store/database.ts";
import { selectDueLanes } from "#store/lanes/due.ts";
import { expiryDetails } from "#store/messages/expire-or-suppress.ts";
import { lockMessages, TransitionBatch } from "#store/messages/transitions.ts";

/** A lane with a waiting message that was due before `lateBefore`. */
export interface OverdueLane {
  laneId: string;
  lateBefore: number;
}

/** The gateways' lanes with messages that are too late, whether a process drives them or not. */
export const findOverdueLanes = readOperation(
  "findOverdueLanes",
  async (tx, input: { priorities: readonly number[]; now: number }): Promise<OverdueLane[]> => {
    const { priorities, now } = input;
    const due = await selectDueLanes(tx, "messages", { priorities, until: now });
    if (due.length === 0) return [];
    const earliest = new Map(due.map(({ id, dueAt }) => [id, dueAt]));
    const lanes = await tx.db
      .selectFrom("gateways")
      .innerJoin("accounts", "accounts.id", "gateways.account_id")
      .select(["gateways.id", "accounts.lateness_ms"])
      .where("gateways.id", "in", tx.list([...earliest.keys()]))
      .orderBy("gateways.id")
      .execute();
    return lanes
      .map(({ id, lateness_ms }) => ({ laneId: id, lateBefore: now - lateness_ms }))
      .filter(({ laneId, lateBefore }) => earliest.get(laneId)! < lateBefore);
  },
);

/** Ends messages of a lane that were due before `lateBefore`, at most `limit`; returns how many were found. */
export const expireOverdue = writeOperation(
  "expireOverdue",
  async (
    tx,
    input: OverdueLane & { priorities: readonly number[]; at: number; limit: number },
  ): Promise<number> => {
    const { laneId, lateBefore, at, limit } = input;
    const ids: string[] = [];
    for (const priority of input.priorities) {
      const rows = await tx.db
        .selectFrom("messages")
        .select("id")
        .where("gateway_id", "=", laneId)
        .where("priority", "=", priority)
        .where("due_at", "<", lateBefore)
        .orderBy("due_at")
        .orderBy("id")
        .limit(limit - ids.length)
        .execute();
      ids.push(...rows.map(({ id }) => id));
      if (ids.length === limit) break;
    }
    const changes = new TransitionBatch();
    for (const row of (await lockMessages(tx, ids)).values()) {
      // Sent, or moved to another gateway, since it was read.
      if (row.due_at === null || row.due_at >= lateBefore || row.gateway_id !== laneId) continue;
      changes.apply(row, { by: "system", step: "expired" }, expiryDetails(at));
    }
    await changes.write(tx);
    return ids.length;
  },
);

/** Deletes idempotency keys that were stored earlier, at most `limit`; returns how many. */
export const deleteIdempotencyKeys = writeOperation(
  "deleteIdempotencyKeys",
  async (tx, input: { before: number; limit: number }): Promise<number> => {
    const old = await tx.db
      .selectFrom("idempotency_keys")
      .select(["account_id", "path", "key"])
      .where("created_at", "<", input.before)
      .orderBy("created_at")
      .limit(input.limit)
      .execute();
    if (old.length === 0) return 0;
    const rows = tx.rows("old", { account_id: "text", path: "text", key: "text" }, old);
    await tx.db
      .deleteFrom(tx.indexed("idempotency_keys"))
      // Claimed again since it was read: that is a new key.
      .where("created_at", "<", input.before)
      .where(sql<boolean>`(account_id, path, key) in (select account_id, path, key from ${rows})`)
      .execute();
    return old.length;
  },
);

/** Deletes expired sessions, set-up codes and links of users. All are few. */
export const deleteExpiredSessions = writeOperation("deleteExpiredSessions", async (tx, now: number) => {
  await tx.db.deleteFrom("sessions").where("expires_at", "<=", now).execute();
  await tx.db.deleteFrom("setup_codes").where("expires_at", "<=", now).execute();
  await tx.db.deleteFrom("user_setup_links").where("expires_at", "<=", now).execute();
});
