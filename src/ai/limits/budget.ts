// Daily and monthly budgets of keys, and those shared by the keys of a pool or of an account. The spend of each is read from the usage
// records and cached briefly; calls that this process served since the read, and those not written yet, are added, so that neither a burst
// nor a storage outage overshoots a budget by much.

import type { BudgetOwner, PoolKey } from "#ai/pools/pool-key.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { startOfNextDay, startOfNextMonth } from "#runtime/time-zones.ts";
import type { BudgetNoticesTable } from "#store/schema/pools.ts";
import { localDay } from "./local-day.ts";
import { timedOut, withTimeout } from "./timeout.ts";

/** The spend of a budget in a local day and its month. */
export interface Spend {
  tokensToday: number;
  tokensThisMonth: number;
  /** Millionths of the currency unit. */
  costThisMonth: number;
}

/** The cost of a call, counted on the local day of its start, `YYYY-MM-DD`. */
export interface CallCost {
  day: string;
  tokens: number;
  /** Millionths of the currency unit. */
  cost: number;
}

/** A budget limit of which so much is used that it is announced. */
export interface LowNotice {
  owner: BudgetOwner;
  bound: BudgetNoticesTable["bound"];
  /** Local day, or month such as `2026-11`. */
  period: string;
  used: number;
  limit: number;
  /** When the limit's next period begins, epoch ms. */
  restartsAt: number;
}

export interface Budgets {
  /** Time until all budgets of the key are available again, ms; null if none is exhausted. Synchronous if the spend is cached. */
  exhaustedForMs(key: PoolKey, now: number): number | null | Promise<number | null>;
  /** Counts a call of the key that has ended. */
  addCall(key: PoolKey, spent: CallCost): void;
  /** The record of such a call was written: reads include it from now on. `ownerIds`: its key, pool and account. */
  callWritten(ownerIds: Iterable<string>, spent: CallCost): void;
}

/** The spend of a budget in a local day and its month. */
interface SpendEntry {
  day: string;
  /** What the last read of storage returned. */
  stored: Spend;
  /** Served since the last read and not included in it. */
  since: Spend;
  /** Served and not written yet. */
  unwritten: Spend;
  /** Monotonic ms; null if it was never read. */
  readAt: number | null;
  reading: Promise<void> | null;
  /** The read takes too long: calls no longer wait for it. */
  hanging: boolean;
  /** The period of each limit in which it was announced that little is left. */
  announced: Map<BudgetNoticesTable["bound"], string>;
}

/** How long a read stays fresh. */
const ttlMs = 5_000;
/** How long a call waits for a read; then it uses the cached value. */
const lookupTimeoutMs = 2_000;
const maxEntries = 100_000;

const noSpend = (): Spend => ({ tokensToday: 0, tokensThisMonth: 0, costThisMonth: 0 });
const millionths = 1_000_000;
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

/** Adds a call, or with -1 removes it, if it belongs to the day or the month. */
function count(to: Spend, today: string, { day, tokens, cost }: CallCost, sign = 1): void {
  if (monthOf(day) !== monthOf(today)) return;
  if (day === today) to.tokensToday += sign * tokens;
  to.tokensThisMonth += sign * tokens;
  to.costThisMonth += sign * cost;
}

