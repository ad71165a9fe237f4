// Takes a lane's messages to their gateway: what the adapter answered becomes the message's next step.

import type { Core } from "#core/core.ts";
import type { Outcome } from "#gateways/gateway.ts";
import { retryDelay } from "#gateways/rules.ts";
import { engagementFrom } from "#messaging/feedback/normalise.ts";
import type { LaneWork } from "#queue/lane.ts";
import { priorities } from "#queue/priority.ts";
import { storeEngagements } from "#store/feedback/engagements.ts";
import { pauseLane, resumeLane } from "#store/lanes/lanes.ts";
import {
  type DueMessage,
  nextDue,
  readDue,
  recoverMessages,
  type Settlement,
  settleMessages,
  stampMessages,
  unstampMessages,
} from "#store/messages/attempts.ts";
import type { TransitionDetails } from "#store/messages/transitions.ts";
import { createSender, type LaneGateway, type TransmitDeps } from "./transmit.ts";

export type DeliverDeps = TransmitDeps & Pick<Core, "newId" | "random" | "signals">;

/** How many messages of a dead owner are classified in one transaction. */
const recoverBatchSize = 1000;
const maxReasonLength = 500;

/** The work of a gateway's lane. */
export function deliverWork(
  parts: DeliverDeps,
  gateway: LaneGateway,
  fence: number,
): LaneWork<DueMessage, Outcome> {
  const { database, clock, crashPoint } = parts;
  const laneId = gateway.id;
  const over = new AbortController();
  const send = createSender(parts, gateway);
  return {
    readDue: (query) => database.run(readDue, { laneId, ...query }),
    nextDue: (now) => database.run(nextDue, { laneId, bands: priorities, now }),
    beginAttempts: async (rows, day) => {
      crashPoint("stamp.before");
      const result = await database.run(stampMessages, {
        laneId,
        fence,
        ids: rows.map((row) => row.id),
        at: clock.now(),
        lateBefore: clock.now() - gateway.latenessMs,
        day,
      });
      crashPoint("stamp.after");
      parts.signals.emit("eventsRecorded");
      return result;
    },
    revertAttempts: async (ids) => {
      const at = clock.now();
      const detail = "Not handed over: storage failed at that moment.";
      await database.run(unstampMessages, {
        laneId,
        fence,
        ids: [...ids],
        happening: { at, dueAt: at, detail, uncounted: true, code: null, message: null },
      });
      parts.signals.emit("eventsRecorded");
    },
    recover: () => recover(parts, gateway, fence),
    send,
    settle: async (row, attempt, outcome, judged) => {
      const settlement = settlementOf(parts, gateway, fence, row, attempt, outcome, judged);
      crashPoint("settle.before");
      const result = await database.run(settleMessages, settlement);
      crashPoint("settle.after");
      parts.signals.emit("eventsRecorded");
      if (result === "late")
        parts.log.warn({ message: row.id, lane: laneId, outcome: outcome.kind }, "an outcome came late");
      if (outcome.kind === "accepted" && outcome.opensAfterMs !== undefined)
        void openLater(parts, laneId, row.id, outcome.opensAfterMs, over.signal);
      return settlement.happening.dueAt ?? null;
    },
    pause: async ({ forMs, pauses, reason }) => {
      parts.log.warn({ gateway: gateway.identifier, reason, forMs }, "gateway paused");
      const at = clock.now();
      await database.run(pauseLane, {
        id: laneId,
        fence,
        at,
        until: at + forMs,
        reason: clean(reason),
        pauses,
        eventId: parts.newId("gp"),
      });
      parts.signals.emit("eventsRecorded");
      parts.signals.emit("pausesChanged");
    },
    resume: async () => {
      parts.log.info({ gateway: gateway.identifier }, "gateway resumed");
      await database.run(resumeLane, { id: laneId, fence, at: clock.now(), eventId: parts.newId("gp") });
      parts.signals.emit("eventsRecorded");
      parts.signals.emit("pausesChanged");
    },
    close: () => {
      over.abort();
      gateway.adapter.close(gateway.settings);
    },
  };
}

