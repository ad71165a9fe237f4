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
      .describe("The share of calls whose request and answer are stored, chosen by chance. 1: all; 0: none."),
    retention_days: z
      .int()
      .min(1)
      .max(maxRetentionDays)
      .default(7)
      .describe("How long they are kept. A shorter time holds for those that are stored already too."),
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
    "Stores what is asked and answered, sealed, at most 64 KiB of each. The scope `prompts:read` reads it. null: nothing is stored, and what was stored is deleted.",
  );
export type ContentLogRules = NonNullable<z.output<typeof contentLog>>;

/** An object, unless the body was not JSON or none of it fits. */
const json = z
  .unknown()
  .meta({ anyOf: [{ type: "object", additionalProperties: true }, { type: "string" }, { type: "null" }] });
const missing = z.int().describe("Bytes of JSON that were left out. 0: it is whole.");

const callContent = z
  .object({
    call: z.string().describe("The call's id."),
    status: z
      .enum(["stored", "off", "none"])
      .describe(
        "`stored`: the fields below have it. `off`: the pool keeps no contents. `none`: nothing is stored of this call, since it was not chosen, or is from before the setting, or its time is over.",
      ),
    request: json.describe(
      "What was asked, in the API in which it was asked. Files are replaced by what they were, such as `[image/png, 12345 bytes]`. Null unless `stored`.",
    ),
    response: json.describe(
      "What was answered, a stream put together to the answer that it made; of a call that failed, `error` as OpenAI has it. Null: the caller got nothing, or nothing is stored.",
    ),
    missing: z
      .object({ request: missing, response: missing })
      .meta({ id: "PoolCallContentMissing" })
      .describe("What was left out of each because it is longer than 64 KiB. The places say so too."),
    redacted: z
      .array(z.enum(redactedKinds))
      .describe("The kinds of what was replaced in it, such as by `[secret]`."),
    stored_at: instant.nullable(),
    deleted_at: instant.nullable().describe("When it is deleted, by the pool's setting of now."),
  })
  .meta({ id: "PoolCallContent" });

export const callContentReply = reply("PoolCallContentReply", callContent);
export type CallContentData = z.output<typeof callContent>;
