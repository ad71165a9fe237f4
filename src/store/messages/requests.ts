// The messages of one request taken together: their states, and changes to all that still wait.

import { sql } from "kysely";
import type { Channel, Status } from "#contract/messages/channel.ts";
import { readOperation, writeOperation } from "#store/database.ts";
import { type NewTime, rescheduleLocked } from "./reschedule.ts";
import { lockMessages, TransitionBatch, type TransitionDetails } from "./transitions.ts";

/** Exclusive bounds of the ids of a request's messages, so that no index on the request is needed. */
export interface IdRange {
  from: string;
  before: string;
}

/** The messages of a request that have one status. */
export interface StatusPart {
  status: Status;
  messages: number;
  /** The credit that was reserved for them, and how much of it was refunded. */
  cost: number;
  returned: number;
  /** Epoch ms: when the first and the last of the waiting messages are due; null if none waits. */
  firstDueAt: number | null;
  lastDueAt: number | null;
}

export interface RequestRow {
  id: string;
  channel: Channel;
  /** How many messages the request has. */
  contacts: number;
  created_at: number;
}

/** A request of the account; null if it has none with this id. */
export const findRequest = readOperation(
  "findRequest",
  async (tx, input: { accountId: string; id: string }): Promise<RequestRow | null> => {
    const row = await tx.db
      .selectFrom("requests")
      .select(["id", "channel", "contacts", "created_at"])
      .where("id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .executeTakeFirst();
    return row ?? null;
  },
);

/** The messages of a request by status. `contacts`: how many it has. */
export const sumRequest = readOperation(
  "sumRequest",
  async (tx, input: { accountId: string; id: string; contacts: number } & IdRange): Promise<StatusPart[]> => {
    const { rows } = await sql<Record<keyof StatusPart, number | string | null>>`
      select status, count(*) as messages, sum(cost) as cost, sum(cost * refunded) as returned,
        min(due_at) as "firstDueAt", max(due_at) as "lastDueAt"
      from (
        select status, cost, refunded, due_at from ${tx.indexed("messages")}
        where id > ${input.from} and id < ${input.before} and request_id = ${input.id} and account_id = ${input.accountId}
        -- In the order of the key, of which PostgreSQL otherwise reads the whole table while it believes it to be tiny.
        order by id limit ${input.contacts}
      ) as accepted
      group by status order by status
    `.execute(tx.db);
    // PostgreSQL returns sums as text.
    return rows.map((row) => ({
      status: row.status as Status,
      messages: Number(row.messages),
      cost: Number(row.cost),
      returned: Number(row.returned),
      firstDueAt: row.firstDueAt === null ? null : Number(row.firstDueAt),
      lastDueAt: row.lastDueAt === null ? null : Number(row.lastDueAt),
    }));
  },
);

/** The unsent part of a request on one gateway. */
export interface RequestLane {
  gatewayId: string;
  /** Messages that wait or are being sent. */
  messages: number;
  /** Those that came from a backup and wait for an operator. */
  held: number;
  /** Epoch ms: when the last of the waiting messages is due; null if none waits. */
  lastDueAt: number | null;
}

/** The unsent part of a request, by gateway. `contacts`: how many messages it has. */
export const readRequestLanes = readOperation(
  "readRequestLanes",
  async (
    tx,
    input: { accountId: string; id: string; contacts: number } & IdRange,
  ): Promise<RequestLane[]> => {
    const { rows } = await sql<Record<keyof RequestLane, number | string | null>>`
      select gateway_id as "gatewayId", count(*) as messages, max(due_at) as "lastDueAt",
        sum(case when held_due_at is null then 0 else 1 end) as held
      from (
        select gateway_id, status, due_at, held_due_at from ${tx.indexed("messages")}
        where id > ${input.from} and id < ${input.before} and request_id = ${input.id} and account_id = ${input.accountId}
        order by id limit ${input.contacts}
      ) as accepted
      where status in ('queued', 'scheduled', 'sending') group by gateway_id order by gateway_id
    `.execute(tx.db);
    return rows.map((row) => ({
      gatewayId: String(row.gatewayId),
      messages: Number(row.messages),
      held: Number(row.held),
      lastDueAt: row.lastDueAt === null ? null : Number(row.lastDueAt),
    }));
  },
);

/** How many messages wait until this instant, epoch ms. */
export interface DueCount {
  dueAt: number;
  messages: number;
}

/** The messages that wait on a gateway and are due before an instant, soonest first; null if one priority has more than `countTo`. */
export const readDueCounts = readOperation(
  "readDueCounts",
  async (
    tx,
    input: { gatewayId: string; until: number; priorities: readonly number[]; countTo: number },
  ): Promise<DueCount[] | null> => {
    const counts = new Map<number, number>();
    for (const priority of input.priorities) {
      const { rows } = await sql<{ due_at: number; messages: number }>`
        select due_at, count(*) as messages from (
          select due_at from ${tx.indexed("messages", "messages_due")}
          where gateway_id = ${input.gatewayId} and priority = ${priority} and due_at <= ${input.until}
          order by due_at limit ${input.countTo + 1}
        ) as waiting group by due_at
      `.execute(tx.db);
      let sum = 0;
      for (const { due_at, messages } of rows) {
        sum += Number(messages);
        counts.set(Number(due_at), (counts.get(Number(due_at)) ?? 0) + Number(messages));
      }
      if (sum > input.countTo) return null;
    }
    return [...counts]
      .sort(([one], [other]) => one - other)
      .map(([dueAt, messages]) => ({ dueAt, messages }));
  },
);

export type RequestChange =
  | { kind: "cancel"; details: TransitionDetails }
  | { kind: "reschedule"; to: NewTime };

/** `looked`: how many rows matched; fewer than `limit` means that none are left. `last`: the id to continue from. */
export interface ChangedPart {
  changed: number;
  looked: number;
  last: string | null;
}

/** Changes the request's next `limit` messages that still wait. */
export const changeRequestMessages = writeOperation(
  "changeRequestMessages",
  async (
    tx,
    input: { accountId: string; id: string; limit: number; change: RequestChange } & IdRange,
  ): Promise<ChangedPart> => {
    const found = await tx.db
      .selectFrom(tx.indexed("messages"))
      .select("id")
      .where("id", ">", input.from)
      .where("id", "<", input.before)
      .where("request_id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .where("status", "in", ["queued", "scheduled"])
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const rows = [
      ...(
        await lockMessages(
          tx,
          found.map(({ id }) => id),
        )
      ).values(),
    ];
    const part = { looked: found.length, last: found.at(-1)?.id ?? null };
    if (input.change.kind === "reschedule") {
      const moved = await rescheduleLocked(tx, rows, input.change.to);
      return { ...part, changed: moved.length };
    }
    const { details } = input.change;
    const changes = new TransitionBatch();
    const cancelled = rows.filter((row) => changes.apply(row, { by: "system", step: "cancelled" }, details));
    await changes.write(tx);
    return { ...part, changed: cancelled.length };
  },
);
