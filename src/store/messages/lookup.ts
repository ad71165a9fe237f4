// Reading messages back, always for one account.

import { sql } from "kysely";
import { type Channel, type Status, statuses } from "#contract/messages/channel.ts";
import { readOperation } from "#store/database.ts";
import type { EmailColumns } from "#store/email/emails.ts";
import { nameOfGateway } from "#store/gateways/names.ts";
import type { EventsTable, MessagesTable } from "#store/schema/schema.ts";
import { type PayloadColumn, withContents } from "./contents.ts";

/** A message with its gateway's name and what its content stores outside the message row. */
export type MessageRow = MessagesTable & { identifier: string } & Partial<EmailColumns & PayloadColumn>;

/** The name of a message's gateway, as a column. */
export const identifierOfGateway = nameOfGateway("messages.gateway_id");

/** One message with its timeline; null if the account has none with this id in this channel. `channel` null: every channel. */
export const findMessage = readOperation(
  "findMessage",
  async (
    tx,
    input: { accountId: string; channel: Channel | null; id: string },
  ): Promise<{ message: MessageRow; events: EventsTable[] } | null> => {
    let query = tx.db
      .selectFrom("messages")
      .selectAll("messages")
      .select(identifierOfGateway)
      .where("messages.id", "=", input.id)
      .where("messages.account_id", "=", input.accountId);
    if (input.channel !== null) query = query.where("messages.channel", "=", input.channel);
    const message = await query.executeTakeFirst();
    if (!message) return null;
    const events = await tx.db
      .selectFrom("message_events")
      .selectAll()
      .where("message_id", "=", input.id)
      .orderBy("seq")
      .execute();
    const { rows } = await withContents(tx, [message]);
    return { message: rows[0] as MessageRow, events };
  },
);

/** A page of messages. */
export interface RecentMessages {
  rows: MessageRow[];
  /** Whether more messages follow the last one. */
  more: boolean;
}

/**
 * The newest messages before an id (null: the newest of all), at most `limit`. Ids sort by creation. Pages with large bodies of emails are
 * shorter.
 */
export const recentMessages = readOperation(
  "recentMessages",
  async (
    tx,
    input: {
      accountId: string;
      channel: Channel;
      status: Status | null;
      before: string | null;
      limit: number;
    },
  ): Promise<RecentMessages> => {
    const { accountId, channel, status, before, limit } = input;
    // Reads one more row to find out whether there is another page.
    const maxRows = limit + 1;
    // Each status is one range of the index; the newest messages overall are a merge of the newest of each range.
    const stretches = (status ? [status] : statuses).map(
      (oneStatus, at) => sql`
        select * from (
          select id from ${tx.indexed("messages", "messages_status")} where account_id = ${accountId} and channel = ${channel} and status = ${oneStatus}
          ${before === null ? sql`` : sql`and id < ${before}`} order by id desc limit ${maxRows}
        ) as ${sql.ref(`stretch_${at}`)}
      `,
    );
    const newest = sql<string>`(${sql.join(stretches, sql` union all `)} order by id desc limit ${maxRows})`;
    const rows = await tx.db
      .selectFrom(tx.indexed("messages"))
      .selectAll("messages")
      .select(identifierOfGateway)
      .where("messages.id", "in", newest)
      .orderBy("messages.id", "desc")
      .execute();
    const whole = await withContents(tx, rows.slice(0, limit));
    return { rows: whole.rows as MessageRow[], more: rows.length > whole.rows.length };
  },
);

/** How many messages an account has in each state, per channel: the sides of the delivery equation. */
export const countByStatus = readOperation("countByStatus", async (tx, accountId: string) => {
  const rows = await tx.db
    .selectFrom("messages")
    .select((eb) => ["channel", "status", eb.fn.countAll<number>().as("count")])
    .where("account_id", "=", accountId)
    .groupBy(["channel", "status"])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
});
