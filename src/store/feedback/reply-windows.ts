// When people last wrote to a gateway, for providers that allow free-form messages only within a day of that. The time is that of the
// message itself: a report that is repeated days later opens no window.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { ReplyWindowsTable } from "#store/schema/feedback.ts";

export const replyWindowMs = 86_400_000;

/** Records that a person wrote. A message earlier than the last one changes nothing. */
export async function openWindow(tx: Tx, { gateway_id, sender, heard_at }: ReplyWindowsTable): Promise<void> {
  await sql`
    insert into reply_windows (gateway_id, sender, heard_at) values (${gateway_id}, ${sender}, ${heard_at})
    on conflict (gateway_id, sender) do update set heard_at = excluded.heard_at
      where reply_windows.heard_at < excluded.heard_at
  `.execute(tx.db);
}

/** Records that the provider considered the window closed at `at`: earlier messages of the person no longer open it. */
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

/** When a person last wrote to the gateway, epoch ms; null if never, or not within the window. */
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
    // One by one: a person who wrote meanwhile has a later time and is kept.
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
