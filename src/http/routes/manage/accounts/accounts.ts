// Lists, creates, reads and updates accounts. A member manages one account, an operator all.

import {
  accountChanges,
  accountInput,
  createAccount,
  issueApiKey,
  updateAccount,
} from "#configure/account.ts";
import {
  type AccountFields,
  accountReply,
  accountsQuery,
  accountsReply,
  type ListedAccountData,
  newAccountReply,
  type PersonalKeyData,
} from "#contract/manage/accounts.ts";
import { sharedBudgetRules } from "#contract/manage/pools/budgets.ts";
import { type Channel, channels } from "#contract/messages/channel.ts";
import { type Problem, problem } from "#contract/problem.ts";
import { readFields } from "#contract/resource-schema.ts";
import { isoTime } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { testKinds } from "#gateways/registry.ts";
import type { HttpCore } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { created } from "#http/reply/created.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { refused } from "#http/reply/refused.ts";
import { unpricedRemark } from "#http/routes/manage/pools/unpriced.ts";
import { onlyAccountOf, type Principal } from "#identity/principal.ts";
import { startOfDay } from "#runtime/time-zones.ts";
import { findApiKey } from "#store/accounts/accounts.ts";
import { type AccountWithCredits, listAccounts } from "#store/accounts/changes.ts";
import { readAccountFigures } from "#store/accounts/figures.ts";
import type { Database } from "#store/database.ts";
import { readPools } from "#store/pools/pools.ts";

function dataOf(account: AccountWithCredits): AccountFields {
  const { credits, plan_expires_at } = account;
  const allowance = (channel: Channel) =>
    credits.find((credit) => credit.channel === channel)?.allowance ?? null;
  const credit = Object.fromEntries(channels.map((channel) => [channel, allowance(channel)]));
  return {
    id: account.id,
    name: account.name,
    time_zone: account.time_zone,
    country: account.country,
    plan: {
      name: account.plan_name,
      expires_at: isoTime(plan_expires_at),
      credit: credit as Record<Channel, number | null>,
      renews: credits.some(({ renews }) => renews === "monthly") ? "monthly" : null,
    },
    rate_limit: { requests_per_minute: account.requests_per_minute },
    lateness_ms: account.lateness_ms,
    channel_failover: account.channel_failover === 1,
    attachments: { max_files: account.attachment_files, max_bytes: account.attachment_bytes },
    ai_budget:
      account.ai_budget === null ? null : readFields(sharedBudgetRules, JSON.parse(account.ai_budget)),
    revision: account.revision,
    created_at: isoTime(account.created_at),
    updated_at: isoTime(account.updated_at),
  };
}

const none = { accepted: 0, failed: 0 };

/** The accounts with their figures for today, each in its own time zone. */
async function withFigures(
  { database, clock }: Pick<Core, "database" | "clock">,
  accounts: readonly AccountWithCredits[],
): Promise<ListedAccountData[]> {
  const now = clock.now();
  const days = accounts.map(({ id, time_zone }) => ({ accountId: id, dayAt: startOfDay(now, time_zone) }));
  const figures = await database.run(readAccountFigures, { accounts: days, testKinds: [...testKinds] });
  return accounts.map((account, place) => {
    const { real = none, tests = none, held = 0 } = figures[place] ?? {};
    const left = (channel: Channel) =>
      account.credits.find((credit) => credit.channel === channel)?.remaining ?? null;
    const remaining = { sms: left("sms"), whatsapp: left("whatsapp"), email: left("email") };
    return { ...dataOf(account), figures: { today: { ...real, tests }, remaining, held } };
  });
}

/** Throws the problem `not_found`. */
async function read(database: Database, id: string): Promise<AccountFields> {
  const only = { only: id, search: null, before: null, limit: 1 };
  const [account] = await database.run(listAccounts, only);
  return dataOf(orNotFound(account));
}

