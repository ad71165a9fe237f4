// The door of Anthropic's Messages API: what Claude Code and Anthropic's clients speak.

import type { ChatForm, Door } from "#ai/apis/api-request.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import { withMembers } from "#contract/json-text.ts";
import { isFields } from "#providers/translate/json.ts";
import { type MessageRules, messageOf } from "./answer.ts";
import { chatOfMessages } from "./request.ts";
import { ForwardedMessageWriter, MessageWriter, messageErrorFrame, messagePing } from "./stream.ts";

/** What a member that refuses them is asked without: how hard to think, and how to draw among words. */
const optional: ReadonlySet<string> = new Set([
  "reasoning_effort",
  "parallel_tool_calls",
  "temperature",
  "top_p",
  "top_k",
]);

/**
 * Tokens of an answer that are reserved at most: the API demands a limit, so that clients name the highest that a model
 * has, and not what they expect.
 */
const maxReserved = 4_096;

/** `stem`: letters, digits, `_` and `-` that no other request has. */
export function messagesDoor(
  request: { text: string; body: Readonly<Record<string, unknown>>; headers: Record<string, string> },
  stem: string,
): Door {
  const { text, body, headers } = request;
  const { thinking: asked } = body;
  const thinking = isFields(asked) && asked.type !== "disabled" && asked.display !== "omitted";
  const names = new ToolNames();
  const leftOut: string[] = [];
  let chat: ReturnType<Door["chat"]> | null = null;
  const named = (model: string): MessageRules => ({ model, stem, thinking, names });
  return {
    format: "messages",
    headers,
    estimated: estimatedOf(body),
    optional,
    chat: (): ReturnType<Door["chat"]> => {
      chat ??= chatOfMessages(text, names, leftOut);
      return chat;
    },
    leftOut: () => leftOut,
    answer: (answer, forwarded, { model }) =>
      forwarded ? withMembers(answer, { model: JSON.stringify(model) }) : messageOf(answer, named(model)),
    writer: ({ model, promptTokens }, forwarded) =>
      forwarded ? new ForwardedMessageWriter(model) : new MessageWriter({ ...named(model), promptTokens }),
    failed: messageErrorFrame,
    keepAlive: messagePing,
  };
}

/** The request's parts under the names of chat completions, unchanged otherwise. */
export function estimatedOf(body: Readonly<Record<string, unknown>>): ChatForm["body"] {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const { system, tools, max_tokens: limit } = body;
  return {
    messages: system === undefined || system === null ? messages : [{ content: system }, ...messages],
    ...(tools === undefined ? {} : { tools }),
    max_tokens: typeof limit === "number" ? Math.min(limit, maxReserved) : undefined,
  };
}
