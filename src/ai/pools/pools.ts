// Pools and their keys as calls need them: read from the storage, remembered for a moment, with the health of the
// members that outlives every reading. A revoked key, or a changed pool, takes effect within that moment in every
// process; while the storage is away, what was known goes on for ten minutes.

import { hashApiKey } from "#accounts/api-key.ts";
import type { Pool } from "#ai/complete.ts";
import { createRetryBudget } from "#ai/failover/retry-budget.ts";
import { MemberHealth } from "#ai/health/health.ts";
import { timedOut, withTimeout } from "#ai/limits/timeout.ts";
import type { Core } from "#core/core.ts";
import { secretsIn } from "#gateways/secrets.ts";
import { redactSecrets } from "#providers/redact.ts";
import { findProvider } from "#providers/registry.ts";
import { StorageError } from "#store/database.ts";
import { findPoolByKey, type KeyHolder, memberSettingsPlace } from "#store/pools/pools.ts";
import type { MemberTimeouts, PoolKeysTable, PoolMembersTable } from "#store/schema/pools.ts";
import type { Member } from "./member.ts";
import type { PoolKey } from "./pool-key.ts";

/** A key with the pool that it opens. */
export interface Opened {
  key: PoolKey;
  pool: Pool;
}

export type PoolsParts = Pick<Core, "clock" | "database" | "log" | "sealer">;

/** Well under the 5 s within which a revoked key stops working. */
const ttlMs = 3_000;
/** How long a look-up is waited for where something is known. */
const lookupTimeoutMs = 1_000;
/** How long a key is believed that could not be looked up again. */
const staleIfErrorMs = 600_000;
/** A flood of wrong keys must not grow the memory, nor push out what is known; the oldest entries go first. */
const maxEntries = 10_000;

interface Entry {
  /** Monotonic ms of the look-up. */
  at: number;
  opened: Promise<Opened | null>;
  /** Whether it is back. */
  settled: boolean;
  /** What the last look-up that worked said, and when. */
  known: { opened: Opened; at: number } | null;
}

interface Loaded {
  revision: number;
  pool: Pool;
}

export class Pools {
  readonly #parts: PoolsParts;
  /** Keys that open something, by their text. */
  readonly #entries = new Map<string, Entry>();
  /** Texts that open nothing, as far as is known. */
  readonly #unknownKeys = new Map<string, Entry>();
  readonly #loaded = new Map<string, Loaded>();
  /** By member, and what it was like: a member that was changed starts anew. */
  readonly #health = new Map<string, { updatedAt: number; health: MemberHealth }>();

  constructor(parts: PoolsParts) {
    this.#parts = parts;
  }

  /** What a key opens; null for a key that nobody has, or that has expired. Throws `StorageError` where nothing is known. */
  async open(token: string): Promise<Opened | null> {
    const { opened: looking, known, settled } = this.#lookup(token);
    // A storage that hangs is as good as away: what is known goes on, and the look-up with it.
    const opened = settled || !known ? await looking : await this.#withStaleFallback(looking, known);
    const expiresAt = opened?.key.expiresAt ?? null;
    return expiresAt !== null && expiresAt <= this.#parts.clock.now() ? null : opened;
  }

