// Notices a server that is connected and silent: frozen, or cut off without a word. Its calls would otherwise wait for their timeouts, one
// after another. A slow server is not silent: each answer to any call counts, and before calls are refused a statement that needs no table,
// no lock and no disk has gone unanswered too. See docs/decisions/0057.

import type { Client, Pool } from "pg";
import type { Clock } from "#runtime/runtime.ts";
import { StorageError } from "#store/database.ts";

/** Silence is counted in these steps, ms: a process that was busy itself for long counts one of them, not the whole time. */
const stepMs = 200;
/** How long nothing was answered before the server is asked. */
const askAfterMs = 800;
/** How long to wait between two probes of a silent server. */
const pauseMs = 250;

interface SilenceWatch {
  /** Runs a call. Rejects at once while the server is silent. */
  during<T>(call: () => Promise<T>): Promise<T>;
  /** Waits for a connection, but not beyond the moment at which the server counts as silent. */
  unlessSilent<T>(connecting: Promise<T>): Promise<T>;
  isSilent(): boolean;
  close(): void;
}

/** Settings of a connection that only asks whether the server answers. */
export const probing = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };

/** Connects and asks; any answer will do, also a refusal. Rejects if there was none in time. */
export async function askServer(client: Client): Promise<void> {
  try {
    await client.connect();
    await client.query("select 1");
  } catch (error) {
    // A timeout of the driver has no code.
    const code = (error as { code?: unknown }).code;
    if (code === undefined || code === "ETIMEDOUT") throw error;
  } finally {
    void client.end().catch(() => {});
  }
}

/** Closes the connections of a pool that are not in use. Never rejects. */
export async function dropIdle(pool: Pool): Promise<void> {
  try {
    while (pool.idleCount > 0) (await pool.connect()).release(true);
  } catch {
    // The pool was closed, or a call took the idle one first and a new one could not be made.
  }
}

/** Faults that say nothing about whether the server answers. */
const withoutAnswer: ReadonlySet<unknown> = new Set(["unavailable", "commit_unknown"]);

/**
 * `limitMs`: after this time without any answer, while calls wait, the server is silent. `ask`: resolves once the server has answered
 * `select 1`, or anything at all; rejects if it has not for a while. `askAnew`: the same over a new connection. `onSilence` has to end
 * the connections in use.
 */
export function watchSilence(options: {
  clock: Clock;
  limitMs: number;
  ask(): Promise<void>;
  askAnew(): Promise<void>;
  onSilence(): void;
  onAnswer(): void;
}): SilenceWatch {
  const { clock, limitMs } = options;
  let waiting = 0;
  let answers = 0;
  let isWatching = false;
  let isAsking = false;
  let closed = false;
  /** While the server is silent; calls that wait for a connection are in `refusals`. */
  let silent = false;
  const refusals = new Set<(error: StorageError) => void>();
  const refusal = () =>
    new StorageError("unavailable", `PostgreSQL has not answered for ${limitMs / 1_000} s.`);

  const ask = async () => {
    isAsking = true;
    await options.ask().then(
      () => {
        answers += 1;
      },
      () => {},
    );
    isAsking = false;
  };

  const untilAnswer = async () => {
    while (!closed) {
      const answered = await options.askAnew().then(
        () => true,
        () => false,
      );
      if (answered) return;
      await clock.sleep(pauseMs);
    }
  };

  const watch = async () => {
    isWatching = true;
    let quietMs = 0;
    while (waiting > 0 && !closed) {
      const before = answers;
      await clock.sleep(stepMs);
      quietMs = answers === before ? quietMs + stepMs : 0;
      if (quietMs >= askAfterMs && !isAsking) void ask();
      if (quietMs < limitMs) continue;
      silent = true;
      for (const refuse of refusals) refuse(refusal());
      options.onSilence();
      await untilAnswer();
      silent = false;
      quietMs = 0;
      if (!closed) options.onAnswer();
    }
    isWatching = false;
  };

  return {
    isSilent: () => silent,
    during: async (call) => {
      if (silent) throw refusal();
      waiting += 1;
      if (!isWatching) void watch();
      try {
        const output = await call();
        answers += 1;
        return output;
      } catch (error) {
        if (!(error instanceof StorageError && withoutAnswer.has(error.fault))) answers += 1;
        throw error;
      } finally {
        waiting -= 1;
      }
    },
    unlessSilent: async (connecting) => {
      let refuse = (_error: StorageError): void => {};
      const refused = new Promise<never>((_resolve, reject) => {
        refuse = reject;
      });
      refusals.add(refuse);
      if (silent) refuse(refusal());
      try {
        return await Promise.race([connecting, refused]);
      } finally {
        refusals.delete(refuse);
      }
    },
    close: () => {
      closed = true;
    },
  };
}
