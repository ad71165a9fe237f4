// The setting of a pool by which requests and answers are stored, for debugging.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";

/** What can be replaced in texts before they are stored. */
const redactedKinds = ["secret", "email", "phone", "card"] as const;
export type RedactedKind = (typeof redactedKinds)[number];

/** The longest time that contents are kept, days. */
const maxRetentionDays = 90;

export const contentLog = z
  .strictObject({
    sample: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe(
        "The share of calls, chosen at random, whose request and answer are stored: 1 for all, 0 for none.",
      ),
    retention_days: z
      .int()
      .min(1)
      .max(maxRetentionDays)
      .default(7)
      .meta({ title: "Kept for", unit: "days" })
      .describe("How long they are kept. A shorter time also applies to those already stored."),
    redact: z
      .array(z.enum(redactedKinds))
      .max(redactedKinds.length)
      .refine((kinds) => new Set(kinds).size === kinds.length, "must not name a kind twice")
      .meta({ uniqueItems: true })
      .default(["secret"])
      .describe(
        "What is replaced before anything is stored. `secret`: API keys, access tokens, passwords and private keys, by their forms; `email`: email addresses; `phone`: phone numbers; `card`: numbers of payment cards.",
      ),
  })
  .nullable()
  .default(null)
  .describe(
    "Stores requests and answers, sealed, at most 64 KiB of each. Reading them requires the scope `prompts:read`. If null, nothing is stored, and existing contents are deleted.",
  );
export type ContentLogRules = NonNullable<z.output<typeof contentLog>>;

/** An object, unless the body was not JSON or none of it fits. */
const json = z
  .unknown()
  .meta({ anyOf: [{ type: "object", additionalProperties: true }, { type: "string" }, { type: "null" }] });
const missing = z.int().describe("Bytes of JSON that were omitted; 0 if it is complete.");

const callContent = z
  .object({
    call: z.string().describe("The call's id."),
    status: z
      .enum(["stored", "off", "none"])
      .describe(
        "`stored`: the fields below have it. `off`: the pool keeps no contents. `none`: nothing is stored of this call, since it was not chosen, or is from before the setting, or its time is over.",
      ),
    request: json.describe(
      "The request, in the format of its API. Files are replaced by descriptions such as `[image/png, 12345 bytes]`. Null unless `stored`.",
    ),
    response: json.describe(
      "The answer; a stream is assembled into one answer. For a failed call, OpenAI's `error`. Null if the caller received nothing, or nothing is stored.",
    ),
    missing: z
      .object({ request: missing, response: missing })
      .meta({ id: "PoolCallContentMissing" })
      .describe("What was omitted from each because it is longer than 64 KiB. The text marks these places."),
    redacted: z
      .array(z.enum(redactedKinds))
      .describe("The kinds of replacements made in it, such as `[secret]`."),
    stored_at: instant.nullable(),
    deleted_at: instant.nullable().describe("When it is deleted, by the pool's current setting."),
  })
  .meta({ id: "PoolCallContent" });

export const callContentReply = reply("PoolCallContentReply", callContent);
export type CallContentData = z.output<typeof callContent>;
