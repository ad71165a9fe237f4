// What an installation has, in the terms of the provisioning file. Settings are in plain text; of keys there is only the hash.

import { gateways } from "#configure/gateway.ts";
import { hooks } from "#configure/hook.ts";
import { pools } from "#configure/pool.ts";
import { keys } from "#configure/pool-key.ts";
import { members } from "#configure/pool-member.ts";
import { sharedBudgetRules } from "#contract/manage/pools/budgets.ts";
import { channels } from "#contract/messages/channel.ts";
import { readFields } from "#contract/resource-schema.ts";
import { isoTime } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { findPhoneOwner } from "#gateways/sms/android/android.ts";
import { type AccountRow, findAccount, findApiKey } from "#store/accounts/accounts.ts";
import { type AccountWithCredits, listAccounts } from "#store/accounts/changes.ts";
import { privateKeyContext, readSendingDomains } from "#store/email/sending-domains.ts";
import { findGateway } from "#store/gateways/gateways.ts";
import { readHooks } from "#store/hooks/hooks.ts";
import { listManagementTokens } from "#store/identity/tokens.ts";
import { findPoolByName, readPools } from "#store/pools/pools.ts";
import type { ManagementTokensTable } from "#store/schema/identity.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { endpointSecretContext, listEndpoints } from "#store/webhooks/endpoints.ts";
import { openUrl } from "#webhooks/endpoint-url.ts";

export type PresentDeps = Pick<Core, "database" | "sealer">;

