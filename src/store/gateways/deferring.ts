// Whether all that a gateway attempts is deferred: messages have been retried for minutes, and none was accepted meanwhile, or for an hour.

import type { Tx } from "#store/database.ts";
import type { LanesTable } from "#store/schema/schema.ts";

/** So long a message is retried before that is more than a hiccup, ms. */
const deferredMs = 5 * 60_000;
/** How far back an accepted message counts, ms; it bounds the minutes that are read. */
const acceptedMs = 60 * 60_000;
/** Messages of each priority that are looked at. A deferred one is due within minutes, before those that are scheduled. */
const look = 200;

export interface Deferring {
  /** When the first of the messages was deferred, epoch ms. */
  since: number;
  /** How many of those that were looked at. */
  count: number;
  /** Whether there may be more. */
  more: boolean;
  /** When the first of them is attempted again, epoch ms. */
  nextAt: number;
  /** The last failure, in the provider's words if it has any. */
  reason: string | null;
}

/** Null if something was accepted, and for a gateway that is paused: that is known already. */
export async function readDeferring(
  tx: Tx,
  gateway: { id: string; account_id: string; active: 0 | 1 },
  lane: Pick<LanesTable, "operator_paused_at" | "paused_since" | "paused_ms">,
  { now, priorities }: { now: number; priorities: readonly number[] },
): Promise<Deferring | null> {
  if (gateway.active === 0 || lane.operator_paused_at !== null || lane.paused_since !== null) return null;
  const deferred = [];
  let more = false;
  for (const priority of priorities) {
    const rows = await tx.db
      .selectFrom(tx.indexed("messages", "messages_due"))
      .select(["first_deferred_at", "due_at", "updated_at", "error_message"])
      .where("gateway_id", "=", gateway.id)
      .where("priority", "=", priority)
      .where("due_at", ">=", now - deferredMs)
      .orderBy("due_at")
      .limit(look)
      .execute();
    more ||= rows.length === look;
    // By the lane's clock, which does not advance during pauses.
    for (const { first_deferred_at, due_at, ...row } of rows)
      if (
        first_deferred_at !== null &&
        due_at !== null &&
        first_deferred_at <= now - lane.paused_ms - deferredMs
      )
        deferred.push({ ...row, due_at, since: first_deferred_at + lane.paused_ms });
  }
  if (deferred.length === 0) return null;
  const since = Math.min(...deferred.map((row) => row.since));
  const accepted = await tx.db
    .selectFrom(tx.indexed("message_counts"))
    .select("at")
    .where("account_id", "=", gateway.account_id)
    .where("step", "=", "minute")
    .where("gateway_id", "=", gateway.id)
    .where("at", ">", Math.max(since, now - acceptedMs))
    .where("sent", ">", 0)
    .limit(1)
    .executeTakeFirst();
  if (accepted) return null;
  const last = deferred.reduce((newest, row) => (row.updated_at > newest.updated_at ? row : newest));
  return {
    since,
    count: deferred.length,
    more,
    nextAt: Math.min(...deferred.map(({ due_at }) => due_at)),
    reason: last.error_message,
  };
}
