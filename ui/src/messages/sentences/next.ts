// What a message's state means, by its cause, and what happens next.

import type { MessageAttempt, MessageRecord, MessageStatus, MessageTransmission } from "#ui/api/schema.ts";
import { waitingSentence } from "./waiting.ts";

/** The cause of a state. Facts from the API decide it, never the words of a provider. */
export type Cause = "again" | "refused" | "asked" | "unasked" | "none";

interface Known {
  record: Pick<
    MessageRecord,
    "status" | "events" | "gateway_identifier" | "scheduled_for" | "waiting_for" | "test"
  >;
  attempt: Pick<MessageAttempt, "repeats">;
  attempts: readonly Pick<MessageTransmission, "outcome">[];
}

export function causeOf({ record, attempt, attempts }: Known): Cause {
  const { status } = record;
  const last = attempts.at(-1)?.outcome;
  if (status === "failed")
    return last === "rejected" ? "refused" : attempts.length === 0 ? "unasked" : "asked";
  if (status === "expired" || status === "cancelled") return attempts.length === 0 ? "unasked" : "asked";
  if (status === "unknown") return attempt.repeats > 0 ? "again" : "none";
  return "none";
}

type Sentences = Readonly<Partial<Record<Cause, string>>> & { none: string };

/** A cause without a sentence for a state uses that of `none`. A message that waits has the sentence of its reason. */
export const sentences: Readonly<Record<Exclude<MessageStatus, "queued" | "scheduled">, Sentences>> = {
  sending: { none: "It is being sent right now." },
  sent: { none: "The provider accepted it. A delivery report may still arrive." },
  delivered: { none: "The provider reported that it reached the recipient." },
  read: { none: "The provider reported that the recipient read it." },
  failed: {
    none: "It failed, and is not retried.",
    refused: "The provider refused it for the reason below. It is not retried.",
    asked: "It failed after the attempts below, and is no longer retried.",
    unasked: "It failed before it was handed to a provider, and is not retried.",
  },
  undelivered: {
    none: "The provider accepted it, and then reported that it did not reach the recipient. It is not retried.",
  },
  bounced: { none: "The recipient's mail server returned it. It is not retried." },
  expired: {
    none: "It expired before it could be sent.",
    unasked: "It expired before its first attempt.",
    asked: "It expired after attempts that did not send it.",
  },
  cancelled: {
    none: "It was cancelled before it was sent.",
    unasked: "It was cancelled before its first attempt. No provider has seen it.",
    asked: "It was cancelled between attempts. None of them had sent it.",
  },
  suppressed: { none: "It was not sent, because the recipient gets no messages from this account." },
  unknown: {
    none: "It may or may not have been sent, so it is not sent again automatically. A delivery report or your answer settles it.",
    again:
      "It may or may not have been sent, and was already repeated once. A delivery report or your answer settles it.",
  },
};

/** What the provider of a real gateway would have reported. */
const madeUp: ReadonlySet<MessageStatus> = new Set([
  "sending",
  "sent",
  "delivered",
  "read",
  "undelivered",
  "bounced",
  "unknown",
]);

/**
 * What the state means and what happens next. For a message that counts as sent, the timeline shows whether the provider or a person
 * decided so.
 */
export function nextOf(known: Known): string {
  const { status, events = [] } = known.record;
  const decided = status === "sent" ? events.findLast(({ type }) => type === "sent")?.detail : null;
  if (decided) return `${decided} A delivery report may still arrive.`;
  if (status === "queued" || status === "scheduled") {
    const sentence = waitingSentence(known.record) ?? "It waits to be sent.";
    const mayBeSent = known.attempts.at(-1)?.outcome === "unknown";
    return mayBeSent ? `An earlier attempt may have been sent. ${sentence}` : sentence;
  }
  const of = sentences[status];
  const cause = causeOf(known);
  if (known.record.test && (madeUp.has(status) || cause === "refused"))
    return `A test: its gateway has no provider and sends nothing. It simulates the state "${status}".`;
  return of[cause] ?? of.none;
}
