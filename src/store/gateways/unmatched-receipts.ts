// Whether the receipts of a gateway refer to its messages. If they do not, ids are parsed differently from how the provider writes them, or
// the receipts belong to another sender. Messages then stay `sent`, with no other sign of the fault.

import { sql } from "kysely";
import { type Tx, writeOperation } from "#store/database.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { recordGatewayEvent } from "./events.ts";

/** The reason in the gateway's event. */
export const unmatchedReason =
  "The provider's receipts match no message of this gateway. Compare the format of ids in its answers and in its receipts.";

interface Unmatched {
  gatewayId: string;
  at: number;
}

/** Since when receipts match no message, epoch ms, in the facts of a gateway's account updates. Null if they match. */
export const unmatchedSince = (facts: Readonly<Record<string, unknown>>): number | null =>
  typeof facts.unmatched_since === "string" ? Number(facts.unmatched_since) : null;

/**
 * Compares the references of the latest receipts with the gateway's messages. The gateway's receipts are unmatched if none of them refers
 * to one. `began` and `ended`: that has changed.
 */
export const noteReceiptsMatch = writeOperation(
  "noteReceiptsMatch",
  async (
    tx,
    { references, ...gateway }: Unmatched & { references: readonly string[] },
  ): Promise<"began" | "ended" | "same"> => {
    const waiting = await tx.db
      .selectFrom(tx.indexed("receipts", "receipts_waiting"))
      .select("reference")
      .distinct()
      .where("applied", "=", sql.lit(0))
      .where("gateway_id", "=", gateway.gatewayId)
      .where("reference", "in", tx.list([...references]))
      .execute();
    return await noteUnmatched(tx, gateway, waiting.length === references.length);
  },
);

/** Records in the session that receipts match no message. */
export const noteReceiptsUnmatched = writeOperation(
  "noteReceiptsUnmatched",
  async (tx, gateway: Unmatched) => await noteUnmatched(tx, gateway, true),
);

async function noteUnmatched(
  tx: Tx,
  { gatewayId, at }: Unmatched,
  isUnmatched: boolean,
): Promise<"began" | "ended" | "same"> {
  const row = await tx.db
    .selectFrom("gateway_account_updates")
    .select("facts")
    .where("gateway_id", "=", gatewayId)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
  const known = JSON.parse(row?.facts ?? "{}") as Record<string, string | null>;
  if ((unmatchedSince(known) !== null) === isUnmatched) return "same";
  const facts = JSON.stringify({ ...known, unmatched_since: isUnmatched ? String(at) : null });
  await tx.db
    .insertInto("gateway_account_updates")
    .values({ gateway_id: gatewayId, facts, notice: null, noticed_at: null, changed_at: at })
    .onConflict((conflict) => conflict.column("gateway_id").doUpdateSet({ facts }))
    .execute();
  tx.changes.topic(gatewayId, "gateways");
  if (!isUnmatched) return "ended";
  const event = { id: eventIdOf(gatewayId, `unmatched_${at}`), type: "gateway.receipts_unmatched" as const };
  await recordGatewayEvent(tx, { ...event, gatewayId, at, reason: unmatchedReason });
  return "began";
}
