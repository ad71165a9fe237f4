// The share of a key's limits that one process admits while it cannot reach the others. The shares of all processes add up to the limits,
// so that a slow database makes a limit stricter and never looser.

import type { KeyLimits } from "./limits.ts";

/** The position of a process among the live ones, from 0, and their number. */
export interface Place {
  at: number;
  of: number;
}

/**
 * The position of a process in the order of the ids. `seen`: when a new heartbeat of each process was last seen, epoch ms. A process is
 * dead if it was silent for `takeoverMs` while others were not: no heartbeat arrives while the storage is unavailable, and then all
 * positions stay as they were.
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

/** The share of each limit; 0 if other processes have all of it. */
export const sharesOf = (limits: KeyLimits, place: Place): KeyLimits => ({
  requests_per_minute: shareOf(limits.requests_per_minute, place),
  tokens_per_minute: shareOf(limits.tokens_per_minute, place),
  concurrency: shareOf(limits.concurrency, place),
});

/** The limit of which this process has no share. Null if it has a share of each. */
export function withoutShare(shares: KeyLimits): "requests" | "tokens" | "concurrency" | null {
  if (shares.concurrency === 0) return "concurrency";
  if (shares.requests_per_minute === 0) return "requests";
  return shares.tokens_per_minute === 0 ? "tokens" : null;
}
