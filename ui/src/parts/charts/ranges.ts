// The ranges of figures, and the columns in which each is drawn.

import { ApiError } from "#ui/api/client.ts";
import type { MessageStatistics } from "#ui/api/schema.ts";
import { beginOf, type LastRange, lastRanges } from "#ui/parts/list/query.ts";
import { daysBetween, hoursBetween, type Span } from "#ui/words/spans.ts";

const hourMs = 3_600_000;

/** An hour has no chart of its own. */
const [, day, ...longer] = lastRanges;
export const ranges: readonly LastRange[] = [day, ...longer];

/** The range of the word in the URL; a day if the word is missing or unknown. */
export const rangeOf = (word: string | undefined): LastRange =>
  ranges.find(({ name }) => name === word) ?? day;

export const stepOf = ({ stepMs }: LastRange): "hour" | "day" => (stepMs === 24 * hourMs ? "day" : "hour");

/** The request. `now`: the service's own clock, epoch ms. */
export const queryOf = (range: LastRange, now: number, zone: string) => ({
  step: stepOf(range),
  after: new Date(beginOf(range, now, zone)).toISOString(),
});

/** How far the service's clock is ahead of the browser's, ms, as its last answer said. */
let aheadMs = 0;

/** Before which instant no column of the range begins, epoch ms. */
export const beforeRange = ({ ms, stepMs }: LastRange): number => Date.now() + aheadMs - ms - stepMs;

/**
 * Reads the statistics of a range. Nearly every browser's clock is within the service's column: its range is requested, and a second time
 * only if it was another column.
 */
export async function readRange<T extends { before: string }>(
  range: LastRange,
  zone: string,
  read: (of: Partial<ReturnType<typeof queryOf>>) => Promise<T>,
): Promise<T> {
  let asked: Partial<ReturnType<typeof queryOf>> = queryOf(range, Date.now() + aheadMs, zone);
  const answer = await read(asked).catch((error: unknown) => {
    // The service refuses the range if the clock is days off.
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    asked = {};
    return read(asked);
  });
  // `before` is the first millisecond that the answer did not count.
  aheadMs = Date.parse(answer.before) - 1 - Date.now();
  const due = queryOf(range, Date.now() + aheadMs, zone);
  return due.after === asked.after ? answer : await read(due);
}

/** The columns of an answer. */
export function spansOf(
  range: LastRange,
  { after, before, time_zone }: Pick<MessageStatistics, "after" | "before" | "time_zone">,
): Span[] {
  const [from, to] = [Date.parse(after), Date.parse(before)];
  return stepOf(range) === "day"
    ? daysBetween(from, to, time_zone)
    : hoursBetween(from, to, range.stepMs / hourMs);
}
