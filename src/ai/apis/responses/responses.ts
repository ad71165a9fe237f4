// The door of OpenAI's Responses API: what Codex and OpenAI's newer clients speak. Nothing is stored.

import type { ChatForm, Door } from "#ai/apis/api-request.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";
import { withMembers } from "#contract/json-text.ts";
import { type ResponseRules, responseOf } from "./answer.ts";
import { chatOfResponses } from "./request.ts";
import { ForwardedResponseWriter, ResponseWriter, responseFailed, Sequence } from "./stream.ts";

/** What a member that refuses them is asked without: how hard to think, and how to draw among words. */
const optional: ReadonlySet<string> = new Set([
  "reasoning_effort",
  "parallel_tool_calls",
  "temperature",
  "top_p",
]);

/** `stem`: letters, digits, `_` and `-` that no other request has. `created`: epoch seconds. */
export function responsesDoor(
  request: { text: string; body: Readonly<Record<string, unknown>>; headers: Record<string, string> },
  stem: string,
  created: number,
): Door {
  const { text, body, headers } = request;
  const names = new ToolNames();
  const sequence = new Sequence();
  const leftOut: string[] = [];
  let chat: ReturnType<Door["chat"]> | null = null;
  const named = (model: string): ResponseRules => ({ model, created, stem, names, body });
  return {
    format: "responses",
    headers,
    estimated: estimatedOf(body),
    optional,
    chat: (): ReturnType<Door["chat"]> => {
      chat ??= chatOfResponses(text, names, leftOut);
      return chat;
    },
    leftOut: () => leftOut,
    answer: (answer, forwarded, { model }) =>
      forwarded ? withMembers(answer, { model: JSON.stringify(model) }) : responseOf(answer, named(model)),
    writer: ({ model }, forwarded) =>
      forwarded
        ? new ForwardedResponseWriter(named(model), sequence)
        : new ResponseWriter(named(model), sequence),
    failed: (error) =>
      responseFailed(sequence, named(typeof body.model === "string" ? body.model : ""), error),
    keepAlive: () => sequence.keepAlive(),
  };
}

/** The request's parts under the names of chat completions, unchanged otherwise. */
export function estimatedOf(body: Readonly<Record<string, unknown>>): ChatForm["body"] {
  const { input, instructions, tools, max_output_tokens: limit } = body;
  const items: unknown[] = Array.isArray(input) ? input : [{ content: input }];
  return {
    messages:
      instructions === undefined || instructions === null ? items : [{ content: instructions }, ...items],
    ...(tools === undefined ? {} : { tools }),
    ...(typeof limit === "number" ? { max_tokens: limit } : {}),
  };
}
