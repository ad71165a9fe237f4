// The shapes of the AI endpoints, for the documentation and for the answers that are made here. Requests and
// answers have many more fields, which are passed on as they are: platform.openai.com/docs/api-reference.

import { z } from "zod";

const message = z.looseObject({
  role: z.string().meta({ examples: ["user"] }),
  content: z.unknown().describe("Text, or a list of parts."),
});

export const chatRequest = z.looseObject({
  messages: z.array(message).min(1).describe("The conversation."),
  model: z
    .string()
    .nullish()
    .describe("A model of the pool's members narrows to them; absent, or the pool's name: the whole pool."),
  stream: z.boolean().nullish().describe("Answer as server-sent events."),
  temperature: z.number().nullish().describe("Sampling temperature."),
  max_tokens: z.number().nullish().describe("Most tokens to generate."),
});

const usage = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int().optional(),
  total_tokens: z.int(),
});

export const servicePool = z
  .object({
    provider: z.string().describe("The member that answered."),
    model: z.string().describe("The model that it was asked for."),
    latency_ms: z.number().describe("Time in the gateway up to the first byte of the answer."),
    attempts: z.int().describe("Members tried; more than 1 after a failover."),
  })
  .describe("Who served the request.");

export const chatReply = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string().describe("The pool's name, unless the pool says otherwise."),
  choices: z.array(z.looseObject({ index: z.int(), message, finish_reason: z.string().nullable() })),
  usage: usage.optional(),
  service_pool: servicePool,
});

export const embeddingsRequest = z.looseObject({
  input: z.unknown().describe("A text, or a list of them."),
  model: z.string().nullish(),
});

export const embeddingsReply = z.looseObject({
  object: z.literal("list"),
  data: z.array(z.looseObject({ index: z.int(), embedding: z.unknown() })),
  model: z.string(),
  usage: usage.optional(),
  service_pool: servicePool,
});

export const model = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});

export const modelsReply = z.object({ object: z.literal("list"), data: z.array(model) });

/** Every error of these endpoints. */
export const openaiErrorReply = z.looseObject({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
  service_pool: servicePool.optional(),
});
