// Creates and changes accounts: time zone, plan, credit and API key. The provisioning file sets the whole account, found
// by its name; the management API changes single fields, found by its id.

import { z } from "zod";
import { seenRevision } from "#contract/envelope.ts";
import type { Issue } from "#contract/issue.ts";
import { sharedBudgetRules, withChoice } from "#contract/manage/pools/budgets.ts";
import { type Channel, channels } from "#contract/messages/channel.ts";
import { nameText } from "#contract/name.ts";
import { patchSchema, readFields } from "#contract/resource-schema.ts";
import type { Random } from "#runtime/runtime.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import { isTimeZone, startOfMonth } from "#runtime/time-zones.ts";
import { findAccount, findAccountByName, readCredits, replaceApiKey } from "#store/accounts/accounts.ts";
import {
  type AccountColumns,
  changeAccount,
  createAccount as insertAccount,
  type NewAllowance,
} from "#store/accounts/changes.ts";
import { type GrantResult, grantCredit } from "#store/accounts/ledger.ts";
import { changeRow, type Overtaken } from "#store/revision.ts";
import type { AccountsTable } from "#store/schema/schema.ts";
import { type Refusal, taken } from "./changes.ts";
import { maskedKey } from "./pool-key.ts";
import type { ConfigureDeps } from "./resource.ts";

const allowance = z
  .int()
  .min(0)
  .nullish()
  .describe("Messages (SMS: segments) it may send; null for unlimited.");

const planInput = z
  .strictObject({
    name: nameText(1, 100).describe("What the plan is called."),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullish()
      .describe("When it ends (ISO 8601); null if it does not."),
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

const attachmentsInput = z
  .strictObject({
    max_files: z
      .int()
      .min(0)
      .max(100)
      .default(10)
      .meta({ title: "Files per request" })
      .describe("Most files in one request; 0: none."),
    max_bytes: z
      .int()
      .min(1_024)
      .max(134_217_728)
      .default(10_485_760)
      .meta({ title: "Largest file" })
      .describe("How large each file may be, bytes."),
  })
  .describe("What files an email may have.");

export const accountInput = z.strictObject({
  name: nameText(1, 100).describe("What the account is called; unique in the installation."),
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
          "Maximum requests a minute on the channel endpoints, counted in each process; null for no limit.",
        ),
    })
    .nullish()
    .describe("How many requests the account may make."),
  lateness_ms: z
    .int()
    .min(60_000)
    .max(31_536_000_000)
    .default(259_200_000)
    .meta({ title: "Too late after" })
    .describe(
      "How late a message may still be sent, ms: one that is found due longer ago (a long outage, a restored backup) becomes `expired`.",
    ),
  channel_failover: z
    .boolean()
    .default(false)
    .describe(
      "Whether messages that named no gateway leave a paused gateway for the channel's next active one; never one that may have been sent.",
    ),
  attachments: attachmentsInput.prefault({}),
  ai_budget: sharedBudgetRules
    .nullish()
    .describe("AI budget for all keys of all pools together; null for no limit."),
});
type AccountInput = z.output<typeof accountInput>;

/** The PATCH body of an account. An absent field stays as it is, also inside `plan`, its credit and `attachments`; `ai_budget` is replaced as a whole. */
export const accountChanges = patchSchema(accountInput).extend({ revision: seenRevision });
export type AccountChanges = z.output<typeof accountChanges>;

/**
 * Creates the account, or replaces the one with this name. `isNew`: this call has created it, so that of several processes
 * one issues its key.
 */
export async function saveAccount(
  deps: ConfigureDeps,
  input: AccountInput,
): Promise<{ id: string; isNew: boolean }> {
  for (;;) {
    const existing = await deps.database.run(findAccountByName, input.name);
    if (existing === null) {
      const id = await insert(deps, input);
      if (id !== null) return { id, isNew: true };
    } else {
      const outcome = await change(deps, existing, toFullChange(input));
      if (outcome === "changed") return { id: existing.id, isNew: false };
    }
    // Another request created or changed it in the meantime. In each iteration, one of them has stored its change.
  }
}

/** A whole input as a change of every field: an absent field gets its default. */
export function toFullChange({ name: _name, ...input }: AccountInput): Omit<AccountChanges, "revision"> {
  const { plan } = input;
  const credit = Object.fromEntries(channels.map((channel) => [channel, plan.credit[channel] ?? null]));
  return {
    ...input,
    country: input.country ?? null,
    plan: { name: plan.name, expires_at: plan.expires_at ?? null, credit, renews: plan.renews ?? null },
    rate_limit: input.rate_limit ?? null,
    ai_budget: input.ai_budget ?? null,
  };
}

type CreateAccountResult = { kind: "created"; id: string } | Refusal;

/** Creates an account, without an API key. */
export async function createAccount(deps: ConfigureDeps, input: AccountInput): Promise<CreateAccountResult> {
  if (input.plan.renews && !channels.some((channel) => input.plan.credit[channel] != null)) {
    return { kind: "invalid", issues: [nothingRenews] };
  }
  const id = await insert(deps, input);
  return id === null ? taken("name") : { kind: "created", id };
}

type UpdateAccountResult = { kind: "changed" } | Refusal;

/** Changes the fields of `changes`; the others stay. */
export async function updateAccount(
  deps: ConfigureDeps,
  id: string,
  { revision, ...changes }: AccountChanges,
): Promise<UpdateAccountResult> {
  const read = () => deps.database.run(findAccount, id);
  return await changeRow(revision, read, async (account) => {
    if (!(await hasAllowance(deps, account.id, changes))) return { kind: "invalid", issues: [nothingRenews] };
    const outcome = await change(deps, account, changes);
    if (outcome === "overtaken") return outcome;
    return outcome === "name_taken" ? taken("name") : { kind: outcome };
  });
}

