// The statistics of a pool in the words and columns of its page.

import type { PoolStatistics, PoolStatisticsPoint, PoolStatisticsSum } from "#ui/api/schema.ts";
import { number } from "#ui/words/numbers.ts";
import type { Span } from "#ui/words/spans.ts";

const refusers = {
  requests: "requests a minute",
  tokens: "tokens a minute",
  concurrency: "calls at once",
  budget: "budget",
} as const;

/** How many calls were refused, and by what: `3 by budget, 1 by calls at once`. */
export function refusalsOf({ refused }: PoolStatisticsSum): { count: number; words: string } {
  const named = Object.entries(refusers).flatMap(([by, words]) => {
    const count = refused[by as keyof typeof refusers];
    return count === 0 ? [] : [{ count, words: `${number(count)} by ${words}` }];
  });
  return {
    count: named.reduce((sum, { count }) => sum + count, 0),
    words: named.map(({ words }) => words).join(", "),
  };
}

/** The name of a series. */
export function seriesName(
  split: "member" | "key" | "model" | "status",
  { key, name }: Pick<PoolStatistics["series"][number], "key" | "name">,
  poolId: string,
): string {
  if (split === "key") return key === poolId ? "people, without a key" : (name ?? key);
  if (key !== "") return key;
  return split === "member" ? "no member was asked" : "no model answered";
}

interface SpanSums extends Span {
  requests: number;
  /** Each request once, by how it ended. */
  answered: number;
  failedOver: number;
  errors: number;
  aborted: number;
  refused: number;
}

/** Points of one or several series in the columns of a chart. */
export function sumsIn(spans: readonly Span[], points: readonly PoolStatisticsPoint[]): SpanSums[] {
  return spans.map((span) => {
    const sums = { ...span, requests: 0, answered: 0, failedOver: 0, errors: 0, aborted: 0, refused: 0 };
    for (const point of points) {
      const at = Date.parse(point.at);
      if (at < span.from || at >= span.to) continue;
      sums.requests += point.requests;
      sums.answered += point.ended.answered;
      sums.failedOver += point.ended.answered_after_failover;
      sums.errors += point.ended.errors;
      sums.aborted += point.ended.aborted;
      sums.refused += refusalsOf(point).count;
    }
    return sums;
  });
}
