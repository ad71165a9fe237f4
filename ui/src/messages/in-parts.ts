// A change of many messages, in as many calls as the API needs.

/** Messages per call. */
const maxIds = 500;
const notAsked = "Not attempted: an earlier call failed.";

/**
 * Why messages were not changed, by id; changed ones are absent. `ask`: changes these and returns the refused ones. Throws if its first
 * call fails. If a later one fails, the earlier changes remain, and the other messages get the failure as their reason.
 */
export async function changeInParts(
  ids: readonly string[],
  ask: (ids: string[]) => Promise<readonly { id: string; message: string }[]>,
): Promise<ReadonlyMap<string, string>> {
  const why = new Map<string, string>();
  for (let from = 0; from < ids.length; from += maxIds) {
    const part = ids.slice(from, from + maxIds);
    try {
      for (const { id, message } of await ask(part)) why.set(id, message);
    } catch (error) {
      if (from === 0) throw error;
      for (const id of part) why.set(id, (error as Error).message);
      for (const id of ids.slice(from + maxIds)) why.set(id, notAsked);
      break;
    }
  }
  return why;
}
