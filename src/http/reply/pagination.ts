// Pages of a list whose rows have time-sortable ids: one row more is read than shown, to know whether more follow.

/** The rows to show, and the cursor of the next page. */
export function pageOf<R extends { id: string }>(
  rows: readonly R[],
  limit: number,
): { rows: R[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  return { rows: shown, nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
