// The management API's schemas for the usage of a pool's keys, and for single calls.

import { z } from "zod";
import { callKinds, clientFormats, listed } from "#contract/ai/operations.ts";
import { cursorNote, instant, limit, page, pageFields, reply, timeParam } from "#contract/envelope.ts";

const day = z.iso.date("must be a day such as 2026-11-21");

const range = {
  from: day.optional().describe("The first local day of the account. The default is 29 days before `to`."),
  to: day
    .optional()
    .describe("The last local day. The default is today. The range is at most 366 days, by hour 31."),
};
const groupings = ["key", "member", "model", "user", "tag", "day", "hour"] as const;
const byNote =
  "How the sums are grouped. By hour, user and tag, usage is kept as long as single calls are; of users and tags, the reply contains the 1,000 with the most calls.";

export const usageQuery = z.strictObject({
  ...range,
  by: z.enum(groupings).default("day").describe(byNote),
  split: z
    .enum(["member"])
    .optional()
    .describe("`member`: the sums of each day member by member. With `by=day` alone."),
});

export const accountUsageQuery = z.strictObject({
  ...range,
  by: z
    .enum(["pool", ...groupings])
    .default("day")
    .describe(byNote),
});

export const percentiles = z
  .object({ p50: z.int().nullable(), p95: z.int().nullable(), p99: z.int().nullable() })
  .meta({
    id: "Percentiles",
    description:
      "Over the answered calls, in ms, within 5 %. Null if no call was answered, or the sums are by user or tag.",
  });

/** The sums of some calls. */
export const usageFields = {
  requests: z.int(),
  errors: z
    .int()
    .describe("Calls with a status of 400 or above, except 499 (the caller closed the connection)."),
  failed_over: z.int().describe("Calls for which more than one member was called."),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cost: z
    .number()
    .nullable()
    .describe(
      "In the currency of the members' prices; a minimum if `unpriced` is above 0. Null if none of the calls had a known price.",
    ),
  unpriced: z
    .int()
    .describe(
      "Calls that a member answered with a model without a known price, which `cost` does not include. Calls from before Trunkline counted them are not included.",
    ),
};

const usage = z
  .object({
    group: z
      .string()
      .describe(
        "According to `by`: the id of the pool or key (among keys, the pool's id for people who tried it), the name of the member (the one that answered, otherwise the last that failed; empty if none was called) or model (empty if no member answered), the user, the tag (`team=checkout`), the day, or the start of the hour in UTC. An empty user or tag collects those beyond 2,000 at once.",
      ),
    name: z.string().nullable().describe("The name of a pool or key, if it still exists."),
    member: z
      .string()
      .nullable()
      .describe(
        "With `split`: the name of the member (the one that answered, otherwise the last that failed; empty if none was called). Otherwise null.",
      ),
    ...usageFields,
    latency_ms: percentiles,
    first_byte_ms: percentiles,
  })
  .meta({ id: "PoolUsage" });

export const usageReply = z
  .object({
    ...pageFields(usage),
    from: z.iso.date().describe("The first local day of the sums."),
    to: z.iso.date().describe("The last local day."),
  })
  .meta({ id: "PoolUsageReply" });
export type UsageReplyData = z.output<typeof usage>;

const named = z.string().min(1).max(200);

export const callsQuery = z.strictObject({
  key: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an id")
    .optional()
    .describe("Only calls with the key of this id. The pool's own id means people who tried it."),
  status: z
    .string()
    .regex(/^([1-5]\d\d|[1-5]xx)$/, "must be a status such as 429, or 2xx, 4xx, 5xx")
    .optional()
    .describe(
      "Only calls that were answered with this status, such as `429` or `5xx`; 499 if the caller closed the connection.",
    ),
  member: named.optional().describe("Only calls that this member answered, by its name."),
  model: named.optional().describe("Only calls that this model answered."),
  failed_over: z
    .enum(["true", "false"])
    .optional()
    .describe("`true`: only calls for which more than one member was asked. `false`: only the others."),
  api: z.enum(clientFormats).optional().describe("Only completions of this API."),
  failed_by: named
    .optional()
    .describe("Only calls in which this member, by its name, was called and did not answer."),
  user: named.optional().describe("Only calls with this `user`."),
  tag: named.optional().describe("Only calls with this tag, such as `team=checkout`."),
  after: timeParam.optional().describe("Only calls that began at this time (ISO 8601) or later."),
  before: timeParam.optional().describe("Only calls that began before this time (ISO 8601)."),
  limit,
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "is not a cursor")
    .optional()
    .describe(cursorNote),
});

