// The calls of a pool in a range: one read for the figures, the chart and the table of its page.

import { ApiError, call } from "#ui/api/client.ts";
import { usePaced } from "#ui/api/queries.ts";
import { queryOf, rangeOf } from "#ui/parts/charts/ranges.ts";

export const splits = ["member", "key", "model", "status"] as const;
type Split = (typeof splits)[number];

/** Calls are counted about a second after their end, and a busy pool changes all the time, so hints are ignored here. */
const paceMs = 30_000;

/** How far the service's clock is ahead of the browser's, ms; null before the first answer. */
let aheadMs: number | null = null;

const tellTime = ({ before }: { before: string }) => {
  aheadMs = Date.parse(before) - Date.now();
  return aheadMs;
};

/** `last`: the word of the range in the URL. An answer names its range: it stays until the answer for the new choice arrives. */
export function useStatistics(
  params: { account: string; pool: string },
  last: string | undefined,
  split: Split,
) {
  const range = rangeOf(last);
  return usePaced("getPoolStatistics", [params, range.name, split], paceMs, async (signal) => {
    const answer = async (of: Partial<ReturnType<typeof queryOf>>) => {
      const query = { ...of, split };
      return (await call("getPoolStatistics", { params, query, signal })).data;
    };
    // Nearly every browser's clock is within the service's column: its range is requested, and a second time only if it was another column.
    let asked: Partial<ReturnType<typeof queryOf>> = queryOf(range, Date.now() + (aheadMs ?? 0));
    let statistics = await answer(asked).catch((error: unknown) => {
      // The service refuses the range if the clock is days off.
      if (!(error instanceof ApiError) || error.status !== 422) throw error;
      asked = {};
      return answer(asked);
    });
    const due = queryOf(range, Date.now() + tellTime(statistics));
    if (due.after !== asked.after) statistics = await answer(due);
    return { range, split, statistics };
  });
}
