// Looks, for all lanes of this process at once, which of them have something due: a hint that was lost, or a row that
// another process stored, is found within one poll. One query answers for any number of lanes; one poll a lane kept an
// idle process with thousands of gateways busy.

import type { Clock, Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { readDueLanes } from "#store/lanes/due.ts";
import { AutoResetEvent } from "./auto-reset-event.ts";
import { priorities } from "./priority.ts";

/** Storage that was away is asked again after this long at first, then twice as long, up to the poll itself, ms. */
const firstRetryMs = 500;

export interface DuePollParts {
  database: Database;
  clock: Clock;
  log: Log;
  /** How often to look, ms. */
  pollMs: number;
  /** A lane has something that is due at `dueAt` (epoch ms), which may be past or up to two polls ahead. */
  due(laneId: string, dueAt: number): void;
}

export class DuePoll {
  readonly #parts: DuePollParts;
  readonly #wait = new AutoResetEvent();
  #ended: Promise<void> | null = null;
  #stopping = false;

  constructor(parts: DuePollParts) {
    this.#parts = parts;
  }

  /** Looks now, and then once a poll. */
  start(): void {
    this.#ended = this.#run();
  }

  /** Lanes were opened that have not been looked at: looks as soon as a look that is under way is over. */
  pollNow(): void {
    this.#wait.set();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wait.set();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { database, clock, log, pollMs, due } = this.#parts;
    let retryMs = firstRetryMs;
    while (!this.#stopping) {
      let waitMs = pollMs;
      try {
        // Two polls ahead, so that a lane knows the instant of what falls due before the next look, even a late one.
        const until = clock.now() + 2 * pollMs;
        for (const { id, dueAt } of await database.run(readDueLanes, { bands: priorities, until }))
          due(id, dueAt);
        retryMs = firstRetryMs;
      } catch (error) {
        log.warn({ error }, "what is due could not be looked up; it will be");
        waitMs = Math.min(pollMs, retryMs);
        retryMs *= 2;
      }
      if (!this.#stopping) await this.#wait.wait(clock, waitMs);
    }
  }
}