/** Whether a plan that begins to renew has anything to renew. */
async function hasAllowance(
  { database }: Pick<ConfigureDeps, "database">,
  accountId: string,
  { plan }: Pick<AccountChanges, "plan">,
): Promise<boolean> {
  if (plan?.renews !== "monthly") return true;
  const stored = await database.run(readCredits, accountId);
  return channels.some((name) => {
    const allowance = plan.credit?.[name];
    return allowance === undefined ? stored.some(({ channel }) => channel === name) : allowance !== null;
  });
}

async function change(
  deps: ConfigureDeps,
  { id, revision, ai_budget: before }: Pick<AccountsTable, "id" | "revision" | "ai_budget">,
  changes: Omit<AccountChanges, "revision">,
): Promise<"changed" | "name_taken" | "provisioned" | Overtaken> {
  const renews = changes.plan?.renews;
  return await deps.database.run(changeAccount, {
    id,
    revision,
    columns: columnsOf(changes, before),
    allowances: allowancesOf(deps, changes.plan?.credit ?? {}),
    ...(renews === undefined ? {} : { renews }),
    at: deps.clock.now(),
  });
}

const nothingRenews: Issue = {
  path: ["plan", "renews"],
  message: "has nothing to renew: no channel has an allowance",
};

/** Stores a new account and returns its id. Null if the name is taken. */
async function insert(deps: ConfigureDeps, input: AccountInput): Promise<string | null> {
  const now = deps.clock.now();
  const account: AccountsTable = {
    id: deps.newId("acc"),
    name: input.name,
    time_zone: input.time_zone,
    country: null,
    plan_name: input.plan.name,
    plan_expires_at: null,
    requests_per_minute: null,
    lateness_ms: input.lateness_ms,
    channel_failover: 0,
    ai_budget: null,
    attachment_files: input.attachments.max_files,
    attachment_bytes: input.attachments.max_bytes,
    revision: 1,
    created_at: now,
    updated_at: now,
    ...columnsOf(toFullChange(input), null),
  };
  const allowances = allowancesOf(deps, input.plan.credit);
  const renews = input.plan.renews ?? null;
  const outcome = await deps.database.run(insertAccount, { account, allowances, renews });
  if (outcome === "name_taken") return null;
  return account.id;
}

/** The allowances of the channels in `credit`, each with an id for the ledger. */
function allowancesOf(
  { newId }: ConfigureDeps,
  credit: { [C in Channel]?: number | null | undefined },
): NewAllowance[] {
  return channels.flatMap((channel) => {
    const allowance = credit[channel];
    return allowance === undefined ? [] : [{ channel, allowance, id: newId("ce") }];
  });
}

/** The columns of the fields in `changes`. `budgetBefore`: the stored budget. */
function columnsOf(
  changes: Omit<AccountChanges, "revision">,
  budgetBefore: AccountsTable["ai_budget"],
): AccountColumns {
  const { name, time_zone, country, plan, rate_limit, lateness_ms, channel_failover } = changes;
  const columns: AccountColumns = {};
  if (name !== undefined) columns.name = name;
  if (time_zone !== undefined) columns.time_zone = time_zone;
  if (country !== undefined) columns.country = country;
  if (plan?.name !== undefined) columns.plan_name = plan.name;
  if (plan?.expires_at !== undefined)
    columns.plan_expires_at = plan.expires_at === null ? null : Date.parse(plan.expires_at);
  if (rate_limit !== undefined) columns.requests_per_minute = rate_limit?.requests_per_minute ?? null;
  if (lateness_ms !== undefined) columns.lateness_ms = lateness_ms;
  if (channel_failover !== undefined) columns.channel_failover = channel_failover ? 1 : 0;
  const { ai_budget } = changes;
  const before = budgetBefore === null ? null : readFields(sharedBudgetRules, JSON.parse(budgetBefore));
  if (ai_budget !== undefined)
    columns.ai_budget = ai_budget === null ? null : JSON.stringify(withChoice(ai_budget, before));
  const files = changes.attachments;
  if (files?.max_files !== undefined) columns.attachment_files = files.max_files;
  if (files?.max_bytes !== undefined) columns.attachment_bytes = files.max_bytes;
  return columns;
}

/**
 * Replaces the account's API key by `apiKey` or a generated one. The old key stops working within 5 s in every process, or works for
 * `oldWorksHours` more; an older one that still works stops now.
 */
export async function issueApiKey(
  deps: ConfigureDeps & { random: Random; showApiKeys: boolean },
  accountId: string,
  { apiKey, oldWorksHours = 0 }: { apiKey?: string | undefined; oldWorksHours?: number } = {},
): Promise<string> {
  const at = deps.clock.now();
  const key = apiKey ?? `tl_${newSecret(deps.random)}`;
  await deps.database.run(replaceApiKey, {
    accountId,
    hash: hashSecret(key),
    hint: maskedKey(key),
    sealed: deps.showApiKeys ? deps.sealer.seal(key, `api_keys ${accountId} sealed`) : null,
    at,
    previousWorksUntil: oldWorksHours === 0 ? null : at + oldWorksHours * 3_600_000,
  });
  return key;
}

/** Grants extra credit on a channel, or takes some away, as `grantCredit` does; the ledger keeps the note. */
export function changeCredit(
  { clock, database, newId }: ConfigureDeps,
  { id: accountId, time_zone }: Pick<AccountsTable, "id" | "time_zone">,
  change: { channel: Channel; amount: number; note: string | null },
): Promise<GrantResult> {
  const at = clock.now();
  const renewedFrom = startOfMonth(at, time_zone);
  return database.run(grantCredit, { accountId, ...change, id: newId("ce"), at, renewedFrom });
}
