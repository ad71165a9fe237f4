// What a pool was asked in a range: one reading for the figures, the chart and the table of its page.

import { call } from "#ui/api/client.ts";
import { usePaced } from "#ui/api/queries.ts";
import { queryOf, rangeOf } from "#ui/parts/charts/ranges.ts";

export const splits = ["member", "key", "model", "status"] as const;
type Split = (typeof splits)[number];

/** Calls are counted about a second after their end, and a busy pool has news all the time: hints say nothing here. */
const paceMs = 30_000;

/** How far the service's clock is ahead of the browser's, ms; null: no answer has said so yet. */
let aheadMs: number | null = null;

const tellTime = ({ before }: { before: string }) => {
  aheadMs = Date.parse(before) - Date.now();
  return aheadMs;
};

/** `last`: the word of the range in the URL. What is answered names what it is of: it stays until what was chosen instead is there. */
export function useStatistics(
  params: { account: string; pool: string },
  last: string | undefined,
  split: Split,
) {
  const range = rangeOf(last);
  return usePaced("getPoolStatistics", [params, range.name, split], paceMs, async (signal) => {
    const ahead =
      aheadMs ?? tellTime((await call("getPoolStatistics", { params, query: { split }, signal })).data);
    const query = { ...queryOf(range, Date.now() + ahead), split };
    const { data: statistics } = await call("getPoolStatistics", { params, query, signal });
    tellTime(statistics);
    return { range, split, statistics };
  });
}
