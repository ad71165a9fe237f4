// Members of pools: their fields, and the management API's replies with them. The settings of a member are checked by the
// schema of its provider when they are saved.

import { z } from "zod";
import { anyFields, instant, page, reply, revision, seenRevision } from "#contract/envelope.ts";
import { patchSchema, shown } from "#contract/resource-schema.ts";
import { modelList, modelName, poolName } from "./names.ts";

const milliseconds = (min: number, max: number) => z.int().min(min).max(max);
const hourMs = 3_600_000;

const timeouts = z
  .strictObject({
    connect_ms: milliseconds(50, 60_000).default(5_000).describe("The longest time to connect."),
    headers_ms: milliseconds(50, hourMs)
      .default(60_000)
      .describe(
        "For streams: the longest wait for the response headers. Otherwise they come when the answer is complete.",
      ),
    first_token_ms: milliseconds(50, hourMs)
      .default(120_000)
      .describe(
        "For streams: the longest wait for the first output. Models that reason, or have to load first, take long.",
      ),
    idle_ms: milliseconds(50, hourMs).default(30_000).describe("The longest silence inside an answer."),
    thinking_ms: milliseconds(50, hourMs)
      .default(600_000)
      .describe(
        "For streams that show signs of reasoning (an open reasoning item or thinking block, pings): until the first output, and the longest silence inside the reasoning. In that phase it applies instead of the limits for the first output and for silence.",
      ),
    total_ms: milliseconds(50, hourMs)
      .nullable()
      .default(null)
      .describe("The whole answer; null for the pool's deadline only."),
  })
  .describe("How long the member may take, ms.");

/** A map from names to values. */
const maxAliases = 500;

const priceOf = (what: string) =>
  z
    .number()
    .min(0)
    .max(1_000_000)
    // A token then costs a whole number of millionths of millionths, and sums are exact.
    .refine((price) => Math.abs(price * 1e6 - Math.round(price * 1e6)) < 1e-3, "has more than six decimals")
    .describe(`Per million tokens of ${what}.`);

const amounts = {
  input: priceOf("requests"),
  output: priceOf("answers"),
  cached_input: priceOf(
    "requests that the provider read from its prompt cache; default: the price of input",
  ).optional(),
  cache_write: priceOf("requests that it wrote to its prompt cache; default: the price of input").optional(),
  cache_write_1h: priceOf(
    "requests that it wrote to its prompt cache for an hour; default: 1.6 times the price of a write, as at Anthropic",
  ).optional(),
};

/** The price of a model, per million tokens, in any currency. */
export const price = z.strictObject({
  ...amounts,
  long_prompt: z
    .strictObject({
      above: z.int().min(1).max(1_000_000_000).describe("Prompts with more tokens than this are long."),
      ...amounts,
    })
    .optional()
    .describe(
      "The price of all tokens of a call with a longer prompt, whose length includes cached tokens. Default: the same.",
    ),
});

/** How a pool uses a member. */
export const memberRules = z.strictObject({
  models: modelList
    .default([])
    .meta({ advanced: false })
    .describe("The models it serves; the first is used if the request names none of them."),
  embedding_models: modelList.default([]).describe("The models it serves embeddings with."),
  image_models: modelList.default([]).describe("The models it generates images with."),
  speech_models: modelList.default([]).describe("The models it generates speech with."),
  transcription_models: modelList.default([]).describe("The models it transcribes audio with."),
  moderation_models: modelList.default([]).describe("The models it moderates texts with."),
  rerank_models: modelList.default([]).describe("The models it ranks documents with."),
  aliases: z
    .record(modelName, modelName)
    .refine((aliases) => Object.keys(aliases).length <= maxAliases, `are more than ${maxAliases}`)
    .default({})
    .describe(
      'Other names of its models, such as `{"gpt-5-mini": "my-deployment"}`: requests that name an alias are served with the model that it stands for, which the member serves under one of the lists above.',
    ),
  context_tokens: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .nullable()
    .default(null)
    .describe(
      "Its longest context. A request that was too long for one member is tried on another with a longer context.",
    ),
  priority: z
    .int()
    .min(0)
    .max(1_000)
    .default(1)
    .meta({ advanced: false })
    .describe(
      "Members with a lower number are called first; those with the same number share the requests by weight.",
    ),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe("Its share of the requests among members with the same priority."),
  active: z.boolean().default(true).describe("Whether it receives requests."),
  price: price
    .nullable()
    .default(null)
    .describe(
      "The price of models without one of their own, in any currency. If null, the vendor's list price in US dollars applies, if known. Other models have no known price.",
    ),
  prices: z
    .record(modelName, price)
    .refine((prices) => Object.keys(prices).length <= maxAliases, `are more than ${maxAliases}`)
    .default({})
    .describe("The price of each model, by its name or an alias."),
  timeouts: timeouts.prefault({}),
});
export type MemberRules = z.output<typeof memberRules>;
export type MemberTimeouts = MemberRules["timeouts"];

