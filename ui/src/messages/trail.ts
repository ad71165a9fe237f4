// The list that a message was opened from: its filter and its rows, so that the way back and the neighbours are those of that list.

interface Trail {
  account: string;
  /** The filter in the list's URL. */
  search: Readonly<Record<string, string | undefined>>;
  /** The rows that were read, in the list's order. */
  ids: readonly string[];
}

/** A tab remembers so many rows. */
const maxIds = 2_000;
const key = "log";

export function rememberTrail({ account, search, ids }: Trail): void {
  sessionStorage.setItem(key, JSON.stringify({ account, search, ids: ids.slice(0, maxIds) }));
}

/** The list of this tab, or null: the message was opened by a link of its own. */
export function trailOf(account: string): Trail | null {
  const stored = sessionStorage.getItem(key);
  if (stored === null) return null;
  const trail = JSON.parse(stored) as Trail;
  return trail.account === account ? trail : null;
}

/** The messages before and after this one in the list; null at its ends, and of a message that is not in it. */
export function neighboursOf(
  ids: readonly string[],
  id: string,
): { before: string | null; after: string | null; place: number } {
  const at = ids.indexOf(id);
  if (at === -1) return { before: null, after: null, place: 0 };
  return { before: ids[at - 1] ?? null, after: ids[at + 1] ?? null, place: at + 1 };
}
