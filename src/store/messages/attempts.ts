// Attempts to send a message: it is read when due, marked `sending` before the gateway is called, and settled afterwards.
// Beginning and settling are fenced: a process that lost its lane changes nothing.

import { sql } from "kysely";
import { isAddressFault } from "#contract/messages/bounce-class.ts";
import { advance, type ReportedStep, type SystemStep } from "#contract/messages/states.ts";
import { batchedOperation, readOperation, type Tx } from "#store/database.ts";
import { type LeftOut, noteLeftOut, RecipientBatch, stepOfAll } from "#store/email/mail-recipients.ts";
import { applyBounces, type BounceReport } from "#store/feedback/bounces.ts";
import { applyReported, attachReferences, returnedReferences } from "#store/feedback/receipts.ts";
import { applyReturned, takeWaitingReturns } from "#store/feedback/returned.ts";
import { noteSenderName } from "#store/feedback/sender-names.ts";
import { type DueQuery, selectDue, selectNextDue } from "#store/lanes/due.ts";
import type { MessagesTable } from "#store/schema/schema.ts";
import { recordStatusEvents } from "#store/webhooks/outbox.ts";
import { expireOrSuppress } from "./expire-or-suppress.ts";
import {
  insertTimelineEntries,
  type LockedMessage,
  lockMessages,
  sendableSince,
  TransitionBatch,
  type TransitionDetails,
} from "./transitions.ts";

const dueColumns = [
  "id",
  "account_id",
  "request_id",
  "recipient_raw",
  "recipient",
  "content",
  "priority",
  "due_at",
  "attempts",
  "resends",
  "first_deferred_at",
  "segments",
] as const;

/** A body longer than this, in bytes, is read only when its message is sent, because lanes read hundreds of messages ahead. */
const maxBodyAhead = 16_384;

/**
 * `body`: null if it is too long to be read ahead, and empty for an email; such bodies are read when they are sent. `body_bytes`: length of
 * the body in UTF-8.
 */
export type DueMessage = Pick<MessagesTable, (typeof dueColumns)[number]> & {
  due_at: number;
  body: string | null;
  body_bytes: number;
};

const dueValues = sql`${sql.join(dueColumns.map((column) => sql.ref(column)))}, octet_length(body) as body_bytes,
  case when octet_length(body) <= ${sql.lit(maxBodyAhead)} then body end as body`;

/** The next due messages of a lane's priority. Writes nothing. */
export const readDue = readOperation(
  "readDue",
  async (tx, input: DueQuery) => await selectDue<DueMessage>(tx, "messages", dueValues, input),
);

/** When the lane's next message that is not due yet becomes due; null if there is none. */
export const nextDue = readOperation(
  "nextDue",
  async (tx, input: { laneId: string; priorities: readonly number[]; now: number }) =>
    await selectNextDue(tx, "messages", input),
);

export interface AttemptBatch {
  laneId: string;
  fence: number;
  ids: string[];
  at: number;
  /** Messages that were due before this (epoch ms) are too late to be sent. */
  lateBefore: number;
  /** The lane's local day, if it has a daily limit. */
  day: string | null;
}

/**
 * `begun`: exactly these messages may be sent now, each as this attempt; those that may never be sent have ended. `fenced`: the lane
 * belongs to another process. `paused`: an operator paused it, which its owner does not know yet.
 */
export type BeginAttemptsResult =
  | { kind: "begun"; attempts: Map<string, number> }
  | { kind: "fenced" }
  | { kind: "paused" };

export const beginAttempts = batchedOperation("beginAttempts", beginAttemptBatches);

