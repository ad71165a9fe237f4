// A change of many messages, in as many calls as the API needs.

/** Messages per call. */
const maxIds = 500;

export interface Changed<T> {
  refused: readonly { record: T; why: string }[];
  /** Those of the call that failed, and those after it. */
  left: readonly T[];
  failure: string | null;
}

/**
 * `ask`: changes these and returns the refused ones. `onPart`: receives how many have been asked for before each call. Throws if its first
 * call fails. If a later one fails, the earlier changes remain, and the other messages are left.
 */
export async function changeInParts<T extends { id: string }>(
  records: readonly T[],
  ask: (ids: string[]) => Promise<readonly { id: string; message: string }[]>,
  onPart: (asked: number) => void,
): Promise<Changed<T>> {
  const refused: { record: T; why: string }[] = [];
  for (let from = 0; from < records.length; from += maxIds) {
    onPart(from);
    const part = new Map(records.slice(from, from + maxIds).map((record) => [record.id, record]));
    try {
      for (const { id, message: why } of await ask([...part.keys()])) {
        const record = part.get(id);
        if (record !== undefined) refused.push({ record, why });
      }
    } catch (error) {
      if (from === 0) throw error;
      return { refused, left: records.slice(from), failure: (error as Error).message };
    }
  }
  return { refused, left: [], failure: null };
}
