// A change of many messages, in as many calls as the API needs.

/** Messages per call. */
const maxIds = 500;

export interface Changed {
  /** Why messages were refused, by id. */
  why: ReadonlyMap<string, string>;
  /** The messages of the call that failed, and those after it. */
  left: readonly string[];
  failure: string | null;
}

/**
 * `ask`: changes these and returns the refused ones. `onPart`: receives how many were asked for after each call. Throws if its first call
 * fails. If a later one fails, the earlier changes remain, and the other messages are left.
 */
export async function changeInParts(
  ids: readonly string[],
  ask: (ids: string[]) => Promise<readonly { id: string; message: string }[]>,
  onPart: (asked: number) => void,
): Promise<Changed> {
  const why = new Map<string, string>();
  for (let from = 0; from < ids.length; from += maxIds) {
    onPart(from);
    try {
      for (const { id, message } of await ask(ids.slice(from, from + maxIds))) why.set(id, message);
    } catch (error) {
      if (from === 0) throw error;
      return { why, left: ids.slice(from), failure: (error as Error).message };
    }
  }
  return { why, left: [], failure: null };
}
