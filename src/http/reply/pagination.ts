// Pages of a list whose rows have time-sortable ids: one row more is read than shown, to know whether more follow.

/** The rows of a page, converted by `shown`, and the cursor of the next one; null on the last page. */
export function pageOf<R extends { id: string }, T>(
  rows: readonly R[],
  limit: number,
  shown: (row: R) => T,
): { data: T[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  return { data: page.map(shown), next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}
