// What happens to messages while they wait: they are cancelled, or moved to another gateway.

import { sql } from "kysely";
import type { Channel } from "#contract/channel.ts";
import { Changes, type Happening, insertEvents, lockMessages } from "./change.ts";
import { writeOperation } from "./database.ts";

export type CancelOutcome = { kind: "cancelled" } | { kind: "not_cancellable" } | { kind: "not_found" };

/** Cancels a message that is not yet on its way; cancelling twice is the same as once. */
export const cancelMessage = writeOperation(
  "cancelMessage",
  async (
    tx,
    input: { accountId: string; channel: Channel; id: string; happening: Happening },
  ): Promise<CancelOutcome> => {
    const row = (await lockMessages(tx, [input.id])).get(input.id);
    if (!row || row.account_id !== input.accountId || row.channel !== input.channel)
      return { kind: "not_found" };
    if (row.status === "cancelled") return { kind: "cancelled" };
    const changes = new Changes();
    if (!changes.apply(row, { by: "us", step: "cancelled" }, input.happening))
      return { kind: "not_cancellable" };
    await changes.write(tx);
    return { kind: "cancelled" };
  },
);

/**
 * Moves waiting messages whose caller named no gateway from a gateway that is switched off to another one.
 * At most `limit`; returns how many moved.
 */
export const moveWaiting = writeOperation(
  "moveWaiting",
  async (tx, input: { from: string; to: string; limit: number; at: number; detail: string }) => {
    const rows = await tx.db
      .selectFrom("messages")
      .select(["id", "account_id", "status", "version"])
      .where("gateway_id", "=", input.from)
      .where("due_at", "is not", null)
      .where("named", "=", 0)
      // The order of the due index: by id, a planner walks all messages there are instead.
      .orderBy("band")
      .orderBy("due_at")
      .orderBy("id")
      .limit(input.limit)
      .modifyEnd(tx.lock("update"))
      .execute();
    if (rows.length === 0) return 0;
    const wanted = tx.rows("wanted", { id: "text" }, rows);
    await tx.db
      .updateTable("messages")
      // Retry windows run on each lane's own clock.
      .set((eb) => ({
        gateway_id: input.to,
        deferred_from: null,
        updated_at: input.at,
        version: eb("version", "+", 1),
      }))
      .where("id", "in", sql<string>`(select id from ${wanted})`)
      .execute();
    await insertEvents(
      tx,
      rows.map((row) => ({
        message_id: row.id,
        seq: row.version + 1,
        account_id: row.account_id,
        at: input.at,
        type: row.status,
        detail: input.detail,
      })),
    );
    return rows.length;
  },
);
