// A phone's reports about the items that it received: each report states the full state of one item. Reports arrive concurrently,
// repeatedly and in any order, so an item only moves forward, and a failure is final for the id under which the phone knows the item.

import { sql } from "kysely";
import { writeOperation } from "#store/database.ts";
import { applyReceipt } from "#store/feedback/receipts.ts";
import { storePause, storeResume, untilConnected } from "#store/lanes/lanes.ts";
import { type LockedMessage, lockMessages, TransitionBatch } from "#store/messages/transitions.ts";
import type { PhoneItemsTable } from "#store/schema/phones.ts";
import { lockLinkedPhone } from "./phones.ts";
import { slowDown, slowedGap } from "./slowdown.ts";

/** The states of an item in the app's terms, in their order; the last two are failures. */
export const phoneStates = ["Pending", "Processed", "Sent", "Delivered", "Failed", "Cancelled"] as const;

/** The progress of an item on the phone; failures count as no progress, like no report. */
const rankOf = (state: string): number => ["Pending", "Processed", "Sent", "Delivered"].indexOf(state);

/**
 * Why a phone failed to send a message.
 * - `phone`: the phone or its SIM cannot send at the moment; certainly not sent.
 * - `limited`: the phone may not send so fast; certainly not sent.
 * - `rejected`: the message can never be sent.
 * - `vague`: not sent, for no reason that would say what to do.
 * - `expired`: its time was over before the phone got to it; certainly not sent.
 * - `delivery`: it was sent, and did not arrive.
 *
 * `nothingLeft`: no part of a long text can have been sent either, since the phone failed before it sent the first. Each part
 * is sent by itself, so of other failures some parts may have gone before.
 */
export interface PhoneFailure {
  kind: "phone" | "limited" | "rejected" | "vague" | "expired" | "delivery";
  code: string;
  reason: string;
  nothingLeft?: boolean;
}

/** One report about an item. */
export interface PhoneReport {
  messageId: string;
  transmission: number;
  /** The number that the report is about; null if it states none. */
  recipient: string | null;
  state: (typeof phoneStates)[number];
  /** Set if the state is `Failed`. */
  failure: PhoneFailure | null;
}

interface PhoneReportInput {
  phoneId: string;
  tokenHash: string;
  reports: readonly PhoneReport[];
  at: number;
  /** A time that is unaffected by setting the system's clock, epoch ms: used for how long a message is tried. */
  steadyAt: number;
  eventId: string;
  /** How long a message waits after its first, second, … failure, ms; the last value applies to all later ones. */
  delaysMs: readonly number[];
  /** How long a message is tried, ms. */
  retryForMs: number;
  /** The interval between two messages of each of the phone's gateways, ms, according to its pace. */
  gapsMs: Readonly<Record<string, number>>;
}

/** How often a message is retried after failures without a specific reason. */
const maxVagueFailures = 2;
const firstPauseMs = 5_000;
const maxPauseMs = 300_000;

/**
 * Applies a phone's reports. A report about a message that this phone does not have changes nothing. False if the phone's token is no
 * longer valid.
 */
