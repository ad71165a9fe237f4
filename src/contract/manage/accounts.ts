// The management API's words for accounts, their API keys and their credit.

import { z } from "zod";
import { channels } from "#contract/messages/channel.ts";
import { freeText } from "#contract/name.ts";

const instant = z.iso.datetime({ precision: 3 });
const nextCursor = z.string().nullable().describe("For the next page; null on the last one.");
const limit = z.coerce.number().int().min(1).max(200).default(50).describe("How many; 50 by default.");

const allowance = z.int().nullable();

const account = z.object({
  id: z.string().describe("The account's id, for paths."),
  name: z.string(),
  time_zone: z.string().describe("A name of the IANA database."),
  country: z.string().nullable().describe("The default country of phone numbers (ISO 3166)."),
  plan: z.object({
    name: z.string(),
    expires_at: instant.nullable().describe("When it ends; null: never."),
    credit: z
      .object({ sms: allowance, whatsapp: allowance, email: allowance })
      .describe("The allowance of each channel; null: unlimited."),
    renews: z.enum(["monthly"]).nullable(),
  }),
  rate_limit: z.object({ requests_per_minute: z.int().nullable() }),
  lateness_ms: z.int(),
  channel_failover: z.boolean(),
  attachments: z
    .object({
      max_files: z.int().describe("Most files in one request."),
      max_bytes: z.int().describe("How large each file may be, bytes."),
    })
    .describe("What files an email may have."),
  created_at: instant,
  updated_at: instant,
});
export type AccountReplyData = z.output<typeof account>;

export const accountReply = z.object({ success: z.literal(true), message: z.string(), data: account });

const apiKey = z.string().describe("The account's API key. It is shown this once.");

/** A new account, with its key. */
export const newAccountReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: account.extend({ api_key: apiKey }),
});

export const accountsQuery = z.strictObject({
  search: z.string().max(100).optional().describe("Part of the name, in upper or lower case."),
  limit,
  cursor: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, "is not a cursor")
    .optional()
    .describe("A `next_cursor` given earlier."),
});

/** Accounts, newest first. */
export const accountsReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(account),
  next_cursor: nextCursor,
});

export const apiKeyReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object({ api_key: apiKey }),
});

export const revealRequest = z.strictObject({
  password: z.string().min(1).max(800).describe("The password of whoever is signed in, once more."),
});

export const revealedKeyReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object({ api_key: z.string().describe("The account's API key."), created_at: instant }),
});

const balance = z
  .object({
    allowance: z.int().describe("What the plan gives."),
    remaining: z.int().describe("What is left; above the allowance where extra credit was granted."),
  })
  .nullable();

/** What is left on each channel. */
export const creditReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z
    .object({ sms: balance, whatsapp: balance, email: balance })
    .describe("Per channel; null where the plan sets no allowance."),
});

const channel = z.enum(channels).describe("The channel whose balance it is.");

export const grantRequest = z.strictObject({
  channel,
  amount: z
    .int()
    .min(-1_000_000_000)
    .max(1_000_000_000)
    .refine((amount) => amount !== 0, "must not be 0")
    .describe("What is added to what is left; below zero: taken from it. May exceed the allowance."),
  note: freeText(0, 500).trim().nullish().describe("Why, for the ledger."),
});

const entry = z.object({
  kind: z
    .enum(["opening", "reserve", "return", "renew", "grant", "allowance"])
    .describe(
      "`opening`: the balance began. `reserve`: a request was accepted. `return`: a message ended unsent. `renew`: the month began. `grant`: extra credit. `allowance`: the plan changed.",
    ),
  reference: z
    .string()
    .describe("What it was for: the request (`reserve`), the message (`return`), or the entry's own id."),
  at: instant,
  amount: z.int().describe("Added to the balance; below zero: taken from it."),
  remaining: z.int().describe("The balance after it."),
  note: z.string().nullable(),
});
export type CreditEntryData = z.output<typeof entry>;

export const grantReply = z.object({ success: z.literal(true), message: z.string(), data: entry });

export const entriesQuery = z.strictObject({
  channel,
  limit,
  cursor: z.string().max(400).optional().describe("A `next_cursor` given earlier."),
});

/** A ledger, newest first. */
export const entriesReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(entry),
  next_cursor: nextCursor,
});
