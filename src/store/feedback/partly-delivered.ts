// Long texts for which the provider reported some parts as delivered and never the others. Many SMSCs report only the first or the last
// part, so after a wait such a message counts as delivered, and its timeline shows how many parts were reported.

import { sql } from "kysely";
import { type Tx, writeOperation } from "#store/database.ts";
import { lockMessages, TransitionBatch } from "#store/messages/transitions.ts";

/** How long the other parts are waited for after the last one, ms. */
const waitMs = 600_000;

/** Restarts the wait for the other parts of messages; `at`: when one of them was reported, epoch ms. */
export async function awaitOtherParts(tx: Tx, messageIds: ReadonlySet<string>, at: number): Promise<void> {
  if (messageIds.size === 0) return;
  const rows = [...messageIds].sort().map((message_id) => ({ message_id, until: at + waitMs }));
  await sql`
    insert into partly_delivered (message_id, until)
    select message_id, until from ${tx.rows("partly", { message_id: "text", until: "bigint" }, rows)} where true
    on conflict (message_id) do update set until = excluded.until
  `.execute(tx.db);
}

/**
 * Ends the wait for other parts: messages of gateways of these kinds that are still `sent` become delivered. Providers of other kinds
 * report on each part themselves, so their messages are unchanged. At most `limit`; returns how many were read.
 */
export const settlePartlyDelivered = writeOperation(
  "settlePartlyDelivered",
  async (
    tx,
    { kinds, at, limit }: { kinds: readonly string[]; at: number; limit: number },
  ): Promise<number> => {
    const over = await tx.db
      .selectFrom(tx.indexed("partly_delivered", "partly_delivered_until"))
      .select("message_id")
      .where("until", "<=", at)
      .orderBy("until")
      .limit(limit)
      .execute();
    if (over.length === 0) return 0;
    const ids = over.map(({ message_id }) => message_id);
    const rows = await lockMessages(tx, ids);
    const ofKinds = await tx.db
      .selectFrom("gateways")
      .select("id")
      .where("id", "in", tx.list([...new Set([...rows.values()].map(({ gateway_id }) => gateway_id))]))
      .where("kind", "in", tx.list([...kinds]))
      .execute();
    const gateways = new Set(ofKinds.map(({ id }) => id));
    const whole = await takenWhole(tx, ids);
    const changes = new TransitionBatch();
    for (const row of rows.values()) {
      if (row.status !== "sent" || !gateways.has(row.gateway_id) || !whole.has(row.id)) continue;
      const detail = "The provider reported a part as delivered, and nothing of the others for 10 minutes.";
      changes.apply(row, { by: "receipt", step: "delivered" }, { at, detail });
    }
    await changes.write(tx);
    // Only those whose wait has not restarted meanwhile.
    await tx.db
      .deleteFrom(tx.indexed<"partly_delivered">("partly_delivered"))
      .where("message_id", "in", tx.list(ids))
      .where("until", "<=", at)
      .execute();
    return over.length;
  },
);

/** The messages of which the provider accepted every part. If an answer was lost, it may never have received that part. */
async function takenWhole(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const references = await tx.db
    .selectFrom(tx.indexed("message_references", "message_references_message"))
    .select(["message_id", "parts"])
    .where("message_id", "in", tx.list([...ids]))
    .execute();
  const ofMessage = Map.groupBy(references, ({ message_id }) => message_id ?? "");
  return new Set(
    [...ofMessage].flatMap(([id, of]) => (of.every(({ parts }) => of.length >= parts) ? [id] : [])),
  );
}
