// The outcomes of an endpoint's deliveries, hour by hour: for a chart, or a sparkline.

import type { WebhookStatistics, WebhookStatisticsPoint, WebhookStatisticsSum } from "#ui/api/schema.ts";
import type { Series } from "#ui/parts/charts/scale.ts";
import { number } from "#ui/words/numbers.ts";
import { hoursBetween, type Span } from "#ui/words/spans.ts";

export const ends: readonly Series[] = [
  { name: "delivered", tone: "good" },
  { name: "failed, retried", tone: "warn" },
  { name: "given up", tone: "bad" },
];

const valuesOf = (point: WebhookStatisticsSum | undefined): Record<string, number> => ({
  delivered: point?.delivered ?? 0,
  "failed, retried": point?.failed_tries ?? 0,
  "given up": point?.given_up ?? 0,
});

/** Every hour of the answer, including those without events. */
export function hoursOf(
  { after, before }: Pick<WebhookStatistics, "after" | "before">,
  points: readonly WebhookStatisticsPoint[],
): (Span & { values: Record<string, number> })[] {
  const byHour = new Map(points.map((point) => [Date.parse(point.at), point]));
  return hoursBetween(Date.parse(after), Date.parse(before), 1).map((span) => ({
    ...span,
    values: valuesOf(byHour.get(span.from)),
  }));
}

/** `12 delivered · 3 failed, retried`, without zero counts; empty if there were no events. */
export const endsIn = (sum: WebhookStatisticsSum | undefined): string =>
  Object.entries(valuesOf(sum))
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(" · ");
