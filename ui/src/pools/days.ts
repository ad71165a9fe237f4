// A member's usage, day by day.

import type { PoolUsage } from "#ui/api/schema.ts";
import { dayOf } from "#ui/words/spans.ts";

const dayMs = 86_400_000;

/**
 * The requests that count under a member (it answered, or it failed last) on each of the last local days, oldest first; 0 for a day without
 * any.
 */
export function requestsByDay(
  rows: readonly PoolUsage[],
  member: string,
  now: number,
  zone: string,
  days = 30,
): number[] {
  const own = new Map(rows.filter((row) => row.member === member).map((row) => [row.group, row.requests]));
  const today = Date.parse(dayOf(now, zone));
  return Array.from({ length: days }, (_each, at) => {
    const day = new Date(today - (days - 1 - at) * dayMs).toISOString().slice(0, 10);
    return own.get(day) ?? 0;
  });
}
