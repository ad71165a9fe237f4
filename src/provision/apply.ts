// Applies a provisioning file: what it names is created; an entry that changed in the file since it was last
// applied is updated; what it does not name, and what was changed elsewhere since, is left alone.

import { hashApiKey } from "#accounts/api-key.ts";
import { audit, provisioning } from "#accounts/audit.ts";
import { configureAccount, configureApiKey } from "#configure/account.ts";
import { type ConfigureParts, configureGateway, gatewayFaults } from "#configure/gateway.ts";
import { configureManagementToken, managementTokenFaults } from "#configure/management-token.ts";
import { configurePool, poolFaults } from "#configure/pool.ts";
import { configureSendingDomain } from "#configure/sending-domain.ts";
import { configureWebhook, webhookFaults } from "#configure/webhook.ts";
import type { Issue } from "#contract/issue.ts";
import type { Log, Random } from "#runtime/runtime.ts";
import { findAccountByKey, findAccountByName } from "#store/accounts.ts";
import { poolMark } from "#store/pools.ts";
import { markProvisioned, readProvisioned } from "#store/provisioned.ts";
import type { ProvisionFile } from "./file.ts";

export interface Applied {
  faults: string[];
  /** What was made here because the file does not give it, to be shown once. */
  made: { what: string; secret: string }[];
}

type ProvisionParts = ConfigureParts & { random: Random; showApiKeys: boolean; log: Log };
type FileAccount = ProvisionFile["accounts"][number];

/** An entry of the file that is not as it was when it was last applied. */
interface Mark {
  kind: string;
  name: string;
  hash: string;
}

/** Null: nothing changed. */
type Changed = (kind: string, name: string, entry: unknown) => Mark | null;

export async function applyProvision(parts: ProvisionParts, file: ProvisionFile): Promise<Applied> {
  const before = await parts.database.run(readProvisioned, null);
  const changed: Changed = (kind, name, entry) => {
    // Entries hold credentials, so not a plain hash.
    const hash = parts.sealer.digest(JSON.stringify(entry));
    return before.get(`${kind} ${name}`) === hash ? null : { kind, name, hash };
  };
  // Before anything is changed: a start that fails must not leave half of a file behind, nor a key that nobody saw.
  const applied: Applied = { faults: await faultsOf(parts, file, changed), made: [] };
  if (applied.faults.length > 0) return applied;
  for (const account of file.accounts) await applyAccount(parts, account, changed, applied);
  for (const token of file.management_tokens) {
    const mark = changed("management_token", token.name, token);
    if (!mark) continue;
    const result = await configureManagementToken(parts, token);
    if (result.kind === "invalid")
      applied.faults.push(...told(`management token ${token.name}`, result.issues));
    else await done(parts, mark, "configureManagementToken", null, result.id);
  }
  return applied;
}

