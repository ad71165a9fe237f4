// The ranges of figures, and the columns in which each is drawn.

import { ApiError } from "#ui/api/client.ts";
import type { MessageStatistics } from "#ui/api/schema.ts";
import { daysBetween, hoursBetween, type Span } from "#ui/words/spans.ts";

const hourMs = 3_600_000;

type RangeName = "24h" | "7d" | "30d";

interface Range {
  name: RangeName;
  short: string;
  title: string;
  step: "hour" | "day";
  /** Hours of one column; without meaning for a range in days. */
  hours: number;
  columns: number;
}

export const ranges: readonly Range[] = [
  { name: "24h", short: "24 h", title: "last 24 hours", step: "hour", hours: 1, columns: 24 },
  { name: "7d", short: "7 d", title: "last 7 days", step: "hour", hours: 3, columns: 56 },
  { name: "30d", short: "30 d", title: "last 30 days", step: "day", hours: 24, columns: 30 },
];

/** The range of the word in the URL; a day if the word is missing or unknown. */
export const rangeOf = (word: string | undefined): Range =>
  ranges.find(({ name }) => name === word) ?? (ranges[0] as Range);

/**
 * The request: the range ends with the column that contains `now`, the service's own clock in epoch ms. It is the same within a column, so
 * that one answer is cached for it.
 */
export function queryOf(
  { step, hours, columns }: Range,
  now: number,
): { step: "hour" | "day"; after: string } {
  const length = hours * hourMs;
  const begin = now - (now % length) - (columns - 1) * length;
  return { step, after: new Date(begin).toISOString() };
}

/** How far the service's clock is ahead of the browser's, ms, as its last answer said. */
let aheadMs = 0;

/** Before which instant no column of the range begins, epoch ms. */
export const beforeRange = ({ hours, columns }: Range): number =>
  Date.now() + aheadMs - columns * hours * hourMs;

/**
 * Reads the statistics of a range. Nearly every browser's clock is within the service's column: its range is requested, and a second time
 * only if it was another column.
 */
export async function readRange<T extends { before: string }>(
  range: Range,
  read: (of: Partial<ReturnType<typeof queryOf>>) => Promise<T>,
): Promise<T> {
  let asked: Partial<ReturnType<typeof queryOf>> = queryOf(range, Date.now() + aheadMs);
  const answer = await read(asked).catch((error: unknown) => {
    // The service refuses the range if the clock is days off.
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    asked = {};
    return read(asked);
  });
  aheadMs = Date.parse(answer.before) - Date.now();
  const due = queryOf(range, Date.now() + aheadMs);
  return due.after === asked.after ? answer : await read(due);
}

/** The columns of an answer. */
export function spansOf(
  { step, hours }: Range,
  { after, before, time_zone }: Pick<MessageStatistics, "after" | "before" | "time_zone">,
): Span[] {
  const [from, to] = [Date.parse(after), Date.parse(before)];
  return step === "day" ? daysBetween(from, to, time_zone) : hoursBetween(from, to, hours);
}