  /** The pools that somebody used within the last ten minutes; a removed one is not among them for longer. */
  get inUse(): readonly Pool[] {
    const since = this.#parts.clock.monotonic() - staleIfErrorMs;
    const ids = new Set<string>();
    for (const { known } of this.#entries.values())
      if (known && known.at >= since) ids.add(known.opened.pool.id);
    return [...ids].flatMap((id) => this.#loaded.get(id)?.pool ?? []);
  }

  /** Something about a pool or a key changed in this process. */
  invalidate(): void {
    this.#unknownKeys.clear();
    for (const entry of this.#entries.values()) entry.at = Number.NEGATIVE_INFINITY;
  }

  async #withStaleFallback(
    looking: Promise<Opened | null>,
    known: NonNullable<Entry["known"]>,
  ): Promise<Opened | null> {
    const { clock } = this.#parts;
    if (clock.monotonic() - known.at > staleIfErrorMs) return await looking;
    const opened = await withTimeout(clock, lookupTimeoutMs, looking);
    return opened === timedOut ? known.opened : opened;
  }

  #lookup(token: string): Entry {
    const now = this.#parts.clock.monotonic();
    // By the whole key: a part of it, or a short hash, would confuse callers.
    const entry = this.#entries.get(token) ?? this.#unknownKeys.get(token);
    if (entry && now - entry.at < ttlMs) return entry;
    const known = entry?.known ?? null;
    const fresh: Entry = { at: now, opened: this.#read(token, known), known, settled: false };
    put(known ? this.#entries : this.#unknownKeys, token, fresh);
    fresh.opened.then(
      (opened) => {
        fresh.settled = true;
        if (opened && opened !== known?.opened) fresh.known = { opened, at: now };
        // Forgotten, or looked up anew meanwhile.
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
        // A failed look-up is not remembered.
        for (const map of [this.#entries, this.#unknownKeys]) if (map.get(token) === fresh) map.delete(token);
      },
    );
    return fresh;
  }

  async #read(token: string, known: Entry["known"]): Promise<Opened | null> {
    const { database, clock, log } = this.#parts;
    try {
      const holder = await database.run(findPoolByKey, hashApiKey(token));
      return holder && { key: keyOf(holder.key, holder.timeZone), pool: this.#poolOf(holder) };
    } catch (error) {
      const away = error instanceof StorageError && error.fault !== "failed";
      if (!away || !known || clock.monotonic() - known.at > staleIfErrorMs) throw error;
      log.warn({ error }, "a pool key could not be looked up; what was known goes on");
      return known.opened;
    }
  }

  #poolOf({ pool: row, members }: KeyHolder): Pool {
    const loaded = this.#loaded.get(row.id);
    if (loaded && loaded.revision >= row.revision) return loaded.pool;
    const pool: Pool = {
      id: row.id,
      accountId: row.account_id,
      name: row.name,
      createdAt: row.created_at,
      strictModels: row.strict_models === 1,
      answerModel: row.answer_model,
      streamMode: row.stream_mode,
      headersAfterMs: row.headers_after_ms,
      deadlineMs: row.deadline_ms,
      answerMs: row.answer_ms,
      members: members.flatMap((member) => this.#memberOf(member) ?? []),
      retryBudget: loaded?.pool.retryBudget ?? createRetryBudget(),
    };
    this.#loaded.set(row.id, { revision: row.revision, pool });
    return pool;
  }

  /** Null (and a log line) for a member that cannot be asked. */
  #memberOf(row: PoolMembersTable): Member | null {
    const { sealer, log } = this.#parts;
    const provider = findProvider(row.kind);
    if (!provider) {
      log.error({ member: row.name, kind: row.kind }, "no adapter for a pool's member; it is left out");
      return null;
    }
    let settings: unknown;
    try {
      settings = JSON.parse(sealer.open(row.settings, memberSettingsPlace(row.id)));
    } catch (error) {
      log.error({ member: row.name, error }, "a member's settings do not open; it is left out");
      return null;
    }
    const seen = this.#health.get(row.id);
    const health = seen?.updatedAt === row.updated_at ? seen.health : new MemberHealth();
    this.#health.set(row.id, { updatedAt: row.updated_at, health });
    return {
      id: row.id,
      name: row.name,
      priority: row.priority,
      weight: row.weight,
      active: row.active === 1,
      models: JSON.parse(row.models) as string[],
      embeddingModels: JSON.parse(row.embedding_models) as string[],
      contextTokens: row.context_tokens,
      price: { input: row.input_price ?? 0, output: row.output_price ?? 0 },
      provider: redactSecrets(provider, secretsIn(provider.settings, settings)),
      settings,
      timeouts: JSON.parse(row.timeouts) as MemberTimeouts,
      health,
    };
  }
}

/** As the newest entry. */
function put(map: Map<string, Entry>, token: string, entry: Entry): void {
  map.delete(token);
  if (map.size >= maxEntries) map.delete(map.keys().next().value as string);
  map.set(token, entry);
}

function keyOf(row: PoolKeysTable, timeZone: string): PoolKey {
  return {
    id: row.id,
    poolId: row.pool_id,
    accountId: row.account_id,
    timeZone,
    models: row.models === null ? null : (JSON.parse(row.models) as string[]),
    limits: {
      requestsPerMinute: row.requests_per_minute,
      tokensPerMinute: row.tokens_per_minute,
      concurrency: row.concurrency,
    },
    budget: {
      tokensPerDay: row.tokens_per_day,
      tokensPerMonth: row.tokens_per_month,
      costPerMonth: row.cost_per_month,
    },
    expiresAt: row.expires_at,
  };
}
