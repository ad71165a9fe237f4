// What the command line changes: the account of a new installation, an account's API key, and set-up codes.

import { gatewayFields } from "#contract/manage/gateways.ts";
import { poolInput } from "#contract/manage/pools/pools.ts";
import { channels } from "#contract/messages/channel.ts";
import type { Core } from "#core/core.ts";
import { audit, commandLine } from "#identity/audit.ts";
import { createSetupCode as createCode } from "#identity/setup.ts";
import { sandboxModels } from "#providers/sandbox/sandbox.ts";
import { countAccounts, findAccountByName } from "#store/accounts/accounts.ts";
import { hasOperator } from "#store/identity/users.ts";
import { accountInput, issueApiKey, saveAccount } from "./account.ts";
import { upsertGateway } from "./gateway.ts";
import { upsertPool } from "./pool.ts";
import type { ConfigureDeps } from "./resource.ts";

type Deps = ConfigureDeps & Pick<Core, "random"> & { showApiKeys: boolean };

/**
 * If there is no account yet, creates one with sandbox gateways and a pool of two sandbox members, and returns its keys. Otherwise null.
 */
export async function createDefaultAccount(deps: Deps): Promise<{ apiKey: string; poolKey: string } | null> {
  if ((await deps.database.run(countAccounts, null)) > 0) return null;
  const account = accountInput.parse({ name: "default", plan: { name: "unlimited" } });
  const { id: accountId, isNew } = await saveAccount(deps, account);
  // Of several processes that start on an empty database, one creates the rest.
  if (!isNew) return null;
  for (const channel of channels) {
    const gateway = { identifier: `sandbox-${channel}`, channel, kind: "sandbox", default: true };
    await upsertGateway(deps, accountId, gatewayFields.parse(gateway));
  }
  const member = { kind: "sandbox", models: sandboxModels, embedding_models: ["echo"] };
  const pool = poolInput.parse({
    name: "default",
    // A second member makes failover visible before any provider has an account.
    members: [
      { ...member, name: "sandbox" },
      { ...member, name: "sandbox-backup", priority: 2 },
    ],
    keys: [{ name: "default" }],
  });
  const saved = await upsertPool(deps, accountId, pool);
  const poolKey = saved.kind === "saved" ? saved.issuedKeys[0]?.key : undefined;
  if (poolKey === undefined) throw new Error("The sandbox pool could not be made.");
  return { apiKey: await issueApiKey(deps, accountId), poolKey };
}

/** A new API key of the account that replaces its old one; null if the account does not exist. */
export async function renewApiKey(deps: Deps, accountName: string): Promise<string | null> {
  const account = await deps.database.run(findAccountByName, accountName);
  if (!account) return null;
  const key = await issueApiKey(deps, account.id);
  await audit(deps, { actor: commandLine, accountId: account.id, action: "renewApiKey", target: account.id });
  return key;
}

/** A set-up code for a start; null if an operator can sign in. */
export async function createStartCode(deps: Deps): Promise<string | null> {
  return (await deps.database.run(hasOperator, null)) ? null : await createSetupCode(deps);
}

/**
 * A one-time code that creates an operator at `POST /api/manage/v1/setup` within 24 h. With an email address it works only for that
 * address, and gives an existing operator a new password.
 */
export async function createSetupCode(deps: Deps, email?: string): Promise<string> {
  const code = await createCode(deps, email);
  const fields = email === undefined ? [] : ["email"];
  await audit(deps, { actor: commandLine, action: "createSetupCode", fields });
  return code;
}
