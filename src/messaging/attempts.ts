// The attempts of a message, read from its timeline: each begins with `sending` and ends with the entry after it. The end of one that was
// not accepted has details (`AttemptEnd`); otherwise the state of the entry shows how the attempt ended.

import type { AttemptEnd } from "#store/schema/history.ts";
import type { EventsTable } from "#store/schema/schema.ts";

/** One transmission. Times in epoch ms. */
export interface Attempt {
  /** 1 for the first. */
  number: number;
  /** The identifier of the gateway. */
  gateway: string;
  startedAt: number;
  /** Null while it is under way. */
  endedAt: number | null;
  /** Null while it is under way. `not_sent`: the storage failed, or the process stopped, before the gateway was called. */
  outcome: "accepted" | AttemptEnd["outcome"] | "not_sent" | null;
  code: string | null;
  /** In plain words; null if there is nothing to say. */
  reason: string | null;
  answer: AttemptEnd["answer"];
  /** When the message is due again as a result. */
  nextAt: number | null;
}

/** `identifier`: that of the message's present gateway. It does not change once a gateway accepted the message. */
export function attemptsOf(
  events: readonly Pick<EventsTable, "at" | "type" | "detail" | "attempt">[],
  identifier: string,
): Attempt[] {
  let number = 0;
  return events.flatMap((begin, at): Attempt[] => {
    if (begin.type !== "sending") return [];
    number += 1;
    const base = { number, gateway: identifier, startedAt: begin.at, code: null, answer: null, nextAt: null };
    const end = events[at + 1];
    if (end === undefined) return [{ ...base, endedAt: null, outcome: null, reason: null }];
    const reason = end.detail || null;
    if (end.attempt === null) {
      const outcome = end.type === "queued" ? "not_sent" : "accepted";
      return [{ ...base, endedAt: end.at, outcome, reason }];
    }
    const { gateway, outcome, code, answer, next_at } = JSON.parse(end.attempt) as AttemptEnd;
    return [{ ...base, gateway, endedAt: end.at, outcome, code, reason, answer, nextAt: next_at }];
  });
}
