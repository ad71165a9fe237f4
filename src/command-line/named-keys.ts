// `trunkline key create`, `list` and `revoke`: the named API keys of an account.

import { type AccessOptions, chosenAccount, managementOf } from "./access.ts";
import type { Api } from "./api.ts";
import { plain, type Result, type Terminal, table } from "./terminal.ts";

interface NewKeyOptions extends AccessOptions {
  scope: string[];
  gateway?: string[];
  /** A date, or a time with its offset. */
  expires?: string;
}

interface Key {
  id: string;
  name: string;
  hint: string;
  scopes: string[];
  gateways: string[] | null;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

async function keysOf(
  terminal: Terminal,
  options: AccessOptions,
): Promise<{ api: Api; path: string; account: string }> {
  const api = await managementOf(terminal, options);
  const { id, name } = await chosenAccount(api, options);
  return { api, path: `/api/manage/v1/accounts/${id}/api-keys`, account: name };
}

/** A date alone means the start of that day, UTC. */
function timeOf(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at) || !/^\d{4}-\d\d-\d\d(?:T.*(?:Z|[+-]\d\d:\d\d))?$/.test(text))
    throw new Error(`${text} is no date such as 2027-01-01, or time such as 2027-01-01T12:00:00Z.`);
  return new Date(at).toISOString();
}

/** Creates a named key. Its text is shown once. */
export async function createKey(terminal: Terminal, name: string, options: NewKeyOptions): Promise<Result> {
  const { scope, gateway, expires } = options;
  const expires_at = expires === undefined ? null : timeOf(expires);
  const { api, path, account } = await keysOf(terminal, options);
  const fields = { name, scopes: scope, gateways: gateway ?? null, expires_at };
  const { data } = await api.ask<{ data: Key & { key: string } }>("POST", path, fields);
  return { text: `New API key ${name} of account ${account} (shown once): ${data.key}`, data };
}

/** Lists the named keys of an account. */
export async function listKeys(terminal: Terminal, options: AccessOptions): Promise<Result> {
  const { api, path } = await keysOf(terminal, options);
  const rows = await Array.fromAsync(api.rows<Key>(path));
  const shown = rows.map(({ name, hint, scopes, gateways, expires_at, revoked_at, last_used_at }) => [
    plain(name),
    plain(hint),
    scopes.join(" "),
    gateways === null ? "all" : gateways.join(" "),
    last_used_at ?? "never",
    revoked_at === null ? (expires_at ?? "never") : `revoked ${revoked_at}`,
  ]);
  return { text: table(["key", "", "scopes", "gateways", "last used", "ends"], shown), data: rows };
}

/** Revokes the key with this name or id. */
export async function revokeKey(terminal: Terminal, named: string, options: AccessOptions): Promise<Result> {
  const { api, path, account } = await keysOf(terminal, options);
  const rows = await Array.fromAsync(api.rows<Key>(path));
  const key = rows.find(({ id, name, revoked_at }) => revoked_at === null && [id, name].includes(named));
  if (key === undefined) throw new Error(`Account ${account} has no API key called ${named} that works.`);
  await api.ask("DELETE", `${path}/${key.id}`);
  return {
    text: `API key ${key.name} of account ${account} stops working within 5 seconds.`,
    data: { id: key.id, name: key.name },
  };
}
