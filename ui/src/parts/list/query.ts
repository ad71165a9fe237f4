// The query of a list, made from the filter in the URL.

import { dayOf, instantIn } from "#ui/words/spans.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The time ranges that end now. `stepMs`: the length of a column of their charts. */
export const lastRanges = [
  { name: "1h", title: "last hour", ms: hourMs, stepMs: hourMs / 12 },
  { name: "24h", title: "last 24 hours", ms: dayMs, stepMs: hourMs },
  { name: "7d", title: "last 7 days", ms: 7 * dayMs, stepMs: 3 * hourMs },
  { name: "30d", title: "last 30 days", ms: 30 * dayMs, stepMs: dayMs },
] as const;
export type LastRange = (typeof lastRanges)[number];

/** The choices of a list. */
export const lastChoices = lastRanges.map(({ name, title }) => [name, `in the ${title}`] as const);

/**
 * When a range begins, in every list and chart: with the column that contains the instant so long before `now` (epoch ms). One of days is
 * the zone's, today among them, as the usage of pools counts. Returning soon makes the same request.
 */
export function beginOf({ ms, stepMs }: LastRange, now: number, zone: string): number {
  const at = now - ms;
  if (stepMs < dayMs) return at - (at % stepMs);
  const first = new Date(Date.parse(dayOf(now, zone)) - ms + dayMs).toISOString();
  return instantIn(`${first.slice(0, 10)}T00:00`, zone);
}

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
export function listQuery(
  filter: Filter,
  names: readonly string[],
  now: number,
  zone: string,
): Record<string, string> {
  const query = picked(filter, [...names, "created_from", "created_to"]);
  const last = lastRanges.find(({ name }) => name === filter.last);
  if (last !== undefined && query.created_from === undefined)
    query.created_from = new Date(beginOf(last, now, zone)).toISOString();
  return query;
}
