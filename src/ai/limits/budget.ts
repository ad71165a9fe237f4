// Daily and monthly budgets of a key. Its spend is read from the usage records and cached for a moment; what this
// process served since the read, and what is not written yet, is added, so that neither a burst nor a storage outage
// overshoots a budget by much.

import type { PoolKey } from "#ai/pools/pool-key.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { startOfNextDay, startOfNextMonth } from "#runtime/time-zones.ts";
import { localDay } from "./local-day.ts";
import { timedOut, withTimeout } from "./timeout.ts";

/** A key's spend in a local day and its month. */
export interface KeySpend {
  tokensToday: number;
  tokensThisMonth: number;
  /** Millionths of the currency unit. */
  costThisMonth: number;
}

/** The cost of entry call, counted on the local day of its start, `YYYY-MM-DD`. */
export interface CallCost {
  day: string;
  tokens: number;
  /** Millionths of the currency unit. */
  cost: number;
}

export interface Budgets {
  /** Until the budget is available again, ms; null: it is not exhausted. Synchronous if the spend is cached. */
  exhaustedForMs(key: PoolKey, now: number): number | null | Promise<number | null>;
  /** Counts a call of the key that has ended. */
  addCall(key: PoolKey, spent: CallCost): void;
  /** The record of such a call is written: reads include it from now on. */
  callWritten(keyId: string, spent: CallCost): void;
}

/** The spend of entry key in entry local day and its month. */
interface SpendEntry {
  day: string;
  /** From the last read. */
  stored: KeySpend;
  /** Served since, and not included in the last read. */
  since: KeySpend;
  /** Served, and not written yet. */
  unwritten: KeySpend;
  /** Monotonic ms; null: never read. */
  readAt: number | null;
  reading: Promise<void> | null;
  /** The read takes too long: calls no longer wait for it. */
  hanging: boolean;
}

/** How long a read stays fresh. */
const ttlMs = 5_000;
/** How long a call waits for a read; then it uses the cached value. */
const lookupTimeoutMs = 2_000;
const maxEntries = 100_000;

const noSpend = (): KeySpend => ({ tokensToday: 0, tokensThisMonth: 0, costThisMonth: 0 });
const monthOf = (day: string) => day.slice(0, 7);

/** Resets the entry if a new day has begun. */
function rollOver(entry: SpendEntry, day: string): void {
  if (day <= entry.day) return;
  const newMonth = monthOf(day) !== monthOf(entry.day);
  for (const spent of [entry.stored, entry.since, entry.unwritten]) {
    spent.tokensToday = 0;
    if (newMonth) Object.assign(spent, noSpend());
  }
  entry.day = day;
  entry.readAt = null;
}

/** Counts a call, or with -1 removes it, as far as it belongs to the day and the month. */
function count(to: KeySpend, today: string, { day, tokens, cost }: CallCost, sign = 1): void {
  if (monthOf(day) !== monthOf(today)) return;
  if (day === today) to.tokensToday += sign * tokens;
  to.tokensThisMonth += sign * tokens;
  to.costThisMonth += sign * cost;
}

/** `read`: a key's spend on a local day, `YYYY-MM-DD`, and in its month. */
export function createBudgets(deps: {
  clock: Clock;
  log: Log;
  read(keyId: string, day: string): Promise<KeySpend>;
}): Budgets {
  const { clock, log, read } = deps;
  const entries = new LruCache<string, SpendEntry>(maxEntries);

  function entryFor(keyId: string, day: string): SpendEntry {
    let entry = entries.get(keyId);
    if (!entry) {
      const empty = { stored: noSpend(), since: noSpend(), unwritten: noSpend() };
      entry = { day, ...empty, readAt: null, reading: null, hanging: false };
      entries.set(keyId, entry);
    }
    rollOver(entry, day);
    return entry;
  }

  async function refresh(keyId: string, entry: SpendEntry): Promise<void> {
    const { day } = entry;
    // A write during the read may count twice until the next read, which errs on the safe side.
    const unseen = { ...entry.unwritten };
    const before = { ...entry.since };
    try {
      const stored = await read(keyId, day);
      if (entry.day === day) {
        for (const field of ["tokensToday", "tokensThisMonth", "costThisMonth"] as const)
          entry.since[field] += unseen[field] - before[field];
        entry.stored = stored;
      }
    } catch (error) {
      log.warn(
        { event: "key_spend.read_failed", error },
        "The spend of a pool key could not be read; the cached value is used.",
      );
    }
    entry.reading = null;
    entry.hanging = false;
    if (entry.day === day) entry.readAt = clock.monotonic();
  }

  function exhaustedFor(
    { stored, since }: SpendEntry,
    { budget, timeZone }: PoolKey,
    now: number,
  ): number | null {
    const { tokensPerDay, tokensPerMonth, costPerMonth } = budget;
    const monthOver =
      (tokensPerMonth !== null && stored.tokensThisMonth + since.tokensThisMonth >= tokensPerMonth) ||
      (costPerMonth !== null && stored.costThisMonth + since.costThisMonth >= costPerMonth);
    if (monthOver) return startOfNextMonth(now, timeZone) - now;
    const dayOver = tokensPerDay !== null && stored.tokensToday + since.tokensToday >= tokensPerDay;
    return dayOver ? startOfNextDay(now, timeZone) - now : null;
  }

  return {
    exhaustedForMs(key, now) {
      const { tokensPerDay, tokensPerMonth, costPerMonth } = key.budget;
      if (tokensPerDay === null && tokensPerMonth === null && costPerMonth === null) return null;
      const entry = entryFor(key.id, localDay(now, key.timeZone));
      if (entry.readAt !== null && clock.monotonic() - entry.readAt <= ttlMs)
        return exhaustedFor(entry, key, now);
      entry.reading ??= refresh(key.id, entry);
      if (entry.hanging) return exhaustedFor(entry, key, now);
      return withTimeout(clock, lookupTimeoutMs, entry.reading).then((read) => {
        if (read === timedOut) entry.hanging = true;
        return exhaustedFor(entry, key, now);
      });
    },
    addCall(key, spent) {
      const entry = entries.get(key.id);
      if (!entry) return;
      count(entry.since, entry.day, spent);
      count(entry.unwritten, entry.day, spent);
    },
    callWritten(keyId, spent) {
      const entry = entries.get(keyId);
      if (entry) count(entry.unwritten, entry.day, spent, -1);
    },
  };
}
