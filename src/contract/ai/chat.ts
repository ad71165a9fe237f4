// The parts of a request to a model that Trunkline itself understands; everything else is passed on unchanged.

import { notJsonMessage } from "#contract/json-fault.ts";
import { hasSingleKey } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";
import type { Problem } from "#contract/problem.ts";
import { aiProblem } from "./openai-error.ts";

export interface ModelRequest {
  /** JSON text of an object. */
  text: string;
  body: Readonly<Record<string, unknown>>;
  model: string | null;
  stream: boolean;
  /** Whether the caller wants the usage at the end of a stream. */
  includeUsage: boolean;
  /** It is to be served in the background: its caller fetches the answer later. */
  background?: true;
}

/** A request whose body is JSON, from its text; its depth was checked before. */
export function readModelRequest(text: string): ModelRequest | Problem {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return aiProblem("malformed_body", { message: notJsonMessage(error) });
  }
  if (!isObject(body)) return aiProblem("malformed_body", { message: "The body must be a JSON object." });
  const { model = null, stream = null } = body;
  // With two, one would be checked and the other served.
  if (!hasSingleKey(text, "model")) return wrong("model", "is given twice");
  if (model !== null && typeof model !== "string") return wrong("model", "must be a string");
  if (stream !== null && typeof stream !== "boolean") return wrong("stream", "must be true or false");
  const options = isObject(body.stream_options) ? body.stream_options : {};
  return {
    text,
    body,
    model: model === "" ? null : model,
    stream: stream === true,
    includeUsage: options.include_usage === true,
  };
}

/** The problem that names a parameter. */
export function wrong(param: string, what: string): Problem {
  return aiProblem("invalid_value", { message: `'${param}' ${what}.`, param });
}

/** Maximum number of tool calls in a request. The conversation of an agent has hundreds. */
export const maxToolCalls = 10_000;

/** The problem of a request with more tool calls than the limit, or null if it is within it. `param`: where they are. */
export function tooManyToolCalls(param: string, count: number): Problem | null {
  return count > maxToolCalls ? wrong(param, `has ${count} tool calls; the limit is ${maxToolCalls}`) : null;
}

const callsOf = (message: unknown): number =>
  isObject(message) && Array.isArray(message.tool_calls) ? message.tool_calls.length : 0;

/** A chat completion request: `messages` must be a list that is not empty. */
export function readChat(text: string): ModelRequest | Problem {
  const request = readModelRequest(text);
  if ("problem" in request) return request;
  const { messages } = request.body;
  if (messages === undefined || messages === null) return wrong("messages", "is required");
  if (!Array.isArray(messages) || messages.length === 0)
    return wrong("messages", "must be a list that is not empty");
  const calls = messages.reduce<number>((sum, message) => sum + callsOf(message), 0);
  return tooManyToolCalls("messages", calls) ?? request;
}

/** An embeddings request: `input` is required. */
export function readEmbeddings(text: string): ModelRequest | Problem {
  const request = readModelRequest(text);
  if ("problem" in request) return request;
  const { input } = request.body;
  if (input === undefined || input === null) return wrong("input", "is required");
  return { ...request, stream: false };
}
