// Creates and changes pools. The provisioning file sets a pool with the members and keys that it names, found by their
// names; the management API changes single fields, found by id.

import type { Issue } from "#contract/issue.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findKeyHash } from "#store/pools/keys.ts";
import { findPoolByName, maxMembers, maxPools, removePool, savePool } from "#store/pools/pools.ts";
import type { PoolsTable } from "#store/schema/pools.ts";
import { omitUndefined } from "./changes.ts";
import type { ConfigureDeps } from "./gateway.ts";
import type { PoolChanges, PoolFields, PoolInput } from "./pool-input.ts";
import { type PoolDeps, upsertKey } from "./pool-key.ts";
import { memberIssues, upsertMember } from "./pool-member.ts";

export type SavePoolResult =
  | { kind: "saved"; id: string }
  | { kind: "invalid"; issues: Issue[] }
  | { kind: "not_found" }
  /** The provisioning file finds the pool by its name, so the name cannot change. */
  | { kind: "provisioned" };

/** All issues of a pool for an account (null: the account does not exist yet), with paths inside the pool. */
export async function poolIssues(
  { database, outbound }: Pick<ConfigureDeps, "database" | "outbound">,
  accountId: string | null,
  input: PoolInput,
): Promise<Issue[]> {
  const existing =
    accountId === null ? null : await database.run(findPoolByName, { accountId, name: input.name });
  const issues: Issue[] = [];
  for (const [at, member] of input.members.entries()) {
    const found = memberIssues(outbound, member);
    issues.push(...found.map(({ path, message }) => ({ path: ["members", at, ...path], message })));
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

const tooMany: Issue = {
  path: ["name"],
  message: `is one too many: an account has ${maxPools} pools at most`,
};

function rowOf(
  input: PoolFields,
  identity: Omit<PoolsTable, keyof ReturnType<typeof columnsOf>>,
): PoolsTable {
  return { ...identity, ...columnsOf(input) };
}

function columnsOf(input: PoolFields) {
  return {
    name: input.name,
    strict_models: input.strict_models ? (1 as const) : (0 as const),
    answer_model: input.answer_model,
    stream_mode: input.stream_mode,
    headers_after_ms: input.headers_after_ms,
    deadline_ms: input.deadline_ms,
    answer_ms: input.timeouts.answer_ms,
  };
}

/** A stored pool as the input that would create it. */
export function poolFieldsOf(pool: PoolsTable): PoolFields {
  const { name, answer_model, stream_mode, headers_after_ms, deadline_ms } = pool;
  const strict_models = pool.strict_models === 1;
  const timeouts = { answer_ms: pool.answer_ms };
  return { name, strict_models, answer_model, stream_mode, headers_after_ms, deadline_ms, timeouts };
}

async function store(
  deps: ConfigureDeps,
  accountId: string,
  input: PoolFields,
  existing: PoolsTable | null,
): Promise<SavePoolResult> {
  const now = deps.clock.now();
  const id = existing?.id ?? deps.newId("pool");
  const created_at = existing?.created_at ?? now;
  const pool = rowOf(input, { id, account_id: accountId, revision: 1, created_at, updated_at: now });
  const outcome = await deps.database.run(savePool, { pool, isNew: existing === null });
  switch (outcome) {
    case "saved":
      deps.signals.emit("poolsChanged");
      return { kind: "saved", id };
    case "name_taken":
      return { kind: "invalid", issues: [{ path: ["name"], message: "is taken" }] };
    case "too_many":
      return { kind: "invalid", issues: [tooMany] };
    default:
      return { kind: outcome };
  }
}

/** Creates an empty pool. */
export function createPool(
  deps: ConfigureDeps,
  accountId: string,
  input: PoolFields,
): Promise<SavePoolResult> {
  return store(deps, accountId, input, null);
}

/** Changes the fields of `changes`; the others stay. */
export function updatePool(
  deps: ConfigureDeps,
  pool: PoolsTable,
  changes: PoolChanges,
): Promise<SavePoolResult> {
  const before = poolFieldsOf(pool);
  const timeouts = { ...before.timeouts, ...omitUndefined(changes.timeouts ?? {}) };
  const after = { ...before, ...omitUndefined(changes), timeouts };
  return store(deps, pool.account_id, after, pool);
}

/** Removes a pool with its members and keys; its recorded usage stays. False: the account has no such pool. */
export async function deletePool(deps: ConfigureDeps, accountId: string, poolId: string): Promise<boolean> {
  const removed = await deps.database.run(removePool, { accountId, poolId });
  if (removed) deps.signals.emit("poolsChanged");
  return removed;
}

export type UpsertPoolResult =
  /** `issuedKeys`: generated keys, to be shown once. */
  | { kind: "saved"; id: string; issuedKeys: { name: string; key: string }[] }
  | { kind: "invalid"; issues: Issue[] };

const concurrentChange: Issue = { path: ["name"], message: "is being changed elsewhere" };

/**
 * Creates the account's pool of this name, or changes it, with the members and keys of the input; other members and keys
 * stay as they are. Changes nothing when there are issues.
 */
export async function upsertPool(
  deps: PoolDeps,
  accountId: string,
  input: PoolInput,
): Promise<UpsertPoolResult> {
  const issues = await poolIssues(deps, accountId, input);
  if (issues.length > 0) return { kind: "invalid", issues };
  const existing = await deps.database.run(findPoolByName, { accountId, name: input.name });
  const saved = await store(deps, accountId, input, existing?.pool ?? null);
  if (saved.kind !== "saved")
    return saved.kind === "invalid" ? saved : { kind: "invalid", issues: [concurrentChange] };
  const poolRef = { accountId, poolId: saved.id };
  for (const [at, member] of input.members.entries()) {
    const before = existing?.members.find(({ name }) => name === member.name) ?? null;
    const result = await upsertMember(deps, poolRef, member, before);
    if (result.kind !== "saved") return refused(["members", at], result);
  }
  const issuedKeys: { name: string; key: string }[] = [];
  for (const [at, key] of input.keys.entries()) {
    const before = existing?.keys.find(({ name }) => name === key.name) ?? null;
    const result = await upsertKey(deps, poolRef, key, before);
    if (result.kind !== "saved") return refused(["keys", at], result);
    if (result.issuedKey !== null) issuedKeys.push({ name: key.name, key: result.issuedKey });
  }
  return { kind: "saved", id: saved.id, issuedKeys };
}

/** Another request changed the pool at the same moment. */
function refused(
  prefix: (string | number)[],
  result: { kind: "invalid"; issues: Issue[] } | { kind: "not_found" },
): UpsertPoolResult {
  const issues = result.kind === "invalid" ? result.issues : [concurrentChange];
  return {
    kind: "invalid",
    issues: issues.map(({ path, message }) => ({ path: [...prefix, ...path], message })),
  };
}
