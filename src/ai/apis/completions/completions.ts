// OpenAI's legacy completions, which continue a text. Editors use them, as do programs older than chat completions. They are forwarded to
// members that have them. Source: platform.openai.com/docs/api-reference/completions

import { z } from "zod";
import type { ApiRequest } from "#ai/apis/api-request.ts";
import type { ClientApiRow } from "#ai/apis/client-api.ts";
import { untranslated } from "#ai/apis/passed-on.ts";
import { chunksIn } from "#ai/stream/recorded.ts";
import { errorFrame, rewrite, SseWriter } from "#ai/stream/sse-writer.ts";
import { type ModelRequest, readModelRequest, wrong } from "#contract/ai/chat.ts";
import { servicePool, sharedFields } from "#contract/ai/chat-shapes.ts";
import type { Problem } from "#contract/problem.ts";
import { foldedCompletion } from "#providers/openai/completions.ts";
import { parseJson } from "#providers/translate/json.ts";

type Body = Readonly<Record<string, unknown>>;

const completionsRequest = z
  .looseObject({
    prompt: z
      .unknown()
      .describe("A text, a list of texts, a list of tokens, or a list of such lists.")
      .meta({
        anyOf: [
          { type: "string" },
          { type: "array", items: { type: "string" } },
          { type: "array", items: { type: "integer" } },
          { type: "array", items: { type: "array", items: { type: "integer" } } },
        ],
      }),
    ...sharedFields,
    max_tokens: z.int().nullish().describe("The maximum number of tokens to generate."),
  })
  .meta({ id: "CompletionRequest" });

const completionsReply = z
  .looseObject({
    id: z.string(),
    object: z.string(),
    model: z.string().describe("The model that answered."),
    choices: z.array(z.looseObject({ text: z.string() }).meta({ id: "CompletionChoice" })),
    service_pool: servicePool.optional(),
  })
  .meta({ id: "Completion" });

/** A completion request: `prompt` is required but may be empty. */
function readCompletions(text: string): ModelRequest | Problem {
  const request = readModelRequest(text);
  if ("problem" in request) return request;
  const { prompt } = request.body;
  if (prompt === undefined || prompt === null) return wrong("prompt", "is required");
  if (typeof prompt !== "string" && !Array.isArray(prompt))
    return wrong("prompt", "must be a text or a list");
  return request;
}

/** The prompts as messages, and the total limit of all answers. */
function estimatedOf({ prompt, max_tokens, n }: Body): Body {
  const isOne = !Array.isArray(prompt) || typeof prompt[0] === "number";
  const prompts: readonly unknown[] = isOne ? [prompt] : prompt;
  const answers = typeof n === "number" && n >= 1 ? n : 1;
  return {
    messages: prompts.map((one) => ({
      role: "user",
      content: typeof one === "string" ? one : JSON.stringify(one),
    })),
    ...(max_tokens === undefined || max_tokens === null ? {} : { max_tokens }),
    n: prompts.length * answers,
  };
}

export function createCompletionsRequest({
  body,
  includeUsage,
}: Pick<ModelRequest, "body" | "includeUsage">): ApiRequest {
  return {
    ...untranslated("/completions", false),
    format: "completions",
    headers: {},
    estimated: estimatedOf(body),
    echoesModel: false,
    answer: (answer, _forwarded, rules) => rewrite(answer, rules, rules.served),
    writer: ({ model, created, served }) => new SseWriter({ model, created, served, includeUsage }),
    failed: errorFrame,
  };
}

export const completionsApi: ClientApiRow = {
  path: "/api/ai/v1/completions",
  operations: [
    {
      path: "/api/ai/v1/completions",
      name: "createCompletion",
      summary: "Continue a text",
      description:
        "This is OpenAI's older operation, for programs that complete code and texts. Members of kind `openai-compatible` get the request as it came; a member whose vendor has no such operation is passed over. With `stream: true` the reply is a stream of chunks.",
      body: completionsRequest,
      reply: completionsReply,
      example: { prompt: "Once upon a time" },
      stream:
        "With `stream: true`: `text_completion` objects as `data:` events, the last of them with `service_pool`, then `data: [DONE]`. A stream that fails ends with an event that holds an error object, and without `[DONE]`. Comments keep the connection alive.",
      read: readCompletions,
    },
  ],
  joinAnswer: (text) => parseJson(foldedCompletion(chunksIn(text)).text),
  spanOperation: "text_completion",
  request: createCompletionsRequest,
};
