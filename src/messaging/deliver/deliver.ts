// The work of a gateway's lane: reads its messages, transmits them, and applies each outcome to its message.

import type { Core } from "#core/core.ts";
import type { Outcome, PartReferences } from "#gateways/outcome.ts";
import { retryRuleOf } from "#gateways/rules.ts";
import type { LaneWork } from "#queue/lane-work.ts";
import { priorities } from "#queue/priority.ts";
import { retryDelay } from "#runtime/waiting/retry.ts";
import { withoutControls } from "#settings/redact.ts";
import type { LeftOut } from "#store/email/mail-recipients.ts";
import { pauseLane, resumeLane, untilConnected } from "#store/lanes/lanes.ts";
import {
  beginAttempts,
  type DueMessage,
  nextDue,
  readDue,
  type Settlement,
  settleMessages,
} from "#store/messages/attempts.ts";
import { recoverMessages, revertAttempts } from "#store/messages/recover.ts";
import type { TransitionDetails } from "#store/messages/transitions.ts";
import type { AttemptEnd } from "#store/schema/history.ts";
import {
  createTransmitter,
  healthOf,
  type LaneGateway,
  type SendOutcome,
  type TransmitDeps,
} from "./transmit.ts";

export type DeliverDeps = TransmitDeps & Pick<Core, "newId" | "random">;

/** Messages of a lost owner that are classified in one transaction. */
const recoverBatchSize = 1000;
const maxReasonLength = 500;
const maxAnswerLength = 1_000;

/** The work of a gateway's lane. */
export function deliverWork(
  deps: DeliverDeps,
  gateway: LaneGateway,
  fence: number,
): Required<LaneWork<DueMessage, SendOutcome>> {
  const { database, clock, crashPoint } = deps;
  const laneId = gateway.id;
  const send = createTransmitter(deps, gateway);
  return {
    readDue: (query) => database.run(readDue, { laneId, ...query }),
    weightOf: (row) => (gateway.adapter.pacedBySegments ? (row.segments ?? 1) : 1),
    nextDue: (now) => database.run(nextDue, { laneId, priorities, now }),
    beginAttempts: async (rows, day) => {
      crashPoint("stamp.before");
      const result = await database.run(beginAttempts, {
        laneId,
        fence,
        ids: rows.map((row) => row.id),
        at: clock.now(),
        lateBefore: clock.now() - gateway.latenessMs,
        day,
      });
      crashPoint("stamp.after");
      return result;
    },
    revertAttempts: async (ids) => {
      const at = clock.now();
      const detail = "Not sent: storage failed before it was handed to the gateway.";
      await database.run(revertAttempts, {
        laneId,
        fence,
        ids: [...ids],
        details: { at, dueAt: at, detail, uncounted: true, code: null, message: null },
      });
    },
    recover: () => recoverGatewayMessages(deps, gateway, fence),
    send,
    settle: async (row, attempt, outcome, context) => {
      const settlement = settlementOf(deps, gateway, fence, row, attempt, outcome, context);
      crashPoint("settle.before");
      const result = await database.run(settleMessages, settlement);
      crashPoint("settle.after");
      if (result === "late") {
        const fields = { message: row.id, lane: laneId, outcome: outcome.kind };
        deps.log.warn(
          { event: "outcome.late", ...fields },
          "The outcome of an attempt came late: the message had changed meanwhile.",
        );
      }
      return result === "returned" ? clock.now() : (settlement.details.dueAt ?? null);
    },
    breaker: {
      healthOf: (outcome, row) => healthOf(outcome, row.recipient),
      pause: async ({ forMs, pauses, reason }) => {
        deps.log.warn(
          { event: "gateway.paused", gateway: gateway.identifier, reason, forMs },
          "The gateway paused.",
        );
        const at = clock.now();
        await database.run(pauseLane, {
          id: laneId,
          fence,
          at,
          until: forMs === null ? untilConnected : at + forMs,
          reason: cleanText(reason),
          pauses,
          eventId: deps.newId("gp"),
        });
      },
      resume: async () => {
        deps.log.info({ event: "gateway.resumed", gateway: gateway.identifier }, "The gateway resumed.");
        await database.run(resumeLane, { id: laneId, fence, at: clock.now(), eventId: deps.newId("gp") });
      },
    },
    close: () => gateway.transport.close(),
  };
}

