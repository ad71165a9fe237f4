// The end of what a phone was handed: its messages are taken off the phone's list.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";
import { lockMessages, TransitionBatch } from "#store/messages/transitions.ts";

/** Takes messages off their phone's list. */
export async function closeItems(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.update(
    "phone_items",
    { id: "text" },
    ids.map((id) => ({ id })),
    (of) => ({ set: sql`open = 0`, where: sql`phone_items.message_id = ${of("id")}` }),
  );
}

/** Takes messages off their phone's list, which may have been sent: they are `unknown`. */
export async function endAsUnknown(
  tx: Tx,
  ids: readonly string[],
  { at, code, message }: { at: number; code: string; message: string },
): Promise<void> {
  const changes = new TransitionBatch();
  for (const row of (await lockMessages(tx, ids)).values())
    changes.apply(row, { by: "system", step: "outcome_unknown" }, { at, detail: message, code, message });
  await changes.write(tx);
  await closeItems(tx, ids);
}
