// Attempts that end without an outcome: they were certainly not sent, or their process is gone.

import type { SystemStep } from "#contract/messages/states.ts";
import { writeOperation } from "#store/database.ts";
import { applyReturned, takeWaitingReturns } from "#store/feedback/returned.ts";
import { lockMessages, TransitionBatch, type TransitionDetails } from "./transitions.ts";

/**
 * Returns a lane's messages to the queue whose attempt began but that were certainly not sent, because the answer to the begin call was
 * lost or the process is stopping. Fenced like a settlement.
 */
export const revertAttempts = writeOperation(
  "revertAttempts",
  async (tx, input: { laneId: string; fence: number; ids: string[]; details: TransitionDetails }) => {
    const rows = await lockMessages(tx, input.ids);
    const changes = new TransitionBatch();
    for (const row of rows.values()) {
      // Fences are counted per lane: the message may have moved to a lane with the same number.
      const isCurrent = row.gateway_id === input.laneId && row.fence === input.fence;
      if (row.status !== "sending" || !isCurrent) continue;
      changes.apply(row, { by: "system", step: "deferred" }, input.details);
    }
    await changes.write(tx);
  },
);

/**
 * Messages that an earlier owner of the lane left in `sending`: the gateway's policy decides what becomes of them. At most `limit`; returns
 * how many were found.
 */
export const recoverMessages = writeOperation(
  "recoverMessages",
  async (
    tx,
    input: {
      laneId: string;
      fence: number;
      limit: number;
      /** One step for messages that were not resent before, and one for those that were. */
      first: { step: SystemStep; details: TransitionDetails };
      again: { step: SystemStep; details: TransitionDetails };
    },
  ) => {
    const gateway = await tx.db
      .selectFrom("gateways")
      .select(["account_id", "channel"])
      .where("id", "=", input.laneId)
      .executeTakeFirst();
    if (!gateway) return 0;
    // By account and status: a dedicated index would cost every message two updates.
    const left = await tx.db
      .selectFrom(tx.indexed("messages", "messages_status"))
      .select("id")
      .where("account_id", "=", gateway.account_id)
      .where("channel", "=", gateway.channel)
      .where("status", "=", "sending")
      .where("gateway_id", "=", input.laneId)
      .where("fence", "<", input.fence)
      .limit(input.limit)
      .execute();
    const rows = await lockMessages(
      tx,
      left.map(({ id }) => id),
    );
    const mine = [...rows.values()].filter((row) => row.status === "sending" && row.fence < input.fence);
    const waiting = await takeWaitingReturns(tx, mine);
    const changes = new TransitionBatch();
    for (const row of mine) {
      const { step, details } = row.resends === 0 ? input.first : input.again;
      changes.apply(row, { by: "system", step }, details);
      for (const each of waiting.get(row.id) ?? []) await applyReturned(tx, changes, row, each);
    }
    await changes.write(tx);
    return left.length;
  },
);
