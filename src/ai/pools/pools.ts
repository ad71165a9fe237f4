// Pools and their keys as requests use them: read from the storage, cached briefly, with member health that survives each reload. A revoked
// key or a changed pool takes effect within the cache time in every process; during a storage outage, cached entries stay valid for ten
// minutes.

import { createHedgeBudget, createRetryBudget } from "#ai/failover/retry-budget.ts";
import { MemberHealth } from "#ai/health/health.ts";
import { timedOut, withTimeout } from "#ai/limits/timeout.ts";
import { type SharedBudgetRules, sharedBudgetRules } from "#contract/manage/pools/budgets.ts";
import { keyRules } from "#contract/manage/pools/keys.ts";
import { memberRules } from "#contract/manage/pools/members.ts";
import { poolRules } from "#contract/manage/pools/pools.ts";
import { readFields } from "#contract/resource-schema.ts";
import type { Core } from "#core/core.ts";
import { redactSecrets } from "#providers/redact.ts";
import { findProvider } from "#providers/registry.ts";
import { keyedSettings } from "#providers/several-keys.ts";
import { hashSecret } from "#runtime/secret.ts";
import { secretsIn } from "#settings/secrets.ts";
import { StorageError } from "#store/database.ts";
import {
  findPoolByKey,
  findPoolByKeyId,
  memberSettingsContext,
  type PoolByKey,
  type PoolWithMembers,
} from "#store/pools/pools.ts";
import type { PoolMembersTable } from "#store/schema/pools.ts";
import type { AccountsTable } from "#store/schema/schema.ts";
import type { Member, Pool } from "./member.ts";
import { MemberKeys } from "./member-keys.ts";
import type { BudgetOwner, PoolKey } from "./pool-key.ts";

/** What a key gives access to: its rules and its pool, as cached. */
export interface Opened {
  key: PoolKey;
  pool: Pool;
}

/** The account data that a pool's calls need. */
export type PoolAccount = Pick<AccountsTable, "ai_budget" | "time_zone">;

type PoolsDeps = Pick<Core, "clock" | "database" | "log" | "sealer">;

/** Well below the 5 s within which a revoked key stops working. */
const ttlMs = 3_000;
/** How long a call waits for a lookup when a cached entry exists. */
const lookupTimeoutMs = 1_000;
/** How long a cached key stays valid while lookups fail. */
const staleIfErrorMs = 600_000;
/** Limits the memory under a flood of wrong keys, which cannot evict known ones; the oldest entries are dropped first. */
const maxEntries = 10_000;

interface Entry {
  /** Monotonic ms of the lookup. */
  at: number;
  opened: Promise<Opened | null>;
  /** The lookup has ended. */
  settled: boolean;
  /** The result and time of the last successful lookup. */
  known: { opened: Opened; at: number } | null;
}

interface Loaded {
  revision: number;
  pool: Pool;
}

export class Pools {
  readonly #deps: PoolsDeps;
  /** Valid keys, by their text, or by `id` and their id. */
  readonly #entries = new Map<string, Entry>();
  /** Texts that are not keys, as far as is known. */
  readonly #unknownKeys = new Map<string, Entry>();
  readonly #loaded = new Map<string, Loaded>();
  /** When pools were last tried by people, monotonic ms. */
  readonly #tried = new Map<string, number>();
  /** By member and version: a changed member starts with fresh health. */
  readonly #health = new Map<string, { updatedAt: number; health: MemberHealth; keys: MemberKeys | null }>();

  constructor(deps: PoolsDeps) {
    this.#deps = deps;
  }

  /** The key and its pool; null if the key is unknown or expired. Throws `StorageError` if nothing is cached. */
  open(token: string): Promise<Opened | null> {
    return this.#valid(this.#lookup(token, () => this.#deps.database.run(findPoolByKey, hashSecret(token))));
  }

  /** The same by the key's id, for requests that a key stored earlier. */
  openById(keyId: string): Promise<Opened | null> {
    // No key contains a space.
    const read = () => this.#deps.database.run(findPoolByKeyId, keyId);
    return this.#valid(this.#lookup(`id ${keyId}`, read));
  }

