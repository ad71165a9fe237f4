// The parts of a Responses API request that Trunkline itself needs to understand, and their schemas for the OpenAPI document. Everything
// else is passed on unchanged or translated: platform.openai.com/docs/api-reference/responses.

import { z } from "zod";
import { type ModelRequest, readModelRequest, tooManyToolCalls, wrong } from "#contract/ai/chat.ts";
import { servicePool, sharedFields } from "#contract/ai/chat-shapes.ts";
import { withMembers } from "#contract/json-text.ts";
import type { Problem } from "#contract/problem.ts";
import { fieldsIn, textOf } from "#providers/translate/json.ts";

/** Parameters that refer to something stored, which does not exist here. */
const stored = ["previous_response_id", "conversation", "prompt"] as const;

/** A request for its token count: `input` is optional. */
export function readCountedInput(text: string): ModelRequest | Problem {
  const request = readModelRequest(text);
  if ("problem" in request) return request;
  for (const name of stored)
    if (request.body[name] !== null && request.body[name] !== undefined)
      return wrong(
        name,
        "is not supported, because nothing is stored: send the whole conversation in 'input'",
      );
  const calls = fieldsIn(request.body.input).filter(({ type }) => textOf(type).endsWith("_call"));
  return tooManyToolCalls("input", calls.length) ?? request;
}

/** A request for a response: `input` must be a string or a non-empty list. */
export function readResponses(text: string): ModelRequest | Problem {
  const request = readCountedInput(text);
  if ("problem" in request) return request;
  const { body } = request;
  const { background = null } = body;
  if (background !== null && typeof background !== "boolean")
    return wrong("background", "must be true or false");
  if (background && request.stream)
    return wrong("stream", "must be false in a background response: ask for its state with its id");
  const { input } = body;
  if (input === null || input === undefined) return wrong("input", "is required");
  const fit = typeof input === "string" ? input !== "" : Array.isArray(input) && input.length > 0;
  if (!fit) return wrong("input", "must be a text or a list that is not empty");
  if (!("background" in body)) return request;
  // Members never run it in the background: their answer would have no text.
  const { background: _, ...rest } = body;
  const asked = { ...request, text: withMembers(text, { background: undefined }), body: rest };
  return background ? { ...asked, background: true } : asked;
}

export const responsesRequest = z
  .looseObject({
    input: z
      .unknown()
      .describe("A text, or a list of items: messages, calls, outputs.")
      .meta({
        anyOf: [
          { type: "string", minLength: 1 },
          { type: "array", minItems: 1, items: { type: "object", additionalProperties: true } },
        ],
      }),
    ...sharedFields,
    background: z
      .boolean()
      .nullish()
      .describe("Whether to answer at once with a response that is `queued`, to be looked up by its id."),
    max_output_tokens: z.int().nullish().describe("The maximum number of tokens to generate."),
  })
  .meta({ id: "ResponsesRequest" });

export const responsesReply = z
  .looseObject({
    id: z.string(),
    object: z.literal("response"),
    status: z.string(),
    model: z.string().describe("The name that the request used."),
    output: z.array(z.looseObject({ type: z.string() }).meta({ id: "ResponseItem" })),
    service_pool: servicePool.optional(),
    store: z.literal(false).optional(),
  })
  .meta({ id: "Response" });

export const countInputRequest = responsesRequest
  .omit({ stream: true, background: true, max_output_tokens: true })
  .partial({ input: true })
  .meta({ id: "ResponseInputTokensRequest" });

export const countInputReply = z
  .object({
    object: z.literal("response.input_tokens"),
    input_tokens: z.int().describe("Tokens of the request."),
  })
  .meta({ id: "ResponseInputTokens" });
