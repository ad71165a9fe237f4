// A whole list at once, beside what its page shows of it.

import { number } from "#ui/words/numbers.ts";

/** The largest page of the API. */
const perPage = 200;

export type ReadFrom<T> = (
  cursor: string | null,
  signal: AbortSignal,
  limit: number,
) => Promise<{ data: readonly T[]; next_cursor: string | null }>;

/**
 * Reads a list from its beginning up to `max` rows, in pages; `onPage` returns how many there are by then. The result says how far it got,
 * also after a failure or a stop.
 */
export async function readAll<T>(
  readFrom: ReadFrom<T>,
  max: number,
  signal: AbortSignal,
  onPage: (rows: readonly T[]) => number,
): Promise<string> {
  let count = 0;
  let cursor: string | null = null;
  let why = "";
  try {
    do {
      const page = await readFrom(cursor, signal, Math.min(perPage, max - count));
      count = onPage(page.data);
      cursor = page.next_cursor;
    } while (cursor !== null && count < max);
    if (cursor === null) return `Found all that match: ${number(count)}.`;
  } catch (error) {
    why = signal.aborted ? "You stopped. " : `${(error as Error).message} `;
  }
  return `${why}Found the first ${number(count)}, and the list goes further.`;
}
