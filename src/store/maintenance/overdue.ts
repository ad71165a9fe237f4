// What has to be looked after whatever the lanes do: messages that wait where nobody sends and become too late
// there, and what is only kept for a while (repeatable requests, sessions, set-up codes).

import { sql } from "kysely";
import { readOperation, writeOperation } from "#store/database.ts";
import { expiredAt } from "#store/messages/expire-or-suppress.ts";
import { Changes, lockMessages } from "#store/messages/transitions.ts";

/** A lane on which something waits that was due before `lateBefore`. */
export interface Overdue {
  laneId: string;
  lateBefore: number;
}

/** The gateways' lanes with messages that are too late, whether anybody drives them or not. */
export const findOverdue = readOperation(
  "findOverdue",
  async (tx, input: { bands: readonly number[]; now: number }): Promise<Overdue[]> => {
    const lanes = await tx.db
      .selectFrom("gateways")
      .innerJoin("accounts", "accounts.id", "gateways.account_id")
      .select(["gateways.id", "accounts.lateness_ms"])
      .orderBy("gateways.id")
      .execute();
    const overdue: Overdue[] = [];
    for (const { id, lateness_ms } of lanes) {
      const lateBefore = input.now - lateness_ms;
      for (const band of input.bands) {
        const first = await tx.db
          .selectFrom("messages")
          .select("id")
          .where("gateway_id", "=", id)
          .where("band", "=", band)
          .where("due_at", "<", lateBefore)
          // The order of the due index: without one, PostgreSQL may look for the first one it meets in the whole table.
          .orderBy("due_at")
          .limit(1)
          .executeTakeFirst();
        if (!first) continue;
        overdue.push({ laneId: id, lateBefore });
        break;
      }
    }
    return overdue;
  },
);

/** Ends messages of a lane that were due before `lateBefore`, at most `limit`; returns how many were found. */
export const expireOverdue = writeOperation(
  "expireOverdue",
  async (tx, input: Overdue & { bands: readonly number[]; at: number; limit: number }): Promise<number> => {
    const { laneId, lateBefore, at, limit } = input;
    const ids: string[] = [];
    for (const band of input.bands) {
      const rows = await tx.db
        .selectFrom("messages")
        .select("id")
        .where("gateway_id", "=", laneId)
        .where("band", "=", band)
        .where("due_at", "<", lateBefore)
        .orderBy("due_at")
        .orderBy("id")
        .limit(limit - ids.length)
        .execute();
      ids.push(...rows.map(({ id }) => id));
      if (ids.length === limit) break;
    }
    const changes = new Changes();
    for (const row of (await lockMessages(tx, ids)).values()) {
      // Sent, or moved to another gateway, since it was found.
      if (row.due_at === null || row.due_at >= lateBefore || row.gateway_id !== laneId) continue;
      changes.apply(row, { by: "system", step: "expired" }, expiredAt(at));
    }
    await changes.write(tx);
    return ids.length;
  },
);

/** Forgets repeatable requests that were made before, at most `limit`; returns how many. */
export const forgetRepeatable = writeOperation(
  "forgetRepeatable",
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
      // Claimed again by somebody since: it is a new one.
      .where("created_at", "<", input.before)
      .where(sql<boolean>`(account_id, path, key) in (select account_id, path, key from ${rows})`)
      .execute();
    return old.length;
  },
);

/** Forgets sessions and set-up codes whose time is over. Both are few. */
export const forgetEnded = writeOperation("forgetEnded", async (tx, now: number) => {
  await tx.db.deleteFrom("sessions").where("expires_at", "<=", now).execute();
  await tx.db.deleteFrom("setup_codes").where("expires_at", "<=", now).execute();
});