const call = z
  .object({
    id: z.string(),
    at: instant,
    key: z.string().nullable().describe("The key's id. Null if a person tried the pool without one."),
    key_name: z.string().nullable().describe("The key's name, if the key still exists."),
    person: z
      .string()
      .nullable()
      .describe(
        "Who tried the pool without a key: an email address, or the name of a management token. Otherwise null.",
      ),
    kind: z.enum(callKinds),
    api: z
      .string()
      .nullable()
      .describe(
        `The API of a completion: ${listed(clientFormats)}. Null for another operation, or a call from before this was recorded.`,
      ),
    stream: z.boolean(),
    reused: z
      .enum(["cache", "idempotency_key"])
      .nullable()
      .describe(
        "Why no member was called: an equal request's answer was in the pool's cache, or under the same `Idempotency-Key`. Otherwise null.",
      ),
    status: z.int().describe("The status of the answer; 499 if the caller closed the connection."),
    member: z.string().nullable().describe("The name of the member that answered; null if none did."),
    model: z.string().nullable(),
    attempts: z
      .array(
        z
          .object({
            member: z.string(),
            model: z.string(),
            started_ms: z
              .number()
              .nullable()
              .describe(
                "When it began, from the start of the call. Null if the call is from before this was recorded.",
              ),
            ms: z.number().describe("How long it took."),
            outcome: z
              .string()
              .describe(
                "`ok`, or the kind of failure. `pretended_down`: nothing was sent, as a trial asked for.",
              ),
            status: z.int().nullable(),
            given_up: z
              .boolean()
              .describe(
                "Whether it was cancelled because another member answered first. Its input counts in `cost`, since the provider may bill it.",
              ),
          })
          .meta({ id: "PoolCallAttempt" }),
      )
      .describe("The requests to members, in order."),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    estimated: z
      .boolean()
      .describe(
        "Whether the tokens are estimated because the provider reported no usage: from the texts, with a fixed number for each image, page and second of audio.",
      ),
    cached_tokens: z.int().describe("Part of the prompt: read from the provider's cache."),
    cache_write_tokens: z.int().describe("Part of the prompt: written to the provider's cache."),
    cost: z
      .number()
      .nullable()
      .describe(
        "In the currency of the members' prices; list prices are in US dollars. Null if the model has no known price.",
      ),
    price_source: z
      .enum(["set", "list"])
      .nullable()
      .describe(
        "The source of the price. `set`: the member's. `list`: the vendor's list price. Null if none is known.",
      ),
    first_byte_ms: z.int().nullable(),
    ms: z.int(),
    failed_over: z.boolean().describe("Whether more than one member was called."),
    user: z
      .string()
      .nullable()
      .describe("The request's `user`, `safety_identifier` or `metadata.user_id`, up to 128 characters."),
    tags: z
      .array(z.string())
      .describe(
        "Such as `team=checkout`: from `X-Trunkline-Tags`, and the texts in the request's `metadata`.",
      ),
    client_request_id: z
      .string()
      .nullable()
      .describe("The client's `X-Client-Request-Id`, or `X-Request-Id`."),
  })
  .meta({ id: "PoolCall" });
export type CallReplyData = z.output<typeof call>;

export const callReply = reply("PoolCallReply", call);

/** The calls that match, newest first. Their contents are not stored. */
export const callsReply = page(
  "PoolCallPage",
  call,
  " A page may be short or empty and still have a next page: a rare match among very many calls is searched over several pages.",
);
