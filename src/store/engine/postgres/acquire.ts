// Takes connections from the pool. If the server has no room for another connection, callers wait for an existing one instead of being
// refused, and the server is not asked again for each caller.

import type { Pool, PoolClient } from "pg";
import type { Clock } from "#runtime/runtime.ts";
import { connectFaultOf, isTemporaryRefusal, mayComeUp, storageError } from "./errors.ts";

/** How long the pool is kept at the size that the server had room for, ms. */
const smallForMs = 5_000;
/** How often a call tries to get a connection. */
const tries = 3;
const firstPauseMs = 50;
const maxPauseMs = 1_000;

/** The size of a pool. */
export interface PoolCapacity {
  /** Existing connections, in use or idle. */
  established: number;
  /** The maximum number of connections. */
  readonly max: number;
  /** Until when (monotonic ms) the pool is kept at that size. */
  smallUntil: number;
}

/**
 * Takes a connection. If the server refuses another one for now while others exist, the pool is kept at their number for 5 s: callers wait
 * for those, as they do in a full pool. Throws a `StorageError` about `what`.
 */
export async function acquire(
  pool: Pick<Pool, "connect" | "options">,
  what: string,
  room: PoolCapacity,
  clock: Clock,
): Promise<PoolClient> {
  if (pool.options.max < room.max && clock.monotonic() >= room.smallUntil) pool.options.max = room.max;
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isTemporaryRefusal(error) || room.established === 0 || attempt === tries)
        throw storageError(error, what, connectFaultOf(error));
      pool.options.max = Math.min(pool.options.max, room.established);
      room.smallUntil = clock.monotonic() + smallForMs;
    }
  }
}

/**
 * The first connection. Retries for `forMs` if the server is not reachable yet, is starting or has no room; `onWait` receives the first
 * error before the wait begins. Throws a `StorageError`.
 */
export async function acquireFirst(
  pool: Pick<Pool, "connect">,
  forMs: number,
  clock: Clock,
  onWait: (error: unknown) => void = () => {},
): Promise<PoolClient> {
  const endsAt = clock.monotonic() + forMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    let leftMs: number;
    try {
      return await pool.connect();
    } catch (error) {
      leftMs = endsAt - clock.monotonic();
      if (!mayComeUp(error) || leftMs <= 0) throw storageError(error, "PostgreSQL", connectFaultOf(error));
      if (pauseMs === firstPauseMs) onWait(error);
    }
    await clock.sleep(Math.min(pauseMs, leftMs));
  }
}
