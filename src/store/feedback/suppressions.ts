// The suppression list: recipients to whom an account's messages of a channel are no longer sent, and why. It is checked when a message is
// about to be sent (`expire-or-suppress.ts`), so a recipient who is added receives only messages that were in flight.

import { sql } from "kysely";
import type { Channel } from "#contract/messages/channel.ts";
import { readOperation, writeOperation } from "#store/database.ts";
import type { SuppressionsTable } from "#store/schema/schema.ts";
import { resetSoftBounces } from "./bounces.ts";

/** A page of the list in the order of its key, after a position in it. `recipients`: only these; null for all. */
export const listSuppressions = readOperation(
  "listSuppressions",
  async (
    tx,
    input: {
      accountId: string;
      channels: readonly Channel[];
      recipients: readonly string[] | null;
      after: { channel: Channel; recipient: string } | null;
      limit: number;
    },
  ): Promise<SuppressionsTable[]> => {
    const found: SuppressionsTable[] = [];
    // Channel by channel, which is the order of the key: each is one range of it.
    for (const channel of input.channels.toSorted()) {
      const left = input.limit - found.length;
      if (left === 0) break;
      if (input.after !== null && channel < input.after.channel) continue;
      let query = tx.db
        .selectFrom("suppressions")
        .selectAll()
        .where("account_id", "=", input.accountId)
        .where("channel", "=", channel);
      if (input.recipients !== null) {
        if (input.recipients.length === 0) break;
        query = query.where("recipient", "in", input.recipients);
      }
      if (input.after?.channel === channel) query = query.where("recipient", ">", input.after.recipient);
      found.push(...(await query.orderBy("recipient").limit(left).execute()));
    }
    return found;
  },
);

/**
 * Puts recipients on the list at the account's request. A recipient who had opted out stays on it after opting in again; bounces and
 * complaints keep their reason. Returns how many were not on the list before.
 */
export const addSuppressions = writeOperation(
  "addSuppressions",
  async (
    tx,
    input: {
      accountId: string;
      channel: Channel;
      recipients: readonly string[];
      note: string | null;
      at: number;
    },
  ): Promise<number> => {
    const { accountId, channel, note, at } = input;
    // Sorted, so that two transactions do not deadlock.
    const recipients = [...new Set(input.recipients)].sort().map((recipient) => ({ recipient }));
    if (recipients.length === 0) return 0;
    tx.changes.topic(accountId, "suppressions");
    if (channel === "email")
      await resetSoftBounces(
        tx,
        recipients.map((recipient) => ({ ...recipient, account_id: accountId })),
      );
    const listed = tx.rows("listed", { recipient: "text" }, recipients);
    const added = await tx.db
      .insertInto("suppressions")
      .expression(
        sql<never>`select ${accountId}, ${channel}, recipient, 'manual', ${note}, cast(${at} as bigint) from ${listed} where true`,
      )
      .onConflict((conflict) => conflict.columns(["account_id", "channel", "recipient"]).doNothing())
      .returning("recipient")
      .execute();
    if (added.length < recipients.length) {
      const again = tx.list(recipients.map(({ recipient }) => recipient));
      await tx.db
        .updateTable("suppressions")
        .set({ reason: "manual", note })
        .where("account_id", "=", accountId)
        .where("channel", "=", channel)
        .where("recipient", "in", again)
        .where("reason", "in", ["opt_out", "unsubscribe"])
        .execute();
    }
    return added.length;
  },
);

/** Removes one recipient from the list, for any reason; false if it was not there. */
export const removeSuppression = writeOperation(
  "removeSuppression",
  async (tx, input: { accountId: string; channel: Channel; recipient: string }): Promise<boolean> => {
    const removed = await tx.db
      .deleteFrom("suppressions")
      .where("account_id", "=", input.accountId)
      .where("channel", "=", input.channel)
      .where("recipient", "=", input.recipient)
      .returning("recipient")
      .execute();
    if (removed.length > 0) tx.changes.topic(input.accountId, "suppressions");
    return removed.length > 0;
  },
);

/**
 * Removes entries with one reason that were made from `from` to before `to` (epoch ms), walking along recipients after `after`. `note`
 * null: with any note. Reads `limit` entries; `next` is null at the end.
 */
export const removeSuppressions = writeOperation(
  "removeSuppressions",
  async (
    tx,
    input: Pick<SuppressionsTable, "channel" | "reason" | "note"> & {
      accountId: string;
      from: number;
      to: number;
      after: string;
      limit: number;
    },
  ): Promise<{ removed: number; next: string | null }> => {
    const { accountId, channel, reason, note, from, to, after, limit } = input;
    const rows = await tx.db
      .selectFrom("suppressions")
      .select(["recipient", "reason", "note", "created_at"])
      .where("account_id", "=", accountId)
      .where("channel", "=", channel)
      .where("recipient", ">", after)
      .orderBy("recipient")
      .limit(limit)
      .execute();
    const recipients = rows
      .filter(
        (row) =>
          row.reason === reason &&
          row.created_at >= from &&
          row.created_at < to &&
          (note === null || row.note?.includes(note)),
      )
      .map(({ recipient }) => recipient);
    if (recipients.length > 0) tx.changes.topic(accountId, "suppressions");
    if (recipients.length > 0)
      await tx.db
        .deleteFrom("suppressions")
        .where("account_id", "=", accountId)
        .where("channel", "=", channel)
        .where("recipient", "in", tx.list(recipients))
        .execute();
    return { removed: recipients.length, next: rows.length < limit ? null : rows.at(-1)!.recipient };
  },
);