export const storePhoneReports = writeOperation(
  "storePhoneReports",
  async (tx, input: PhoneReportInput): Promise<boolean> => {
    const { phoneId, tokenHash, at, eventId } = input;
    const phone = await lockLinkedPhone(tx, phoneId, tokenHash);
    if (phone === null) return false;
    const phoneName = phone.name ?? "the phone";
    const ids = [...new Set(input.reports.map(({ messageId }) => messageId))];
    const found = await tx.db
      .selectFrom(tx.indexed("phone_items"))
      .selectAll()
      .where("message_id", "in", tx.list(ids))
      .execute();
    const items = new Map(
      found.filter(({ phone_id }) => phone_id === phoneId).map((item) => [item.message_id, item]),
    );
    const lanes = await tx.db
      .selectFrom("lanes")
      .select([
        "id",
        "fence",
        "pauses",
        "paused_since",
        "failing_since",
        "paused_until",
        "paused_ms",
        "next_at",
      ])
      .where("id", "in", tx.list([...new Set([...items.values()].map(({ gateway_id }) => gateway_id))]))
      .orderBy("id")
      .modifyEnd(tx.lock("update"))
      .execute();
    const rows = await lockMessages(tx, [...items.keys()]);
    const parts = new Map(
      (
        await tx.db
          .selectFrom(tx.indexed("messages"))
          .select(["id", "segments"])
          .where("id", "in", tx.list([...items.keys()]))
          .execute()
      ).map(({ id, segments }) => [id, segments ?? 1]),
    );
    const changes = new TransitionBatch();
    const faults = new Map<string, PhoneFailure>();
    const passed = new Set<string>();
    /** When the last of the messages that exceeded the limit was handed over. */
    const limited = new Map<string, number>();
    for (const report of input.reports) {
      const item = items.get(report.messageId);
      const row = rows.get(report.messageId);
      if (!item || !row) continue;
      if (report.recipient !== null && report.recipient !== row.recipient) continue;
      const lane = lanes.find(({ id }) => id === item.gateway_id);
      const laneNow = input.steadyAt - (lane?.paused_ms ?? 0);
      const effect = apply(changes, row, item, report, {
        ...input,
        laneNow,
        phoneName,
        parts: parts.get(row.id) ?? 1,
      });
      if (effect === "passed") passed.add(item.gateway_id);
      if (effect === "limited")
        limited.set(item.gateway_id, Math.max(item.handed_at, limited.get(item.gateway_id) ?? 0));
      if (effect === "at_fault" && report.failure !== null) faults.set(item.gateway_id, report.failure);
    }
    await changes.write(tx);
    await tx.update(
      "phone_items",
      { id: "text", state: "text", failures: "bigint", open: "bigint" },
      [...items.values()].map(({ message_id: id, state, failures, open }) => ({ id, state, failures, open })),
      (of) => ({
        set: sql`state = ${of("state")}, failures = ${of("failures")}, open = ${of("open")}`,
        where: sql`phone_items.message_id = ${of("id")}`,
      }),
    );
    for (const lane of lanes) {
      const handedAt = limited.get(lane.id);
      if (handedAt !== undefined) {
        const halvings = await slowDown(tx, { gatewayId: lane.id, handedAt, at });
        const nextAt = at + slowedGap(input.gapsMs[lane.id] ?? 0, halvings);
        await tx.db
          .updateTable("lanes")
          .set({ next_at: Math.max(lane.next_at ?? 0, nextAt) })
          .where("id", "=", lane.id)
          .execute();
      }
      const fault = faults.get(lane.id);
      const event = { id: lane.id, fence: lane.fence, at, eventId: `${eventId}_${lane.id}` };
      if (fault) {
        // Other messages that the phone had when the pause began fail as well, and do not extend it.
        if ((lane.paused_until ?? 0) > at) continue;
        const forMs = Math.min(firstPauseMs * 2 ** Math.min(lane.pauses, 16), maxPauseMs);
        await storePause(tx, { ...event, until: at + forMs, reason: fault.reason, pauses: lane.pauses + 1 });
      } else if (passed.has(lane.id) && lane.paused_until !== untilConnected) {
        // Also after a pause that an operator ended: its failure lasts until a success.
        if (lane.paused_since !== null || lane.failing_since !== null) await storeResume(tx, event);
      }
    }
    return true;
  },
);

/** The context in which a report is applied. */
type Context = PhoneReportInput & {
  laneNow: number;
  parts: number;
  /** For the timeline. */
  phoneName: string;
};

/**
 * `passed`: the phone sent it. `at_fault`: the phone, not the message, is the reason why it was not sent. `limited`: it exceeded the
 * phone's limit.
 */
type Effect = "passed" | "at_fault" | "limited" | "noted";