/** `read`: returns the spend of a budget on a local day, `YYYY-MM-DD`, and in its month. */
export function createBudgets(deps: {
  clock: Clock;
  log: Log;
  read(owner: BudgetOwner, day: string): Promise<Spend>;
  /** Once for each period and limit in this process, as long as the entry is cached. */
  low(notice: LowNotice): void;
}): Budgets {
  const { clock, log, read, low } = deps;
  const entries = new LruCache<string, SpendEntry>(maxEntries);

  function entryFor(ownerId: string, day: string): SpendEntry {
    let entry = entries.get(ownerId);
    if (!entry) {
      const empty = { stored: noSpend(), since: noSpend(), unwritten: noSpend() };
      entry = { day, ...empty, readAt: null, reading: null, hanging: false, announced: new Map() };
      entries.set(ownerId, entry);
    }
    rollOver(entry, day);
    return entry;
  }

  async function refresh(owner: BudgetOwner, entry: SpendEntry): Promise<void> {
    const { day } = entry;
    // A write during the read may count twice until the next read, which errs on the safe side.
    const unseen = { ...entry.unwritten };
    const before = { ...entry.since };
    try {
      const stored = await read(owner, day);
      if (entry.day === day) {
        for (const field of ["tokensToday", "tokensThisMonth", "costThisMonth"] as const)
          entry.since[field] += unseen[field] - before[field];
        entry.stored = stored;
      }
    } catch (error) {
      log.warn(
        { event: "key_spend.read_failed", error },
        "The spend of a budget could not be read; the cached value is used.",
      );
    }
    entry.reading = null;
    entry.hanging = false;
    if (entry.day === day) entry.readAt = clock.monotonic();
  }

  /** Null if the budget is not exhausted. */
  function ownerExhausted(
    owner: BudgetOwner,
    timeZone: string,
    now: number,
  ): number | null | Promise<number | null> {
    const entry = entryFor(owner.id, localDay(now, timeZone));
    const left = () => exhaustedFor(entry, owner, timeZone, now);
    if (entry.readAt !== null && clock.monotonic() - entry.readAt <= ttlMs) return left();
    entry.reading ??= refresh(owner, entry);
    if (entry.hanging) return left();
    return withTimeout(clock, lookupTimeoutMs, entry.reading).then((done) => {
      if (done === timedOut) entry.hanging = true;
      return left();
    });
  }

  function announceLow(entry: SpendEntry, owner: BudgetOwner, timeZone: string, now: number): void {
    const { low_percent: lowPercent } = owner.budget;
    if (lowPercent === null) return;
    for (const { bound, used, limit, monthly } of boundsOf(entry, owner)) {
      if (limit === null || used < (limit * lowPercent) / 100) continue;
      const period = monthly ? monthOf(entry.day) : entry.day;
      if (entry.announced.get(bound) === period) continue;
      entry.announced.set(bound, period);
      const restartsAt = monthly ? startOfNextMonth(now, timeZone) : startOfNextDay(now, timeZone);
      low({ owner, bound, period, used, limit, restartsAt });
    }
  }

  return {
    exhaustedForMs({ budgets, timeZone }, now) {
      let longest: number | null = null;
      let pending: Promise<number | null>[] | null = null;
      for (const owner of budgets) {
        const left = ownerExhausted(owner, timeZone, now);
        if (left instanceof Promise) pending = [...(pending ?? []), left];
        else longest = longer(longest, left);
      }
      return pending === null ? longest : Promise.all(pending).then((lefts) => lefts.reduce(longer, longest));
    },
    addCall({ budgets, timeZone }, spent) {
      for (const owner of budgets) {
        const entry = entries.get(owner.id);
        if (!entry) continue;
        count(entry.since, entry.day, spent);
        count(entry.unwritten, entry.day, spent);
        announceLow(entry, owner, timeZone, clock.now());
      }
    },
    callWritten(ownerIds, spent) {
      for (const id of ownerIds) {
        const entry = entries.get(id);
        if (entry) count(entry.unwritten, entry.day, spent, -1);
      }
    },
  };
}

const longer = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b));

function boundsOf({ stored, since }: SpendEntry, { budget }: BudgetOwner) {
  const used = (field: keyof Spend) => stored[field] + since[field];
  const cost = budget.cost_per_month === null ? null : Math.round(budget.cost_per_month * millionths);
  return [
    {
      bound: "tokens_per_month",
      used: used("tokensThisMonth"),
      limit: budget.tokens_per_month,
      monthly: true,
    },
    { bound: "cost_per_month", used: used("costThisMonth"), limit: cost, monthly: true },
    { bound: "tokens_per_day", used: used("tokensToday"), limit: budget.tokens_per_day, monthly: false },
  ] as const;
}

function exhaustedFor(entry: SpendEntry, owner: BudgetOwner, timeZone: string, now: number): number | null {
  const spent = boundsOf(entry, owner).find(({ used, limit }) => limit !== null && used >= limit);
  if (spent === undefined) return null;
  return (spent.monthly ? startOfNextMonth(now, timeZone) : startOfNextDay(now, timeZone)) - now;
}
