// The management API's schemas for deferred completions. Only the key that created one can read its request and answer.

import { z } from "zod";
import { deferredStatuses } from "#contract/ai/deferred.ts";
import { deferrableFormats, listed } from "#contract/ai/operations.ts";
import { idCursor, instant, limit, page, reply } from "#contract/envelope.ts";

const deferred = z
  .object({
    id: z.string(),
    key: z.string().describe("The id of the key that created it."),
    api: z
      .string()
      .nullable()
      .describe(
        `The API of the request: ${listed(deferrableFormats)}. Null if it was made before this was recorded.`,
      ),
    status: z.enum(deferredStatuses),
    attempts: z.int().describe("How often the pool was called."),
    bytes: z.int().describe("The length of the request."),
    scheduled_for: instant.describe("The earliest time at which the pool is called."),
    next_at: instant.nullable().describe("When the pool is called next; null if the completion has ended."),
    expires_at: instant.describe("It fails if it has no answer by then."),
    created_at: instant,
    finished_at: instant.nullable(),
  })
  .meta({ id: "PoolDeferredCompletion" });
export type DeferredReplyData = z.output<typeof deferred>;

export const poolDeferredReply = reply("PoolDeferredReply", deferred);

/** A page of completions that wait or are in progress, newest first. */
export const poolDeferredPage = page("PoolDeferredPage", deferred);

export const poolDeferredQuery = z.strictObject({
  limit,
  cursor: idCursor,
  key: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an id")
    .optional()
    .describe("Only those of the key with this id."),
});
