// The columns that change with a message's state, listed once: a transition writes them, and an event keeps some of them.

import type { Status } from "#contract/messages/channel.ts";

export interface MessageState {
  status: Status;
  /** When it may be sent; not null exactly while it waits (queued, scheduled). */
  due_at: number | null;
  /** State changes so far; the next event's number. */
  version: number;
  attempts: number;
  /** Resends after an attempt whose outcome was unknown: automatic ones, and those that the account requested. */
  resends: number;
  /** When its first attempt was deferred, on the lane's clock (see `lanes.paused_ms`). */
  first_deferred_at: number | null;
  updated_at: number;
  sent_at: number | null;
  delivered_at: number | null;
  read_at: number | null;
  provider_reference: string | null;
  error_code: string | null;
  error_message: string | null;
  /** 1: its credit was refunded. */
  refunded: 0 | 1;
  /** When it was due, while a restored installation holds it; not null only while `due_at` is null. */
  held_due_at: number | null;
}

/** Each column's type, and whether events show it. */
const columns = {
  status: { type: "text", inEvents: true },
  due_at: { type: "bigint", inEvents: true },
  version: { type: "bigint", inEvents: false },
  attempts: { type: "bigint", inEvents: true },
  resends: { type: "bigint", inEvents: false },
  first_deferred_at: { type: "bigint", inEvents: false },
  updated_at: { type: "bigint", inEvents: true },
  sent_at: { type: "bigint", inEvents: true },
  delivered_at: { type: "bigint", inEvents: true },
  read_at: { type: "bigint", inEvents: true },
  provider_reference: { type: "text", inEvents: true },
  error_code: { type: "text", inEvents: true },
  error_message: { type: "text", inEvents: true },
  refunded: { type: "bigint", inEvents: false },
  held_due_at: { type: "bigint", inEvents: false },
} as const satisfies Record<keyof MessageState, { type: "text" | "bigint"; inEvents: boolean }>;

type Columns = typeof columns;
type EventColumn = {
  [C in keyof Columns]: Columns[C]["inEvents"] extends true ? C : never;
}[keyof Columns];

const names = Object.keys(columns) as (keyof Columns)[];

/** The names of the columns, in one order. */
export const stateColumns: readonly (keyof MessageState)[] = names;

/** The types of the columns, for rows that are passed to SQL. */
export const stateColumnTypes = Object.fromEntries(names.map((name) => [name, columns[name].type])) as Record<
  keyof MessageState,
  "text" | "bigint"
>;

/** The columns that events show as they were. The gateway is one of them, because a waiting message may move. */
export const snapshotColumns: readonly (EventColumn | "gateway_id")[] = [
  ...names.filter((name): name is EventColumn => columns[name].inEvents),
  "gateway_id",
];

/** A message's columns as they were at an event. */
export type MessageSnapshot = Pick<MessageState, EventColumn> & { gateway_id: string };

/** The columns of `row` as they are now, for an event. */
export function snapshotOf(row: MessageSnapshot): MessageSnapshot {
  return Object.fromEntries(snapshotColumns.map((name) => [name, row[name]])) as unknown as MessageSnapshot;
}

/** The columns that events show of a message at acceptance: except for `known`, none has a value yet. */
export function acceptedSnapshot(
  known: Pick<MessageSnapshot, "status" | "due_at" | "updated_at" | "gateway_id">,
): MessageSnapshot {
  const empty = Object.fromEntries(snapshotColumns.map((name) => [name, null])) as unknown as MessageSnapshot;
  return { ...empty, attempts: 0, ...known };
}
