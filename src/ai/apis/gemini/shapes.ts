// The parts of a Gemini API request that Trunkline itself needs to understand, and their schemas for the OpenAPI document. Everything else
// is translated: ai.google.dev/api/generate-content, /api/tokens, /api/embeddings.

import { z } from "zod";
import { type ModelRequest, readModelRequest, tooManyToolCalls, wrong } from "#contract/ai/chat.ts";
import { servicePool } from "#contract/ai/chat-shapes.ts";
import { isObject } from "#contract/normalise.ts";
import type { Problem } from "#contract/problem.ts";

const isAbsent = (value: unknown) => value === undefined || value === null;

const isPart = (value: unknown) => typeof value === "string" || isObject(value);

/** The forms that Google's clients may use: `{ parts: [part, …] }`, one part instead of the list, parts without the object, or a string. */
function isContent(value: unknown): boolean {
  if (!isObject(value)) return [value].flat().every(isPart);
  return isAbsent(value.parts) || [value.parts].flat().every(isPart);
}

/** The number of calls in a content, in any of its forms. */
function callsOf(content: unknown): number {
  const parts = isObject(content) && !isAbsent(content.parts) ? content.parts : content;
  const isCall = (part: unknown) => isObject(part) && ("functionCall" in part || "function_call" in part);
  return [parts].flat().filter(isCall).length;
}

/** A request for an answer or for its token count. The path contains the model and says whether the answer is streamed. */
export function readContents(
  text: string,
  { model }: Readonly<Record<string, string>>,
  stream: boolean,
): ModelRequest | Problem {
  const request = readModelRequest(text);
  if ("problem" in request) return request;
  const { body } = request;
  // Tokens are counted for the contents or for a whole request.
  const whole = body.generateContentRequest;
  const asked = isObject(whole) && !isAbsent(whole.contents) ? whole : body;
  const { contents } = asked;
  if (isAbsent(contents)) return wrong("contents", "is required");
  if (!(Array.isArray(contents) ? contents.length > 0 : isObject(contents)))
    return wrong("contents", "must be a list that is not empty");
  if (![contents].flat().every(isContent)) return wrong("contents", "must be objects with a list of parts");
  const calls = [contents].flat().reduce<number>((sum, content) => sum + callsOf(content), 0);
  const excess = tooManyToolCalls("contents", calls);
  if (excess) return excess;
  const own = asked === body ? text : JSON.stringify(asked);
  return { text: own, body: asked, model: model ?? null, stream, includeUsage: true };
}

const contents = z
  .array(
    z
      .looseObject({ role: z.string().optional(), parts: z.array(z.looseObject({})) })
      .meta({ id: "GeminiContent" }),
  )
  .min(1)
  .describe("The conversation.");

export const generateRequest = z.looseObject({ contents }).meta({ id: "GenerateContentRequest" });

export const generateReply = z
  .looseObject({
    candidates: z.array(z.looseObject({ index: z.int(), finishReason: z.string().optional() })),
    usageMetadata: z.looseObject({ totalTokenCount: z.int() }).optional(),
    modelVersion: z.string().describe("The name that the request used."),
    service_pool: servicePool.optional(),
  })
  .meta({ id: "GenerateContentResponse" });

export const countRequest = z
  .looseObject({
    contents: contents.optional().describe("The conversation. Required without `generateContentRequest`."),
    generateContentRequest: generateRequest.optional(),
  })
  .meta({ id: "GeminiCountTokensRequest" });

export const countReply = z
  .object({ totalTokens: z.int().describe("Tokens of the request, estimated.") })
  .meta({ id: "GeminiTokenCount" });

export const geminiErrorReply = z
  .looseObject({
    error: z.object({ code: z.int(), message: z.string(), status: z.string() }),
  })
  .meta({ id: "GeminiError" });
