// The time range of the log, and how the histogram above it divides that range.

import type { Operations } from "#ui/api/operations.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const lastRanges = [
  { name: "1h", title: "in the last hour", ms: hourMs },
  { name: "24h", title: "in the last 24 hours", ms: dayMs },
  { name: "7d", title: "in the last 7 days", ms: 7 * dayMs },
  { name: "30d", title: "in the last 30 days", ms: 30 * dayMs },
] as const;

type Filter = Readonly<Record<string, string | undefined>>;

const names = [
  "status",
  "channel",
  "gateway",
  "recipient",
  "request",
  "reference",
  "error",
  "test",
  "held",
  "created_from",
  "created_to",
] as const;

/** A range that ends now begins at a whole multiple of this, so that returning to the list soon makes the same request. */
const stepMs = 5 * minuteMs;

/** The query of the list for a filter in the URL. `now`: epoch ms. */
export function queryOf(filter: Filter, now: number): Record<string, string> {
  const query: Record<string, string> = {};
  for (const name of names) {
    const value = filter[name];
    if (value !== undefined) query[name] = value;
  }
  const last = lastRanges.find(({ name }) => name === filter.last);
  if (last !== undefined && query.created_from === undefined)
    query.created_from = new Date(Math.floor(now / stepMs) * stepMs - last.ms).toISOString();
  return query;
}

/** Filters for which there are no counts. */
const uncounted = ["status", "recipient", "request", "reference", "error", "test", "held"] as const;

interface Histogram {
  query: Operations["getMessageStatistics"]["query"];
  /** The length of one column, minutes; null for local days. */
  minutes: number | null;
}

const maxColumns = 60;
/** Minutes are kept for two days, hours for 92. */
const minutesKeptMs = 47 * hourMs;

/**
 * How to count the results of the query, or null if the API has no such counts: with filters other than time, channel and gateway, and over
 * more than a year. Without a time it is the last day.
 */
export function histogramOf(query: Readonly<Record<string, string>>, now: number): Histogram | null {
  if (uncounted.some((name) => query[name] !== undefined)) return null;
  const end = query.created_to === undefined ? now : Date.parse(query.created_to);
  const begin = query.created_from === undefined ? end - dayMs : Date.parse(query.created_from);
  const length = end - begin;
  if (Number.isNaN(length) || length <= 0) return null;
  const of = {
    ...(query.created_from === undefined ? {} : { after: query.created_from }),
    ...(query.created_to === undefined ? {} : { before: query.created_to }),
    ...(query.channel === undefined ? {} : { channel: query.channel as "sms" }),
    ...(query.gateway === undefined ? {} : { gateway: query.gateway }),
  };
  if (length <= 3 * hourMs)
    return now - begin > minutesKeptMs
      ? null
      : { query: { ...of, step: "minute" }, minutes: Math.max(1, Math.ceil(length / minuteMs / maxColumns)) };
  if (length <= 30 * dayMs + stepMs && now - begin < 91 * dayMs)
    return { query: { ...of, step: "hour" }, minutes: 60 * Math.ceil(length / hourMs / maxColumns) };
  return length <= 365 * dayMs ? { query: { ...of, step: "day" }, minutes: null } : null;
}
