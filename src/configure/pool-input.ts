// The input schemas of pools, members and keys, for the provisioning file and the management API. The settings of a
// member are checked by the schema of its provider when they are saved.

import { z } from "zod";
import { seenRevision } from "#contract/envelope.ts";
import { nameText } from "#contract/name.ts";
import { defaultThinkingMs, maxMembers } from "#store/pools/pools.ts";
import { budgetInput, sharedBudgetChanges, sharedBudgetInput } from "./budget-input.ts";
import { patchSchema } from "./changes.ts";

/** Names of pools and members appear in headers and responses, so they are restricted. */
const plainName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}$/,
    "must be 1 to 100 letters, digits or one of . _ : / @ + -, beginning with a letter or digit",
  );

const modelName = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters without spaces");

const models = z
  .array(modelName)
  .max(500)
  .refine((names) => new Set(names).size === names.length, "names a model twice");

const milliseconds = (min: number, max: number) => z.int().min(min).max(max);
const hourMs = 3_600_000;

export const timeoutsInput = z
  .strictObject({
    connect_ms: milliseconds(50, 60_000).default(5_000).describe("To connect."),
    headers_ms: milliseconds(50, hourMs)
      .default(60_000)
      .describe("Of a stream: until the head of the answer. Otherwise the head comes when all is done."),
    first_token_ms: milliseconds(50, hourMs)
      .default(120_000)
      .describe("Of a stream: until something is said. Models that think, or load first, take long."),
    idle_ms: milliseconds(50, hourMs).default(30_000).describe("The longest silence inside an answer."),
    thinking_ms: milliseconds(50, hourMs)
      .default(defaultThinkingMs)
      .describe(
        "Of a stream that shows signs of reasoning (an open reasoning item or thinking block, pings): until something is said, and the longest silence inside the reasoning. It takes the place of `first_token_ms` and `idle_ms` there.",
      ),
    total_ms: milliseconds(50, hourMs)
      .nullable()
      .default(null)
      .describe("The whole answer; null: the pool's deadline alone."),
  })
  .describe("How long the member may take, ms.");

const priceOf = (what: string) =>
  z.number().min(0).max(1_000_000).describe(`For a million tokens of ${what}, in any currency.`);

export const memberInput = z
  .strictObject({
    name: plainName.describe(
      "What it is called: `service_pool.provider` and the usage name it. One in a pool.",
    ),
    kind: z.string().describe("What it is: one of the kinds of providers, such as `openai-compatible`."),
    models: models
      .default([])
      .describe("The models it serves; the first is used when the request names none of them."),
    embedding_models: models.default([]).describe("The models it serves embeddings with."),
    image_models: models.default([]).describe("The models it makes pictures with."),
    speech_models: models.default([]).describe("The models it speaks texts with."),
    transcription_models: models.default([]).describe("The models it transcribes sound with."),
    moderation_models: models.default([]).describe("The models it moderates texts with."),
    rerank_models: models.default([]).describe("The models it ranks documents with."),
    context_tokens: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .nullish()
      .describe(
        "Its longest context. A request that was too long for another member is tried on one with a longer context.",
      ),
    settings: z.record(z.string(), z.unknown()).default({}).describe("As its kind says."),
    priority: z.int().min(0).max(1_000).default(1).describe("Lower first; equal ones share by weight."),
    weight: z.int().min(1).max(1_000_000).default(1).describe("Its share among members of its priority."),
    active: z.boolean().default(true).describe("`false`: it is asked for nothing."),
    price: z
      .strictObject({ input: priceOf("requests"), output: priceOf("answers") })
      .nullish()
      .describe("What it costs, for the usage and for budgets; null: nothing is reckoned."),
    timeouts: timeoutsInput.prefault({}),
  })
  .describe("A provider in the pool.");
export type MemberInput = z.output<typeof memberInput>;

const limit = (what: string) => z.int().min(1).max(1_000_000_000).nullish().describe(what);

export const limitsInput = z
  .strictObject({
    requests_per_minute: limit("Requests; null: no bound."),
    tokens_per_minute: limit("Tokens of requests and answers; null: no bound."),
    concurrency: limit("Requests under way at once; null: no bound."),
  })
  .describe("How much at a time; buckets that refill continuously.");

export const keyInput = z
  .strictObject({
    name: nameText(1, 100).describe("What the key is called. One that works in a pool."),
    key: z
      .string()
      .min(32, "must have at least 32 characters")
      .max(512)
      .regex(/^[\x21-\x7e]*$/, "must be ASCII without spaces")
      .optional()
      .describe(
        "The key, at least 32 characters: `Authorization: Bearer` and this. Without it, one is made and shown once.",
      ),
    models: models
      .min(1)
      .nullish()
      .describe("The models it may use; null: all. Without a model, a request means these."),
    limits: limitsInput.prefault({}),
    budget: budgetInput.prefault({}),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullish()
      .describe("When it stops working (ISO 8601); null: never."),
  })
  .describe("What callers of the pool show.");
export type KeyInput = z.output<typeof keyInput>;

const poolTimeouts = z
  .strictObject({
    answer_ms: milliseconds(50, hourMs)
      .nullable()
      .default(null)
      .describe(
        "For a whole (not streamed) answer of one member while another member is left; then that one is asked. The last one has the rest of `deadline_ms`. null: half of what is left of `deadline_ms`.",
      ),
  })
  .describe("How long each member may take in this pool, ms.");

