// The management API's schemas for accounts, their API keys and their credit.

import { z } from "zod";
import { cursorNote, idCursor, instant, limit, page, reply, revision } from "#contract/envelope.ts";
import { channelWord } from "#contract/messages/channel-word.ts";
import { freeText } from "#contract/name.ts";
import { shown } from "#contract/resource-schema.ts";
import { sharedBudgetRules } from "./pools/budgets.ts";

const allowance = z.int().nullable();

const accountFields = z.object({
  id: z.string().describe("The account's id. Paths name the account by it."),
  name: z.string(),
  time_zone: z.string().describe("A name of the IANA time zone database."),
  country: z.string().nullable().describe("The default country of phone numbers (ISO 3166)."),
  plan: z
    .object({
      name: z.string(),
      expires_at: instant.nullable().describe("When the plan ends; null if it does not."),
      credit: z
        .object({ sms: allowance, whatsapp: allowance, email: allowance })
        .describe("The allowance of each channel; null for unlimited."),
      renews: z.enum(["monthly"]).nullable(),
    })
    .meta({ id: "AccountPlan" }),
  rate_limit: z.object({ requests_per_minute: z.int().nullable() }),
  lateness_ms: z.int(),
  channel_failover: z.boolean(),
  attachments: z
    .object({
      max_files: z.int().describe("The maximum number of files in one request."),
      max_bytes: z.int().describe("The maximum size of each file in bytes."),
    })
    .describe("The limits of an email's attachments.")
    .meta({ id: "AttachmentLimits" }),
  ai_budget: shown(sharedBudgetRules)
    .meta({ id: "SharedBudget" })
    .nullable()
    .describe("For all keys of all pools together; null for no limit."),
  revision,
  created_at: instant,
  updated_at: instant,
});
export type AccountFields = z.output<typeof accountFields>;

const personalKey = z
  .object({
    hint: z
      .string()
      .nullable()
      .describe(
        "The first and last characters of the key; null if it was created before these were recorded.",
      ),
    created_at: instant,
    last_used_at: instant
      .nullable()
      .describe("When a request last used the key, to the minute; null if not since this is recorded."),
    revealable: z.boolean().describe("Whether a signed-in user may see the key again."),
    previous_works_until: instant
      .nullable()
      .describe("Until when the previous key works too; null if it does not."),
  })
  .meta({ id: "PersonalApiKey" });
export type PersonalKeyData = z.output<typeof personalKey>;

const account = accountFields
  .extend({
    api_key: personalKey.nullable().describe("The personal API key; null if the account has none yet."),
  })
  .meta({ id: "Account" });

export const accountReply = reply("AccountReply", account);

const apiKey = z
  .string()
  .describe(
    "The account's new API key. It can be revealed later only if the installation keeps a sealed copy.",
  );

/** A new account with its key. */
export const newAccountReply = reply(
  "NewAccountReply",
  accountFields.extend({ api_key: apiKey }).meta({ id: "NewAccount" }),
);

export const accountsQuery = z.strictObject({
  search: z.string().max(100).optional().describe("A part of the name, in upper or lower case."),
  limit,
  cursor: idCursor,
});

const remaining = z.int().nullable();

const ofToday = {
  accepted: z.int(),
  failed: z.int().describe("Failed, undelivered, bounced or expired today, whenever they were accepted."),
};

/** An account in the list, with the figures that people look for there. */
const listedAccount = accountFields
  .extend({
    figures: z.object({
      today: z
        .object({ ...ofToday, tests: z.object(ofToday).describe("The same of sandbox gateways alone.") })
        .describe(
          "Messages since the day began in the account's time zone, without those of sandbox gateways.",
        ),
      remaining: z
        .object({ sms: remaining, whatsapp: remaining, email: remaining })
        .describe("The remaining credit of each channel; null for unlimited."),
      held: z
        .int()
        .describe(
          "Messages that wait for an operator after a restore. Counting stops after 10,000 of all accounts.",
        ),
    }),
  })
  .meta({ id: "ListedAccount" });
export type ListedAccountData = z.output<typeof listedAccount>;

/** The accounts, newest first. */
export const accountsReply = page("AccountPage", listedAccount);

export const rotateApiKeyRequest = z
  .strictObject({
    old_works_hours: z
      .union([z.literal(0), z.literal(24)])
      .default(0)
      .describe("How many hours the previous key keeps working, 0 or 24; with 0 it stops at once."),
  })
  .meta({ id: "RotateApiKeyRequest" });

export const apiKeyReply = reply("ApiKeyReply", z.object({ api_key: apiKey }));

export const revealRequest = z
  .strictObject({
    password: z.string().min(1).max(800).describe("The password of the signed-in user."),
  })
  .meta({ id: "RevealApiKeyRequest" });

export const revealedKeyReply = reply(
  "RevealedApiKeyReply",
  z.object({ api_key: z.string().describe("The account's API key."), created_at: instant }),
);

const balance = z
  .object({
    allowance: z.int().describe("The plan's allowance."),
    remaining: z
      .int()
      .describe("The remaining credit. It exceeds the allowance if extra credit was granted."),
  })
  .meta({ id: "AccountBalance" })
  .nullable();

export const creditBalances = z
  .object({ sms: balance, whatsapp: balance, email: balance })
  .describe("The credit of each channel; null if the plan sets no allowance.");

/** The remaining credit of each channel. */
export const creditReply = reply("CreditReply", creditBalances);

const channel = channelWord.describe("The channel of the balance.");

export const grantRequest = z
  .strictObject({
    channel,
    amount: z
      .int()
      .min(-1_000_000_000)
      .max(1_000_000_000)
      .refine((amount) => amount !== 0, "must not be 0")
      .meta({ not: { const: 0 } })
      .describe(
        "The credit to add to the balance. A negative amount takes credit away. The balance may exceed the allowance.",
      ),
    note: freeText(0, 500).trim().nullish().describe("The reason, for the ledger."),
  })
  .meta({ id: "GrantCreditRequest" });

const entry = z
  .object({
    kind: z
      .enum(["opening", "reserve", "return", "renew", "grant", "allowance"])
      .describe(
        "`opening`: the balance began. `reserve`: a request was accepted. `return`: a message ended without having been sent. `renew`: the month began. `grant`: extra credit. `allowance`: the plan changed.",
      ),
    reference: z
      .string()
      .describe(
        "The subject of the entry: the request (`reserve`), the message (`return`), or the entry's own id.",
      ),
    at: instant,
    amount: z.int().describe("The change of the balance. A negative amount was taken from it."),
    remaining: z.int().describe("The balance after the change."),
    note: z.string().nullable(),
  })
  .meta({ id: "CreditEntry" });
export type CreditEntryData = z.output<typeof entry>;

export const grantReply = reply("CreditEntryReply", entry);

export const entriesQuery = z.strictObject({
  channel,
  limit,
  cursor: z.string().max(400).optional().describe(cursorNote),
});

/** A ledger, newest entry first. */
export const entriesReply = page("CreditEntryPage", entry);
