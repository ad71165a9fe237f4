// The schemas of the AI endpoints, for the OpenAPI document and for the answers that are made here. Requests and
// answers have many more fields, which are passed on unchanged: platform.openai.com/docs/api-reference.

import { z } from "zod";

const message = z
  .looseObject({
    role: z.string().meta({ examples: ["user"] }),
    content: z
      .unknown()
      .describe("Text or a list of parts; null if a message has none, as with tool calls.")
      .meta({
        anyOf: [
          { type: "string" },
          { type: "array", items: { type: "object", additionalProperties: true } },
          { type: "null" },
        ],
      })
      .optional(),
  })
  .meta({ id: "ChatMessage" });

/** Fields that requests of several OpenAI APIs share. */
export const sharedFields = {
  model: z
    .string()
    .nullish()
    .describe(
      "The model. Members that serve it are called first. The default, and the pool's own name, mean the whole pool.",
    ),
  stream: z.boolean().nullish().describe("Whether to answer with server-sent events."),
};

export const chatRequest = z
  .looseObject({
    messages: z.array(message).min(1).describe("The conversation."),
    ...sharedFields,
    temperature: z.number().nullish().describe("Sampling temperature."),
    max_tokens: z.number().nullish().describe("The maximum number of tokens to generate."),
  })
  .meta({ id: "ChatCompletionRequest" });

const usage = z
  .looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int().optional(),
    total_tokens: z.int(),
  })
  .meta({ id: "TokenUsage" });

export const servicePool = z
  .object({
    provider: z.string().describe("The member that answered."),
    model: z.string().describe("The model that the member was called with."),
    latency_ms: z.number().describe("Time in the gateway up to the first byte of the answer."),
    attempts: z.int().describe("Members tried; more than 1 after a failover."),
    cost: z
      .number()
      .optional()
      .describe(
        "The cost of the call, in the currency of the members' prices, if a price is known; in streams it comes at the end.",
      ),
  })
  .meta({ id: "ServicePool", description: "The member that served the request." });

export const chatReply = z
  .looseObject({
    id: z.string(),
    object: z.literal("chat.completion"),
    created: z.int(),
    model: z.string().describe("The pool's name, unless the pool says otherwise."),
    choices: z.array(
      z
        .looseObject({ index: z.int(), message, finish_reason: z.string().nullable() })
        .meta({ id: "ChatChoice" }),
    ),
    usage: usage.optional(),
    service_pool: servicePool,
  })
  .meta({ id: "ChatCompletion" });

export const embeddingsRequest = z
  .looseObject({
    input: z
      .unknown()
      .describe("A text or a list of texts. Lists of token numbers are passed on as well.")
      .meta({
        anyOf: [
          { type: "string" },
          { type: "array", items: { type: "string" } },
          { type: "array", items: { type: "integer" } },
          { type: "array", items: { type: "array", items: { type: "integer" } } },
        ],
      }),
    model: z.string().nullish().describe("The model. The default is the pool's first one."),
  })
  .meta({ id: "EmbeddingsRequest" });

export const embeddingsReply = z
  .looseObject({
    object: z.literal("list"),
    data: z.array(
      z
        .looseObject({
          index: z.int(),
          embedding: z
            .unknown()
            .describe("A list of numbers, or base64 if the request asks for it.")
            .meta({ anyOf: [{ type: "array", items: { type: "number" } }, { type: "string" }] }),
        })
        .meta({ id: "Embedding" }),
    ),
    model: z.string(),
    usage: usage.optional(),
    service_pool: servicePool,
  })
  .meta({ id: "Embeddings" });

export const model = z
  .looseObject({
    id: z.string(),
    object: z.literal("model"),
    created: z.int(),
    owned_by: z.string(),
  })
  .meta({ id: "Model" });

export const modelsReply = z
  .looseObject({ object: z.literal("list"), data: z.array(model) })
  .meta({ id: "ModelList" });

/** Every error of these endpoints. */
export const openaiErrorReply = z
  .looseObject({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
    service_pool: servicePool.optional(),
  })
  .meta({ id: "OpenAiError" });
