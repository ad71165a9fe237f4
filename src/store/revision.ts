// Optimistic concurrency control of configuration. A change is computed outside its transaction, where settings are parsed and sealed, from
// a row as it was read. Each change of a row increases its revision by one, and the transaction stores a change only while the row has the
// revision from which it was computed. So of two concurrent changes, neither is lost.

/** A configuration row. Each change increases its revision by one. */
export interface Revised {
  revision: number;
}

/** Another change was stored since the row was read, so nothing of this one was stored. */
export type Overtaken = "overtaken";

/** How often one change is computed again. Each time, another change of the same row was stored. */
const maxTries = 30;

/** Repeats a change, reading the row anew, as long as other changes are stored first; thirty times at most. */
export async function retryOvertaken<Result>(
  change: () => Promise<Result | Overtaken>,
): Promise<Result | { kind: Overtaken }> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const result = await change();
    if (result !== "overtaken") return result;
  }
  return { kind: "overtaken" };
}

/**
 * Reads a row and stores a change that is computed from it, repeatedly if another change is stored first. `expected`: the revision that the
 * caller has seen; if the row has another one, the result is `overtaken` at once.
 */
export async function changeRow<Row extends Revised, Result>(
  expected: number | undefined,
  read: () => Promise<Row | null>,
  change: (row: Row) => Promise<Result | Overtaken>,
): Promise<Result | { kind: "not_found" } | { kind: Overtaken }> {
  return await retryOvertaken(async () => {
    const row = await read();
    if (row === null) return { kind: "not_found" as const };
    if (expected !== undefined && row.revision !== expected) return { kind: "overtaken" as const };
    return await change(row);
  });
}
