// Creates and changes pools. The provisioning file sets a pool with the members and keys that it names, found by their
// names; the management API changes single fields, found by id.

import type { Issue } from "#contract/issue.ts";
import { maxMembers, maxPools } from "#contract/limits.ts";
import { withChoice } from "#contract/manage/pools/budgets.ts";
import { type PoolInput, poolFields, poolRules } from "#contract/manage/pools/pools.ts";
import { hashSecret } from "#runtime/secret.ts";
import type { Database } from "#store/database.ts";
import { findKeyHash } from "#store/pools/keys.ts";
import { findPoolByName, readPools, removePool, savePool } from "#store/pools/pools.ts";
import { type Overtaken, retryOvertaken } from "#store/revision.ts";
import type { PoolsTable } from "#store/schema/pools.ts";
import { changedElsewhere } from "./changes.ts";
import { keys, keyTextOf, type PoolDeps } from "./pool-key.ts";
import { members } from "./pool-member.ts";
import { type ConfigureDeps, defineResource, type Stored } from "./resource.ts";

interface Of {
  accountId: string;
}

async function find(database: Database, { accountId }: Of, id: string): Promise<PoolsTable | null> {
  const [found] = await database.run(readPools, { accountId, id });
  return found?.pool ?? null;
}

/** Pools without their members and keys. */
export const pools = defineResource({
  noun: "pool",
  idPrefix: "pool",
  fields: poolFields,
  rules: poolRules,
  columns: ({ name }, { accountId }: Of, _: PoolsTable | null) => ({ account_id: accountId, name }),
  fieldsOf: ({ name }) => ({ name }),
  settled: (fields, before) => ({ ...fields, budget: withChoice(fields.budget, before?.budget ?? null) }),
  find,
  save: savePool,
  taken: ["name_taken", { path: ["name"], message: "is taken" }],
  issues: {
    too_many: {
      path: ["name"],
      message: `is one too many: an account has ${maxPools} pools at most`,
    },
  },
});

/** All issues of a pool for an account (null: the account does not exist yet), with paths inside the pool. */
export async function poolIssues(
  deps: ConfigureDeps,
  accountId: string | null,
  input: PoolInput,
): Promise<Issue[]> {
  const { database } = deps;
  const existing =
    accountId === null ? null : await database.run(findPoolByName, { accountId, name: input.name });
  const issues: Issue[] = [];
  for (const [at, member] of input.members.entries()) {
    const of = { accountId: accountId ?? "", poolId: existing?.pool.id ?? "" };
    issues.push(...within(["members", at], await members.issues(deps, of, member, null)));
  }
  issues.push(...repeated("members", input.members), ...repeated("keys", input.keys));
  const names = [...input.members, ...(existing?.members ?? [])].map(({ name }) => name);
  if (new Set(names).size > maxMembers)
    issues.push({ path: ["members"], message: `are too many: a pool has ${maxMembers} at most` });
  for (const [at, { key, name }] of input.keys.entries()) {
    if (key === undefined) continue;
    const holder = await database.run(findKeyHash, hashSecret(key));
    if (holder && !(holder.pool_id === existing?.pool.id && holder.name === name))
      issues.push({ path: ["keys", at, "key"], message: "is used by another key" });
  }
  return issues;
}

function repeated(list: string, entries: readonly { name: string }[]): Issue[] {
  return entries.flatMap(({ name }, at) =>
    entries.findIndex((entry) => entry.name === name) < at
      ? [{ path: [list, at, "name"], message: "is given twice" }]
      : [],
  );
}

const within = (prefix: Issue["path"], issues: readonly Issue[]): Issue[] =>
  issues.map(({ path, message }) => ({ path: [...prefix, ...path], message }));

/** Removes a pool with its members and keys; its recorded usage stays. False if the account has no such pool. */
export async function deletePool(deps: ConfigureDeps, accountId: string, poolId: string): Promise<boolean> {
  return await deps.database.run(removePool, { accountId, poolId });
}

type UpsertPoolResult =
  /** `issuedKeys`: generated keys, to be shown once. */
  | { kind: "saved"; id: string; issuedKeys: { name: string; key: string }[] }
  | { kind: "invalid"; issues: Issue[] };

/**
 * Creates the account's pool of this name, or changes it, with the members and keys of the input; other members and keys stay as they are.
 * Changes nothing if there are issues.
 */
export async function upsertPool(
  deps: PoolDeps,
  accountId: string,
  input: PoolInput,
): Promise<UpsertPoolResult> {
  // An attempt that another process overtakes leaves what it created so far, and the next one continues from there.
  const issuedKeys: { name: string; key: string }[] = [];
  const result = await retryOvertaken(() => upsertParts(deps, accountId, input, issuedKeys));
  return result.kind === "overtaken" ? changedElsewhere("name") : result;
}

async function upsertParts(
  deps: PoolDeps,
  accountId: string,
  { members: memberList, keys: keyList, ...fields }: PoolInput,
  issuedKeys: { name: string; key: string }[],
): Promise<UpsertPoolResult | Overtaken> {
  const issues = await poolIssues(deps, accountId, { members: memberList, keys: keyList, ...fields });
  if (issues.length > 0) return { kind: "invalid", issues };
  const existing = await deps.database.run(findPoolByName, { accountId, name: fields.name });
  const saved = await pools.put(deps, { accountId }, fields, existing?.pool ?? null);
  if (saved.kind !== "saved") return refusedPart(saved, []);
  const poolRef = { accountId, poolId: saved.id };
  for (const [at, member] of memberList.entries()) {
    const before = existing?.members.find(({ name }) => name === member.name) ?? null;
    const result = await members.put(deps, poolRef, member, before);
    if (result.kind !== "saved") return refusedPart(result, ["members", at]);
  }
  for (const [at, entry] of keyList.entries()) {
    const before = existing?.keys.find(({ name }) => name === entry.name) ?? null;
    const { key, issued } = keyTextOf(deps, entry, before);
    const result = await keys.put(deps, poolRef, { ...entry, key }, before);
    if (result.kind !== "saved") return refusedPart(result, ["keys", at]);
    if (issued !== null) issuedKeys.push({ name: entry.name, key: issued });
  }
  return { kind: "saved", id: saved.id, issuedKeys };
}

/** Invalid input stays invalid. Everything else happened since the pool was read, and the next attempt reads it. */
function refusedPart(
  refusal: Exclude<Stored, { kind: "saved" }>,
  prefix: Issue["path"],
): UpsertPoolResult | Overtaken {
  return refusal.kind === "invalid"
    ? { kind: "invalid", issues: within(prefix, refusal.issues) }
    : "overtaken";
}
