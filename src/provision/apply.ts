// Applies a provisioning file: creates what it names and updates entries that changed in the file since it was last applied; what it does
// not name, and what was changed elsewhere since, is left alone.

import { issueApiKey, saveAccount } from "#configure/account.ts";
import { gatewayIssues } from "#configure/gateway.ts";
import { hookIssues, upsertHook } from "#configure/hook.ts";
import { managementTokenIssues, upsertManagementToken } from "#configure/management-token.ts";
import { poolIssues, upsertPool } from "#configure/pool.ts";
import { upsertSendingDomain } from "#configure/sending-domain.ts";
import { webhookIssues } from "#configure/webhook.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findAccountByKey, findAccountByName } from "#store/accounts/accounts.ts";
import { readProvisionMarks } from "#store/maintenance/provisioned.ts";
import { provisionKey } from "#store/pools/pools.ts";
import { applyGateways, applyWebhooks, pieces } from "./entries.ts";
import {
  type Applied,
  type Changed,
  type FileAccount,
  issueLines,
  type ProvisionDeps,
  recordApplied,
} from "./entry.ts";
import type { ProvisionFile } from "./file.ts";

/** Tells what changed in the file since it was last applied. */
export async function readChanged({
  database,
  sealer,
}: Pick<ProvisionDeps, "database" | "sealer">): Promise<Changed> {
  const before = await database.run(readProvisionMarks, null);
  return (kind, name, entry) => {
    // Entries hold credentials, so not a plain hash.
    const hash = sealer.digest(JSON.stringify(entry));
    return before.get(`${kind} ${name}`) === hash ? null : { kind, name, hash };
  };
}

export async function applyProvision(deps: ProvisionDeps, file: ProvisionFile): Promise<Applied> {
  const changed = await readChanged(deps);
  // Before any change: a start that fails must leave behind neither half of a file nor a key that was never shown.
  const applied: Applied = { errors: await errorsOf(deps, file, changed), made: [] };
  if (applied.errors.length > 0) return applied;
  for (const account of file.accounts) await applyAccount(deps, account, changed, applied);
  for (const token of file.management_tokens) {
    const mark = changed("management_token", token.name, token);
    if (!mark) continue;
    const result = await upsertManagementToken(deps, token);
    if (result.kind === "invalid")
      applied.errors.push(...issueLines(`management token ${token.name}`, result.issues));
    else await recordApplied(deps, mark, "configureManagementToken", null, result.id);
  }
  return applied;
}

/** Why the file is not applied; empty if it is. */
export async function errorsOf(
  deps: ProvisionDeps,
  file: ProvisionFile,
  changed: Changed,
): Promise<string[]> {
  const { database } = deps;
  const errors: string[] = [];
  for (const { gateways, webhooks, hooks, pools, api_key, name } of file.accounts) {
    const existing = await database.run(findAccountByName, name);
    const holder = api_key === undefined ? null : await database.run(findAccountByKey, hashSecret(api_key));
    if (holder && holder.id !== existing?.id)
      errors.push(`account ${name}: api_key: is used by another account`);
    const coming = gateways.filter((one) => changed("gateway", one.identifier, { account: name, ...one }));
    for (const piece of pieces(coming)) {
      const found = await Promise.all(
        piece.map((one) => gatewayIssues(deps, existing?.id ?? null, one, gateways)),
      );
      for (const [i, { identifier }] of piece.entries())
        errors.push(...issueLines(`gateway ${identifier}`, found[i]!));
    }
    for (const [index, webhook] of webhooks.entries())
      errors.push(...issueLines(`account ${name}: webhooks.${index}`, webhookIssues(deps.outbound, webhook)));
    for (const hook of hooks) {
      if (!changed("hook", `${name} ${hook.name}`, hook)) continue;
      const issues = await hookIssues(deps, existing?.id ?? null, hook, gateways);
      errors.push(...issueLines(`account ${name}: hook ${hook.name}`, issues));
    }
    for (const pool of pools) {
      if (!changed("pool", provisionKey(name, pool.name), pool)) continue;
      const issues = await poolIssues(deps, existing?.id ?? null, pool);
      errors.push(...issueLines(`account ${name}: pool ${pool.name}`, issues));
    }
  }
  const coming = file.accounts.map(({ name }) => name);
  for (const token of file.management_tokens)
    errors.push(
      ...issueLines(`management token ${token.name}`, await managementTokenIssues(deps, token, coming)),
    );
  return errors;
}

