// Takes connections from the pool. A server that has no room for one more is no reason to refuse a caller whom one of
// the connections that are there can serve in a moment, nor to ask it again for each caller.

import type { Pool, PoolClient } from "pg";
import type { Clock } from "#runtime/runtime.ts";
import { connectFaultOf, isTemporaryRefusal, storageError } from "./errors.ts";

/** How long the pool stays at the size that the server had room for, ms. */
const smallForMs = 5_000;
/** How often a call asks for a connection. */
const tries = 3;
const firstPauseMs = 50;
const maxPauseMs = 1_000;

/** What is known of a pool's size. */
export interface PoolCapacity {
  /** Connections that are there, in use or not. */
  established: number;
  /** How many there may be. */
  readonly max: number;
  /** Until when (monotonic ms) the pool stays as small as the server's room was. */
  smallUntil: number;
}

/**
 * Takes a connection. Where the server refuses another one for now while some are there, the pool stays at their number
 * for 5 s: callers wait their turn for those, as they do in a full pool. Throws a `StorageError` about `what`.
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

/** The first connection. A server that has no room, or is starting, is asked again for `forMs`. Throws a `StorageError`. */
export async function acquireFirst(
  pool: Pick<Pool, "connect">,
  forMs: number,
  clock: Clock,
): Promise<PoolClient> {
  let left = forMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isTemporaryRefusal(error) || left <= 0)
        throw storageError(error, "PostgreSQL", connectFaultOf(error));
    }
    await clock.sleep(Math.min(pauseMs, left));
    left -= pauseMs;
  }
}
