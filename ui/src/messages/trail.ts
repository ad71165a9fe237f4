// The list that a message was opened from: its filter and its rows, so that the way back and the neighbours are those of that list.

import { useEffect } from "react";
import type { Operations } from "#ui/api/operations.ts";

type Query = Operations["listAccountMessages"]["query"];

export interface Trail {
  account: string;
  /** The page with the list; without it, the log. */
  list?: "scheduled" | "request";
  /** The filter in the list's URL. */
  search: Readonly<Record<string, string | undefined>>;
  /** The list's request to the API. */
  query: Query;
  /** The loaded rows, in the list's order. */
  ids: readonly string[];
  /** Where the rows after these begin; null if there are none. */
  cursor: string | null;
}

interface Page {
  data: readonly { id: string }[];
  next_cursor: string | null;
}

/** How many rows a tab remembers. */
const maxIds = 2_000;
/** How many pages without a row are read automatically. */
const maxBarePages = 5;
const key = "log";

/** Remembers the list that this tab shows: the first pages of a very long one, and later pages when they are needed. */
function rememberTrail(
  of: Pick<Trail, "account" | "list" | "search" | "query">,
  pages: readonly Page[],
): void {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (const page of pages) {
    if (ids.length > 0 && ids.length + page.data.length > maxIds) break;
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  store({ ...of, ids, cursor });
}

/** The same for a list that is read: while it is loading, its rows would be those of the previous filter. */
export function useRememberedTrail(
  of: Pick<Trail, "account" | "list" | "search" | "query">,
  { data, isPlaceholderData }: { data: { pages: readonly Page[] } | undefined; isPlaceholderData: boolean },
): void {
  useEffect(() => {
    if (!isPlaceholderData && data !== undefined) rememberTrail(of, data.pages);
  });
}

const store = (trail: Trail): void => sessionStorage.setItem(key, JSON.stringify(trail));

/** The list of this tab, or null if the message was opened by a link of its own. */
export function trailOf(account: string): Trail | null {
  const stored = sessionStorage.getItem(key);
  if (stored === null) return null;
  const trail = JSON.parse(stored) as Trail;
  return trail.account === account ? trail : null;
}

/** The trail with the following rows. `read` reads one page of the list. Beyond what a tab remembers, the first rows are dropped. */
export async function readOn(trail: Trail, read: (query: Query) => Promise<Page>): Promise<Trail> {
  let { ids, cursor } = trail;
  for (let page = 0; page < maxBarePages && cursor !== null && ids.length === trail.ids.length; page++) {
    const next: Page = await read({ ...trail.query, brief: "true", limit: 50, cursor });
    ids = [...ids, ...next.data.map(({ id }) => id)];
    cursor = next.next_cursor;
  }
  const longer = { ...trail, ids: ids.slice(-maxIds), cursor };
  store(longer);
  return longer;
}

/** The messages before and after this one in the list; null at its ends, and for a message that is not in it. */
export function neighboursOf(
  ids: readonly string[],
  id: string,
): { before: string | null; after: string | null; place: number } {
  const at = ids.indexOf(id);
  if (at === -1) return { before: null, after: null, place: 0 };
  return { before: ids[at - 1] ?? null, after: ids[at + 1] ?? null, place: at + 1 };
}
