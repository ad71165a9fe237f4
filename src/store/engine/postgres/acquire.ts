// Takes connections from the pool. A server that has no room for one more is no reason to refuse a caller whom one of
// the connections that are there can serve in a moment, nor to ask it again for each caller.

import type { Pool, PoolClient } from "pg";
import type { Clock } from "#runtime/runtime.ts";
import { connectFaultOf, isTemporaryRefusal, mayComeUp, storageError } from "./errors.ts";

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

/**
 * The first connection. A server that is not there yet, is starting or has no room is asked again for `forMs`;
 * `onWait` gets the first error before the wait begins. Throws a `StorageError`.
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
