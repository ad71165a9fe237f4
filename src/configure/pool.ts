// Creates and changes pools. The provisioning file sets a pool with the members and keys that it names, found by their
// names; the management API changes single fields, found by id.

import type { Issue } from "#contract/issue.ts";
import { hashSecret } from "#runtime/secret.ts";
import { findKeyHash } from "#store/pools/keys.ts";
import { findPoolByName, maxMembers, maxPools, readPools, removePool, savePool } from "#store/pools/pools.ts";
import { changeRow, type Overtaken, retryOvertaken } from "#store/revision.ts";
import type { PoolsTable } from "#store/schema/pools.ts";
import { budgetFieldsOf, millionths, storedBudget } from "./budget-input.ts";
import { changedElsewhere, omitUndefined, type Refusal, taken } from "./changes.ts";
import type { ConfigureDeps } from "./gateway.ts";
import type { PoolChanges, PoolFields, PoolInput } from "./pool-input.ts";
import { type PoolDeps, upsertKey } from "./pool-key.ts";
import { memberIssues, upsertMember } from "./pool-member.ts";

export type SavePoolResult =
  | { kind: "saved"; id: string }
  | Refusal
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
    repeats: input.repeat,
    wait_ms: input.wait_ms,
    params: input.params,
    hedge_most: input.hedge ? Math.round(input.hedge.most * millionths) : null,
    whole_answers: input.whole_answers,
    budget: storedBudget(input.budget),
  };
}

/** A stored pool as the input that would create it. */
export function poolFieldsOf(pool: PoolsTable) {
  const {
    name,
    answer_model,
    stream_mode,
    headers_after_ms,
    deadline_ms,
    repeats: repeat,
    wait_ms,
    params,
  } = pool;
  const strict_models = pool.strict_models === 1;
  const timeouts = { answer_ms: pool.answer_ms };
  return {
    name,
    strict_models,
    answer_model,
    stream_mode,
    headers_after_ms,
    deadline_ms,
    repeat,
    wait_ms,
    params,
    hedge: pool.hedge_most === null ? null : { after: "p95" as const, most: pool.hedge_most / millionths },
    whole_answers: pool.whole_answers,
    timeouts,
    budget: budgetFieldsOf(pool.budget),
  };
}

async function store(
  deps: ConfigureDeps,
  accountId: string,
  input: PoolFields,
  existing: PoolsTable | null,
): Promise<SavePoolResult | "name_taken" | Overtaken> {
  const now = deps.clock.now();
  const id = existing?.id ?? deps.newId("pool");
  const { created_at, revision } = existing ?? { created_at: now, revision: 0 };
  const pool = rowOf(input, { id, account_id: accountId, revision, created_at, updated_at: now });
  const outcome = await deps.database.run(savePool, pool);
  switch (outcome) {
    case "saved":
      deps.signals.emit("poolsChanged");
      return { kind: "saved", id };
    case "too_many":
      return { kind: "invalid", issues: [tooMany] };
    case "provisioned":
      return { kind: "provisioned" };
    case "name_taken":
    case "overtaken":
      return outcome;
  }
}

/** Creates an empty pool. */
export async function createPool(
  deps: ConfigureDeps,
  accountId: string,
  input: PoolFields,
): Promise<SavePoolResult> {
  const result = await store(deps, accountId, input, null);
  return typeof result === "string" ? taken("name") : result;
}

/** Changes the fields of `changes`; the others stay. */
export async function updatePool(
  deps: ConfigureDeps,
  accountId: string,
  id: string,
  { revision, ...changes }: PoolChanges,
): Promise<SavePoolResult> {
  const read = async () => {
    const [found] = await deps.database.run(readPools, { accountId, id });
    return found?.pool ?? null;
  };
  return await changeRow(revision, read, async (pool) => {
    const before = poolFieldsOf(pool);
    const timeouts = { ...before.timeouts, ...omitUndefined(changes.timeouts ?? {}) };
    const budget = { ...before.budget, ...omitUndefined(changes.budget ?? {}) };
    const after = { ...before, ...omitUndefined(changes), timeouts, budget };
    const result = await store(deps, accountId, after, pool);
    return result === "name_taken" ? taken("name") : result;
  });
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

/**
 * Creates the account's pool of this name, or changes it, with the members and keys of the input; other members and keys
 * stay as they are. Changes nothing when there are issues.
 */
export async function upsertPool(
  deps: PoolDeps,
  accountId: string,
  input: PoolInput,
): Promise<UpsertPoolResult> {
  // A try that another process overtakes leaves what it made so far, and the next one goes on from there.
  const issuedKeys: { name: string; key: string }[] = [];
  const result = await retryOvertaken(() => upsertParts(deps, accountId, input, issuedKeys));
  return result.kind === "overtaken" ? changedElsewhere("name") : result;
}

async function upsertParts(
  deps: PoolDeps,
  accountId: string,
  input: PoolInput,
  issuedKeys: { name: string; key: string }[],
): Promise<UpsertPoolResult | Overtaken> {
  const issues = await poolIssues(deps, accountId, input);
  if (issues.length > 0) return { kind: "invalid", issues };
  const existing = await deps.database.run(findPoolByName, { accountId, name: input.name });
  const saved = await store(deps, accountId, input, existing?.pool ?? null);
  if (typeof saved === "string" || saved.kind !== "saved") return refusedPart(saved, []);
  const poolRef = { accountId, poolId: saved.id };
  for (const [at, member] of input.members.entries()) {
    const before = existing?.members.find(({ name }) => name === member.name) ?? null;
    const result = await upsertMember(deps, poolRef, member, before);
    if (typeof result === "string" || result.kind !== "saved") return refusedPart(result, ["members", at]);
  }
  for (const [at, key] of input.keys.entries()) {
    const before = existing?.keys.find(({ name }) => name === key.name) ?? null;
    const result = await upsertKey(deps, poolRef, key, before);
    if (typeof result === "string" || result.kind !== "saved") return refusedPart(result, ["keys", at]);
    if (result.issuedKey !== null) issuedKeys.push({ name: key.name, key: result.issuedKey });
  }
  return { kind: "saved", id: saved.id, issuedKeys };
}

/** Invalid input stays so. Everything else came about since the pool was read, and the next try reads it. */
function refusedPart(
  refusal: Exclude<SavePoolResult, { kind: "saved" }> | "name_taken" | Overtaken,
  prefix: Issue["path"],
): UpsertPoolResult | Overtaken {
  if (typeof refusal === "string" || refusal.kind !== "invalid") return "overtaken";
  const issues = refusal.issues.map(({ path, message }) => ({ path: [...prefix, ...path], message }));
  return { kind: "invalid", issues };
}
