// Outcomes of messages, span by span: the four that charts stack, and messages that were never meant to be sent.

import type {
  MessageStatistics,
  MessageStatisticsPoint,
  MessageStatisticsSeries,
  MessageStatisticsSum,
  MessageStatus,
} from "#ui/api/schema.ts";
import { hoursBetween, type Span } from "#ui/words/spans.ts";
import type { Series } from "./scale.ts";

export const outcomes: readonly Series[] = [
  { name: "delivered", tone: "good" },
  { name: "sent, no report", tone: "sent" },
  { name: "failed", tone: "bad" },
  { name: "unknown", tone: "doubt" },
  { name: "not sent", tone: "soft", note: "cancelled or suppressed" },
];

type Counts = Omit<MessageStatisticsSum, "wait_ms" | "delivery_ms">;

/** Those of one gateway, which may attempt a message many times before it has an outcome. */
export const gatewayOutcomes: readonly Series[] = [
  ...outcomes,
  { name: "deferred", tone: "wait", note: "attempts that are repeated later" },
];

/**
 * Counts of events as outcomes. The API counts a message in each state that it entered, so one that was sent and delivered in the same span
 * is in both of its counts but in only one here.
 */
export function outcomesOf(counts: Counts): Record<string, number> {
  const delivered = Math.max(counts.delivered, counts.read);
  return {
    delivered,
    "sent, no report": Math.max(0, counts.sent - delivered - counts.undelivered - counts.bounced),
    failed: counts.failed + counts.undelivered + counts.bounced + counts.expired,
    unknown: counts.unknown,
    "not sent": counts.cancelled + counts.suppressed,
  };
}

/** Names every count of the API: with one missing or one too many it does not compile. */
const none: Readonly<Counts> = {
  accepted: 0,
  deferred: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  undelivered: 0,
  failed: 0,
  bounced: 0,
  expired: 0,
  cancelled: 0,
  suppressed: 0,
  unknown: 0,
};
const names = Object.keys(none) as readonly (keyof Counts)[];

/** For each span, the sum of the points that begin in it. */
export function countsIn(spans: readonly Span[], points: readonly MessageStatisticsPoint[]): Counts[] {
  return spans.map(({ from, to }) => {
    const inside = points.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to);
    const sums = names.map((name) => [name, inside.reduce((sum, point) => sum + point[name], 0)] as const);
    return Object.fromEntries(sums) as unknown as Counts;
  });
}

/** The columns of a chart: the outcomes in each span, and how many messages were accepted in it, which the log lists for it. */
export const columnsOf = (
  spans: readonly Span[],
  series: Pick<MessageStatisticsSeries, "points"> | undefined,
) =>
  countsIn(spans, series?.points ?? []).map((counts, at) => ({
    ...(spans[at] as Span),
    accepted: counts.accepted,
    values: { ...outcomesOf(counts), deferred: counts.deferred },
  }));

/** Those of an hourly answer. */
export const hourlyOutcomes = (
  { after, before }: Pick<MessageStatistics, "after" | "before">,
  series: Pick<MessageStatisticsSeries, "points"> | undefined,
) => columnsOf(hoursBetween(Date.parse(after), Date.parse(before), 1), series);

/** The messages that were accepted in each hour of an hourly answer. */
export const acceptedByHour = (
  { after, before }: Pick<MessageStatistics, "after" | "before">,
  series: Pick<MessageStatisticsSeries, "points"> | undefined,
): number[] =>
  countsIn(hoursBetween(Date.parse(after), Date.parse(before), 1), series?.points ?? []).map(
    ({ accepted }) => accepted,
  );

/** All messages of a column. */
export const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

const waiting = { name: "waiting", tone: "wait" } as const;

/** The outcome that each state belongs to. */
const outcomeOf: Readonly<Record<MessageStatus, string>> = {
  queued: "waiting",
  scheduled: "waiting",
  sending: "waiting",
  sent: "sent, no report",
  delivered: "delivered",
  read: "delivered",
  failed: "failed",
  undelivered: "failed",
  bounced: "failed",
  expired: "failed",
  unknown: "unknown",
  cancelled: "not sent",
  suppressed: "not sent",
};

/** How many messages each outcome has, and in which states; outcomes without messages are omitted. */
export function outcomesIn(
  byStatus: Readonly<Partial<Record<MessageStatus, number>>>,
): { name: string; tone: string; count: number; statuses: [MessageStatus, number][] }[] {
  const entries = Object.entries(byStatus) as [MessageStatus, number][];
  return [...outcomes, waiting].flatMap(({ name, tone }) => {
    const statuses = entries.filter(([status, count]) => outcomeOf[status] === name && count > 0);
    const count = statuses.reduce((sum, [, each]) => sum + each, 0);
    return count === 0 ? [] : [{ name, tone, count, statuses }];
  });
}
