// The pauses of gateways: when each began and ended, and why. Written together with the event.

import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { GatewayPausesTable } from "#store/schema/history.ts";

/** Records that a gateway's pause began. */
export async function beginPause(tx: Tx, pause: Omit<GatewayPausesTable, "until">): Promise<void> {
  await endPause(tx, pause.gateway_id, pause.since);
  await tx.db
    .insertInto("gateway_pauses")
    .values({ ...pause, until: null })
    // It was resumed and paused again within one millisecond.
    .onConflict((conflict) =>
      conflict.columns(["gateway_id", "since"]).doUpdateSet({ until: null, reason: pause.reason }),
    )
    .execute();
}

/** Records the end of a gateway's current pause, if there is one. */
export async function endPause(tx: Tx, gatewayId: string, at: number): Promise<void> {
  await tx.db
    .updateTable("gateway_pauses")
    .set({ until: at })
    .where("gateway_id", "=", gatewayId)
    .where("until", "is", null)
    .execute();
}

/** The pauses of an account's gateway that began before a time (epoch ms), newest first; null if it has no such gateway. */
export const readPauses = readOperation(
  "readPauses",
  async (tx, input: { accountId: string; identifier: string; before: number; limit: number }) => {
    const gateway = await tx.db
      .selectFrom("gateways")
      .select("id")
      .where("account_id", "=", input.accountId)
      .where("identifier", "=", input.identifier)
      .executeTakeFirst();
    if (!gateway) return null;
    return await tx.db
      .selectFrom(tx.indexed("gateway_pauses"))
      .selectAll()
      .where("gateway_id", "=", gateway.id)
      .where("since", "<", input.before)
      .orderBy("since", "desc")
      .limit(input.limit)
      .execute();
  },
);

/** Removes pauses that ended before a time (epoch ms), at most `limit`; returns how many. */
export const deletePauses = writeOperation(
  "deletePauses",
  async (tx, { before, limit }: { before: number; limit: number }) => {
    const old = await tx.db
      .selectFrom("gateway_pauses")
      .select(["gateway_id", "since"])
      .where("until", "<", before)
      .limit(limit)
      .execute();
    for (const { gateway_id, since } of old)
      await tx.db
        .deleteFrom(tx.indexed("gateway_pauses"))
        .where("gateway_id", "=", gateway_id)
        .where("since", "=", since)
        .execute();
    return old.length;
  },
);
