// A change of many messages, in as many calls as the API needs.

/** So many go into one call. */
const maxIds = 500;
const notAsked = "Not asked for: the call before it failed.";

/**
 * Why each message was not changed, by its id; those that were are not in it. `ask`: changes these and gives what it refused. Throws
 * when its first call fails. After a later one what was changed before stays changed, so the others get the failure as their reason.
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
