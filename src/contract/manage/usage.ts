// The management API's words for what a pool's keys used, and for the single calls.

import { z } from "zod";

const instant = z.iso.datetime({ precision: 3 });
const success = { success: z.literal(true), message: z.string() };

const day = z.iso.date("must be a day such as 2026-11-21");

export const usageQuery = z.strictObject({
  from: day.optional().describe("First local day of the account; by default 29 days before `to`."),
  to: day.optional().describe("Last local day; by default today. At most 366 days in all."),
  by: z.enum(["key", "member", "day"]).default("day").describe("What the sums are of."),
});

const percentiles = z
  .object({ p50: z.int().nullable(), p95: z.int().nullable(), p99: z.int().nullable() })
  .describe(
    "Of the calls that were answered, ms, within 5 %; null: there was none. A failure is no slow answer.",
  );

export const usageReply = z.object({
  ...success,
  data: z.array(
    z.object({
      group: z
        .string()
        .describe("The key's id, the member's name (empty: nobody answered), or the day, as `by` says."),
      name: z.string().nullable().describe("Of a key, as long as it is there."),
      requests: z.int(),
      errors: z.int().describe("Statuses of 400 and above; a caller who went away (499) is none."),
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      cost: z.number().describe("In the currency of the members' prices."),
      latency_ms: percentiles,
      first_byte_ms: percentiles,
    }),
  ),
  next_cursor: z.null().describe("They all come at once."),
});
export type UsageReplyData = z.output<typeof usageReply>["data"][number];

export const callsQuery = z.strictObject({
  key: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an id")
    .optional()
    .describe("Only calls with the key of this id."),
  status: z
    .string()
    .regex(/^([1-5]\d\d|[1-5]xx)$/, "must be a status such as 429, or 2xx, 4xx, 5xx")
    .optional()
    .describe("Only calls whose caller saw this status, such as `429` or `5xx`; 499: they went away."),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("How many at the most; 50 by default."),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "is not a cursor")
    .optional()
    .describe("A `next_cursor` given earlier."),
});

const call = z.object({
  id: z.string(),
  at: instant,
  key: z.string().describe("The key's id."),
  kind: z.enum(["chat", "embeddings"]),
  stream: z.boolean(),
  status: z.int().describe("What the caller saw; 499: they went away."),
  member: z.string().nullable().describe("Who answered, by name; null: nobody."),
  model: z.string().nullable(),
  attempts: z
    .array(
      z.object({
        member: z.string(),
        model: z.string(),
        ms: z.number(),
        outcome: z.string().describe("`ok`, or how it failed."),
        status: z.int().nullable(),
      }),
    )
    .describe("Who was asked, in turn."),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  estimated: z
    .boolean()
    .describe(
      "The provider told no usage: the tokens are estimated from the texts, with a flat number for each image, page and second of sound.",
    ),
  cost: z.number().describe("In the currency of the members' prices."),
  first_byte_ms: z.int().nullable(),
  ms: z.int(),
});
export type CallReplyData = z.output<typeof call>;

/** Calls that fit, newest first. What was asked and answered is not kept. */
export const callsReply = z.object({
  ...success,
  data: z.array(call),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      "For the next page; null on the last one. A page may be short, or empty, and still have one: what is rare among very many calls is looked for over several pages.",
    ),
});