function settlementOf(
  deps: DeliverDeps,
  gateway: LaneGateway,
  fence: number,
  row: DueMessage,
  attempt: number,
  outcome: SendOutcome,
  context: { rejectMessage: boolean; laneNow: number },
): Settlement {
  const at = deps.clock.now();
  const { leftOut } = outcome;
  const base = {
    ...{ id: row.id, laneId: gateway.id, fence, attempt, parts: null, receipt: null },
    ...(leftOut === undefined ? {} : { leftOut: leftOut.map(cleanLeftOut) }),
  };
  if (outcome.kind === "accepted") {
    const { reference, parts, receipt, note, knownAs } = outcome;
    const references = parts?.references.map((text) => cleanText(text)) ?? null;
    const named = references?.join(", ") ?? reference;
    return {
      ...base,
      step: "accepted",
      details: {
        at,
        detail: `Accepted by ${gateway.identifier}${named === null ? "." : ` as ${cleanText(named)}.`}${note === undefined ? "" : ` ${cleanText(note)}`}${leftOut === undefined || leftOut.length === 0 ? "" : ` Not for ${leftOut.map(({ recipient }) => recipient).join(", ")}.`}`,
        reference: reference === null ? null : cleanText(reference),
      },
      parts: parts === undefined ? null : partsOf(parts),
      ...(knownAs === undefined ? {} : { knownAs: cleanText(knownAs) }),
      receipt: receipt
        ? {
            step: receipt.status,
            details: {
              at,
              detail: receipt.reason ? cleanText(receipt.reason) : "",
              code: receipt.code ?? receipt.status,
              message: cleanText(receipt.reason ?? "The provider gave no reason."),
            },
          }
        : null,
    };
  }
  const message = cleanText(outcome.reason);
  const code = cleanText(outcome.code ?? outcome.kind);
  const { identifier } = gateway;
  const ended = { gateway: identifier, outcome: outcome.kind, code, answer: answerOf(outcome) };
  const details: TransitionDetails = { at, detail: message, code, message, attempt: ended };
  if (outcome.kind === "rejected" && (!outcome.mayBeGatewayFault || context.rejectMessage))
    return { ...base, step: "rejected", details };
  if (outcome.kind === "unknown") {
    if (policyOf(gateway) === "hold" || row.resends > 0) {
      // Reports on the parts that were accepted still settle it.
      const parts = outcome.parts === undefined ? null : partsOf(outcome.parts);
      const [reference] = parts?.references ?? [];
      const known = reference === undefined ? details : { ...details, reference };
      return { ...base, step: "outcome_unknown", details: known, parts };
    }
    const dueAt = at + retryDelay(retryRuleOf(gateway.rules), attempt, "above_first", deps.random.random());
    return { ...base, step: "resent", details: { ...details, dueAt, resend: true } };
  }
  if (outcome.kind === "rejected" || outcome.gatewayFault) {
    if (context.rejectMessage) return { ...base, step: "rejected", details };
    // The message keeps its due time and its attempts; the lane waits until the gateway works again.
    return { ...base, step: "deferred", details: { ...details, dueAt: row.due_at, uncounted: true } };
  }
  const firstDeferredAt = row.first_deferred_at ?? context.laneNow;
  if (context.laneNow - firstDeferredAt >= gateway.rules.retry.for_ms)
    return { ...base, step: "rejected", details };
  const delay = Math.max(
    outcome.retryAfterMs ?? 0,
    retryDelay(retryRuleOf(gateway.rules), attempt, "above_first", deps.random.random()),
  );
  return {
    ...base,
    step: "deferred",
    details: { ...details, dueAt: at + delay, firstDeferredAt },
  };
}

/** The provider's answer, with text that storage accepts. */
function answerOf({ answer }: Exclude<Outcome, { kind: "accepted" }>): AttemptEnd["answer"] {
  return answer === undefined
    ? null
    : { status: answer.status, body: cleanText(answer.body, maxAnswerLength) };
}

/** The references of a message's parts, with text that storage accepts. */
const partsOf = ({ references, each, of }: PartReferences): NonNullable<Settlement["parts"]> => ({
  references: references.map((text) => cleanText(text)),
  each,
  ...(of === undefined ? {} : { of }),
});

type RecoveringGateway = Pick<LaneGateway, "id" | "identifier" | "adapter" | "rules">;

const policyOf = (gateway: RecoveringGateway) => gateway.rules.on_unknown ?? gateway.adapter.onUnknown;

/** Classifies the messages that an earlier owner left `sending`. They may have been sent, so the gateway's policy decides. */
export async function recoverGatewayMessages(
  deps: DeliverDeps,
  gateway: RecoveringGateway,
  fence: number,
): Promise<void> {
  const message = "The process that was sending it ended before the outcome was known.";
  for (;;) {
    const at = deps.clock.now();
    const code = "interrupted";
    const attempt = { gateway: gateway.identifier, outcome: "unknown" as const, code, answer: null };
    const held = {
      step: "outcome_unknown" as const,
      details: { at, detail: message, code, message, attempt },
    };
    const dueAt = at + retryDelay(retryRuleOf(gateway.rules), 1, "above_first", deps.random.random());
    const resent = { step: "resent" as const, details: { ...held.details, dueAt, resend: true } };
    const found = await deps.database.run(recoverMessages, {
      laneId: gateway.id,
      fence,
      limit: recoverBatchSize,
      first: policyOf(gateway) === "resend" ? resent : held,
      again: held,
    });
    if (found > 0) {
      deps.log.warn(
        { event: "messages.recovered", gateway: gateway.identifier, messages: found },
        "The lane recovered messages that an ended process was sending.",
      );
    }
    if (found < recoverBatchSize) return;
  }
}

const cleanLeftOut = (left: LeftOut): LeftOut => ({
  ...left,
  code: cleanText(left.code),
  message: cleanText(left.message),
});

/** A provider's text in the form that is stored. */
const cleanText = (text: string, maxLength = maxReasonLength): string => withoutControls(text, maxLength);
