// Counts the calls that a limit or a budget refuses, and writes the counts about once a second. A storage outage fails no call. A crash
// loses at most the last second; a write whose answer is lost may count twice.

import { localDay } from "#ai/limits/local-day.ts";
import type { PoolKey } from "#ai/pools/pool-key.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import type { Database } from "#store/database.ts";
import { recordRefusals } from "#store/pools/pool-statistics.ts";
import { hourOf } from "#store/pools/usage-sums.ts";
import type { RefusedBy, RefusedCallsTable } from "#store/schema/pools.ts";

interface RefusalLog {
  /** A call of the key was refused. `at`: epoch ms; `retryAfterMs`: time until the limit or the budget allows a call. */
  refused(key: PoolKey, by: RefusedBy, at: number, retryAfterMs: number): void;
  /** Writes the pending counts, if the storage accepts them. */
  stop(): Promise<void>;
}

const intervalMs = 1_000;
/** Counts of further keys, hours and limits are dropped while the storage is unavailable. */
const maxPending = 10_000;

export function createRefusalLog(deps: { database: Database; clock: Clock; log: Log }): RefusalLog {
  const { database, clock, log } = deps;
  const stopping = new AbortController();
  let pending = new Map<string, RefusedCallsTable>();
  const failure = {
    event: "usage.refusals_not_written",
    message: "Counts of refused calls could not be written.",
  };
  const writes = new Interval({
    clock,
    log,
    signal: stopping.signal,
    ms: intervalMs,
    isNeeded: () => pending.size > 0,
    turn: write,
    failure,
  });

  function add(row: RefusedCallsTable): void {
    const name = JSON.stringify([row.key_id, row.hour, row.part]);
    const known = pending.get(name);
    if (known !== undefined) {
      known.calls += row.calls;
      if ((row.last_at ?? 0) >= (known.last_at ?? 0)) {
        known.last_at = row.last_at;
        known.retry_at = row.retry_at;
      }
    } else if (pending.size < maxPending) pending.set(name, row);
  }

  async function write(): Promise<void> {
    const rows = [...pending.values()];
    pending = new Map();
    if (rows.length === 0) return;
    try {
      await database.run(recordRefusals, rows);
    } catch (error) {
      for (const row of rows) add(row);
      throw error;
    }
  }

  return {
    refused: (key, by, at, retryAfterMs) => {
      const day = localDay(at, key.timeZone);
      add({
        key_id: key.id,
        hour: hourOf(at),
        part: JSON.stringify([day, by]),
        day,
        refused_by: by,
        account_id: key.accountId,
        pool_id: key.poolId,
        calls: 1,
        last_at: at,
        retry_at: Math.ceil(at + retryAfterMs),
      });
      writes.start();
    },
    stop: async () => {
      stopping.abort();
      await writes.ended();
      await write().catch((error) => log.warn({ event: failure.event, error }, failure.message));
    },
  };
}
