// Compares a provisioning file with what the installation has: what applying it would create and change. Changes nothing.

import { toFullChange } from "#configure/account.ts";
import { withChoice } from "#contract/manage/pools/budgets.ts";
import { domainOf } from "#gateways/email/deliverability/domain-records.ts";
import { findAdapter } from "#gateways/registry.ts";
import { findProvider } from "#providers/registry.ts";
import { hashSecret } from "#runtime/secret.ts";
import { provisionKey } from "#store/pools/pools.ts";
import { errorsOf, readChanged } from "./apply.ts";
import type { Changed, FileAccount, ProvisionDeps } from "./entry.ts";
import type { ProvisionFile } from "./file.ts";
import { namedPhone, type PresentAccount, readPresentAccounts, readPresentTokens } from "./present.ts";

export interface Comparison {
  errors: string[];
  /** A line for each entry that would be created or changed, with the names of the fields. */
  changes: string[];
}

export async function compareProvision(deps: ProvisionDeps, file: ProvisionFile): Promise<Comparison> {
  const changed = await readChanged(deps);
  const errors = await errorsOf(deps, file, changed);
  if (errors.length > 0) return { errors, changes: [] };
  const present = await readPresentAccounts(deps);
  const lines = new Lines();
  for (const account of file.accounts)
    compareAccount(
      deps,
      account,
      present.find((one) => one.account.fields.name === account.name) ?? null,
      changed,
      lines,
    );
  const tokens = await readPresentTokens(deps, present);
  for (const target of file.management_tokens) {
    if (!changed("management_token", target.name, target)) continue;
    const { token, ...fields } = target;
    const before = tokens.find((one) => one.fields.name === fields.name);
    const what = `management token ${fields.name}`;
    lines.compare(
      what,
      { ...fields, token: hashSecret(token) },
      before ? { ...before.fields, token: before.hash } : null,
    );
  }
  return { errors, changes: lines.all };
}

class Lines {
  readonly all: string[] = [];

  /** `before`: null if it does not exist. */
  compare(what: string, target: object, before: object | null): void {
    if (before === null) {
      this.all.push(`new: ${what}`);
      return;
    }
    const fields = differences(target, before);
    if (fields.length > 0) this.all.push(`changed: ${what} (${fields.join(", ")})`);
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Equal values have equal texts: a field that is null is as one that is absent, and an instant has one spelling. */
function canonical(value: unknown): unknown {
  if (typeof value === "string")
    return instant.test(value) && !Number.isNaN(Date.parse(value)) ? Date.parse(value) : value;
  if (Array.isArray(value)) return value.map(canonical);
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return Object.fromEntries(
    kept.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, canonical(part)]),
  );
}

const textOf = (value: unknown) => JSON.stringify(canonical(value));

/** The names of the fields that differ, in objects with their path. */
function differences(target: object, before: object, path = ""): string[] {
  const [one, other] = [target, before] as [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) => {
    const [a, b] = [one[name] ?? null, other[name] ?? null];
    if (textOf(a) === textOf(b)) return [];
    return isMap(a) && isMap(b) && path === "" ? differences(a, b, `${name}.`) : [`${path}${name}`];
  });
}

/** A key that the file does not name is left as it is. */
const keyOf = (field: string, text: string | undefined, hash: string | null | undefined) => ({
  [field]: text === undefined ? hash : hashSecret(text),
});

const spelled = (url: string) => URL.parse(url)?.href ?? url;

