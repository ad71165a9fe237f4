// Reading messages back, always for one account.

import { sql } from "kysely";
import { type Channel, type Status, statuses } from "#contract/channel.ts";
import { readOperation } from "./database.ts";
import type { EventsTable, MessagesTable } from "./schema.ts";

export type MessageRow = MessagesTable & { identifier: string };

/** One message with its timeline; null when the account has none with this id in this channel. */
export const findMessage = readOperation(
  "findMessage",
  async (tx, input: { accountId: string; channel: Channel; id: string }) => {
    const message = await tx.db
      .selectFrom("messages")
      .innerJoin("gateways", "gateways.id", "messages.gateway_id")
      .selectAll("messages")
      .select("gateways.identifier")
      .where("messages.id", "=", input.id)
      .where("messages.account_id", "=", input.accountId)
      .where("messages.channel", "=", input.channel)
      .executeTakeFirst();
    if (!message) return null;
    const events: EventsTable[] = await tx.db
      .selectFrom("events")
      .selectAll()
      .where("message_id", "=", input.id)
      .orderBy("seq")
      .execute();
    return { message: message as MessageRow, events };
  },
);

/** The newest messages before an id (null: the newest of all). Ids sort by creation. */
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
  ) => {
    const { accountId, channel, status, before, limit } = input;
    // Each status is a stretch of one index; the newest of all are the merge of each one's newest.
    const stretches = (status ? [status] : statuses).map(
      (one, at) => sql`
        select * from (
          select id from messages where account_id = ${accountId} and channel = ${channel} and status = ${one}
          ${before === null ? sql`` : sql`and id < ${before}`} order by id desc limit ${limit}
        ) as ${sql.ref(`stretch_${at}`)}
      `,
    );
    const newest = sql<string>`(${sql.join(stretches, sql` union all `)} order by id desc limit ${limit})`;
    const rows = await tx.db
      .selectFrom("messages")
      .innerJoin("gateways", "gateways.id", "messages.gateway_id")
      .selectAll("messages")
      .select("gateways.identifier")
      .where("messages.id", "in", newest)
      .orderBy("messages.id", "desc")
      .execute();
    return rows as MessageRow[];
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
