// The interface of storage: named operations, run on either engine. An operation is a function that runs next to the connection, inside one
// transaction: in the writer thread on SQLite, on a pooled connection on PostgreSQL. The caller's promise resolves after the commit has
// been flushed to disk.

import type { AliasedRawBuilder, Kysely, RawBuilder } from "kysely";
import type { TransactionCounts } from "#store/counts/buffer.ts";
import type { Schema } from "#store/schema/schema.ts";
import type { Changes, TransactionChanges } from "./changes.ts";

export type Engine = "sqlite" | "postgres";

/** Column types of rows handed to SQL as one JSON parameter. */
export type ColumnType = "text" | "bigint";

interface InsertBatch {
  constant: readonly unknown[];
  /** Read once, so a generator may make the rows one at a time. */
  rows: Iterable<readonly unknown[]>;
}

/** The parts of an `update` for one record; `where` names a whole key of the table by `=`. */
interface RecordUpdate {
  set: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
  returning?: RawBuilder<unknown>;
}

/** An open transaction (for a read on PostgreSQL: a connection). The few differences between the engines are here. */
export interface Tx {
  engine: Engine;
  db: Kysely<Schema>;
  /** Collects counts of events that this transaction causes. */
  counts: TransactionCounts;
  /** Collects the changes of this transaction, for listeners in this process. */
  changes: TransactionChanges;
  /**
   * Inserts many rows. The columns come in the order of each batch's `constant` values (the same in all its
   * rows), followed by those of its `rows`. Columns that are not named get their defaults.
   */
  insert<T extends keyof Schema & string>(
    table: T,
    columns: readonly (keyof Schema[T] & string)[],
    batches: readonly InsertBatch[],
  ): Promise<void>;
  /** Inserts those of `records` whose `id` the table does not have, and returns their ids. */
  insertMissing<T extends keyof Schema & string>(
    table: T,
    columns: Record<keyof Schema[T] & string, ColumnType>,
    records: readonly (Schema[T] & { id: string })[],
  ): Promise<ReadonlySet<string>>;
  /**
   * Texts, such as ids, as the right side of `in`, passed as one parameter. PostgreSQL knows their number, or assumes ten;
   * for `rows` it assumes a hundred, and then reads a whole table of some 10,000 rows.
   */
  list(texts: readonly string[]): RawBuilder<string>;
  /** `records` as a table expression `name(columns)`, passed as one JSON parameter. */
  rows(name: string, columns: Record<string, ColumnType>, records: readonly object[]): RawBuilder<unknown>;
  /**
   * Updates the rows that `records` name, and returns their `returning` columns. `write` gets a function that refers to
   * a column of the record. SQLite runs it once a record, PostgreSQL once for all: SQLite takes the key for a statement on
   * one table that names a whole key by `=`, but chooses the order of a join by statistics, and with small ones reads
   * the whole table for it. Other values than the record's have to be literals.
   */
  update<R = never>(
    table: keyof Schema & string,
    columns: Record<string, ColumnType>,
    records: readonly object[],
    write: (of: (column: string) => RawBuilder<unknown>) => RecordUpdate,
  ): Promise<R[]>;
  /**
   * The table, to be read along this index (absent: the primary key), independent of statistics. SQLite does so, or
   * refuses the statement; PostgreSQL, which knows how large its tables are at the moment, plans by itself.
   */
  indexed<T extends keyof Schema & string>(table: T, index?: string): AliasedRawBuilder<Schema[T], T>;
  /** `for update` / `for share`; empty on SQLite, where the one writer needs no row locks. */
  lock(strength: "update" | "share" | "key share"): RawBuilder<unknown>;
}

/**
 * How an input is sent to the thread of SQLite, which takes JSON text; for large inputs, in which field names would be half of the text.
 * Neither is called on PostgreSQL. `decode(encode(input))` equals the input, and `decode` may reuse its argument.
 */
export interface InputCodec<I> {
  encode(input: I, texts: LongTextsOut): unknown;
  decode(encoded: unknown, texts: LongTextsIn): I;
}

/** Where a long text is among those of its message: its first byte, and its length in bytes. */
export type TextPlace = [at: number, length: number];

/** Takes texts that may be long. */
export interface LongTextsOut {
  /** The representation of the text in the JSON: its position, or the text itself if it is short. */
  put(text: string): string | TextPlace;
}

/** Returns the texts; each call makes a new string. */
export interface LongTextsIn {
  get(place: TextPlace): string;
}

interface OperationHead<I> {
  name: string;
  access: "read" | "write";
  codec?: InputCodec<I>;
  /** Approximate size of an input in bytes, if it may be large: large ones do not share a transaction. */
  bytesOf?(input: I): number;
}

/** An operation whose calls each have a transaction of their own. */
interface SingleOperation<I, O> extends OperationHead<I> {
  batched: false;
  run(tx: Tx, input: I): Promise<O>;
}

/**
 * Concurrent calls are batched: while a transaction is in flight, further calls wait and share the next one. This is where the throughput
 * comes from, and each answer still waits for its flush.
 */
interface BatchedOperation<I, O> extends OperationHead<I> {
  batched: true;
  run(tx: Tx, inputs: readonly I[]): Promise<O[]>;
}

export type Operation<I, O> = SingleOperation<I, O> | BatchedOperation<I, O>;

export function readOperation<I, O>(
  name: string,
  run: (tx: Tx, input: I) => Promise<O>,
): SingleOperation<I, O> {
  return { name, access: "read", batched: false, run };
}

export function writeOperation<I, O>(
  name: string,
  run: (tx: Tx, input: I) => Promise<O>,
): SingleOperation<I, O> {
  return { name, access: "write", batched: false, run };
}

/**
 * `run` gets the inputs of all calls of a batch and returns one output for each, in the same order.
 *
 * @example
 * export const keepWord = batchedOperation("keepWord", async (tx, words: readonly WordsTable[]) => {
 *   await tx.db.insertInto("words").values([...words]).execute();
 *   return words.map(() => true);
 * });
 */
export function batchedOperation<I, O>(
  name: string,
  run: (tx: Tx, inputs: readonly I[]) => Promise<O[]>,
  more: Pick<OperationHead<I>, "codec" | "bytesOf"> = {},
): BatchedOperation<I, O> {
  return { name, access: "write", batched: true, run, ...more };
}

export interface Database {
  engine: Engine;
  /** Runs an operation; rejects with a `StorageError`, and then nothing of it was stored (but see `commit_unknown`). */
  run<I, O>(operation: Operation<I, O>, input: I): Promise<O>;
  /**
   * Calls `listener` with what transactions of this process have changed: after the commit, and before the promises of their
   * operations resolve. What a listener throws is a warning of the process. Returns the function that removes it.
   */
  onChanges(listener: (changes: Changes) => void): () => void;
  /** Tells other processes (PostgreSQL) that something changed; a hint only, never relied on. */
  notify(topic: string): void;
  /** Calls `listener` for each `notify` of another process. */
  onNotify(listener: (topic: string) => void): void;
  close(): Promise<void>;
}

export type StorageFault =
  /** The database cannot be reached, or is shutting down. */
  | "unavailable"
  /** The disk is full. */
  | "full"
  /** The disk or the file failed. */
  | "io"
  /** The connection broke or the disk failed during COMMIT: whether the transaction was stored is not known yet. */
  | "commit_unknown"
  /** Anything else: a bug. */
  | "failed";

export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly fault: StorageFault;

  constructor(fault: StorageFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
