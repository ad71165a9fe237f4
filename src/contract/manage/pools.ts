// The management API's words for pools, their members and keys, and the kinds of providers that there are.

import { z } from "zod";

const instant = z.iso.datetime({ precision: 3 });
const success = { success: z.literal(true), message: z.string() };
const one = z.null().describe("They all come at once.");

const member = z.object({
  id: z.string(),
  name: z.string().describe("`service_pool.provider` of what it answers."),
  kind: z.string(),
  models: z.array(z.string()),
  embedding_models: z.array(z.string()),
  context_tokens: z.int().nullable(),
  settings: z
    .record(z.string(), z.unknown())
    .describe(
      "As its kind says, with `••••` for every secret. A mask that is sent back keeps what is stored.",
    ),
  priority: z.int(),
  weight: z.int(),
  active: z.boolean(),
  price: z.object({ input: z.number(), output: z.number() }).nullable().describe("For a million tokens."),
  timeouts: z.object({
    connect_ms: z.int(),
    headers_ms: z.int(),
    first_token_ms: z.int(),
    idle_ms: z.int(),
    total_ms: z.int().nullable(),
  }),
  created_at: instant,
  updated_at: instant,
});
export type PoolMemberReplyData = z.output<typeof member>;

const pool = z.object({
  id: z.string(),
  name: z.string().describe("Also the model name that callers see."),
  strict_models: z.boolean(),
  answer_model: z.enum(["pool", "served"]),
  stream_mode: z.enum(["live", "complete"]),
  headers_after_ms: z.int(),
  deadline_ms: z.int(),
  timeouts: z.object({ answer_ms: z.int().nullable() }),
  members: z.array(member).describe("Oldest first."),
  created_at: instant,
  updated_at: instant.describe("When it, or one of its members, changed."),
});
export type PoolReplyData = z.output<typeof pool>;

export const poolReply = z.object({ ...success, data: pool });

/** All pools of the account, oldest first. */
export const poolsReply = z.object({ ...success, data: z.array(pool), next_cursor: one });

export const poolMemberReply = z.object({ ...success, data: member });

/** All members of the pool, oldest first. */
export const poolMembersReply = z.object({ ...success, data: z.array(member), next_cursor: one });

/** It is gone. */
export const poolGoneReply = z.object({ ...success, data: z.object({ id: z.string() }) });

const key = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("Its first and last characters; the key itself is not kept."),
  models: z.array(z.string()).nullable().describe("The models it may use; null: all."),
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
  created_at: instant,
  updated_at: instant,
});
export type PoolKeyReplyData = z.output<typeof key>;

export const poolKeyReply = z.object({ ...success, data: key });

export const newPoolKeyReply = z.object({
  ...success,
  data: key.extend({
    key: z.string().nullable().describe("The key that was made, shown this once; null when it was given."),
  }),
});

/** A page of keys, newest first, revoked ones too. */
export const poolKeysReply = z.object({
  ...success,
  data: z.array(key),
  next_cursor: z.string().nullable().describe("For the next page; null on the last one."),
});

export const keysQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("How many; 50 by default."),
  cursor: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, "is not a cursor")
    .optional()
    .describe("A `next_cursor` given earlier."),
});

export const memberStates = ["up", "half_open", "open", "cooling_down", "unauthorized"] as const;
export type MemberState = (typeof memberStates)[number];

/** How the members of a pool are doing. */
export const poolHealthReply = z.object({
  ...success,
  data: z.array(
    z.object({
      member: z.string().describe("Its id."),
      name: z.string(),
      state: z
        .enum([...memberStates, "off"])
        .describe(
          "`up`; `open`: it failed and gets no requests; `half_open`: one probe may be sent; `cooling_down`: it asked to be retried later; `unauthorized`: it refuses the key, balance or permission; `off`: inactive.",
        ),
      until: instant.nullable().describe("When it may get requests again; null: now, or not known."),
      in_flight: z.int().describe("Requests under way."),
      first_output_ms: z
        .number()
        .nullable()
        .describe("Moving average of the time to its first output; null: it has not answered yet."),
    }),
  ),
  next_cursor: one,
});
export type HealthReplyData = z.output<typeof poolHealthReply>["data"][number];

export const providerKindsReply = z.object({
  ...success,
  data: z.array(
    z.object({
      kind: z.string(),
      title: z.string(),
      summary: z.string(),
      embeddings: z.boolean().describe("Whether its members can serve embeddings."),
      settings: z
        .record(z.string(), z.unknown())
        .describe(
          "JSON Schema of its settings. What is secret has `writeOnly`: it is stored sealed and answered as `••••`.",
        ),
    }),
  ),
  next_cursor: one,
});
