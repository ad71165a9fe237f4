// A message on its way: read when due, stamped `sending` before the call, settled after it.
// Stamp and settle are fenced: a process that lost its lane changes nothing with them.

import { sql } from "kysely";
import { isAddressFault } from "#contract/messages/bounce-class.ts";
import { advance, type ReceiptStep, type SystemStep } from "#contract/messages/states.ts";
import { gatheredOperation, readOperation, type Tx, writeOperation } from "#store/database.ts";
import { heedReaches, type Reach } from "#store/feedback/bounces.ts";
import { applyReceipt, attachReferences } from "#store/feedback/receipts.ts";
import type { MessagesTable } from "#store/schema/schema.ts";
import { announceRows } from "#store/webhooks/outbox.ts";
import { refuse } from "./expire-or-suppress.ts";
import { Changes, insertEvents, lockMessages, type TransitionDetails } from "./transitions.ts";

const dueColumns = [
  "id",
  "account_id",
  "channel",
  "number",
  "recipient",
  "body",
  "band",
  "due_at",
  "attempts",
  "resends",
  "deferred_from",
] as const;

/** Of an email the body is empty: it is read when the mail is composed. */
export type DueMessage = Pick<MessagesTable, (typeof dueColumns)[number]> & { due_at: number };

/** The next due messages of a lane's band, oldest due first, after a place in that order. Writes nothing. */
export const readDue = readOperation(
  "readDue",
  async (
    tx,
    input: {
      laneId: string;
      band: number;
      now: number;
      after: { dueAt: number; id: string } | null;
      limit: number;
    },
  ) => {
    const { laneId, band, now, after, limit } = input;
    let query = tx.db
      .selectFrom("messages")
      .select(dueColumns)
      .where("gateway_id", "=", laneId)
      .where("band", "=", band)
      .where("due_at", "<=", now);
    // A row value is what both planners turn into one range of the index.
    if (after) query = query.where(sql<boolean>`(due_at, id) > (${after.dueAt}, ${after.id})`);
    const rows = await query.orderBy("due_at").orderBy("id").limit(limit).execute();
    return rows as DueMessage[];
  },
);

/** When the lane's next message that is not yet due will be; null when there is none. */
export const nextDue = readOperation(
  "nextDue",
  async (tx, input: { laneId: string; bands: readonly number[]; now: number }) => {
    let next: number | null = null;
    for (const band of input.bands) {
      const row = await tx.db
        .selectFrom("messages")
        .select("due_at")
        .where("gateway_id", "=", input.laneId)
        .where("band", "=", band)
        .where("due_at", ">", input.now)
        .orderBy("due_at")
        .limit(1)
        .executeTakeFirst();
      if (row?.due_at != null && (next === null || row.due_at < next)) next = row.due_at;
    }
    return next;
  },
);

export interface Stamp {
  laneId: string;
  fence: number;
  ids: string[];
  at: number;
  /** What was due before this (epoch ms) is too late to be wanted. */
  lateBefore: number;
  /** The lane's local day, when it has a daily cap to count. */
  day: string | null;
}

/** `stamped`: these, and only these, may go out now, each as this attempt; of the others, what may never go out has ended. `fenced`: the lane belongs to another process. */
export type StampResult = { kind: "stamped"; attempts: Map<string, number> } | { kind: "fenced" };

