// Polls, for all lanes of this process at once, which of them have due rows: a row whose notification was lost, or that
// another process stored, is found within one poll. One query serves any number of lanes; a poll for each lane kept an
// idle process with thousands of gateways busy.

import type { Clock, Log } from "#runtime/runtime.ts";
import { AutoResetEvent } from "#runtime/waiting/auto-reset-event.ts";
import type { Database } from "#store/database.ts";
import { readDueLanes } from "#store/lanes/due.ts";
import { priorities } from "./priority.ts";

/** The wait after a failed poll, ms. It doubles with each failure, up to the time between two polls. */
const minRetryMs = 500;

export interface DuePollDeps {
  database: Database;
  clock: Clock;
  log: Log;
  /** The time between two polls, ms. */
  pollMs: number;
  /** A lane has a row that is due at `dueAt` (epoch ms), in the past or up to two polls ahead. */
  due(laneId: string, dueAt: number): void;
}

export class DuePoll {
  readonly #deps: DuePollDeps;
  readonly #wait = new AutoResetEvent();
  #ended: Promise<void> | null = null;
  #stopping = false;

  constructor(deps: DuePollDeps) {
    this.#deps = deps;
  }

  /** Polls now, and then every `pollMs`. */
  start(): void {
    this.#ended = this.#run();
  }

  /** Lanes were opened that no poll has seen: polls as soon as a poll that is under way is over. */
  pollNow(): void {
    this.#wait.set();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wait.set();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { database, clock, log, pollMs, due } = this.#deps;
    let retryMs = minRetryMs;
    while (!this.#stopping) {
      let waitMs = pollMs;
      try {
        // Two polls ahead, so that a lane knows what falls due before the next poll, even when that one is late.
        const until = clock.now() + 2 * pollMs;
        for (const { id, dueAt } of await database.run(readDueLanes, { priorities, until })) due(id, dueAt);
        retryMs = minRetryMs;
      } catch (error) {
        log.warn({ event: "due_poll.failed", error }, "Due rows could not be read; the poll is repeated.");
        waitMs = Math.min(pollMs, retryMs);
        retryMs *= 2;
      }
      if (!this.#stopping) await this.#wait.wait(clock, waitMs);
    }
  }
}
