// When people last wrote to a gateway, of providers that let free messages through for a day after that alone. The time is
// that of the message itself: a report that is repeated after days opens nothing.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { ReplyWindowsTable } from "#store/schema/feedback.ts";

export const replyWindowMs = 86_400_000;

/** Notes that a person wrote. An earlier message than the last one changes nothing. */
export async function openWindow(tx: Tx, { gateway_id, sender, heard_at }: ReplyWindowsTable): Promise<void> {
  await sql`
    insert into reply_windows (gateway_id, sender, heard_at) values (${gateway_id}, ${sender}, ${heard_at})
    on conflict (gateway_id, sender) do update set heard_at = excluded.heard_at
      where reply_windows.heard_at < excluded.heard_at
  `.execute(tx.db);
}

/** Notes that the provider took the window for closed at `at`: what the person wrote before then opens it no more. */
export async function closeWindow(
  tx: Tx,
  { gateway_id, sender, at }: Pick<ReplyWindowsTable, "gateway_id" | "sender"> & { at: number },
): Promise<void> {
  await tx.db
    .deleteFrom("reply_windows")
    .where("gateway_id", "=", gateway_id)
    .where("sender", "=", sender)
    .where("heard_at", "<=", at)
    .execute();
}

/** When a person last wrote to the gateway, epoch ms; null: not within the window, or never. */
export const lastHeard = readOperation(
  "lastHeard",
  async (tx, { gatewayId, sender }: { gatewayId: string; sender: string }): Promise<number | null> => {
    const row = await tx.db
      .selectFrom("reply_windows")
      .select("heard_at")
      .where("gateway_id", "=", gatewayId)
      .where("sender", "=", sender)
      .executeTakeFirst();
    return row?.heard_at ?? null;
  },
);

/** Deletes what is older than `before`, at most `limit`; returns how many. */
export const deleteReplyWindows = writeOperation(
  "deleteReplyWindows",
  async (tx, { before, limit }: { before: number; limit: number }): Promise<number> => {
    const old = await tx.db
      .selectFrom(tx.indexed("reply_windows", "reply_windows_age"))
      .select(["gateway_id", "sender", "heard_at"])
      .where("heard_at", "<", before)
      .orderBy("heard_at")
      .limit(limit)
      .execute();
    // One by one: a person who wrote meanwhile has a later time, and stays.
    for (const { gateway_id, sender, heard_at } of old)
      await tx.db
        .deleteFrom("reply_windows")
        .where("gateway_id", "=", gateway_id)
        .where("sender", "=", sender)
        .where("heard_at", "=", heard_at)
        .execute();
    return old.length;
  },
);
