// What a key may spend in a day and a month. What it has spent is read from the usage and kept for a moment; what
// this process served since, and what of that is not written yet, is added, so that neither a burst nor a storage
// that takes no writes runs far over.

import type { PoolKey } from "#ai/pools/pool-key.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { startOfNextDay, startOfNextMonth } from "#runtime/time-zones.ts";
import { localDay } from "./local-day.ts";
import { timedOut, withTimeout } from "./timeout.ts";

/** What a key has spent of a local day and its month. */
export interface KeySpend {
  tokensToday: number;
  tokensThisMonth: number;
  /** Millionths of the currency unit. */
  costThisMonth: number;
}

/** What a call cost that began on this local day, `YYYY-MM-DD`. */
export interface CallCost {
  day: string;
  tokens: number;
  /** Millionths. */
  cost: number;
}

export interface Budgets {
  /** Null: there is something left; else how long until there is again, ms. At once, where it is known. */
  exhaustedForMs(key: PoolKey, now: number): number | null | Promise<number | null>;
  /** A call of the key has ended. */
  addCall(key: PoolKey, spent: CallCost): void;
  /** What was added for such a call can be read from now on. */
  callWritten(keyId: string, spent: CallCost): void;
}

/** All of one local day and its month. */
interface SpendEntry {
  day: string;
  /** As it was read. */
  stored: KeySpend;
  /** What was served that the reading has not seen. */
  since: KeySpend;
  /** What was served that is not written yet. */
  unwritten: KeySpend;
  /** Monotonic ms; null: never. */
  readAt: number | null;
  reading: Promise<void> | null;
  /** The reading has taken too long: nobody waits for it any more. */
  hanging: boolean;
}

/** How long what was read is good for. */
const ttlMs = 5_000;
/** How long a reading is waited for; then what was known goes on. */
const lookupTimeoutMs = 2_000;
const maxEntries = 100_000;

const noSpend = (): KeySpend => ({ tokensToday: 0, tokensThisMonth: 0, costThisMonth: 0 });
const monthOf = (day: string) => day.slice(0, 7);

/** Begins another day where it is one. */
function rollOver(one: SpendEntry, day: string): void {
  if (day <= one.day) return;
  const newMonth = monthOf(day) !== monthOf(one.day);
  for (const spent of [one.stored, one.since, one.unwritten]) {
    spent.tokensToday = 0;
    if (newMonth) Object.assign(spent, noSpend());
  }
  one.day = day;
  one.readAt = null;
}

/** Counts a call, or with -1 takes it away, as far as it falls into the day and the month. */
function count(to: KeySpend, today: string, { day, tokens, cost }: CallCost, sign = 1): void {
  if (monthOf(day) !== monthOf(today)) return;
  if (day === today) to.tokensToday += sign * tokens;
  to.tokensThisMonth += sign * tokens;
  to.costThisMonth += sign * cost;
}

/** `read`: what a key spent on a local day, `YYYY-MM-DD`, and in its month. */
export function createBudgets(parts: {
  clock: Clock;
  log: Log;
  read(keyId: string, day: string): Promise<KeySpend>;
}): Budgets {
  const { clock, log, read } = parts;
  const known = new LruCache<string, SpendEntry>(maxEntries);

  function entry(keyId: string, day: string): SpendEntry {
    let one = known.get(keyId);
    if (!one) {
      const empty = { stored: noSpend(), since: noSpend(), unwritten: noSpend() };
      one = { day, ...empty, readAt: null, reading: null, hanging: false };
      known.set(keyId, one);
    }
    rollOver(one, day);
    return one;
  }

  async function readAgain(keyId: string, one: SpendEntry): Promise<void> {
    const { day } = one;
    // A write that lands while it is read may be counted twice until the next reading: on the safe side.
    const unseen = { ...one.unwritten };
    const before = { ...one.since };
    try {
      const stored = await read(keyId, day);
      if (one.day === day) {
        for (const what of ["tokensToday", "tokensThisMonth", "costThisMonth"] as const)
          one.since[what] += unseen[what] - before[what];
        one.stored = stored;
      }
    } catch (error) {
      log.warn({ error }, "what a key has spent could not be read; what was known goes on");
    }
    one.reading = null;
    one.hanging = false;
    if (one.day === day) one.readAt = clock.monotonic();
  }

  function judge({ stored, since }: SpendEntry, { budget, timeZone }: PoolKey, now: number): number | null {
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
      const one = entry(key.id, localDay(now, key.timeZone));
      if (one.readAt !== null && clock.monotonic() - one.readAt <= ttlMs) return judge(one, key, now);
      one.reading ??= readAgain(key.id, one);
      if (one.hanging) return judge(one, key, now);
      return withTimeout(clock, lookupTimeoutMs, one.reading).then((read) => {
        if (read === timedOut) one.hanging = true;
        return judge(one, key, now);
      });
    },
    addCall(key, spent) {
      const one = known.get(key.id);
      if (!one) return;
      count(one.since, one.day, spent);
      count(one.unwritten, one.day, spent);
    },
    callWritten(keyId, spent) {
      const one = known.get(keyId);
      if (one) count(one.unwritten, one.day, spent, -1);
    },
  };
}
