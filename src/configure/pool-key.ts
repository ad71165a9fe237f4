// The keys of a pool. The SHA-256 of a key is stored; the text of a generated key is shown once.

import type { Core } from "#core/core.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import { cancelKeyless } from "#store/pools/deferred-completions.ts";
import { findPoolKey, revokePoolKey, savePoolKey } from "#store/pools/keys.ts";
import { changeRow, type Overtaken } from "#store/revision.ts";
import type { PoolKeysTable } from "#store/schema/pools.ts";
import { millionths } from "./budget-input.ts";
import { omitUndefined, type Refusal, taken } from "./changes.ts";
import type { ConfigureDeps } from "./gateway.ts";
import type { KeyChanges, KeyInput } from "./pool-input.ts";
import type { PoolRef } from "./pool-member.ts";

export type PoolDeps = ConfigureDeps & Pick<Core, "random">;

export type SaveKeyResult =
  /** `issuedKey`: the generated text, to be shown once; null: the caller sent one, or it did not change. */
  { kind: "saved"; id: string; issuedKey: string | null } | Refusal;

type StoreResult = SaveKeyResult | "name_taken" | Overtaken;

type LimitsColumns = Pick<
  PoolKeysTable,
  | "models"
  | "requests_per_minute"
  | "tokens_per_minute"
  | "concurrency"
  | "tokens_per_day"
  | "tokens_per_month"
  | "cost_per_month"
  | "expires_at"
>;

function limitsColumns(input: Pick<KeyInput, "models" | "limits" | "budget" | "expires_at">): LimitsColumns {
  const { models, limits, budget, expires_at } = input;
  return {
    models: models ? JSON.stringify(models) : null,
    requests_per_minute: limits.requests_per_minute ?? null,
    tokens_per_minute: limits.tokens_per_minute ?? null,
    concurrency: limits.concurrency ?? null,
    tokens_per_day: budget.tokens_per_day ?? null,
    tokens_per_month: budget.tokens_per_month ?? null,
    cost_per_month: budget.cost_per_month == null ? null : Math.round(budget.cost_per_month * millionths),
    expires_at: expires_at == null ? null : Date.parse(expires_at),
  };
}

/** The models, limits, budget and expiry of a stored key, as in the input. */
export function keyLimits(key: PoolKeysTable) {
  return {
    models: key.models === null ? null : (JSON.parse(key.models) as string[]),
    limits: {
      requests_per_minute: key.requests_per_minute,
      tokens_per_minute: key.tokens_per_minute,
      concurrency: key.concurrency,
    },
    budget: {
      tokens_per_day: key.tokens_per_day,
      tokens_per_month: key.tokens_per_month,
      cost_per_month: key.cost_per_month === null ? null : key.cost_per_month / millionths,
    },
    expires_at: key.expires_at === null ? null : new Date(key.expires_at).toISOString(),
  };
}

/** Both ends of a key: at most a quarter of the shortest allowed key. */
const maskedKey = (text: string) => `${text.slice(0, 4)}…${text.slice(-4)}`;

/**
 * Creates the key, or replaces the fields of `existing`. Without a text, a new key gets a generated one and an existing
 * key keeps its own. A revoked key becomes valid again only with another text; changes of other fields do not revive it.
 */
export async function upsertKey(
  deps: PoolDeps,
  poolRef: PoolRef,
  input: KeyInput,
  existing: PoolKeysTable | null,
): Promise<StoreResult> {
  const now = deps.clock.now();
  const issuedKey = existing === null && input.key === undefined ? `tlp_${newSecret(deps.random)}` : null;
  const text = input.key ?? issuedKey;
  const row = {
    name: input.name,
    pool_id: poolRef.poolId,
    account_id: poolRef.accountId,
    ...limitsColumns(input),
    updated_at: now,
  };
  if (existing !== null) {
    const renewed = text !== null && hashSecret(text) !== existing.hash;
    const keyColumns = renewed ? { hash: hashSecret(text), hint: maskedKey(text), revoked_at: null } : {};
    return await store(deps, { ...existing, ...row, ...keyColumns }, null);
  }
  if (text === null) throw new Error("A new key has a text.");
  const identity = { id: deps.newId("key"), hash: hashSecret(text), hint: maskedKey(text) };
  const fresh = { revoked_at: null, revision: 0, created_at: now };
  return await store(deps, { ...row, ...identity, ...fresh }, issuedKey);
}

async function store(deps: PoolDeps, key: PoolKeysTable, issuedKey: string | null): Promise<StoreResult> {
  const outcome = await deps.database.run(savePoolKey, key);
  switch (outcome) {
    case "saved":
      deps.signals.emit("poolsChanged");
      return { kind: "saved", id: key.id, issuedKey };
    case "not_found":
      return { kind: "not_found" };
    case "key_taken":
      return taken("key", "is used by another key");
    case "name_taken":
    case "overtaken":
      return outcome;
  }
}

/** Creates a key of the account's pool. */
export async function createKey(deps: PoolDeps, poolRef: PoolRef, input: KeyInput): Promise<SaveKeyResult> {
  const result = await upsertKey(deps, poolRef, input, null);
  return typeof result === "string" ? taken("name") : result;
}

/** Changes the fields of `changes`; the others stay. `revoked`: the key was revoked and cannot change. */
export async function updateKey(
  deps: PoolDeps,
  poolRef: PoolRef,
  id: string,
  { revision, ...changes }: KeyChanges,
): Promise<SaveKeyResult | { kind: "revoked" }> {
  const read = () => deps.database.run(findPoolKey, { ...poolRef, id });
  return await changeRow(revision, read, async (key) => {
    if (key.revoked_at !== null) return { kind: "revoked" };
    const before = keyLimits(key);
    const { limits = {}, budget = {}, ...rest } = omitUndefined(changes);
    const after = {
      ...before,
      ...rest,
      limits: { ...before.limits, ...omitUndefined(limits) },
      budget: { ...before.budget, ...omitUndefined(budget) },
    };
    const row = { ...key, ...limitsColumns(after), updated_at: deps.clock.now() };
    const result = await store(deps, row, null);
    return result === "name_taken" ? "overtaken" : result;
  });
}

/** Deferred completions that are cancelled in one transaction. */
const cancelledAtOnce = 100;

/**
 * Revokes a key, cancels the deferred completions that it left, and returns its row; null: the pool has no such key. The key
 * stops working within 5 s in every process. Maintenance cancels what a failure leaves waiting, and what comes in within these 5 s.
 */
export async function revokeKey(
  deps: ConfigureDeps,
  poolRef: PoolRef,
  id: string,
): Promise<PoolKeysTable | null> {
  const row = await deps.database.run(revokePoolKey, { ...poolRef, id, at: deps.clock.now() });
  if (row === null) return null;
  deps.signals.emit("poolsChanged");
  for (;;) {
    const of = { poolId: poolRef.poolId, at: deps.clock.now(), limit: cancelledAtOnce };
    const cancelled = await deps.database.run(cancelKeyless, of);
    if (cancelled > 0) deps.signals.emit("eventsRecorded");
    if (cancelled < cancelledAtOnce) return row;
  }
}
