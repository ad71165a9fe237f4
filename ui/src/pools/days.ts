// A member's usage, day by day.

import type { PoolUsageReply } from "#ui/api/schema.ts";

const dayMs = 86_400_000;

/**
 * The requests that count under a member (it answered, or it failed last) on each local day of the answer, oldest first; 0 for a day
 * without any. Empty before the answer.
 */
export function requestsByDay(
  usage: Pick<PoolUsageReply, "data" | "from" | "to"> | undefined,
  member: string,
): number[] {
  if (usage === undefined) return [];
  const own = new Map(
    usage.data.filter((row) => row.member === member).map((row) => [row.group, row.requests]),
  );
  const first = Date.parse(usage.from);
  return Array.from({ length: (Date.parse(usage.to) - first) / dayMs + 1 }, (_each, at) => {
    const day = new Date(first + at * dayMs).toISOString().slice(0, 10);
    return own.get(day) ?? 0;
  });
}
