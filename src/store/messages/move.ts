// Changes to waiting messages: cancelling them, or moving them to another gateway because theirs was disabled or is paused.

import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { ContentKind } from "#contract/messages/content.ts";
import { type Tx, writeOperation } from "#store/database.ts";
import { holdGateways } from "#store/gateways/hold.ts";
import type { MessagesTable, Schema } from "#store/schema/schema.ts";
import {
  insertNextEntries,
  lockMessageOf,
  type MessageOf,
  TransitionBatch,
  type TransitionDetails,
} from "./transitions.ts";

export type CancelOutcome = { kind: "cancelled" } | { kind: "not_cancellable" } | { kind: "not_found" };

/** Cancels a message that is not being sent yet. Idempotent. `channel` null: every channel. */
export const cancelMessage = writeOperation(
  "cancelMessage",
  async (tx, input: MessageOf & { details: TransitionDetails }): Promise<CancelOutcome> => {
    const row = await lockMessageOf(tx, input);
    if (row === null) return { kind: "not_found" };
    if (row.status === "cancelled") return { kind: "cancelled" };
    const changes = new TransitionBatch();
    if (!changes.apply(row, { by: "system", step: "cancelled" }, input.details))
      return { kind: "not_cancellable" };
    await changes.write(tx);
    return { kind: "cancelled" };
  },
);

/** Which messages change their gateway, and the detail for their timeline. */
export interface Move {
  from: string;
  to: string;
  /** The contents of the messages, so that no gateway gets one that it cannot send. */
  contents: readonly ContentKind[];
  limit: number;
  at: number;
  detail: string;
}

/** Moves waiting messages whose caller named no gateway away from a disabled gateway. At most `limit`; returns how many moved. */
export const moveToDefault = writeOperation("moveToDefault", async (tx, input: Move) => {
  if (!(await holdGateways(tx, [input.to])).has(input.to)) return 0;
  const rows = await tx.db
    .selectFrom(tx.indexed("messages", "messages_due"))
    .select(["id", "account_id", "status", "version"])
    .where("gateway_id", "=", input.from)
    .where("due_at", "is not", null)
    .where("gateway_pinned", "=", 0)
    .where("content", "in", input.contents)
    // The order of the due index: ordered by id, the planner would walk all messages instead.
    .orderBy("priority")
    .orderBy("due_at")
    .orderBy("id")
    .limit(input.limit)
    .modifyEnd(tx.lock("update"))
    .execute();
  return await moveLocked(tx, rows, input);
});

/** A message that is about to change its gateway, locked. */
type Leaving = Pick<MessagesTable, "id" | "account_id" | "status" | "version">;

/** Moves locked messages that wait. `routeId`: the route that chose their gateway. Returns how many. */
export async function moveLocked(
  tx: Tx,
  rows: readonly Leaving[],
  { to, at, detail, routeId = null }: { to: string; at: number; detail: string; routeId?: string | null },
): Promise<number> {
  if (rows.length === 0) return 0;
  const ids = tx.list(rows.map(({ id }) => id));
  await tx.db
    .updateTable(tx.indexed("messages"))
    // Retry windows are measured on each lane's own clock.
    .set((eb) => ({
      gateway_id: to,
      first_deferred_at: null,
      spread_id: routeId,
      updated_at: at,
      version: eb("version", "+", 1),
    }))
    .where("id", "in", ids)
    .execute();
  await insertNextEntries(tx, rows, { at, detail });
  tx.changes.due(to);
  return rows.length;
}

/** Messages of a lane that are due, of one priority: a range of the due index, so that what is not due yet is not read. */
const dueOn = (tx: Tx, laneId: string, priority: number, at: number) =>
  tx.db
    .selectFrom("messages")
    .select("id")
    .where("gateway_id", "=", laneId)
    .where("priority", "=", priority)
    .where("due_at", "<=", at)
    .orderBy("due_at")
    .orderBy("id");

/**
 * Locks messages of a lane that are due and were certainly not sent, the first priority first. `only` narrows them, and null locks all of them.
 */
export async function lockDue(
  tx: Tx,
  {
    laneId,
    priorities,
    at,
    limit,
  }: { laneId: string; priorities: readonly number[]; at: number; limit: number },
  only: ((eb: ExpressionBuilder<Schema, "messages">) => Expression<SqlBool>) | null,
): Promise<(Leaving & Pick<MessagesTable, "recipient">)[]> {
  const found: { id: string }[] = [];
  for (const priority of priorities) {
    if (found.length === limit) break;
    const due = dueOn(tx, laneId, priority, at).where("resends", "=", 0);
    const narrowed = only === null ? due : due.where(only);
    found.push(...(await narrowed.limit(limit - found.length).execute()));
  }
  if (found.length === 0) return [];
  // Locked by id, like everywhere, and looked at once more: a stamp, a cancel or a receipt may have been faster.
  return await tx.db
    .selectFrom(tx.indexed("messages"))
    .select(["id", "account_id", "status", "version", "recipient"])
    .where("id", "in", tx.list(found.map(({ id }) => id)))
    .where("gateway_id", "=", laneId)
    .where("due_at", "<=", at)
    .where("resends", "=", 0)
    .orderBy("id")
    .modifyEnd(tx.lock("update"))
    .execute();
}

/**
 * Moves messages that are due, whose caller named no gateway, and that were certainly not sent, from a gateway whose lane is paused to
 * another one of the same account, channel and mode (live or test). Messages that may have been sent (`resends` above 0) stay, because a
 * late receipt from their own gateway may still settle them. Both lanes are read again here, because pauses are short: nothing moves if the
 * first lane is sending again or the other one has been paused. Exactly one message (`probe`) moves to a lane whose pause is over but that
 * has not proven healthy yet, and only if nothing else is due there. At most `limit`; returns how many moved.
 */
export const moveToFailover = writeOperation(
  "moveToFailover",
  async (tx, input: Move & { probe: boolean; priorities: readonly number[] }) => {
    const { from, to, contents, probe, priorities, at } = input;
    if (!(await holdGateways(tx, [to])).has(to)) return 0;
    const lanes = await tx.db
      .selectFrom("lanes")
      .select(["id", "paused_until", "paused_since", "operator_paused_at"])
      .where("id", "in", [from, to])
      .orderBy("id")
      // A pause or its end either waits for this transaction or is visible to it.
      .modifyEnd(tx.lock("share"))
      .execute();
    // Lane flags are not checked: the lane of a phone is always off, because no process drives it.
    const on = await tx.db
      .selectFrom("gateways")
      .select("id")
      .where("id", "in", [from, to])
      .where("active", "=", 1)
      .execute();
    const laneOf = (gateway: string) =>
      on.some(({ id }) => id === gateway) ? lanes.find(({ id }) => id === gateway) : undefined;
    const [source, target] = [laneOf(from), laneOf(to)];
    if (!source || source.operator_paused_at !== null) return 0;
    if (!target || target.operator_paused_at !== null) return 0;
    if ((source.paused_until ?? 0) <= at) return 0;
    const probing = target.paused_since !== null;
    if (probing !== probe || (target.paused_until ?? 0) > at) return 0;
    if (probe) {
      for (const priority of priorities)
        if (await dueOn(tx, to, priority, at).limit(1).executeTakeFirst()) return 0;
    }
    const limit = probe ? 1 : input.limit;
    const rows = await lockDue(tx, { laneId: from, priorities, at, limit }, (eb) =>
      eb.and([eb("gateway_pinned", "=", 0), eb("content", "in", contents)]),
    );
    return await moveLocked(tx, rows, input);
  },
);