/** A pool without its members and keys. */
export const poolFields = z.strictObject({
  name: plainName.describe("What it is called: also the model name that callers see. One in an account."),
  strict_models: z
    .boolean()
    .default(false)
    .describe(
      "Whether a model that no member serves is refused, instead of meaning the whole pool, and whether a named model is answered by the members that serve it alone.",
    ),
  answer_model: z
    .enum(["pool", "served"])
    .default("pool")
    .describe("What `model` says in answers: the pool's name, or the model that served."),
  stream_mode: z
    .enum(["live", "complete"])
    .default("live")
    .describe(
      "`live`: streams are handed on as they come. `complete`: collected first, so that one that breaks off is rescued by another member.",
    ),
  headers_after_ms: milliseconds(100, hourMs)
    .default(20_000)
    .describe("After this a silent stream gets its headers early, so that no proxy cuts it, ms."),
  deadline_ms: milliseconds(1_000, hourMs)
    .default(600_000)
    .describe("For a request over all members that are tried, ms."),
  repeat: z
    .int()
    .min(0)
    .max(3)
    .default(1)
    .describe(
      "How often a member is asked again at once that failed within a second, before any output, with 500, 502 or 503 without `Retry-After`, or a reset. 0: never.",
    ),
  wait_ms: z
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe(
      "A `Retry-After` of up to this long is waited for at the same member before another is asked, ms.",
    ),
  params: z
    .enum(["adapt", "strict"])
    .default("adapt")
    .describe(
      "What becomes of a parameter of sampling or effort (`temperature`, `top_p`, `reasoning_effort` and the like) that a member does not take. `adapt`: the member is asked without it, and `X-Service-Pool-Adapted` names it. `strict`: another member is asked.",
    ),
  whole_answers: z
    .enum(["forward", "stream"])
    .default("forward")
    .describe(
      "How members are asked for an answer that is not streamed. `forward`: as the client asked. `stream`: as a stream, which is collected into one answer, so that the limits of the first token and of silence hold for it too, and one that breaks off is rescued by another member.",
    ),
  hedge: z
    .strictObject({
      after: z
        .literal("p95")
        .default("p95")
        .describe("What 95 % of the member's first outputs took at the most."),
      most: z
        .number()
        .min(0.001)
        .max(1)
        .default(0.05)
        .describe("The largest share of calls of which two members are asked."),
    })
    .nullish()
    .describe(
      "Asks the next member too when the first is late; the first output wins, and the other request is given up. Both are billed by their providers. null: never.",
    ),
  timeouts: poolTimeouts.prefault({}),
  budget: sharedBudgetInput.prefault({}),
});
export type PoolFields = z.output<typeof poolFields>;

export const poolInput = poolFields
  .extend({
    members: z
      .array(memberInput)
      .max(maxMembers)
      .default([])
      .describe("Its members, told apart by their names. Those that are not named stay as they are."),
    keys: z
      .array(keyInput)
      .max(1_000)
      .default([])
      .describe(
        "Its keys, told apart by their names. Those that are not named stay as they are; one that was revoked works again only with another text.",
      ),
  })
  .describe("Members that answer under one name.");
export type PoolInput = z.output<typeof poolInput>;

/** The PATCH body of a pool. An absent field stays as it is, also inside `timeouts`. */
export const poolChanges = patchSchema(poolFields).extend({
  timeouts: patchSchema(poolTimeouts).optional().describe("How long each member may take in this pool, ms."),
  budget: sharedBudgetChanges.optional().describe("How much in all, for all keys together."),
  revision: seenRevision,
});
export type PoolChanges = z.output<typeof poolChanges>;

const memberParts = patchSchema(memberInput).shape;

/** The PATCH body of a member. The name cannot change: usage is recorded under it. */
export const memberChanges = z.strictObject({
  kind: memberParts.kind,
  models: memberParts.models,
  embedding_models: memberParts.embedding_models,
  image_models: memberParts.image_models,
  speech_models: memberParts.speech_models,
  transcription_models: memberParts.transcription_models,
  moderation_models: memberParts.moderation_models,
  rerank_models: memberParts.rerank_models,
  context_tokens: memberParts.context_tokens,
  settings: memberParts.settings.describe(
    "What of its settings changes: each field replaces the stored one, `null` removes it, a mask keeps what is stored. With another `kind`: all of them.",
  ),
  priority: memberParts.priority,
  weight: memberParts.weight,
  active: memberParts.active,
  price: memberParts.price,
  timeouts: patchSchema(timeoutsInput).optional().describe("How long the member may take, ms."),
  revision: seenRevision,
});
export type MemberChanges = z.output<typeof memberChanges>;

const keyParts = patchSchema(keyInput).shape;

/** The PATCH body of a key. Its name and its text cannot change: another text is another key. */
export const keyChanges = z.strictObject({
  models: keyParts.models,
  limits: patchSchema(limitsInput).optional().describe("How much at a time."),
  budget: patchSchema(budgetInput).optional().describe("How much in all."),
  expires_at: keyParts.expires_at,
  revision: seenRevision,
});
export type KeyChanges = z.output<typeof keyChanges>;