/** Fields of an entry, and the hash of its key; null if it has none. */
interface Keyed<Fields> {
  fields: Fields;
  hash: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

export interface PresentAccount {
  id: string;
  account: Keyed<ReturnType<typeof accountFields>>;
  /** The gateways' ids. */
  heads: AccountRow["gateways"];
  gateways: ReturnType<typeof gateways.fieldsOf>[];
  sending_domains: { domain: string; keys: { selector: string; private_key: string }[] }[];
  webhooks: { url: string; secret: string; events: unknown; active: boolean }[];
  hooks: Keyed<ReturnType<typeof hooks.fieldsOf>>[];
  pools: {
    fields: ReturnType<typeof pools.fieldsOf>;
    members: ReturnType<typeof members.fieldsOf>[];
    keys: Keyed<ReturnType<typeof keys.fieldsOf>>[];
  }[];
}

type PresentToken = Keyed<Fields & { name: string }>;

const pageSize = 100;

const instantOf = (at: number | null) => (at === null ? null : isoTime(at));
const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** All accounts, oldest first. */
export async function readPresentAccounts(deps: PresentDeps): Promise<PresentAccount[]> {
  const rows: AccountWithCredits[] = [];
  for (let before: string | null = null; ; before = rows.at(-1)!.id) {
    const page: AccountWithCredits[] = await deps.database.run(listAccounts, {
      only: null,
      search: null,
      before,
      limit: pageSize,
    });
    rows.push(...page);
    if (page.length < pageSize) break;
  }
  const found: PresentAccount[] = [];
  for (const row of rows.reverse()) found.push(await readPresentAccount(deps, row));
  return found;
}

async function readPresentAccount(deps: PresentDeps, row: AccountWithCredits): Promise<PresentAccount> {
  const { database } = deps;
  const account = await database.run(findAccount, row.id);
  const key = await database.run(findApiKey, row.id);
  const hookRows = await database.run(readHooks, { accountId: row.id, id: null });
  return {
    id: row.id,
    account: { fields: accountFields(row), hash: key?.hash ?? null },
    heads: account?.gateways ?? [],
    gateways: await readPresentGateways(deps, account?.gateways ?? []),
    sending_domains: await readDomains(deps, row.id),
    webhooks: await readWebhooks(deps, row.id),
    hooks: hookRows
      .map((hook) => ({ fields: hooks.fieldsOf(deps.sealer, hook), hash: hook.hash }))
      .toSorted((a, b) => byName(a.fields.name, b.fields.name)),
    pools: await readPresentPools(deps, row.id),
  };
}

function accountFields(row: AccountWithCredits) {
  const credit = Object.fromEntries(
    channels.map((channel) => [
      channel,
      row.credits.find((one) => one.channel === channel)?.allowance ?? null,
    ]),
  );
  return {
    name: row.name,
    time_zone: row.time_zone,
    country: row.country,
    plan: {
      name: row.plan_name,
      expires_at: instantOf(row.plan_expires_at),
      credit,
      renews: row.credits.find(({ renews }) => renews !== null)?.renews ?? null,
    },
    rate_limit: row.requests_per_minute === null ? null : { requests_per_minute: row.requests_per_minute },
    lateness_ms: row.lateness_ms,
    channel_failover: row.channel_failover === 1,
    attachments: { max_files: row.attachment_files, max_bytes: row.attachment_bytes },
    ai_budget: row.ai_budget === null ? null : readFields(sharedBudgetRules, JSON.parse(row.ai_budget)),
  };
}

/** In the order of their identifiers, without those that are being deleted. A phone is named by its gateway's identifier. */
async function readPresentGateways(
  { database, sealer }: PresentDeps,
  heads: AccountRow["gateways"],
): Promise<PresentAccount["gateways"]> {
  const rows: GatewaysTable[] = [];
  for (const { id } of heads.filter(({ draining_at }) => draining_at === null)) {
    const row = await database.run(findGateway, id);
    if (row !== null) rows.push(row);
  }
  return rows
    .map((row) => {
      const fields = gateways.fieldsOf(sealer, row);
      return { ...fields, settings: namedPhone(fields, rows) };
    })
    .toSorted((a, b) => byName(a.identifier, b.identifier));
}

/** A gateway's settings, in which a phone has the identifier of its gateway. */
export function namedPhone(
  { kind, settings }: { kind: string; settings: Record<string, unknown> },
  own: readonly { id: string; identifier: string }[],
): Record<string, unknown> {
  if (kind !== "android" || typeof settings.phone !== "string") return settings;
  return { ...settings, phone: findPhoneOwner(own, settings.phone)?.identifier ?? settings.phone };
}

/** With the keys that sign. */
async function readDomains({ database, sealer }: PresentDeps, accountId: string) {
  const found = await database.run(readSendingDomains, { accountId, id: null });
  return found.map(({ domain, keys: own }) => ({
    domain: domain.domain,
    keys: own
      .filter(({ state }) => state === "active")
      .map(({ id, selector, private_key }) => ({
        selector,
        private_key: sealer.unseal(private_key, privateKeyContext(id)),
      })),
  }));
}

/** Oldest first, without the one that posts status callbacks, which an application makes. */
async function readWebhooks({ database, sealer }: PresentDeps, accountId: string) {
  const rows = await database.run(listEndpoints, accountId);
  return rows.flatMap((row) => {
    const url = openUrl(sealer, row);
    if (row.format !== null || url === null) return [];
    const secret = sealer.unseal(row.secret, endpointSecretContext(row.id));
    const events = JSON.parse(row.events) as unknown;
    return [{ name: row.name, url, secret, events, active: row.active === 1 }];
  });
}

/** Oldest first, as their members are; without revoked keys. */
async function readPresentPools({ database, sealer }: PresentDeps, accountId: string) {
  const found: PresentAccount["pools"] = [];
  for (const { pool, members: own } of await database.run(readPools, { accountId, id: null })) {
    const whole = await database.run(findPoolByName, { accountId, name: pool.name });
    const valid = (whole?.keys ?? []).filter(({ revoked_at }) => revoked_at === null);
    found.push({
      fields: pools.fieldsOf(sealer, pool),
      members: own.map((member) => members.fieldsOf(sealer, member)),
      keys: valid
        .map((key) => ({ fields: keys.fieldsOf(sealer, key), hash: key.hash }))
        .toSorted((a, b) => byName(a.fields.name, b.fields.name)),
    });
  }
  return found;
}

/** The tokens that are not revoked, by name. */
export async function readPresentTokens(
  { database }: PresentDeps,
  accounts: readonly PresentAccount[],
): Promise<PresentToken[]> {
  const names = new Map(accounts.map(({ id, account }) => [id, account.fields.name]));
  const found: PresentToken[] = [];
  for (let before: string | null = null; ; ) {
    const page: ManagementTokensTable[] = await database.run(listManagementTokens, {
      before,
      limit: pageSize,
    });
    for (const { name, hash, role, account_id, scopes, expires_at } of page.filter(
      ({ revoked_at }) => revoked_at === null,
    ))
      found.push({
        hash,
        fields: {
          name,
          role,
          account: account_id === null ? null : (names.get(account_id) ?? null),
          scopes: scopes === null ? null : (JSON.parse(scopes) as unknown),
          expires_at: instantOf(expires_at),
        },
      });
    if (page.length < pageSize) break;
    before = page.at(-1)!.id;
  }
  return found.toSorted((a, b) => byName(a.fields.name, b.fields.name));
}
