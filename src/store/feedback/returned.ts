// Texts that come back: the provider accepted them and later reports that it did not deliver them, and the gateway can send them once more
// in another form. If the report arrives while the attempt is under way, it waits for the attempt's outcome.

import type { Tx } from "#store/database.ts";
import { holdGateways } from "#store/gateways/hold.ts";
import type { LockedMessage, TransitionBatch, TransitionDetails } from "#store/messages/transitions.ts";
import type { ReceiptsTable } from "#store/schema/feedback.ts";
import { closeWindow } from "./reply-windows.ts";

/** What a report writes to the timeline and the message. */
export function detailsOf(
  receipt: Pick<ReceiptsTable, "received_at" | "status" | "code" | "reason">,
): TransitionDetails {
  const words = [receipt.reason, receipt.code].filter((part) => part !== null && part !== "");
  return {
    at: receipt.received_at,
    detail: words.length === 0 ? "The provider reported it." : `The provider reported: ${words.join(" · ")}`,
    code: receipt.code ?? receipt.status,
    message: receipt.reason ?? "The provider reported no reason.",
  };
}

/**
 * Returns a message to the queue of its gateway, once. A message that comes back a second time, has no other form, or whose gateway was
 * deleted is undelivered. A message that already waits for its next transmission is unchanged, since that uses the other form anyway.
 */
export async function applyReturned(
  tx: Tx,
  changes: TransitionBatch,
  row: LockedMessage,
  details: TransitionDetails,
): Promise<void> {
  const { gateway_id, recipient: sender, sent_at, status } = row;
  await closeWindow(tx, { gateway_id, sender, at: sent_at ?? details.at });
  if (status === "queued" || status === "scheduled") return;
  const detail = `${details.detail} The gateway sends it once more, in another form.`;
  const again = { ...details, detail, dueAt: details.at, resend: true };
  const hasOtherForm =
    row.resends === 0 && row.content === "text" && (await holdGateways(tx, [gateway_id])).has(gateway_id);
  if (!hasOtherForm || !changes.apply(row, { by: "system", step: "returned" }, again))
    changes.apply(row, { by: "receipt", step: "undelivered" }, details);
}

/** Whether a report waits until the attempt is settled: the reference in the outcome shows whether the report is about it. */
export const waitsForSettlement = (
  row: LockedMessage,
  receipt: Pick<ReceiptsTable, "status" | "reference">,
) => receipt.status === "returned" && receipt.reference !== null && row.status === "sending";

/**
 * Takes the reports that waited for attempts of which nothing became known, not even the reference: the id that they carry assigns them to
 * these messages. Reports on a message with several attempts are left, because they may be about an earlier one. By message, in order of
 * arrival.
 */
export async function takeWaitingReturns(
  tx: Tx,
  messages: readonly LockedMessage[],
): Promise<ReadonlyMap<string, TransitionDetails[]>> {
  const gateways = new Map(
    messages.filter(({ attempts }) => attempts === 1).map(({ id, gateway_id }) => [id, gateway_id]),
  );
  const ids = [...gateways.keys()].sort();
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const found = await tx.db
    .selectFrom(tx.indexed("receipts", "receipts_message"))
    .selectAll()
    .where("message_id", "in", tx.list(ids))
    // For a list alone, PostgreSQL assumes until it has analysed the table that each item may have thousands of rows.
    .where("message_id", ">=", first)
    .where("message_id", "<=", last)
    .where("status", "=", "returned")
    .where("applied", "=", 0)
    .orderBy("received_at")
    .execute();
  const taken = new Map<string, TransitionDetails[]>();
  for (const receipt of found) {
    const { gateway_id, key, message_id, reference } = receipt;
    // The message has moved since, and the report is about its first gateway's transmission.
    if (gateways.get(message_id ?? "") !== gateway_id) continue;
    await tx.db
      .updateTable("receipts")
      .set({ applied: 1 })
      .where("gateway_id", "=", gateway_id)
      .where("key", "=", key)
      .execute();
    const list = taken.get(message_id ?? "") ?? [];
    taken.set(message_id ?? "", [...list, { ...detailsOf(receipt), reference }]);
  }
  return taken;
}