export const stampMessages = gatheredOperation("stampMessages", async (tx, stamps: readonly Stamp[]) => {
  const counted = stamps.some((stamp) => stamp.day !== null);
  const lanes = await tx.db
    .selectFrom("lanes")
    .select(["id", "fence", "day", "day_count"])
    .where("id", "in", [...new Set(stamps.map((stamp) => stamp.laneId))])
    .orderBy("id")
    // A takeover waits for this transaction, or this one sees its higher fence.
    .modifyEnd(tx.lock(counted ? "update" : "share"))
    .execute();
  const held = new Map(lanes.map((lane) => [lane.id, lane]));
  const owned = stamps.filter((stamp) => held.get(stamp.laneId)?.fence === stamp.fence);
  const wanted = owned
    .flatMap(({ ids, fence, at, laneId: lane, lateBefore: late }) =>
      ids.map((id) => ({ id, fence, at, lane, late })),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  if (wanted.length === 0)
    return stamps.map(
      (stamp) =>
        (owned.includes(stamp)
          ? { kind: "stamped", attempts: new Map() }
          : { kind: "fenced" }) satisfies StampResult,
    );
  const stamped = await tx.update<{
    id: string;
    version: number;
    account_id: string;
    at: number;
    attempts: number;
  }>(
    "messages",
    { id: "text", fence: "bigint", at: "bigint", lane: "text", late: "bigint" },
    wanted,
    (of) => ({
      set: sql`
        status = 'sending', due_at = null, fence = ${of("fence")}, updated_at = ${of("at")},
        attempts = attempts + 1, version = version + 1`,
      where: sql`
        messages.id = ${of("id")} and messages.due_at >= ${of("late")} and messages.gateway_id = ${of("lane")}
        and not exists (
          select 1 from suppressions as s
          where s.account_id = messages.account_id and s.channel = messages.channel and s.recipient = messages.recipient
        )`,
      returning: sql`messages.id, messages.version, messages.account_id, messages.updated_at as at, messages.attempts`,
    }),
  );
  await insertEvents(
    tx,
    stamped.map((row) => ({
      message_id: row.id,
      seq: row.version,
      account_id: row.account_id,
      at: row.at,
      type: "sending",
      detail: `Attempt ${row.attempts}.`,
    })),
  );
  const done = new Map(stamped.map((row) => [row.id, row.attempts]));
  await announceRows(tx, stamped, "sending");
  if (done.size < wanted.length)
    await refuse(
      tx,
      wanted.filter(({ id }) => !done.has(id)),
    );
  const results: StampResult[] = [];
  for (const stamp of stamps) {
    if (!owned.includes(stamp)) {
      results.push({ kind: "fenced" });
      continue;
    }
    const attempts = new Map<string, number>();
    for (const id of stamp.ids) {
      const attempt = done.get(id);
      if (attempt === undefined) continue;
      attempts.set(id, attempt);
      // Each attempt is one caller's alone.
      done.delete(id);
    }
    results.push({ kind: "stamped", attempts });
    if (stamp.day === null || attempts.size === 0) continue;
    const lane = held.get(stamp.laneId)!;
    lane.day_count = (lane.day === stamp.day ? lane.day_count : 0) + attempts.size;
    lane.day = stamp.day;
    await tx.db
      .updateTable("lanes")
      .set({ day: lane.day, day_count: lane.day_count })
      .where("id", "=", lane.id)
      .execute();
  }
  return results;
});

export interface Settlement {
  id: string;
  laneId: string;
  fence: number;
  /** The attempt that this is the outcome of. */
  attempt: number;
  step: SystemStep;
  happening: TransitionDetails;
  /** How it ended, where the provider said so in the same answer. */
  receipt: { step: ReceiptStep; happening: TransitionDetails } | null;
}

/** `settled`: as meant; `late`: the row had moved on, and what could still be learned was. */
export const settleMessages = gatheredOperation(
  "settleMessages",
  async (tx, settlements: readonly Settlement[]) => {
    // References before messages: a receipt takes its locks in the same order.
    const early = await attachReferences(
      tx,
      settlements.flatMap(({ id, laneId, happening }) =>
        happening.reference
          ? [{ gateway_id: laneId, reference: happening.reference, message_id: id, created_at: happening.at }]
          : [],
      ),
    );
    const usual = await settleAccepted(
      tx,
      settlements.filter(({ id, step, receipt }) => step === "accepted" && !receipt && !early.has(id)),
    );
    const others = settlements.filter(({ id }) => !usual.has(id));
    const rows = await lockMessages(
      tx,
      others.map(({ id }) => id),
    );
    const changes = new Changes();
    const reaches: Reach[] = [];
    const results = settlements.map((settlement): "settled" | "late" => {
      if (usual.has(settlement.id)) return "settled";
      const row = rows.get(settlement.id);
      // Only retention removes rows, and only ended ones.
      if (!row) return "late";
      // Somebody else's by now (the lane was taken while this process slept): only proof of a transmission still counts.
      const own =
        row.gateway_id === settlement.laneId &&
        row.fence === settlement.fence &&
        row.attempts === settlement.attempt;
      if (own || settlement.step === "accepted") {
        const { step, happening } = settlement;
        const moved = changes.apply(row, { by: "system", step }, happening);
        // Refused at once for the address: as good as a mail that comes back for it.
        if (
          moved &&
          step === "rejected" &&
          row.channel === "email" &&
          isAddressFault(happening.code ?? "", happening.detail)
        )
          reaches.push({ message: row, verdict: "hard", at: happening.at, note: happening.detail });
      }
      const { receipt } = settlement;
      if (receipt) reaches.push(...applyReceipt(changes, row, receipt));
      for (const said of early.get(row.id) ?? []) reaches.push(...applyReceipt(changes, row, said));
      // A receipt that named only our id was faster; the reference is still worth keeping.
      if (settlement.happening.reference) changes.learn(row, settlement.happening.reference);
      return own ? "settled" : "late";
    });
    await changes.write(tx);
    await heedReaches(tx, reaches);
    return results;
  },
);

/**
 * The usual end of an attempt, for which one statement is enough: accepted, and still as it was stamped.
 * Returns those it did; whatever else became of a message is for the careful way.
 */
async function settleAccepted(tx: Tx, settlements: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const change = advance("sending", { by: "system", step: "accepted" });
  if (!change || settlements.length === 0) return new Set();
  const byId = new Map(settlements.map((settlement) => [settlement.id, settlement]));
  const rows = await tx.update<{ id: string; version: number; account_id: string }>(
    "messages",
    { id: "text", lane: "text", fence: "bigint", attempt: "bigint", at: "bigint", reference: "text" },
    settlements
      .map(({ id, laneId, fence, attempt, happening }) => ({
        id,
        lane: laneId,
        fence,
        attempt,
        at: happening.at,
        reference: happening.reference ?? null,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    (of) => ({
      set: sql`
        status = ${sql.lit(change.status)}, version = version + 1, updated_at = ${of("at")}, sent_at = coalesce(sent_at, ${of("at")}),
        provider_reference = coalesce(${of("reference")}, provider_reference), error_code = null, error_message = null`,
      where: sql`
        messages.id = ${of("id")} and messages.status = 'sending' and messages.gateway_id = ${of("lane")}
        and messages.fence = ${of("fence")} and messages.attempts = ${of("attempt")}`,
      returning: sql`messages.id, messages.version, messages.account_id`,
    }),
  );
  await insertEvents(
    tx,
    rows.map((row) => {
      const { happening } = byId.get(row.id)!;
      return {
        message_id: row.id,
        seq: row.version,
        account_id: row.account_id,
        at: happening.at,
        type: change.status,
        detail: happening.detail,
      };
    }),
  );
  await announceRows(tx, rows, change.status);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes a lane's stamped messages that were certainly never handed over back to the queue: the stamp's own
 * answer was lost, or the process is stopping. Fenced like a settlement.
 */
export const unstampMessages = writeOperation(
  "unstampMessages",
  async (tx, input: { laneId: string; fence: number; ids: string[]; happening: TransitionDetails }) => {
    const rows = await lockMessages(tx, input.ids);
    const changes = new Changes();
    for (const row of rows.values()) {
      // Fences count by lane: the same number may stand for another one.
      const own = row.gateway_id === input.laneId && row.fence === input.fence;
      if (row.status !== "sending" || !own) continue;
      changes.apply(row, { by: "system", step: "deferred" }, input.happening);
    }
    await changes.write(tx);
  },
);

/**
 * Messages that an earlier owner of the lane left `sending`: what they may have become is decided by
 * the gateway's policy. At most `limit`; returns how many were found.
 */
export const recoverMessages = writeOperation(
  "recoverMessages",
  async (
    tx,
    input: {
      laneId: string;
      fence: number;
      limit: number;
      /** For messages that were not repeated before, and for those that were. */
      first: { step: SystemStep; happening: TransitionDetails };
      again: { step: SystemStep; happening: TransitionDetails };
    },
  ) => {
    const gateway = await tx.db
      .selectFrom("gateways")
      .select(["account_id", "channel"])
      .where("id", "=", input.laneId)
      .executeTakeFirst();
    if (!gateway) return 0;
    // By account and status: an index of its own would cost every message two updates of it.
    const left = await tx.db
      .selectFrom(tx.indexed("messages", "messages_status"))
      .select("id")
      .where("account_id", "=", gateway.account_id)
      .where("channel", "=", gateway.channel)
      .where("status", "=", "sending")
      .where("gateway_id", "=", input.laneId)
      .where("fence", "<", input.fence)
      .limit(input.limit)
      .execute();
    const rows = await lockMessages(
      tx,
      left.map(({ id }) => id),
    );
    const changes = new Changes();
    for (const row of rows.values()) {
      if (row.status !== "sending" || row.fence >= input.fence) continue;
      const { step, happening } = row.resends === 0 ? input.first : input.again;
      changes.apply(row, { by: "system", step }, happening);
    }
    await changes.write(tx);
    return left.length;
  },
);
