// Applies a provisioning file: what it names is created; an entry that changed in the file since it was last
// applied is updated; what it does not name, and what was changed elsewhere since, is left alone.

import { hashApiKey } from "#accounts/api-key.ts";
import { configureAccount, configureApiKey } from "#configure/account.ts";
import { type ConfigureParts, configureGateway, gatewayFaults } from "#configure/gateway.ts";
import type { Log, Random } from "#runtime/runtime.ts";
import { findAccountByKey, findAccountByName } from "#store/accounts.ts";
import { markProvisioned, readProvisioned } from "#store/provisioned.ts";
import type { ProvisionFile } from "./file.ts";

export interface Applied {
  faults: string[];
  /** Accounts that got a key made here, to be shown once. */
  madeKeys: { account: string; key: string }[];
}

export async function applyProvision(
  parts: ConfigureParts & { random: Random; showApiKeys: boolean; log: Log },
  file: ProvisionFile,
): Promise<Applied> {
  const { database, log } = parts;
  const before = await database.run(readProvisioned, null);
  const applied: Applied = { faults: [], madeKeys: [] };
  const changed = (kind: string, name: string, entry: unknown) => {
    // Entries hold credentials, so not a plain hash.
    const hash = parts.sealer.digest(JSON.stringify(entry));
    return before.get(`${kind} ${name}`) === hash ? null : { kind, name, hash };
  };
  // Before anything is changed: a start that fails must not leave half of a file behind, nor a key that nobody saw.
  for (const { gateways, api_key, name } of file.accounts) {
    const existing = await database.run(findAccountByName, name);
    const holder = api_key === undefined ? null : await database.run(findAccountByKey, hashApiKey(api_key));
    if (holder && holder.id !== existing?.id)
      applied.faults.push(`account ${name}: api_key: is used by another account`);
    for (const gateway of gateways) {
      if (!changed("gateway", gateway.identifier, { account: name, ...gateway })) continue;
      for (const { path, message } of await gatewayFaults(parts, existing?.id ?? null, gateway)) {
        applied.faults.push(`gateway ${gateway.identifier}: ${path.join(".")}: ${message}`);
      }
    }
  }
  if (applied.faults.length > 0) return applied;
  for (const { gateways, api_key, ...account } of file.accounts) {
    const mark = changed("account", account.name, account);
    const existing = await database.run(findAccountByName, account.name);
    const accountId = mark || !existing ? await configureAccount(parts, account) : existing.id;
    if (mark) await database.run(markProvisioned, mark);

    const keyMark = changed("api_key", account.name, api_key ?? null);
    if (api_key !== undefined && (keyMark || !existing)) await configureApiKey(parts, accountId, api_key);
    if (api_key === undefined && !existing) {
      applied.madeKeys.push({ account: account.name, key: await configureApiKey(parts, accountId) });
    }
    if (keyMark) await database.run(markProvisioned, keyMark);

    for (const gateway of gateways) {
      const gatewayMark = changed("gateway", gateway.identifier, { account: account.name, ...gateway });
      if (!gatewayMark) continue;
      const result = await configureGateway(parts, accountId, gateway);
      if (result.kind === "invalid") {
        for (const { path, message } of result.issues) {
          applied.faults.push(`gateway ${gateway.identifier}: ${path.join(".")}: ${message}`);
        }
        continue;
      }
      await database.run(markProvisioned, gatewayMark);
      log.info({ gateway: gateway.identifier }, "gateway provisioned");
    }
  }
  return applied;
}
