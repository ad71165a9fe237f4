// The query of a list, made from the filter in the URL.

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The choices of a time range that ends now. */
export const lastRanges = [
  { name: "1h", title: "in the last hour", ms: hourMs },
  { name: "24h", title: "in the last 24 hours", ms: dayMs },
  { name: "7d", title: "in the last 7 days", ms: 7 * dayMs },
  { name: "30d", title: "in the last 30 days", ms: 30 * dayMs },
] as const;

/** A range that ends now begins at a whole multiple of this, so that returning to the list soon makes the same request. */
export const stepMs = 300_000;

type Filter = Readonly<Record<string, string | undefined>>;

/** The fields of the filter that the list's operation has. */
export function picked(filter: Filter, names: readonly string[]): Record<string, string> {
  const query: Record<string, string> = {};
  for (const name of names) {
    const value = filter[name];
    if (value !== undefined) query[name] = value;
  }
  return query;
}

/** The same with `last` as `created_from`. `now`: epoch ms. */
export function listQuery(filter: Filter, names: readonly string[], now: number): Record<string, string> {
  const query = picked(filter, [...names, "created_from", "created_to"]);
  const last = lastRanges.find(({ name }) => name === filter.last);
  if (last !== undefined && query.created_from === undefined)
    query.created_from = new Date(Math.floor(now / stepMs) * stepMs - last.ms).toISOString();
  return query;
}