function apply(
  changes: TransitionBatch,
  row: LockedMessage,
  item: PhoneItemsTable,
  report: PhoneReport,
  input: Context,
): Effect {
  const { at, phoneName } = input;
  const reference = itemIdOf(report.messageId, report.transmission);
  const isCurrent = report.transmission === item.transmission;
  switch (report.state) {
    case "Pending":
    case "Processed":
      if (!isCurrent || rankOf(item.state) >= rankOf(report.state)) return "noted";
      item.state = report.state;
      if (report.state === "Processed" && row.status === "sending")
        changes.addTimelineEntry(
          row,
          row.status,
          { at, detail: `Handed to the radio of ${phoneName}.` },
          null,
        );
      return "noted";
    case "Sent":
    case "Delivered": {
      // Proof that it was sent counts, independent of the transmission.
      const details = { at, detail: `Sent by ${phoneName} as ${reference}.`, reference };
      changes.apply(row, { by: "system", step: "accepted" }, details);
      applyReceipt(changes, row, { step: "sent", details });
      if (report.state === "Delivered")
        applyReceipt(changes, row, { step: "delivered", details: { at, detail: "" } });
      if (isCurrent) {
        if (rankOf(item.state) < rankOf(report.state)) item.state = report.state;
        item.open = 0;
      }
      return "passed";
    }
    case "Cancelled":
    case "Failed":
      if (!isCurrent || item.state === "Failed" || item.state === "Cancelled") return "noted";
      return applyFailure(changes, row, item, report, input);
  }
}

function applyFailure(
  changes: TransitionBatch,
  row: LockedMessage,
  item: PhoneItemsTable,
  { state, failure }: PhoneReport,
  input: Context,
): Effect {
  const { at, laneNow } = input;
  const wasSent = rankOf(item.state) >= rankOf("Sent") || row.sent_at !== null;
  item.open = 0;
  if (wasSent) {
    // The network accepted it, or a part of it, and now reports that it did not arrive.
    if (state === "Cancelled" || item.state === "Delivered") return "noted";
    const message = failure?.reason ?? "";
    const code = input.parts > 1 ? "partial" : (failure?.code ?? "undelivered");
    applyReceipt(changes, row, { step: "undelivered", details: { at, detail: message, code, message } });
    item.state = state;
    return "noted";
  }
  item.state = state;
  const message = failure?.reason ?? "The phone cancelled it.";
  const details = { at, detail: message, code: failure?.code ?? "cancelled", message };
  const again = (more: { dueAt: number; uncounted?: boolean; firstDeferredAt?: number }) =>
    changes.apply(row, { by: "system", step: "deferred" }, { ...details, ...more });
  if (state === "Cancelled" || failure === null || failure.kind === "expired") {
    // Certainly not sent, and expired: back to the queue and out of it.
    if (again({ dueAt: at }))
      changes.apply(row, { by: "system", step: state === "Cancelled" ? "cancelled" : "expired" }, details);
    return "noted";
  }
  if (failure.kind === "delivery") {
    // A delivery result proves that it was sent.
    applyReceipt(changes, row, { step: "undelivered", details });
    return "passed";
  }
  if (input.parts > 1 && failure.nothingLeft !== true) {
    changes.apply(row, { by: "system", step: "outcome_unknown" }, details);
    return "noted";
  }
  if (failure.kind === "rejected") {
    changes.apply(row, { by: "system", step: "rejected" }, details);
    return "noted";
  }
  if (failure.kind === "phone") {
    again({ dueAt: at, uncounted: true });
    return "at_fault";
  }
  const firstDeferredAt = row.first_deferred_at ?? laneNow;
  if (failure.kind === "limited") {
    // Does not count as a try: it waits for its turn at the slower pace, for as long as messages are tried.
    if (laneNow - firstDeferredAt < input.retryForMs) again({ dueAt: at, uncounted: true, firstDeferredAt });
    else changes.apply(row, { by: "system", step: "rejected" }, details);
    return "limited";
  }
  item.failures += 1;
  const isOver = item.failures > maxVagueFailures || laneNow - firstDeferredAt >= input.retryForMs;
  if (isOver) changes.apply(row, { by: "system", step: "rejected" }, details);
  else {
    const delay = input.delaysMs[Math.min(item.failures, input.delaysMs.length) - 1] ?? 0;
    changes.apply(
      row,
      { by: "system", step: "deferred" },
      { ...details, dueAt: at + delay, firstDeferredAt },
    );
  }
  return "noted";
}

/** The id under which a phone knows a message. A retry has a new id, because the phone treats a failure as final. */
export function itemIdOf(messageId: string, transmission: number): string {
  return transmission === 1 ? messageId : `${messageId}.${transmission}`;
}
