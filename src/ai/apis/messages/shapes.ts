// The parts of a Messages API request that Trunkline itself needs to understand, and their schemas for the OpenAPI document. Everything
// else is passed on unchanged or translated: platform.claude.com/docs/en/api/messages.

import { z } from "zod";
import { type ModelRequest, readModelRequest, tooManyToolCalls, wrong } from "#contract/ai/chat.ts";
import { servicePool } from "#contract/ai/chat-shapes.ts";
import { isObject } from "#contract/normalise.ts";
import type { Problem } from "#contract/problem.ts";
import { fieldsIn, textOf } from "#providers/translate/json.ts";

/** A request for a message or for its token count: `messages` must be a non-empty list. */
export function readMessages(text: string): ModelRequest | Problem {
  const request = readModelRequest(text);
  if ("problem" in request) return request;
  const { messages } = request.body;
  if (messages === undefined || messages === null) return wrong("messages", "is required");
  if (!Array.isArray(messages) || messages.length === 0)
    return wrong("messages", "must be a list that is not empty");
  const calls = fieldsIn(messages)
    .flatMap(({ content }) => fieldsIn(content))
    .filter(({ type }) => textOf(type).endsWith("tool_use"));
  return tooManyToolCalls("messages", calls.length) ?? request;
}

/** The same for a token count, which no member needs to check. */
export function readCounted(text: string): ModelRequest | Problem {
  const request = readMessages(text);
  if ("problem" in request) return request;
  const { messages } = request.body;
  if (!Array.isArray(messages) || !messages.every(isMessage))
    return wrong("messages", "must be objects with `role` and `content`");
  return request;
}

const isMessage = (value: unknown) =>
  isObject(value) &&
  typeof value.role === "string" &&
  (Array.isArray(value.content) ? value.content.every(isObject) : typeof value.content === "string");

const anyContent = z
  .unknown()
  .describe("Text, or a list of content blocks.")
  .meta({
    anyOf: [{ type: "string" }, { type: "array", items: { type: "object", additionalProperties: true } }],
  });

const message = z
  .looseObject({ role: z.string().meta({ examples: ["user"] }), content: anyContent })
  .meta({ id: "AnthropicMessage" });

const model = z
  .string()
  .nullish()
  .describe(
    "The model. Members that serve it are called first. The default, and the pool's own name, mean the whole pool.",
  );

export const messagesRequest = z
  .looseObject({
    messages: z.array(message).min(1).describe("The conversation."),
    model,
    max_tokens: z.int().optional().describe("The maximum number of tokens to generate."),
    stream: z.boolean().nullish().describe("Whether to answer with server-sent events."),
  })
  .meta({ id: "MessagesRequest" });

export const messagesReply = z
  .looseObject({
    id: z.string(),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: z.string().describe("The name that the request used."),
    content: z.array(z.looseObject({ type: z.string() }).meta({ id: "AnthropicBlock" })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }).meta({ id: "AnthropicUsage" }),
    service_pool: servicePool,
  })
  .meta({ id: "Message" });

export const countTokensRequest = z
  .looseObject({ messages: z.array(message).min(1).describe("The conversation."), model })
  .meta({ id: "CountTokensRequest" });

export const countTokensReply = z
  .object({ input_tokens: z.int().describe("Tokens of the request, as counted or estimated.") })
  .meta({ id: "TokenCount" });

export const anthropicErrorReply = z
  .looseObject({
    type: z.literal("error"),
    error: z.object({ type: z.string(), message: z.string() }),
    request_id: z.string(),
  })
  .meta({ id: "AnthropicError" });
