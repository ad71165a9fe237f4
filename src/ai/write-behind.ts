// Writes records after the answers, in batches about once a second. A storage outage fails no call: the queue is bounded and dropped
// records are counted. A crash loses at most the last second.

import { append } from "#providers/translate/append.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import { StorageError } from "#store/database.ts";

export interface WriteBehind<Row> {
  record(row: Row): void;
  /** Writes the pending records, as far as the storage accepts them. */
  stop(): Promise<void>;
}

interface WriteBehindOptions<Row extends { id: string }> {
  clock: Clock;
  log: Log;
  /** Writes records together. They may have been written before. */
  write(rows: readonly Row[]): Promise<unknown>;
  /** Number of records that were dropped. */
  dropped(count: number): void;
  /** The record has been written and can be read. */
  written?: ((row: Row) => void) | undefined;
  /** Each batch is one transaction, whose flush dominates its cost. */
  batchSize: number;
  /** The weight of a record in `maxPending`; absent for 1. */
  sizeOf?(row: Row): number;
  maxPending: number;
  /** How the log names them: the prefix of its events, and the records in a sentence. */
  words: { event: string; many: string; one: string };
}

const intervalMs = 1_000;

const isUnavailable = (error: unknown) => error instanceof StorageError && error.fault !== "failed";

export function createWriteBehind<Row extends { id: string }>(
  options: WriteBehindOptions<Row>,
): WriteBehind<Row> {
  const { clock, log, dropped, written, batchSize, sizeOf = () => 1, maxPending, words } = options;
  const stopping = new AbortController();
  let pending: Row[] = [];
  let size = 0;
  const writes = new Interval({
    clock,
    log,
    signal: stopping.signal,
    ms: intervalMs,
    isNeeded: () => pending.length > 0,
    turn: write,
    failure: { event: `${words.event}.write_failed`, message: `${words.many} could not be written.` },
  });

  const sum = (rows: readonly Row[]) => rows.reduce((total, row) => total + sizeOf(row), 0);

  /**
   * Writes a batch together. If it fails, writes its records one by one, so that an invalid record does not
   * block the others.
   */
  async function write(): Promise<void> {
    while (pending.length > 0) {
      const batch = pending.splice(0, batchSize);
      size -= sum(batch);
      const error = await writeRows(batch);
      if (error === null) continue;
      const retries: Row[] = [];
      let outage: unknown = null;
      if (isUnavailable(error)) {
        // The batch may have been written; a record that is written twice counts once.
        append(retries, batch);
        outage = error;
      } else {
        const errors = await Promise.all(batch.map((row) => writeRows([row])));
        for (const [at, row] of batch.entries()) {
          const rowError = errors[at] ?? null;
          if (rowError === null) continue;
          if (isUnavailable(rowError)) {
            retries.push(row);
            outage = rowError;
            continue;
          }
          log.error(
            { event: `${words.event}.record_rejected`, error: rowError, call: row.id },
            `A ${words.one} cannot be written; it is dropped.`,
          );
          dropped(1);
        }
      }
      if (outage === null) continue;
      pending = [...retries, ...pending];
      size += sum(retries);
      trim();
      log.warn(
        { event: `${words.event}.write_failed`, error: outage, pending: pending.length },
        `${words.many} could not be written; the write will be retried.`,
      );
      return;
    }
  }

  /** The error of the write; null if the records are written. */
  async function writeRows(rows: Row[]): Promise<unknown> {
    try {
      await options.write(rows);
    } catch (error) {
      return error;
    }
    if (written) for (const row of rows) written(row);
    return null;
  }

  /** Drops the oldest records beyond the maximum. */
  function trim(): void {
    let excess = 0;
    while (size > maxPending && excess < pending.length) {
      size -= sizeOf(pending[excess]!);
      excess += 1;
    }
    if (excess === 0) return;
    pending.splice(0, excess);
    dropped(excess);
  }

  return {
    record: (row) => {
      pending.push(row);
      size += sizeOf(row);
      trim();
      writes.start();
    },
    stop: async () => {
      stopping.abort();
      await writes.ended();
      await write();
      if (pending.length > 0) dropped(pending.length);
      pending = [];
      size = 0;
    },
  };
}
