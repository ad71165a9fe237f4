// Creates and changes accounts: zone, plan, credit and key.

import { z } from "zod";
import { hashApiKey, newApiKey } from "#accounts/api-key.ts";
import { channels } from "#contract/channel.ts";
import type { Random } from "#runtime/runtime.ts";
import { isTimeZone } from "#runtime/wall-clock.ts";
import { findAccountByName, replaceApiKey, saveAccount, setAllowance } from "#store/accounts.ts";
import type { ConfigureParts } from "./gateway.ts";

const allowance = z.int().min(0).nullish().describe("Messages (SMS: segments) it may send; null: unlimited.");

export const planInput = z
  .strictObject({
    name: z.string().min(1).max(100).describe("What the plan is called."),
    expires_at: z.iso.datetime({ offset: true }).nullish().describe("When it ends (ISO 8601); null: never."),
    credit: z
      .strictObject({ sms: allowance, whatsapp: allowance, email: allowance })
      .prefault({})
      .describe("How much may be sent, per channel. Credit that was used stays used when this changes."),
    renews: z
      .enum(["monthly"])
      .nullish()
      .describe("`monthly`: the credit is full again on the account's local first of the month."),
  })
  .describe("What the account may send, and until when.");

export const accountInput = z.strictObject({
  name: z.string().min(1).max(100).describe("What the account is called; unique in the installation."),
  time_zone: z
    .string()
    .refine(isTimeZone, "is not a time zone of the IANA database, such as Europe/Berlin")
    .default("UTC")
    .describe(
      "The time zone of `schedule_at`, sending hours and days: a name of the IANA database, such as Europe/Berlin.",
    ),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two capital letters (ISO 3166), such as DE")
    .nullish()
    .describe(
      "Default country of phone numbers, two capital letters (ISO 3166); without one, national numbers are refused.",
    ),
  plan: planInput.prefault({ name: "unlimited" }),
  rate_limit: z
    .strictObject({
      requests_per_minute: z
        .int()
        .min(1)
        .nullish()
        .describe(
          "Most requests a minute on the channel endpoints, counted in each process; null: no bound.",
        ),
    })
    .nullish()
    .describe("How often the account may ask."),
});
export type AccountInput = z.output<typeof accountInput>;

/** Creates the account, or changes the one with this name. Returns its id. */
export async function configureAccount(parts: ConfigureParts, input: AccountInput): Promise<string> {
  const { database, clock, newId } = parts;
  const existing = await database.run(findAccountByName, input.name);
  const id = existing?.id ?? newId("acc");
  const now = clock.now();
  const { plan } = input;
  await database.run(saveAccount, {
    id,
    name: input.name,
    time_zone: input.time_zone,
    country: input.country ?? null,
    plan_name: plan.name,
    plan_expires_at: plan.expires_at == null ? null : Date.parse(plan.expires_at),
    requests_per_minute: input.rate_limit?.requests_per_minute ?? null,
    created_at: existing?.created_at ?? now,
    updated_at: now,
  });
  for (const channel of channels) {
    await database.run(setAllowance, {
      accountId: id,
      channel,
      allowance: plan.credit[channel] ?? null,
      renews: plan.renews ?? null,
      at: now,
    });
  }
  parts.accountsChanged();
  return id;
}

/** Gives the account a key (`given`, or a new one) in place of any before it; the old one stops working within 5 s everywhere. */
export async function configureApiKey(
  parts: ConfigureParts & { random: Random; showApiKeys: boolean },
  accountId: string,
  given?: string,
): Promise<string> {
  const key = given ?? newApiKey(parts.random);
  await parts.database.run(replaceApiKey, {
    accountId,
    hash: hashApiKey(key),
    sealed: parts.showApiKeys ? parts.sealer.seal(key, `api_keys ${accountId} sealed`) : null,
    at: parts.clock.now(),
  });
  parts.accountsChanged();
  return key;
}
