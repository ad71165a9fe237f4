// What one process admits of a key's limits while it cannot ask the others: its share. The shares of all processes add up to the
// limits, so that a slow database makes a limit tighter and never wider.

import type { KeyLimits } from "./limits.ts";

/** The place of a process among those that are alive, from 0 on, and how many they are. */
export interface Place {
  at: number;
  of: number;
}

/**
 * The place of a process, in the order of the ids. `seen`: when a new heartbeat of each process was seen last, epoch ms. One is dead
 * that was silent for `takeoverMs` while others were not: no heartbeat arrives while the storage is away, and then all stay as they were.
 */
export function placeOf(id: string, seen: ReadonlyMap<string, number>, takeoverMs: number): Place {
  const newest = Math.max(...seen.values());
  const alive = new Set([
    id,
    ...[...seen.keys()].filter((one) => newest - (seen.get(one) ?? 0) < takeoverMs),
  ]);
  return { at: [...alive].sort().indexOf(id), of: alive.size };
}

const shareOf = (limit: number | null, { at, of }: Place): number | null =>
  limit === null ? null : Math.floor(limit / of) + (at < limit % of ? 1 : 0);

/** The share of each limit; 0: other processes have all of it. */
export const sharesOf = (limits: KeyLimits, place: Place): KeyLimits => ({
  requests_per_minute: shareOf(limits.requests_per_minute, place),
  tokens_per_minute: shareOf(limits.tokens_per_minute, place),
  concurrency: shareOf(limits.concurrency, place),
});

/** The limit of which this process has no share. Null if it has one of each. */
export function withoutShare(shares: KeyLimits): "requests" | "tokens" | "concurrency" | null {
  if (shares.concurrency === 0) return "concurrency";
  if (shares.requests_per_minute === 0) return "requests";
  return shares.tokens_per_minute === 0 ? "tokens" : null;
}