  /** The pool as its manager has read it, for a call without a key: subject only to the shared budgets, not to limits. */
  openForPerson(found: PoolWithMembers, account: PoolAccount): Opened {
    const pool = this.#poolOf(found);
    put(this.#tried, pool.id, this.#deps.clock.monotonic());
    const { budget, ...rules } = readFields(keyRules, {});
    const { id, accountId } = pool;
    const owner = { account_id: accountId, id, name: "" };
    const budgets = budgetsOf({ key: owner, accountBudget: account.ai_budget }, pool, {
      ...budget,
      low_percent: null,
    });
    const key = {
      id,
      poolId: id,
      accountId,
      timeZone: account.time_zone,
      ...rules,
      budgets,
      expiresAt: null,
    };
    return { key, pool };
  }

  async #valid({ opened: lookup, known, settled }: Entry): Promise<Opened | null> {
    // A hanging storage counts as an outage: the cached entry is used while the lookup continues.
    const opened = settled || !known ? await lookup : await this.#withStaleFallback(lookup, known);
    const expiresAt = opened?.key.expiresAt ?? null;
    return expiresAt !== null && expiresAt <= this.#deps.clock.now() ? null : opened;
  }

  /** The pools used within the last ten minutes; a deleted pool does not stay longer than that. */
  get inUse(): readonly Pool[] {
    const since = this.#deps.clock.monotonic() - staleIfErrorMs;
    const ids = new Set<string>();
    for (const [id, at] of this.#tried) if (at >= since) ids.add(id);
    for (const { known } of this.#entries.values())
      if (known && known.at >= since) ids.add(known.opened.pool.id);
    return [...ids].flatMap((id) => this.#loaded.get(id)?.pool ?? []);
  }

  /** Pools or keys changed in this process. */
  invalidate(): void {
    this.#unknownKeys.clear();
    for (const entry of this.#entries.values()) entry.at = Number.NEGATIVE_INFINITY;
  }

  async #withStaleFallback(
    lookup: Promise<Opened | null>,
    known: NonNullable<Entry["known"]>,
  ): Promise<Opened | null> {
    const { clock } = this.#deps;
    if (clock.monotonic() - known.at > staleIfErrorMs) return await lookup;
    const opened = await withTimeout(clock, lookupTimeoutMs, lookup);
    return opened === timedOut ? known.opened : opened;
  }

  #lookup(token: string, find: () => Promise<PoolByKey | null>): Entry {
    const now = this.#deps.clock.monotonic();
    // By the whole text: a prefix or a short hash could confuse two keys.
    const entry = this.#entries.get(token) ?? this.#unknownKeys.get(token);
    if (entry && now - entry.at < ttlMs) return entry;
    const known = entry?.known ?? null;
    const fresh: Entry = { at: now, opened: this.#read(find, known), known, settled: false };
    put(known ? this.#entries : this.#unknownKeys, token, fresh);
    fresh.opened.then(
      (opened) => {
        fresh.settled = true;
        if (opened && opened !== known?.opened) fresh.known = { opened, at: now };
        // The entry may have been invalidated, or looked up again, in the meantime.
        if (this.#unknownKeys.get(token) === fresh && opened) {
          this.#unknownKeys.delete(token);
          put(this.#entries, token, fresh);
        }
        if (this.#entries.get(token) === fresh && !opened) {
          this.#entries.delete(token);
          fresh.known = null;
          put(this.#unknownKeys, token, fresh);
        }
      },
      () => {
        fresh.settled = true;
        // A failed lookup is not cached.
        for (const map of [this.#entries, this.#unknownKeys]) if (map.get(token) === fresh) map.delete(token);
      },
    );
    return fresh;
  }

  async #read(find: () => Promise<PoolByKey | null>, known: Entry["known"]): Promise<Opened | null> {
    const { clock, log } = this.#deps;
    try {
      const holder = await find();
      if (holder === null) return null;
      const pool = this.#poolOf(holder);
      return { key: keyOf(holder, pool), pool };
    } catch (error) {
      const unavailable = error instanceof StorageError && error.fault !== "failed";
      if (!unavailable || !known || clock.monotonic() - known.at > staleIfErrorMs) throw error;
      log.warn(
        { event: "pool_key.lookup_failed", error },
        "A pool key could not be looked up; the cached entry is used.",
      );
      return known.opened;
    }
  }

  #poolOf({ pool: row, members }: PoolWithMembers): Pool {
    const loaded = this.#loaded.get(row.id);
    if (loaded && loaded.revision >= row.revision) return loaded.pool;
    const rules = readFields(poolRules, JSON.parse(row.rules));
    const pool: Pool = {
      id: row.id,
      accountId: row.account_id,
      name: row.name,
      revision: row.revision,
      createdAt: row.created_at,
      ...rules,
      members: members.flatMap((member) => this.#memberOf(member) ?? []),
      retryBudget: loaded?.pool.retryBudget ?? createRetryBudget(),
      hedgeBudget: rules.hedge && createHedgeBudget(rules.hedge.max_share),
    };
    this.#loaded.set(row.id, { revision: row.revision, pool });
    return pool;
  }

  /** Null, with a log line, for a member that cannot be used. */
  #memberOf(row: PoolMembersTable): Member | null {
    const { sealer, log } = this.#deps;
    const provider = findProvider(row.kind);
    if (!provider) {
      log.error(
        { event: "pool_member.unknown_kind", member: row.name, kind: row.kind },
        "No provider adapter has the kind of a pool member; the member is left out.",
      );
      return null;
    }
    let settings: unknown;
    try {
      settings = JSON.parse(sealer.unseal(row.settings, memberSettingsContext(row.id)));
    } catch (error) {
      log.error(
        { event: "pool_member.unsealing_failed", member: row.name, error },
        "The settings of a pool member cannot be unsealed; the member is left out.",
      );
      return null;
    }
    const previous = this.#health.get(row.id);
    const { health, keys } =
      previous?.updatedAt === row.updated_at
        ? previous
        : { health: new MemberHealth(), keys: keysOf(settings) };
    this.#health.set(row.id, { updatedAt: row.updated_at, health, keys });
    return {
      id: row.id,
      name: row.name,
      ...readFields(memberRules, JSON.parse(row.rules)),
      provider: redactSecrets(provider, secretsIn(provider.settings, settings)),
      settings,
      keys,
      health,
    };
  }
}

function keysOf(settings: unknown): MemberKeys | null {
  const keyed = keyedSettings(settings);
  return keyed.length > 1 ? new MemberKeys(keyed) : null;
}

/** Inserts as the newest entry. */
function put<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  if (map.size >= maxEntries) map.delete(map.keys().next().value as string);
  map.set(name, value);
}

function keyOf(holder: PoolByKey, pool: Pool): PoolKey {
  const { key: row, timeZone } = holder;
  const { budget, ...rules } = readFields(keyRules, JSON.parse(row.rules));
  return {
    id: row.id,
    poolId: row.pool_id,
    accountId: row.account_id,
    timeZone,
    ...rules,
    budgets: budgetsOf(holder, pool, { ...budget, low_percent: keyLowPercent }),
    expiresAt: row.expires_at,
  };
}

/** The share of a key's limit whose use is announced. */
const keyLowPercent = 80;

type BudgetsOf = Pick<PoolByKey, "accountBudget"> & {
  key: Pick<PoolByKey["key"], "account_id" | "id" | "name">;
};

function budgetsOf({ key, accountBudget }: BudgetsOf, pool: Pool, ofKey: SharedBudgetRules): BudgetOwner[] {
  const accountId = key.account_id;
  const owners: BudgetOwner[] = [
    { kind: "key", id: key.id, accountId, pool: pool.name, key: key.name, budget: ofKey },
    { kind: "pool", id: pool.id, accountId, pool: pool.name, key: null, budget: pool.budget },
  ];
  if (accountBudget !== null) {
    const budget = readFields(sharedBudgetRules, JSON.parse(accountBudget));
    owners.push({ kind: "account", id: accountId, accountId, pool: null, key: null, budget });
  }
  return owners.filter(
    ({ budget: { tokens_per_day, tokens_per_month, cost_per_month } }) =>
      tokens_per_day !== null || tokens_per_month !== null || cost_per_month !== null,
  );
}
