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
  sending: { none: "The provider is being asked right now." },
  sent: { none: "It counts as sent. A report about its delivery may still come." },
  delivered: {
    none: "The provider has reported that it reached the recipient. Nothing more happens by itself.",
  },
  read: { none: "The provider has reported that the recipient read it. Nothing more happens by itself." },
  failed: {
    none: "It failed. Nothing repeats it by itself.",
    refused: "The provider refused it, for the reason below. Nothing repeats it by itself.",
    asked: "It failed after the attempts below. Nothing repeats it by itself.",
    unasked: "It failed before any provider was asked. Nothing repeats it by itself.",
  },
  undelivered: {
    none: "The provider accepted it, and has reported that it did not reach the recipient. Nothing repeats it by itself.",
  },
  bounced: { none: "The recipient's mail server returned it. Nothing repeats it by itself." },
  expired: {
    none: "Its time was over before it could be sent. Nothing repeats it by itself.",
    unasked: "Its time was over before its first attempt. Nothing repeats it by itself.",
    asked: "Its time was over, and no attempt had sent it. Nothing repeats it by itself.",
  },
  cancelled: {
    none: "It was cancelled before it was sent. Nothing more happens by itself.",
    unasked: "It was cancelled before its first attempt: no provider has seen it.",
    asked: "It was cancelled between attempts, none of which had sent it. Nothing more happens by itself.",
  },
  suppressed: {
    none: "The recipient gets no messages from this account, so it was not sent, and will not be.",
  },
  unknown: {
    none: "It may or may not have been sent. Nothing repeats it by itself; a report by the provider would still settle it, and so does your answer.",
    again:
      "It may or may not have been sent, and was repeated already. Nothing repeats it again by itself; a report by the provider would still settle it, and so does your answer.",
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
  if (decided) return `${decided} A report about its delivery may still come.`;
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
