// The ranges of figures, and the columns in which each is drawn.

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

/** The columns of an answer. */
export function spansOf(
  { step, hours }: Range,
  { after, before, time_zone }: Pick<MessageStatistics, "after" | "before" | "time_zone">,
): Span[] {
  const [from, to] = [Date.parse(after), Date.parse(before)];
  return step === "day" ? daysBetween(from, to, time_zone) : hoursBetween(from, to, hours);
}