function compareAccount(
  deps: ProvisionDeps,
  { gateways, sending_domains, webhooks, hooks, pools, api_key, ...account }: FileAccount,
  before: PresentAccount | null,
  changed: Changed,
  lines: Lines,
): void {
  const { name } = account;
  const whole = toFullChange(account);
  const budget = before?.account.fields.ai_budget ?? null;
  const ai_budget = whole.ai_budget && withChoice(whole.ai_budget, budget);
  const isChanged = changed("account", name, account) ?? changed("api_key", name, api_key ?? null);
  if (before === null || isChanged)
    lines.compare(
      `account ${name}`,
      { name, ...whole, ai_budget, ...keyOf("api_key", api_key, before?.account.hash) },
      before && { ...before.account.fields, api_key: before.account.hash },
    );
  for (const gateway of gateways) {
    if (!changed("gateway", gateway.identifier, { account: name, ...gateway })) continue;
    const own = before?.gateways.find(({ identifier }) => identifier === gateway.identifier) ?? null;
    const settings = parsed(findAdapter(gateway.kind, gateway.channel), gateway.settings);
    const named = namedPhone({ kind: gateway.kind, settings }, before?.heads ?? []);
    lines.compare(`gateway ${gateway.identifier}`, { ...gateway, settings: named }, own);
  }
  for (const target of sending_domains) {
    if (!changed("sending_domain", `${name} ${target.domain}`, target)) continue;
    const domain = domainOf(target.domain) ?? target.domain;
    const own = before?.sending_domains.find((one) => one.domain === domain) ?? null;
    // Keys are added; others stay.
    const present = new Map(own?.keys.map((key) => [key.selector, key.private_key.trim()]));
    const keys = target.keys.filter(
      (key) => present.get(key.selector.toLowerCase()) !== key.private_key.trim(),
    );
    lines.compare(`account ${name}: sending domain ${domain}`, { domain, keys }, own && { domain, keys: [] });
  }
  for (const [index, webhook] of webhooks.entries()) {
    const own = before?.webhooks.find(({ url }) => url === spelled(webhook.url)) ?? null;
    const mark = `${name} ${deps.sealer.digest(webhook.url).slice(0, 32)}`;
    if (!changed("webhook", mark, webhook)) continue;
    const present = Object.entries(webhook).filter(([, value]) => value !== undefined);
    const target = { ...own, ...Object.fromEntries(present), url: spelled(webhook.url) };
    lines.compare(`account ${name}: webhooks.${index}`, target, own);
  }
  for (const target of hooks) {
    if (!changed("hook", `${name} ${target.name}`, target)) continue;
    const { key, ...hook } = target;
    const own = before?.hooks.find((one) => one.fields.name === hook.name);
    lines.compare(
      `account ${name}: hook ${hook.name}`,
      { ...hook, ...keyOf("key", key, own?.hash) },
      own ? { ...own.fields, key: own.hash } : null,
    );
  }
  for (const pool of pools)
    if (changed("pool", provisionKey(name, pool.name), pool)) comparePool(name, pool, before, lines);
}

const parsed = (
  kind: { settings: { safeParse(value: unknown): { data?: unknown } } } | null | undefined,
  settings: Record<string, unknown>,
) => (kind?.settings.safeParse(settings).data ?? settings) as Record<string, unknown>;

function comparePool(
  account: string,
  { members, keys, ...pool }: FileAccount["pools"][number],
  before: PresentAccount | null,
  lines: Lines,
): void {
  const own = before?.pools.find(({ fields }) => fields.name === pool.name) ?? null;
  const what = `account ${account}: pool ${pool.name}`;
  const budget = withChoice(pool.budget, own?.fields.budget ?? null);
  lines.compare(what, { ...pool, budget }, own?.fields ?? null);
  for (const member of members) {
    const present = own?.members.find(({ name }) => name === member.name) ?? null;
    const settings = parsed(findProvider(member.kind), member.settings);
    lines.compare(`${what}: member ${member.name}`, { ...member, settings }, present);
  }
  for (const { key, ...fields } of keys) {
    const present = own?.keys.find((one) => one.fields.name === fields.name);
    const limited = { ...fields, budget: withChoice(fields.budget, present?.fields.budget ?? null) };
    lines.compare(
      `${what}: key ${fields.name}`,
      { ...limited, ...keyOf("key", key, present?.hash) },
      present ? { ...present.fields, key: present.hash } : null,
    );
  }
}