async function applyAccount(
  deps: ProvisionDeps,
  { gateways, sending_domains, webhooks, hooks, pools, api_key, ...account }: FileAccount,
  changed: Changed,
  applied: Applied,
): Promise<void> {
  const { database } = deps;
  const mark = changed("account", account.name, account);
  const existing = await database.run(findAccountByName, account.name);
  const { id: accountId, isNew } =
    mark || !existing ? await saveAccount(deps, account) : { id: existing.id, isNew: false };
  if (mark) await recordApplied(deps, mark, "configureAccount", accountId, accountId);

  const keyMark = changed("api_key", account.name, api_key ?? null);
  if (api_key !== undefined && (keyMark || isNew)) await issueApiKey(deps, accountId, { apiKey: api_key });
  if (api_key === undefined && isNew) {
    const secret = await issueApiKey(deps, accountId);
    applied.made.push({ what: `API key of account ${account.name}`, secret });
  }
  if (keyMark) await recordApplied(deps, keyMark, "configureApiKey", accountId, accountId);

  const named = { id: accountId, name: account.name };
  await applyGateways(deps, named, gateways, changed, applied);
  await applyWebhooks(deps, named, webhooks, changed, applied);
  await applyDomains(deps, named, sending_domains, changed, applied);
  await applyHooks(deps, named, hooks, changed, applied);
  await applyPools(deps, named, pools, changed, applied);
}

async function applyDomains(
  deps: ProvisionDeps,
  account: { id: string; name: string },
  domains: FileAccount["sending_domains"],
  changed: Changed,
  applied: Applied,
): Promise<void> {
  for (const domain of domains) {
    const mark = changed("sending_domain", `${account.name} ${domain.domain}`, domain);
    if (!mark) continue;
    const result = await upsertSendingDomain(deps, account.id, domain);
    if (result.kind === "invalid") {
      applied.errors.push(
        ...issueLines(`account ${account.name}: sending domain ${domain.domain}`, result.issues),
      );
      continue;
    }
    await recordApplied(deps, mark, "configureSendingDomain", account.id, result.id);
  }
}

async function applyHooks(
  deps: ProvisionDeps,
  account: { id: string; name: string },
  hooks: FileAccount["hooks"],
  changed: Changed,
  applied: Applied,
): Promise<void> {
  for (const hook of hooks) {
    const mark = changed("hook", `${account.name} ${hook.name}`, hook);
    if (!mark) continue;
    const result = await upsertHook(deps, account.id, hook);
    if (result.kind === "invalid") {
      applied.errors.push(...issueLines(`account ${account.name}: hook ${hook.name}`, result.issues));
      continue;
    }
    if (result.key !== null)
      applied.made.push({ what: `Key of hook ${hook.name} of account ${account.name}`, secret: result.key });
    if (hook.signed && result.secret !== null)
      applied.made.push({
        what: `Secret of hook ${hook.name} of account ${account.name}`,
        secret: result.secret,
      });
    await recordApplied(deps, mark, "configureHook", account.id, result.id);
  }
}

async function applyPools(
  deps: ProvisionDeps,
  account: { id: string; name: string },
  pools: FileAccount["pools"],
  changed: Changed,
  applied: Applied,
): Promise<void> {
  for (const pool of pools) {
    const mark = changed("pool", provisionKey(account.name, pool.name), pool);
    if (!mark) continue;
    const where = `account ${account.name}: pool ${pool.name}`;
    const result = await upsertPool(deps, account.id, pool);
    if (result.kind === "invalid") {
      applied.errors.push(...issueLines(where, result.issues));
      continue;
    }
    for (const { name, key } of result.issuedKeys)
      applied.made.push({ what: `Key ${name} of pool ${pool.name} of account ${account.name}`, secret: key });
    await recordApplied(deps, mark, "configurePool", account.id, result.id);
  }
}