export const memberFields = z
  .strictObject({
    name: poolName.describe(
      "The member's name, used in `service_pool.provider` and in usage. Unique in the pool.",
    ),
    kind: z.string().describe("The kind of the provider, such as `openai-compatible`."),
    ...memberRules.shape,
    settings: z.record(z.string(), z.unknown()).default({}).describe("As its kind says."),
  })
  .describe("A provider in the pool.");
export type MemberFields = z.output<typeof memberFields>;

const { name: _name, ...changeable } = patchSchema(memberFields).shape;

/** The PATCH body of a member. The name cannot change: usage is recorded under it. */
export const memberChanges = z.strictObject({
  ...changeable,
  settings: changeable.settings.describe(
    "Changes of its settings: each field replaces the stored one, `null` removes it, a mask keeps the stored value. With another `kind`, all settings.",
  ),
  revision: seenRevision,
});

export const poolMember = z
  .object({
    id: z.string(),
    ...shown(memberFields).shape,
    settings: anyFields.describe(
      "The settings of the member's kind, with the mask `••••` for every secret. Sending a mask back keeps the stored secret.",
    ),
    unpriced_models: z
      .array(z.string())
      .describe(
        "Those of its models without a known price. Cost budgets refuse them or cannot count them, depending on `unpriced`.",
      ),
    revision,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "PoolMember" });

export const poolMemberReply = reply("PoolMemberReply", poolMember);

/** All members of the pool, oldest first. */
export const poolMembersReply = page("PoolMemberPage", poolMember);

const memberStates = ["up", "half_open", "open", "cooling_down", "unauthorized"] as const;
export type MemberState = (typeof memberStates)[number];

const memberHealth = z
  .object({
    member: z.string().describe("The member's id."),
    name: z.string(),
    state: z
      .enum([...memberStates, "off"])
      .describe(
        "`up`: takes requests, also before it has answered one: see `last_answered_at`. `open`: failed, and takes no requests. `half_open`: takes one request as a test. `cooling_down`: asked to be tried later. `unauthorized`: refused the pool's key, balance or permission. `off`: switched off.",
      ),
    until: instant.nullable().describe("When the member is retried; null for now, or if unknown."),
    in_flight: z.int().describe("Requests under way."),
    first_output_ms: z
      .number()
      .nullable()
      .describe("The moving average of the time to the first output; null before the first request."),
    recent: z
      .object({
        since: instant.describe("An hour ago, or when the oldest of the pool's last 1,000 calls began."),
        asked: z.int().describe("Requests to the member since then."),
        failed: z
          .int()
          .describe(
            "Those that it failed: an error, no answer, a refused key, a missing model, or a request to wait.",
          ),
      })
      .meta({ id: "PoolMemberRecent" })
      .describe("What all processes asked the member. A call counts about a second after its end."),
    last_answered_at: instant
      .nullable()
      .describe("When it last answered; null if in none of the pool's last 1,000 calls."),
    last_failure: z
      .object({
        call: z.string().describe("The call's id."),
        at: instant,
        outcome: z.string().describe("As in the call's `attempts`."),
        status: z.int().nullable().describe("Null if there was no answer."),
      })
      .meta({ id: "PoolMemberFailure" })
      .nullable()
      .describe("When and how it last failed; null if in none of the pool's last 1,000 calls."),
    responses: z
      .enum(["forwarded", "translated"])
      .describe(
        "How requests at `/responses` reach it. `forwarded`: unchanged. `translated`: because of its settings, or because its models turned out to lack the Responses API.",
      ),
    keys: z
      .array(
        z
          .object({
            position: z
              .int()
              .describe("Its position among the member's keys, from 1: `api_key`, then `api_keys`."),
            state: z.enum(["up", "cooling_down", "unauthorized"]),
            until: instant.nullable().describe("When it is used again; null for now."),
          })
          .meta({ id: "MemberKeyHealth" }),
      )
      .describe("The state of each of several keys. Empty if it has one, or was not called yet."),
    refused: z
      .array(
        z
          .object({
            model: z.string(),
            parameter: z.string(),
            value: z
              .string()
              .nullable()
              .describe(
                'JSON of the value; null: the parameter as a whole. Of `tools`, `"chat_completions"`: the model takes function tools in the Responses API alone, where it is asked if the member has it.',
              ),
            until: instant.describe("When it is retried."),
          })
          .meta({ id: "RefusedParameter" }),
      )
      .describe(
        "The parameters that the member's models refused. Requests with them are sent to other members, or to this one without them if the answer does not depend on them.",
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
