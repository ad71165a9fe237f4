// The statistics of messages as columns: one for each hour of a range, also for those in which nothing happened.

import type { MessageStatistics, MessageStatisticsPoint } from "#ui/api/schema.ts";
import { instant } from "#ui/words/instants.ts";

const hourMs = 3_600_000;

/** How messages ended in an hour, as a chart draws it. */
export const outcomeSeries = [
  { name: "delivered", tone: "good" },
  { name: "sent", tone: "sent" },
  { name: "not sent", tone: "bad" },
  { name: "unknown", tone: "doubt" },
] as const;

/** `sent`: those of which no end is reported yet. */
function outcomesOf(point: MessageStatisticsPoint): Record<string, number> {
  const { sent, delivered, undelivered, bounced, failed, expired, suppressed, unknown } = point;
  return {
    delivered,
    sent: Math.max(0, sent - delivered - undelivered - bounced),
    "not sent": undelivered + bounced + failed + expired + suppressed,
    unknown,
  };
}

/** The last 24 hours of the range, oldest first. `labelOf`: names one by its beginning (epoch ms). */
export function hourColumns(
  { after, before, series }: Pick<MessageStatistics, "after" | "before" | "series">,
  key: string,
  labelOf: (at: number) => string,
): { label: string; values: Record<string, number> }[] {
  const points = series.find((each) => each.key === key)?.points ?? [];
  const byHour = new Map(points.map((point) => [Date.parse(point.at), outcomesOf(point)]));
  const first = Date.parse(after);
  const count = Math.max(0, Math.ceil((Date.parse(before) - first) / hourMs));
  const columns = Array.from({ length: count }, (_, at) => {
    const beginning = first + at * hourMs;
    return { label: labelOf(beginning), values: byHour.get(beginning) ?? {} };
  });
  // A day touches 25 hours, of which the first and the last have the same name.
  return columns.slice(-24);
}

/** `14:00` in the account's zone; at midnight the day, `24 Nov`. */
export function hourLabel(at: number, zone: string): string {
  const [day = "", month = "", time = ""] = instant(new Date(at).toISOString(), zone, at).split(" ");
  const hour = time.slice(0, 5);
  return hour === "00:00" ? `${day} ${month}` : hour;
}

/** All messages of a column. */
export const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);
