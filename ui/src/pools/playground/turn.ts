// One question to a pool and its progress: the members that were called, the answer, and how it ended.

import type { ApiError } from "#ui/api/client.ts";
import type { TryPoolMessage } from "#ui/api/schema.ts";
import type { TrialAttempt, TrialEnd, TrialError, TrialEvent } from "#ui/api/trial.ts";
import type { Span } from "#ui/parts/story/span.ts";
import { isBlameless, outcomeOf } from "#ui/pools/outcomes.ts";
import { duration } from "#ui/words/numbers.ts";

export interface Turn {
  question: string;
  answer: string;
  reasoning: string;
  /** In the order in which they were called. */
  attempts: readonly TrialAttempt[];
  end: TrialEnd | null;
  /** The frame that ended the stream early. */
  error: TrialError | null;
  /** The error that refused the question, or lost the connection to the service. */
  refusal: ApiError | null;
  request: string | null;
  /** When a person aborted it, ms from its start. */
  stoppedMs: number | null;
}

export const newTurn = (question: string): Turn => ({
  question,
  answer: "",
  reasoning: "",
  attempts: [],
  end: null,
  error: null,
  refusal: null,
  request: null,
  stoppedMs: null,
});

/** The turn after an event. */
export function afterEvent(turn: Turn, { event, data }: TrialEvent): Turn {
  switch (event) {
    case "attempt": {
      const before = turn.attempts.filter(({ number }) => number !== data.number);
      return { ...turn, attempts: [...before, data].sort((a, b) => a.number - b.number) };
    }
    case "chunk":
      return {
        ...turn,
        answer: turn.answer + (data.text ?? ""),
        reasoning: turn.reasoning + (data.reasoning ?? ""),
      };
    case "end":
      return { ...turn, end: data };
    case "error":
      return { ...turn, error: data };
  }
}

export const isOver = ({ end, error, refusal, stoppedMs }: Turn): boolean =>
  end !== null || error !== null || refusal !== null || stoppedMs !== null;

/** The conversation in the form that the pool receives. A question without an answer is not part of it. */
export function messagesOf(system: string, turns: readonly Turn[], question: string): TryPoolMessage[] {
  const answered = turns.filter(({ answer }) => answer !== "");
  return [
    ...(system.trim() === "" ? [] : [{ role: "system" as const, content: system }]),
    ...answered.flatMap((turn) => [
      { role: "user" as const, content: turn.question },
      { role: "assistant" as const, content: turn.answer },
    ]),
    { role: "user" as const, content: question },
  ];
}

/** The member that answers, or answered; null if none has yet. */
export const answererOf = ({ attempts }: Turn): string | null =>
  attempts.findLast(({ outcome }) => outcome === "ok")?.name ?? null;

/** The total time; `elapsedMs` is the time so far by the page's own clock. */
export function wholeOf(turn: Turn, elapsedMs: number): number {
  const times = turn.attempts.flatMap((attempt) => [
    attempt.asked_ms,
    attempt.failed_ms ?? 0,
    attempt.first_word_ms ?? 0,
  ]);
  const passed = turn.end?.ms ?? turn.error?.ms ?? turn.stoppedMs ?? elapsedMs;
  return Math.max(passed, ...times);
}

/** The chain on a time axis: called → failed, called → first token → done. */
export function chainOf(turn: Turn, elapsedMs: number): Span[] {
  const whole = wholeOf(turn, elapsedMs);
  return turn.attempts.flatMap((attempt) => {
    const { number, name, model, asked_ms: fromMs, outcome, status, reason } = attempt;
    const to = attempt.failed_ms ?? attempt.first_word_ms ?? whole;
    const asked = `${model} · asked at ${duration(fromMs)}`;
    const span = { key: `${number}`, name, fromMs, ms: to - fromMs };
    if (outcome === null) {
      const over = isOver(turn);
      const note = `${asked} · ${over ? "given up" : "has not answered yet"}`;
      return [{ ...span, status: over ? "off" : "pending", note }];
    }
    if (outcome === "pretended_down")
      return [{ ...span, status: "off", note: `${model} · ${outcomeOf({ outcome, status })}` }];
    if (outcome !== "ok") {
      const off = isBlameless(outcome);
      const note = `${asked} · ${outcomeOf({ outcome, status })} at ${duration(to)}`;
      return [{ ...span, status: off ? "off" : "failed", note, why: reason }];
    }
    const isLast = turn.attempts.every((other) => other.number <= number || other.outcome !== "ok");
    const first = { ...span, status: "ok", note: `${asked} · first word at ${duration(to)}` };
    return isLast ? [first, answerSpan(turn, to, whole)] : [first];
  });
}

function answerSpan(turn: Turn, fromMs: number, whole: number): Span {
  const span = { key: "answer", name: "the answer", fromMs, ms: whole - fromMs };
  const ended = duration(whole);
  if (turn.error !== null || turn.refusal !== null)
    return { ...span, status: "failed", note: `broke off at ${ended}`, why: turn.error?.message ?? null };
  if (turn.stoppedMs !== null) return { ...span, status: "off", note: `stopped at ${ended}` };
  if (turn.end === null) return { ...span, status: "pending", note: "it is coming" };
  return { ...span, status: "ok", note: `done at ${ended}` };
}
