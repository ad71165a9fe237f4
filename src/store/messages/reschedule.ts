// Moves waiting messages to another time.

import type { Channel, Status } from "#contract/messages/channel.ts";
import { type Tx, writeOperation } from "#store/database.ts";
import {
  insertTimelineEntries,
  type LockedMessage,
  lockMessageOf,
  type MessageOf,
  TransitionBatch,
} from "./transitions.ts";

/** The new time of messages. Instants are epoch ms. */
export interface NewTime {
  /** When the change is made. */
  at: number;
  /** For the timeline, in plain words. */
  detail: string;
  /** The local time in the account's zone, as given in `schedule_at`, and the instant that it means. */
  scheduleAt: string;
  scheduledFor: number;
}

export type RescheduleOutcome =
  | { kind: "rescheduled"; channel: Channel }
  | { kind: "not_cancellable"; status: Status }
  | { kind: "not_found" };

/** Moves the account's message if it still waits. `channel` is null for every channel. */
export const rescheduleMessage = writeOperation(
  "rescheduleMessage",
  async (tx, input: MessageOf & { to: NewTime }): Promise<RescheduleOutcome> => {
    const row = await lockMessageOf(tx, input);
    if (row === null) return { kind: "not_found" };
    const { status, channel } = row;
    const [moved] = await rescheduleLocked(tx, [row], input.to);
    if (moved === undefined) return { kind: "not_cancellable", status };
    return { kind: "rescheduled", channel };
  },
);

/** Moves locked messages; those that no longer wait are unchanged. Returns those that were moved, in their new state. */
export async function rescheduleLocked(
  tx: Tx,
  rows: readonly LockedMessage[],
  { at, detail, scheduleAt, scheduledFor }: NewTime,
): Promise<LockedMessage[]> {
  // A time in the past is due at once; its lateness counts from now.
  const dueAt = Math.max(at, scheduledFor);
  const changes = new TransitionBatch();
  const moved = rows.filter((row) => {
    const held = row.held_due_at !== null;
    const details = { at, detail, ...(held ? {} : { dueAt }), firstDeferredAt: null };
    if (!changes.apply(row, { by: "system", step: "rescheduled" }, details)) return false;
    // Messages held after a restore keep waiting for their operator.
    if (held) row.held_due_at = dueAt;
    return true;
  });
  if (moved.length === 0) return [];
  await changes.write(tx);
  await keepAcceptance(tx, moved);
  const ids = moved.map(({ id }) => id);
  await tx.db
    .updateTable(tx.indexed("messages"))
    .set({ schedule_at: scheduleAt, scheduled_for: scheduledFor })
    .where("id", "in", tx.list(ids))
    .execute();
  return moved;
}

interface Acceptance {
  message_id: string;
  seq: number;
  account_id: string;
  at: number;
  type: "queued" | "scheduled";
  detail: string;
}

/** The first entry of a timeline. It is not stored as long as it can be derived from the message itself. */
export function acceptanceOf(
  row: Pick<LockedMessage, "id" | "account_id" | "created_at" | "scheduled_for">,
): Acceptance {
  const { id: message_id, account_id, created_at: at, scheduled_for } = row;
  const type = scheduled_for === null ? "queued" : "scheduled";
  const detail = scheduled_for === null ? "" : `Due at ${new Date(scheduled_for).toISOString()}.`;
  return { message_id, seq: 0, account_id, at, type, detail };
}

/** Stores the first entries of messages that move for the first time, because their rows are about to get another time. */
async function keepAcceptance(tx: Tx, rows: readonly LockedMessage[]): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const kept = await tx.db
    .selectFrom("message_events")
    .select("message_id")
    .where("message_id", "in", tx.list(ids))
    .where("seq", "=", 0)
    .execute();
  const known = new Set(kept.map(({ message_id }) => message_id));
  await insertTimelineEntries(tx, rows.filter(({ id }) => !known.has(id)).map(acceptanceOf));
}
