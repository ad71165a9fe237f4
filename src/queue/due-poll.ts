// Polls, for all lanes of this process at once, which of them have due rows: a row whose notification was lost, or that
// another process stored, is found within one poll. One query serves any number of lanes; a poll for each lane kept an
// idle process with thousands of gateways busy.

import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import type { Database } from "#store/database.ts";
import { readDueLanes } from "#store/lanes/due.ts";
import { priorities } from "./priority.ts";
import { storageRetry } from "./retry-storage.ts";

interface DuePollDeps {
  database: Database;
  clock: Clock;
  log: Log;
  /** The time between two polls, ms. */
  pollMs: number;
  /** A lane has a row that is due at `dueAt` (epoch ms), in the past or up to two polls ahead. */
  due(laneId: string, dueAt: number): void;
}

export class DuePoll {
  readonly #stopping = new AbortController();
  readonly #interval: Interval;

  constructor({ database, clock, log, pollMs, due }: DuePollDeps) {
    this.#interval = new Interval({
      clock,
      log,
      signal: this.#stopping.signal,
      ms: pollMs,
      turn: async () => {
        // Two polls ahead, so that a lane knows what falls due before the next poll, even when that one is late.
        const until = clock.now() + 2 * pollMs;
        for (const { id, dueAt } of await database.run(readDueLanes, { priorities, until })) due(id, dueAt);
      },
      failure: { event: "due_poll.failed", message: "Due rows could not be read; the poll is repeated." },
      retry: { ...storageRetry, maxMs: pollMs },
    });
  }

  /** Polls now, and then every `pollMs`. */
  start(): void {
    this.#interval.start(0);
  }

  /** Lanes were opened that no poll has seen: polls as soon as a poll that is under way is over. */
  pollNow(): void {
    this.#interval.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#interval.ended();
  }
}
