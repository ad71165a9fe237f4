// What a member's answer says about itself, in each answer format: its id, its model, and why it ended. Spans use nothing else of an
// answer.

import { isObject } from "#contract/normalise.ts";

interface AnswerFacts {
  id: string | null;
  model: string | null;
  finishReasons: readonly string[];
}

/** Longer answers are not parsed again for a span, UTF-16 units. */
const maxText = 1024 * 1024;

const none: AnswerFacts = { id: null, model: null, finishReasons: [] };

/** `text`: JSON of a whole answer, or of one event of a stream. */
export function answerFacts(text: string): AnswerFacts {
  if (text.length > maxText) return none;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return none;
  }
  if (!isObject(value)) return none;
  // Anthropic's `message_start` and the events of the Responses API contain the answer.
  const whole = [value.message, value.response].find(isObject) ?? value;
  return {
    id: textOf(whole.id) ?? textOf(whole.responseId),
    model: textOf(whole.model) ?? textOf(whole.modelVersion),
    finishReasons: [...reasonsIn(value), ...(whole === value ? [] : reasonsIn(whole))],
  };
}

function reasonsIn(value: Record<string, unknown>): string[] {
  const lists = [value.choices, value.candidates].filter(Array.isArray).flat().filter(isObject);
  const reasons: unknown[] = lists.map((choice) => choice.finish_reason ?? choice.finishReason);
  reasons.push(value.stop_reason, isObject(value.delta) ? value.delta.stop_reason : null);
  // For the Responses API: `completed`, or why it is incomplete.
  const { object, status, incomplete_details: details } = value;
  if (object === "response" && status !== "in_progress" && status !== "queued")
    reasons.push(isObject(details) ? details.reason : status);
  return reasons.filter((reason) => textOf(reason) !== null) as string[];
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
