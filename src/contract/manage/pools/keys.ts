// Keys of pools: their fields, and the management API's replies with them.

import { z } from "zod";
import {
  extended,
  idCursor,
  instant,
  limit,
  page,
  reply,
  revision,
  seenRevision,
} from "#contract/envelope.ts";
import { keyText } from "#contract/key-text.ts";
import { nameText } from "#contract/name.ts";
import { patchSchema, shown } from "#contract/resource-schema.ts";
import { budgetRules } from "./budgets.ts";
import { modelList } from "./names.ts";

const bound = (what: string) => z.int().min(1).max(1_000_000_000).nullable().default(null).describe(what);

const limits = z
  .strictObject({
    requests_per_minute: bound("Requests; null for no limit."),
    tokens_per_minute: bound("Tokens of requests and answers; null for no limit."),
    concurrency: bound("Concurrent requests; null for no limit."),
  })
  .describe("Rate limits, as buckets that refill continuously.");

/** The permissions of a key. */
export const keyRules = z.strictObject({
  models: modelList
    .min(1)
    .nullable()
    .default(null)
    .describe("The models it may use; null for all. A request without a model means these."),
  limits: limits.prefault({}),
  budget: budgetRules.prefault({}),
});
export type KeyRules = z.output<typeof keyRules>;

export const keyFields = z
  .strictObject({
    name: nameText(1, 100).describe("The key's name, unique among the valid keys of a pool."),
    key: keyText()
      .regex(/^[\x21-\x7e]*$/, "must be ASCII without spaces")
      .optional()
      .describe(
        "The key, at least 20 characters that are hard to guess, sent as `Authorization: Bearer`. Without it, one is generated and shown once.",
      ),
    ...keyRules.shape,
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe("When it expires (ISO 8601); null if it does not."),
  })
  .describe("A key with which callers use the pool.");
export type KeyFields = z.output<typeof keyFields>;

const { name: _name, key: _key, ...changeable } = patchSchema(keyFields).shape;

/** The PATCH body of a key. Its name and its text cannot change: another text is another key. */
export const keyChanges = z.strictObject({ ...changeable, revision: seenRevision });

const { key: _text, ...shownFields } = shown(keyFields).shape;

const level = z.object({
  remaining: z.int(),
  full_at: instant
    .nullable()
    .describe("When the full limit is available again without further calls; null if it is."),
});

const key = z
  .object({
    id: z.string(),
    ...shownFields,
    hint: z.string().describe("The first and last characters of the key. Only its hash is stored."),
    expires_at: instant.nullable(),
    revoked_at: instant.nullable(),
    previous_works_until: instant
      .nullable()
      .describe("Until when the text before the last rotation works too; null if it does not."),
    last_used_at: instant
      .nullable()
      .describe(
        "When its last call began; null if never, or none of its calls is kept. Recorded a moment after the call.",
      ),
    spent: z
      .object({
        tokens_today: z.int(),
        tokens_this_month: z.int(),
        cost_this_month: z
          .number()
          .describe("In the currency of the members' prices; a minimum if `unpriced_this_month` is above 0."),
        unpriced_this_month: z
          .int()
          .describe("Calls of models without a known price, which `cost_this_month` does not include."),
      })
      .describe("What its calls used in the account's local day and month, for comparison with its budget."),
    left: z
      .object({
        requests: level.nullable(),
        tokens: level.nullable(),
        under_way: z.int().nullable().describe("Concurrent requests, in all processes."),
      })
      .describe("What remains of its limits at the moment; null if there is no limit."),
    last_refusal: z
      .object({
        at: instant,
        by: z.enum(["requests", "tokens", "concurrency", "budget"]).describe("What refused the call."),
        until: instant.describe(
          "When the limit or the budget allows a call again; an estimate for `concurrency`.",
        ),
      })
      .nullable()
      .describe(
        "Its last call that a limit or the budget refused (429); null if none is known. Recorded about a second after the call.",
      ),
    revision,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "PoolKey" });

export const poolKeyReply = reply("PoolKeyReply", key);

export const newPoolKeyReply = reply(
  "NewPoolKeyReply",
  extended("NewPoolKey", key, {
    key: z
      .string()
      .nullable()
      .describe("The generated key, which no other reply shows; null if the request contained the key."),
  }),
);

/** A page of keys, including revoked ones, newest first. */
export const poolKeysReply = page("PoolKeyPage", key);

export const keysQuery = z.strictObject({ limit, cursor: idCursor });

export const rotatePoolKeyRequest = z
  .strictObject({
    old_works_hours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .describe("How many hours the text until now keeps working; with 0 it stops at once."),
  })
  .meta({ id: "RotatePoolKeyRequest" });