const told = (what: string, issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${what}: ${path.join(".")}: ${message}`);

async function faultsOf(parts: ProvisionParts, file: ProvisionFile, changed: Changed): Promise<string[]> {
  const { database } = parts;
  const faults: string[] = [];
  for (const { gateways, webhooks, pools, api_key, name } of file.accounts) {
    const existing = await database.run(findAccountByName, name);
    const holder = api_key === undefined ? null : await database.run(findAccountByKey, hashApiKey(api_key));
    if (holder && holder.id !== existing?.id)
      faults.push(`account ${name}: api_key: is used by another account`);
    for (const gateway of gateways) {
      if (!changed("gateway", gateway.identifier, { account: name, ...gateway })) continue;
      const issues = await gatewayFaults(parts, existing?.id ?? null, gateway);
      faults.push(...told(`gateway ${gateway.identifier}`, issues));
    }
    for (const [index, webhook] of webhooks.entries())
      faults.push(...told(`account ${name}: webhooks.${index}`, webhookFaults(parts.outbound, webhook)));
    for (const pool of pools) {
      if (!changed("pool", poolMark(name, pool.name), pool)) continue;
      const issues = await poolFaults(parts, existing?.id ?? null, pool);
      faults.push(...told(`account ${name}: pool ${pool.name}`, issues));
    }
  }
  const coming = file.accounts.map(({ name }) => name);
  for (const token of file.management_tokens)
    faults.push(...told(`management token ${token.name}`, await managementTokenFaults(parts, token, coming)));
  return faults;
}

async function applyAccount(
  parts: ProvisionParts,
  { gateways, sending_domains, webhooks, pools, api_key, ...account }: FileAccount,
  changed: Changed,
  applied: Applied,
): Promise<void> {
  const { database, log } = parts;
  const mark = changed("account", account.name, account);
  const existing = await database.run(findAccountByName, account.name);
  const accountId = mark || !existing ? await configureAccount(parts, account) : existing.id;
  if (mark) await done(parts, mark, "configureAccount", accountId, accountId);

  const keyMark = changed("api_key", account.name, api_key ?? null);
  if (api_key !== undefined && (keyMark || !existing)) await configureApiKey(parts, accountId, api_key);
  if (api_key === undefined && !existing) {
    const secret = await configureApiKey(parts, accountId);
    applied.made.push({ what: `API key of account ${account.name}`, secret });
  }
  if (keyMark) await done(parts, keyMark, "configureApiKey", accountId, accountId);

  for (const gateway of gateways) {
    const gatewayMark = changed("gateway", gateway.identifier, { account: account.name, ...gateway });
    if (!gatewayMark) continue;
    const result = await configureGateway(parts, accountId, gateway);
    if (result.kind === "invalid") {
      applied.faults.push(...told(`gateway ${gateway.identifier}`, result.issues));
      continue;
    }
    await done(parts, gatewayMark, "configureGateway", accountId, gateway.identifier);
    log.info({ gateway: gateway.identifier }, "gateway provisioned");
  }
  for (const [index, webhook] of webhooks.entries()) {
    // Under a digest of its url, which may hold a secret.
    const name = `${account.name} ${parts.sealer.digest(webhook.url).slice(0, 32)}`;
    const webhookMark = changed("webhook", name, webhook);
    if (!webhookMark) continue;
    const result = await configureWebhook(parts, accountId, webhook);
    if (result.kind !== "saved") {
      const issues =
        result.kind === "invalid"
          ? result.issues
          : [{ path: ["url"], message: "is being changed elsewhere" }];
      applied.faults.push(...told(`account ${account.name}: webhooks.${index}`, issues));
      continue;
    }
    if (result.secret !== null)
      applied.made.push({
        what: `Secret of webhook ${index + 1} of account ${account.name}`,
        secret: result.secret,
      });
    await done(parts, webhookMark, "configureWebhook", accountId, result.id);
  }
  await applyDomains(parts, { id: accountId, name: account.name }, sending_domains, changed, applied);
  await applyPools(parts, { id: accountId, name: account.name }, pools, changed, applied);
}

async function applyDomains(
  parts: ProvisionParts,
  account: { id: string; name: string },
  domains: FileAccount["sending_domains"],
  changed: Changed,
  applied: Applied,
): Promise<void> {
  for (const domain of domains) {
    const mark = changed("sending_domain", `${account.name} ${domain.domain}`, domain);
    if (!mark) continue;
    const result = await configureSendingDomain(parts, account.id, domain);
    if (result.kind === "invalid") {
      applied.faults.push(...told(`account ${account.name}: sending domain ${domain.domain}`, result.issues));
      continue;
    }
    await done(parts, mark, "configureSendingDomain", account.id, result.id);
  }
}

async function applyPools(
  parts: ProvisionParts,
  account: { id: string; name: string },
  pools: FileAccount["pools"],
  changed: Changed,
  applied: Applied,
): Promise<void> {
  for (const pool of pools) {
    const mark = changed("pool", poolMark(account.name, pool.name), pool);
    if (!mark) continue;
    const where = `account ${account.name}: pool ${pool.name}`;
    const result = await configurePool(parts, account.id, pool);
    if (result.kind === "invalid") {
      applied.faults.push(...told(where, result.issues));
      continue;
    }
    for (const { name, key } of result.made)
      applied.made.push({ what: `Key ${name} of pool ${pool.name} of account ${account.name}`, secret: key });
    await done(parts, mark, "configurePool", account.id, result.id);
  }
}

/** Remembers that an entry was applied, and that something was changed by it. */
async function done(
  parts: ProvisionParts,
  mark: Mark,
  action: string,
  accountId: string | null,
  target: string,
): Promise<void> {
  await parts.database.run(markProvisioned, mark);
  await audit(parts, { actor: provisioning, accountId, action, target });
}
