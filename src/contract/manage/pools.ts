// The management API's schemas for pools, their members and keys, and the kinds of providers.

import { z } from "zod";
import { anyFields, idCursor, instant, limit, page, reply, revision } from "#contract/envelope.ts";

const member = z
  .object({
    id: z.string(),
    name: z.string().describe("The member's name: `service_pool.provider` in its answers."),
    kind: z.string(),
    models: z.array(z.string()),
    embedding_models: z.array(z.string()),
    image_models: z.array(z.string()),
    speech_models: z.array(z.string()),
    transcription_models: z.array(z.string()),
    moderation_models: z.array(z.string()),
    rerank_models: z.array(z.string()),
    context_tokens: z.int().nullable(),
    settings: anyFields.describe(
      "The settings of the member's kind, with the mask `••••` for every secret. A mask that is sent back keeps the stored secret.",
    ),
    priority: z.int(),
    weight: z.int(),
    active: z.boolean(),
    price: z
      .object({ input: z.number(), output: z.number() })
      .nullable()
      .describe("The price of a million tokens."),
    timeouts: z.object({
      connect_ms: z.int(),
      headers_ms: z.int(),
      first_token_ms: z.int(),
      idle_ms: z.int(),
      thinking_ms: z.int(),
      total_ms: z.int().nullable(),
    }),
    revision,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "PoolMember" });
export type PoolMemberReplyData = z.output<typeof member>;

export const sharedBudget = z
  .object({
    tokens_per_day: z.int().nullable(),
    tokens_per_month: z.int().nullable(),
    cost_per_month: z.number().nullable(),
    low_percent: z.int().nullable(),
  })
  .meta({ id: "SharedBudget", description: "How much in all, for all keys together; null: no bound." });

const pool = z
  .object({
    id: z.string(),
    name: z.string().describe("The pool's name, which is also the model name that callers see."),
    strict_models: z.boolean(),
    answer_model: z.enum(["pool", "served"]),
    stream_mode: z.enum(["live", "complete"]),
    headers_after_ms: z.int(),
    deadline_ms: z.int(),
    repeat: z.int(),
    wait_ms: z.int(),
    params: z.enum(["adapt", "strict"]),
    whole_answers: z.enum(["forward", "stream"]),
    hedge: z.object({ after: z.literal("p95"), most: z.number() }).nullable(),
    timeouts: z.object({ answer_ms: z.int().nullable() }),
    budget: sharedBudget,
    members: z.array(member).describe("Oldest first."),
    revision: revision.describe(
      "Raised by each change of the pool or of one of its members. A PATCH with the revision is refused once another change was made.",
    ),
    created_at: instant,
    updated_at: instant.describe("When the pool or one of its members changed."),
  })
  .meta({ id: "Pool" });
export type PoolReplyData = z.output<typeof pool>;

export const poolReply = reply("PoolReply", pool);

/** All pools of the account, oldest first. */
export const poolsReply = page("PoolPage", pool);

export const poolMemberReply = reply("PoolMemberReply", member);

/** All members of the pool, oldest first. */
export const poolMembersReply = page("PoolMemberPage", member);

const keyFields = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("The first and last characters of the key. Only its hash is stored."),
  models: z.array(z.string()).nullable().describe("The models that the key may use; null: all."),
  limits: z.object({
    requests_per_minute: z.int().nullable(),
    tokens_per_minute: z.int().nullable(),
    concurrency: z.int().nullable(),
  }),
  budget: z.object({
    tokens_per_day: z.int().nullable(),
    tokens_per_month: z.int().nullable(),
    cost_per_month: z.number().nullable(),
  }),
  expires_at: instant.nullable(),
  revoked_at: instant.nullable(),
  revision,
  created_at: instant,
  updated_at: instant,
});
const key = keyFields.meta({ id: "PoolKey" });
export type PoolKeyReplyData = z.output<typeof key>;

export const poolKeyReply = reply("PoolKeyReply", key);

export const newPoolKeyReply = reply(
  "NewPoolKeyReply",
  keyFields
    .extend({
      key: z
        .string()
        .nullable()
        .describe("The generated key, which no other reply shows; null: the request brought the key."),
    })
    .meta({ id: "NewPoolKey" }),
);

/** A page of keys, revoked ones too, newest first. */
export const poolKeysReply = page("PoolKeyPage", key);

export const keysQuery = z.strictObject({ limit, cursor: idCursor });

export const memberStates = ["up", "half_open", "open", "cooling_down", "unauthorized"] as const;
export type MemberState = (typeof memberStates)[number];

const memberHealth = z
  .object({
    member: z.string().describe("The member's id."),
    name: z.string(),
    state: z
      .enum([...memberStates, "off"])
      .describe(
        "`up`: takes requests. `open`: failed, and takes no requests. `half_open`: takes one request as a test. `cooling_down`: asked to be tried later. `unauthorized`: refused the pool's key, balance or permission. `off`: switched off.",
      ),
    until: instant.nullable().describe("When the member is tried again; null: now, or not known."),
    in_flight: z.int().describe("Requests under way."),
    first_output_ms: z
      .number()
      .nullable()
      .describe("The moving average of the time to the first output; null: no request yet."),
    refused: z
      .array(
        z
          .object({
            model: z.string(),
            parameter: z.string(),
            value: z.string().nullable().describe("JSON of the value; null: the parameter as a whole."),
            until: instant.describe("When it is tried again."),
          })
          .meta({ id: "RefusedParameter" }),
      )
      .describe(
        "The parameters that the member's models refused. Requests with them go to other members, or to this one without them where the answer does not depend on them.",
      ),
  })
  .meta({ id: "PoolMemberHealth" });
export type HealthReplyData = z.output<typeof memberHealth>;

/** The health of the members of a pool. */
export const poolHealthReply = page("PoolHealthReply", memberHealth);

const providerKind = z
  .object({
    kind: z.string(),
    title: z.string(),
    summary: z.string(),
    embeddings: z.boolean().describe("Whether members of this kind can serve embeddings."),
    settings: anyFields.describe(
      "The JSON Schema of the settings. A secret has `writeOnly`: it is stored sealed and shown as `••••`.",
    ),
  })
  .meta({ id: "ProviderKind" });

export const providerKindsReply = page("ProviderKindPage", providerKind);