async function readPersonalKey(
  { clock, database, showApiKeys }: Pick<HttpCore, "clock" | "database" | "showApiKeys">,
  id: string,
): Promise<PersonalKeyData | null> {
  const key = await database.run(findApiKey, id);
  if (key === null) return null;
  const until = key.previous_works_until;
  return {
    hint: key.hint,
    created_at: isoTime(key.created_at),
    last_used_at: isoTime(key.last_used_at),
    revealable: key.sealed !== null && showApiKeys,
    previous_works_until: isoTime(until !== null && until > clock.now() ? until : null),
  };
}

/** The account as it is read individually: with what may be known of its personal key. */
async function readWithKey(core: HttpCore, id: string) {
  return { ...(await read(core.database, id)), api_key: await readPersonalKey(core, id) };
}

export const listAccountsRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts",
  name: "listAccounts",
  tag: "Accounts",
  summary: "List the accounts",
  description:
    "The newest account comes first. A member sees only the account that the member manages. Each has its messages of today, the credit that is left and what a restore holds back.",
  scope: "self",
  query: accountsQuery,
  replies: { 200: accountsReply },
})(async ({ core, principal, query }) => {
  const { search = null, cursor = null, limit } = query;
  const filter = { only: onlyAccountOf(principal), search, before: cursor, limit: limit + 1 };
  const page = pageOf(await core.database.run(listAccounts, filter), limit, (account) => account);
  return { message: "Accounts found.", ...page, data: await withFigures(core, page.data) };
});

export const createAccountRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts",
  name: "createAccount",
  tag: "Accounts",
  summary: "Create an account",
  description: "The account gets a new API key, which the reply shows.",
  scope: "installation",
  body: accountInput.meta({ id: "CreateAccountRequest" }),
  replies: { 201: newAccountReply },
})(async ({ core, input }) => {
  const saved = await createAccount(core, input);
  if (saved.kind !== "created") return refused(saved);
  const api_key = await issueApiKey(core, saved.id);
  const data = { ...(await read(core.database, saved.id)), api_key };
  return created(`/api/manage/v1/accounts/${saved.id}`, "The account has been created.", data);
});

export const getAccountRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}",
  name: "getAccount",
  tag: "Accounts",
  summary: "Get an account",
  scope: "account",
  replies: { 200: accountReply },
})(async ({ core, account }) => ({
  message: "Account found.",
  data: await readWithKey(core, account.id),
}));

/** A member may not change the limits of their own account. */
const operatorsOnly = ["name", "plan", "rate_limit"] as const;

function forbiddenFields(principal: Principal, input: object): Problem | null {
  if (principal.role === "operator") return null;
  const fields = operatorsOnly.filter((field) => Object.hasOwn(input, field));
  if (fields.length === 0) return null;
  return problem("forbidden", { message: `Only an operator may change ${fields.join(", ")}.` });
}

async function remarkOn(core: HttpCore, accountId: string, budget: AccountFields["ai_budget"]) {
  const pools = await core.database.run(readPools, { accountId, id: null });
  return unpricedRemark(
    { core },
    budget,
    pools.flatMap(({ members }) => members),
  );
}

export const updateAccountRoute = endpoint({
  method: "PATCH",
  path: "/api/manage/v1/accounts/{account}",
  name: "updateAccount",
  tag: "Accounts",
  summary: "Update an account",
  description:
    "Only the fields of the request change, also inside `plan` and `attachments`. Only an operator may change `name`, `plan` and `rate_limit`. The name of an account in the provisioning file cannot be changed. A new time zone does not move messages that are already scheduled.",
  scope: "account",
  body: accountChanges.meta({ id: "UpdateAccountRequest" }),
  replies: { 200: accountReply },
  problems: ["conflict"],
})(async ({ core, principal, account, input }) => {
  const forbidden = forbiddenFields(principal, input);
  if (forbidden !== null) return forbidden;
  const changed = await updateAccount(core, account.id, input);
  if (changed.kind !== "changed") return refused(changed);
  const data = await readWithKey(core, account.id);
  const remark = input.ai_budget == null ? null : await remarkOn(core, account.id, data.ai_budget);
  const message = `The account has been updated.${remark === null ? "" : ` ${remark}`}`;
  return { message, data };
});
