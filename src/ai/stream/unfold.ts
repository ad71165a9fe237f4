// Writes a whole answer as the stream that was asked for: some servers answer so where they cannot stream, as with tools.

import { type Fields, isObject } from "#contract/normalise.ts";
import type { ChatRequest } from "#providers/provider.ts";
import { asksUsage } from "#providers/translate/completion.ts";
import { isFinish } from "#providers/translate/finish-reasons.ts";
import { fieldsIn, parseExactly } from "#providers/translate/json.ts";

/** Calls of a stream are numbered. */
function deltaOf(message: unknown): Fields {
  if (!isObject(message)) return {};
  if (!Array.isArray(message.tool_calls)) return message;
  return { ...message, tool_calls: fieldsIn(message.tool_calls).map((call, index) => ({ index, ...call })) };
}

/** The events of a `chat.completion`, with every field that it has. `body`: of the request. */
export function unfold(text: string, body: ChatRequest["body"]): string {
  const answer = parseExactly(text);
  const { choices, usage, ...head } = isObject(answer) ? answer : {};
  const early = asksUsage(body) ? { usage: null } : {};
  const event = (chunk: Fields) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk })}\n\n`;
  const all = fieldsIn(choices);
  const deltas = all.map(({ message, ...choice }) => ({
    ...choice,
    delta: deltaOf(message),
    finish_reason: null,
  }));
  const ends = all.map(({ index = 0, finish_reason: reason }) => ({
    index,
    delta: {},
    finish_reason: isFinish(reason) ? reason : "stop",
  }));
  return (
    event({ choices: deltas, ...early }) +
    event({ choices: ends, ...early }) +
    (isObject(usage) ? event({ choices: [], usage }) : "") +
    "data: [DONE]\n\n"
  );
}
