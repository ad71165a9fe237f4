// The calls of a pool in a range: one read for the figures, the chart and the table of its page.

import { call } from "#ui/api/client.ts";
import { usePaced } from "#ui/api/queries.ts";
import { rangeOf, readRange } from "#ui/parts/charts/ranges.ts";

export const splits = ["member", "key", "model", "status"] as const;
type Split = (typeof splits)[number];

/** Calls are counted about a second after their end, and a busy pool changes all the time, so hints are ignored here. */
const paceMs = 30_000;

/** `last`: the word of the range in the URL. An answer names its range: it stays until the answer for the new choice arrives. */
export function useStatistics(
  params: { account: string; pool: string },
  last: string | undefined,
  split: Split,
) {
  const range = rangeOf(last);
  return usePaced("getPoolStatistics", [params, range.name, split], paceMs, async (signal) => ({
    range,
    split,
    statistics: await readRange(
      range,
      async (of) => (await call("getPoolStatistics", { params, query: { ...of, split }, signal })).data,
    ),
  }));
}
