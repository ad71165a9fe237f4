// Work in small batches with pauses between them, so that maintenance never holds up the writer for long.

import type { Core } from "#core/core.ts";
import type { DeletionStep } from "#store/maintenance/retention.ts";

/** Rows in one transaction, at most: one batch occupies the writer for a few tens of milliseconds. */
export const batchSize = 500;
/** After a removal that took longer than this (a slow disk, a busy machine), the next one has half as many rows, down to `minBatchSize`. */
const maxBatchMs = 50;
export const minBatchSize = 50;
/** Batches of each kind in one turn: 50,000 rows a minute, more than what a busy installation accepts. */
const batchesPerTurn = 100;
/** The pause after a batch is four times its duration, and at least this long. */
const minPauseMs = 20;
/** A scan that passed rows without removing them (they were pending, or unknown) starts over after this long. */
const rescanMs = 3_600_000;

/** The last row that a scan has passed. */
export interface ScanCursor {
  after: string;
  /** When this scan began, monotonic ms. */
  startedAt: number;
  /** Rows in the next batch. */
  limit: number;
}

/** The size of the next batch, after one of `limit` rows that took `ms`. */
function nextLimit(limit: number, ms: number): number {
  if (ms > maxBatchMs) return Math.max(minBatchSize, Math.floor(limit / 2));
  return ms < maxBatchMs / 4 ? Math.min(batchSize, limit * 2) : limit;
}

/** The batches of one turn. `cursors` are kept between turns, so that a scan continues where it stopped. */
export class Batches {
  readonly #deps: Pick<Core, "clock" | "log">;
  readonly #cursors: Map<string, ScanCursor>;
  readonly #signal: AbortSignal;

  constructor(deps: Pick<Core, "clock" | "log">, cursors: Map<string, ScanCursor>, signal: AbortSignal) {
    this.#deps = deps;
    this.#cursors = cursors;
    this.#signal = signal;
  }

  /** Runs batches until one returns false, the turn has used its share, or the signal aborts. */
  async run(batch: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#deps;
    for (let count = 0; count < batchesPerTurn && !this.#signal.aborted; count++) {
      const startedAt = clock.monotonic();
      if (!(await batch())) return;
      await clock.sleep(Math.max(minPauseMs, 4 * (clock.monotonic() - startedAt)), this.#signal);
    }
  }

  /** Runs the steps of one removal, each of which counts as a batch, until one returns true. */
  async steps(step: () => Promise<boolean>): Promise<void> {
    await this.run(async () => !(await step()));
  }

  /** The cursor of a scan. It is new when the scan is due to start over; then `isNew` is true. */
  scan(what: string): { cursor: ScanCursor; isNew: boolean } {
    const now = this.#deps.clock.monotonic();
    const known = this.#cursors.get(what);
    if (known && now - known.startedAt < rescanMs) return { cursor: known, isNew: false };
    const cursor = { after: "", startedAt: now, limit: known?.limit ?? batchSize };
    this.#cursors.set(what, cursor);
    return { cursor, isNew: true };
  }

  /** Removes rows in batches whose size follows the time that they take. */
  async remove(
    what: string,
    removeBatch: (after: string, limit: number) => Promise<DeletionStep>,
  ): Promise<void> {
    const { clock, log } = this.#deps;
    const { cursor } = this.scan(what);
    let removed = 0;
    await this.run(async () => {
      const startedAt = clock.monotonic();
      const batch = await removeBatch(cursor.after, cursor.limit);
      cursor.limit = nextLimit(cursor.limit, clock.monotonic() - startedAt);
      removed += batch.deleted;
      if (batch.next !== null) cursor.after = batch.next;
      return batch.next !== null;
    });
    if (removed > 0)
      log.info(
        { event: "maintenance.removed", what, removed },
        "Maintenance removed rows past their retention.",
      );
  }
}