/** The same inside a transaction: one result for each batch. */
export async function beginAttemptBatches(
  tx: Tx,
  batches: readonly AttemptBatch[],
): Promise<BeginAttemptsResult[]> {
  const counted = batches.some((batch) => batch.day !== null);
  const lanes = await tx.db
    .selectFrom("lanes")
    .select(["id", "fence", "day", "day_count", "operator_paused_at"])
    .where("id", "in", [...new Set(batches.map((batch) => batch.laneId))])
    .orderBy("id")
    // A takeover or a pause either waits for this transaction or is visible to it.
    .modifyEnd(tx.lock(counted ? "update" : "share"))
    .execute();
  const held = new Map(lanes.map((lane) => [lane.id, lane]));
  const refusalOf = ({ laneId, fence }: AttemptBatch) => {
    const lane = held.get(laneId);
    if (lane?.fence !== fence) return "fenced";
    return lane.operator_paused_at === null ? null : "paused";
  };
  const requested = batches
    .filter((batch) => refusalOf(batch) === null)
    .flatMap(({ ids, fence, at, laneId: lane, lateBefore: late }) =>
      ids.map((id) => ({ id, fence, at, lane, late })),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  if (requested.length === 0)
    return batches.map((batch) => {
      const refusal = refusalOf(batch);
      return refusal === null ? { kind: "begun", attempts: new Map() } : { kind: refusal };
    });
  // A mail to several is sent to the others, as long as one of them is in the field of the first one: its To, unless
  // it has hidden recipients alone. Still due: it may have been moved to a later time since it was read.
  const begun = await tx.update<{
    id: string;
    version: number;
    account_id: string;
    at: number;
    attempts: number;
  }>(
    "messages",
    { id: "text", fence: "bigint", at: "bigint", lane: "text", late: "bigint" },
    requested,
    (of) => ({
      set: sql`
        status = 'sending', due_at = null, fence = ${of("fence")}, updated_at = ${of("at")},
        attempts = attempts + 1, version = version + 1`,
      where: sql`
        messages.id = ${of("id")} and messages.due_at >= ${of("late")} and messages.due_at <= ${of("at")}
        and messages.gateway_id = ${of("lane")}
        and (not exists (
          select 1 from suppressions as s
          where s.account_id = messages.account_id and s.channel = messages.channel and s.recipient = messages.recipient
        ) or exists (
          select 1 from mail_recipients as r
          where r.message_id = messages.id and messages.channel = 'email'
            and r.field = (select f.field from mail_recipients as f where f.message_id = messages.id and f.position = 0)
            and not exists (
              select 1 from suppressions as l
              where l.account_id = messages.account_id and l.channel = messages.channel and l.recipient = r.recipient
            )
        ))`,
      returning: sql`messages.id, messages.version, messages.account_id, messages.updated_at as at, messages.attempts`,
    }),
  );
  await insertTimelineEntries(
    tx,
    begun.map((row) => ({
      message_id: row.id,
      seq: row.version,
      account_id: row.account_id,
      at: row.at,
      type: "sending",
      detail: `Attempt ${row.attempts}.`,
    })),
  );
  const done = new Map(begun.map((row) => [row.id, row.attempts]));
  await recordStatusEvents(tx, begun, "sending");
  if (done.size < requested.length)
    await expireOrSuppress(
      tx,
      requested.filter(({ id }) => !done.has(id)),
    );
  const results: BeginAttemptsResult[] = [];
  for (const batch of batches) {
    const refusal = refusalOf(batch);
    if (refusal !== null) {
      results.push({ kind: refusal });
      continue;
    }
    const attempts = new Map<string, number>();
    for (const id of batch.ids) {
      const attempt = done.get(id);
      if (attempt === undefined) continue;
      attempts.set(id, attempt);
      // An attempt belongs to one caller.
      done.delete(id);
    }
    results.push({ kind: "begun", attempts });
    if (batch.day === null || attempts.size === 0) continue;
    const lane = held.get(batch.laneId)!;
    lane.day_count = (lane.day === batch.day ? lane.day_count : 0) + attempts.size;
    lane.day = batch.day;
    await tx.db
      .updateTable("lanes")
      .set({ day: lane.day, day_count: lane.day_count })
      .where("id", "=", lane.id)
      .execute();
  }
  return results;
}

export interface Settlement {
  id: string;
  laneId: string;
  fence: number;
  /** The attempt with this outcome. */
  attempt: number;
  step: SystemStep;
  details: TransitionDetails;
  /**
   * All references, if the message has several. `each`: the provider reports on each separately. `of`: how many it reports on, if not on
   * all of them.
   */
  parts: { references: readonly string[]; each: boolean; of?: number } | null;
  /** Of a mail to several: the recipients who were suppressed or refused. Absent for any other message. */
  leftOut?: readonly LeftOut[];
  /** The number or id that the recipient's answers come from, if it differs. */
  knownAs?: string;
  /** The final status, if the provider's answer already contains it. */
  receipt: { step: ReportedStep; details: TransitionDetails } | null;
}

/** Steps of attempts that may have reached the provider but have no known reference. */
const unprovenSteps: readonly SystemStep[] = ["outcome_unknown", "resent"];

/**
 * Whether the message is still in this attempt. If another process owns the lane by now (this one slept), only proof of a transmission
 * still counts.
 */
const isCurrent = (row: LockedMessage, { laneId, fence, attempt }: Settlement): boolean =>
  row.gateway_id === laneId && row.fence === fence && row.attempts === attempt;

/**
 * `settled`: the outcome was applied. `late`: the message had changed, and only what is still true was applied. `returned`: the outcome was
 * applied and the message is due again, because the provider had already reported it as undelivered.
 */
export const settleMessages = batchedOperation(
  "settleMessages",
  async (tx, settlements: readonly Settlement[]) => {
    // References before messages: a receipt takes its locks in the same order.
    const early = await attachReferences(
      tx,
      settlements.flatMap(({ id, laneId, details, parts }) => {
        const row = { gateway_id: laneId, message_id: id, created_at: details.at };
        if (parts !== null) {
          const { references, each, of = references.length } = parts;
          return references.map((reference) => ({ ...row, reference, parts: each ? of : 1 }));
        }
        return details.reference ? [{ ...row, reference: details.reference, parts: 1 }] : [];
      }),
    );
    await noteLeftOut(tx, settlements);
    const accepted = await settleAccepted(
      tx,
      settlements.filter(
        ({ id, step, receipt, leftOut = [] }) =>
          step === "accepted" && !receipt && !early.has(id) && leftOut.length === 0,
      ),
    );
    const others = settlements.filter(({ id }) => !accepted.has(id));
    const rows = await lockMessages(
      tx,
      others.map(({ id }) => id),
    );
    const changes = new TransitionBatch();
    const reports: BounceReport[] = [];
    const recipients = await RecipientBatch.of(tx, rows.values());
    const returned = await returnedReferences(tx, rows);
    const unproven = others.flatMap((settlement) => {
      const row = rows.get(settlement.id);
      return row && unprovenSteps.includes(settlement.step) && isCurrent(row, settlement) ? [row] : [];
    });
    const waiting = await takeWaitingReturns(tx, unproven);
    const settleOne = async (settlement: Settlement): Promise<"settled" | "late" | "returned"> => {
      if (accepted.has(settlement.id)) return "settled";
      const row = rows.get(settlement.id);
      // Only retention removes rows, and only ended ones.
      if (!row) return "late";
      const wasCurrent = isCurrent(row, settlement);
      const { step, details } = settlement;
      const pending = early.get(row.id) ?? [];
      // If the transmission has come back since, the message waits for the next one.
      const cameBack = pending.length === 0 && returned.has(`${row.id} ${details.reference}`);
      if (step === "accepted" ? !cameBack : wasCurrent) {
        const moved = changes.apply(row, { by: "system", step }, details);
        // Refused at once because of the address: treated like a bounce.
        if (
          moved &&
          step === "rejected" &&
          row.channel === "email" &&
          settlement.leftOut === undefined &&
          isAddressFault(details.code ?? "", details.detail)
        )
          reports.push({ message: row, verdict: "hard", at: details.at, note: details.detail });
      }
      const { receipt, leftOut = [] } = settlement;
      for (const { status, code, message: note, recipient } of leftOut)
        if (status === "failed" && isAddressFault(code, note))
          reports.push({ message: { ...row, recipient }, verdict: "hard", at: details.at, note });
      const before = row.resends;
      for (const each of receipt ? [receipt, ...pending] : pending)
        reports.push(...(await applyReported(tx, changes, row, each, recipients)));
      const several = leftOut.length === 0 ? null : recipients.of(row.id);
      // A report on the last of the others may have come before it was known who was left out.
      if (several !== null && step === "accepted")
        changes.apply(row, { by: "receipt", step: stepOfAll(several) }, { at: details.at, detail: "" });
      for (const each of waiting.get(row.id) ?? []) await applyReturned(tx, changes, row, each);
      // A receipt that carried only our id arrived first; the reference is still worth keeping.
      if (settlement.details.reference) changes.setReference(row, settlement.details.reference);
      if (row.resends > before && row.due_at !== null) return "returned";
      return wasCurrent ? "settled" : "late";
    };
    const results: Awaited<ReturnType<typeof settleOne>>[] = [];
    for (const settlement of settlements) results.push(await settleOne(settlement));
    await changes.write(tx);
    await recipients.write(tx);
    await applyBounces(tx, reports);
    await noteKnownAs(tx, settlements);
    return results;
  },
);

async function noteKnownAs(tx: Tx, settlements: readonly Settlement[]): Promise<void> {
  const shown = new Map(settlements.map((settlement) => [settlement.id, settlement]));
  for (const { id, knownAs } of settlements) if (knownAs === undefined) shown.delete(id);
  if (shown.size === 0) return;
  const rows = await tx.db
    .selectFrom(tx.indexed("messages"))
    .select(["id", "account_id", "gateway_id", "channel", "recipient"])
    .where("id", "in", tx.list([...shown.keys()]))
    .orderBy("id")
    .execute();
  for (const { id, ...row } of rows) {
    const { knownAs: sender = row.recipient, details } = shown.get(id)!;
    await noteSenderName(tx, { ...row, sender, at: details.at });
  }
}

/**
 * The usual end of an attempt, which needs only one statement: accepted, and unchanged since it began. Returns the ids that it settled; the
 * others are settled one by one.
 */
async function settleAccepted(tx: Tx, settlements: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const change = advance("sending", { by: "system", step: "accepted" });
  if (!change || settlements.length === 0) return new Set();
  const byId = new Map(settlements.map((settlement) => [settlement.id, settlement]));
  type Row = Pick<
    MessagesTable,
    "id" | "version" | "account_id" | "channel" | "gateway_id" | "created_at" | "scheduled_for" | "sent_at"
  >;
  const rows = await tx.update<Row>(
    "messages",
    { id: "text", lane: "text", fence: "bigint", attempt: "bigint", at: "bigint", reference: "text" },
    settlements
      .map(({ id, laneId, fence, attempt, details }) => ({
        id,
        lane: laneId,
        fence,
        attempt,
        at: details.at,
        reference: details.reference ?? null,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    (of) => ({
      set: sql`
        status = ${sql.lit(change.status)}, version = version + 1, updated_at = ${of("at")}, sent_at = coalesce(sent_at, ${of("at")}),
        provider_reference = coalesce(${of("reference")}, provider_reference), error_code = null, error_message = null`,
      where: sql`
        messages.id = ${of("id")} and messages.status = 'sending' and messages.gateway_id = ${of("lane")}
        and messages.fence = ${of("fence")} and messages.attempts = ${of("attempt")}`,
      returning: sql`
        messages.id, messages.version, messages.account_id, messages.channel, messages.gateway_id, messages.created_at,
        messages.scheduled_for, messages.sent_at`,
    }),
  );
  for (const row of rows) {
    const { at } = byId.get(row.id)!.details;
    // An earlier attempt may have sent it.
    if (row.sent_at === at) tx.counts.add({ ...row, name: "sent", at, ms: at - sendableSince(row) });
  }
  await insertTimelineEntries(
    tx,
    rows.map((row) => {
      const { details } = byId.get(row.id)!;
      return {
        message_id: row.id,
        seq: row.version,
        account_id: row.account_id,
        at: details.at,
        type: change.status,
        detail: details.detail,
      };
    }),
  );
  await recordStatusEvents(tx, rows, change.status);
  return new Set(rows.map(({ id }) => id));
}