/** Plays that somebody opens a mail. What is still to come when the process stops never happens. */
async function openLater(
  { clock, database, log, signals }: DeliverDeps,
  laneId: string,
  messageId: string,
  afterMs: number,
  signal: AbortSignal,
): Promise<void> {
  await clock.sleep(afterMs, signal);
  if (signal.aborted) return;
  const opened = {
    kind: "opened",
    reference: null,
    messageId,
    userAgent: "Sandbox",
    machine: false,
  } as const;
  try {
    await database.run(storeEngagements, engagementFrom(laneId, opened, clock.now()));
    signals.emit("eventsRecorded");
  } catch (error) {
    log.warn({ message: messageId, error }, "an opening that was played could not be stored");
  }
}

function settlementOf(
  parts: DeliverDeps,
  gateway: LaneGateway,
  fence: number,
  row: DueMessage,
  attempt: number,
  outcome: Outcome,
  judged: { blamed: boolean; laneNow: number },
): Settlement {
  const at = parts.clock.now();
  const base = { id: row.id, laneId: gateway.id, fence, attempt, receipt: null };
  if (outcome.kind === "accepted") {
    const { reference, receipt } = outcome;
    return {
      ...base,
      step: "accepted",
      happening: {
        at,
        detail: `Accepted by ${gateway.identifier}${reference === null ? "." : ` as ${clean(reference)}.`}`,
        reference: reference === null ? null : clean(reference),
      },
      receipt: receipt
        ? {
            step: receipt.status,
            happening: {
              at,
              detail: receipt.reason ? clean(receipt.reason) : "",
              code: receipt.code ?? receipt.status,
              message: clean(receipt.reason ?? "The provider gave no reason."),
            },
          }
        : null,
    };
  }
  const message = clean(outcome.reason);
  const code = clean(outcome.code ?? outcome.kind);
  const happening: TransitionDetails = { at, detail: message, code, message };
  if (outcome.kind === "rejected") return { ...base, step: "rejected", happening };
  if (outcome.kind === "unknown") {
    if (policyOf(gateway) === "hold" || row.resends > 0)
      return { ...base, step: "outcome_unknown", happening };
    const dueAt = at + retryDelay(gateway.rules.retry, attempt, parts.random.fraction());
    return { ...base, step: "resent", happening: { ...happening, dueAt, resend: true } };
  }
  if (outcome.gatewayFault) {
    if (judged.blamed) return { ...base, step: "rejected", happening };
    // It keeps its place and its tries; the lane waits until the gateway is well again.
    return { ...base, step: "deferred", happening: { ...happening, dueAt: row.due_at, uncounted: true } };
  }
  const deferredFrom = row.deferred_from ?? judged.laneNow;
  if (judged.laneNow - deferredFrom >= gateway.rules.retry.forMs)
    return { ...base, step: "rejected", happening };
  const delay = Math.max(
    outcome.retryAfterMs ?? 0,
    retryDelay(gateway.rules.retry, attempt, parts.random.fraction()),
  );
  return { ...base, step: "deferred", happening: { ...happening, dueAt: at + delay, deferredFrom } };
}

const policyOf = (gateway: LaneGateway) => gateway.rules.onUnknown ?? gateway.adapter.onUnknown;

/** What an earlier owner left stamped may or may not have gone out: the gateway's policy decides. */
async function recover(parts: DeliverDeps, gateway: LaneGateway, fence: number): Promise<void> {
  const message = "The process that was sending it ended before the outcome was known.";
  for (;;) {
    const at = parts.clock.now();
    const doubted = {
      step: "outcome_unknown" as const,
      happening: { at, detail: message, code: "interrupted", message },
    };
    const dueAt = at + retryDelay(gateway.rules.retry, 1, parts.random.fraction());
    const repeated = { step: "resent" as const, happening: { ...doubted.happening, dueAt, resend: true } };
    const found = await parts.database.run(recoverMessages, {
      laneId: gateway.id,
      fence,
      limit: recoverBatchSize,
      first: policyOf(gateway) === "resend" ? repeated : doubted,
      again: doubted,
    });
    if (found > 0) parts.signals.emit("eventsRecorded");
    if (found > 0)
      parts.log.warn(
        { gateway: gateway.identifier, messages: found },
        "messages of an interrupted process were classified",
      );
    if (found < recoverBatchSize) return;
  }
}

/** A provider's text, fit for a column and a screen: no control characters (PostgreSQL stores no NUL), not endless. */
function clean(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\ud800-\udfff]+/gu, " ")
    .slice(0, maxReasonLength)
    .trim();
}
