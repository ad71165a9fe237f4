// The time range of the log, and how the histogram above it divides that range.

import type { Operations } from "#ui/api/operations.ts";
import { listQuery } from "#ui/parts/list/query.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type Filter = Readonly<Record<string, string | undefined>>;

/** Filters for which there are no counts. */
const uncounted = ["status", "recipient", "request", "reference", "error", "held"] as const;

/** The query of the log for a filter in the URL. `now`: epoch ms. */
export const queryOf = (filter: Filter, now: number, zone: string) =>
  listQuery(filter, ["channel", "gateway", "test", ...uncounted], now, zone);

interface Histogram {
  query: Operations["getMessageStatistics"]["query"];
  /** The length of one column, minutes; null for local days. */
  minutes: number | null;
}

const maxColumns = 60;
/** Minutes are kept for two days, hours for 92. */
const minutesKeptMs = 47 * hourMs;

/**
 * How to count the results of the query, or null if the API has no such counts: with filters other than time, channel, gateway and test, and over
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
    ...(query.test === undefined ? {} : { test: query.test as "true" }),
  };
  if (length <= 3 * hourMs)
    return now - begin > minutesKeptMs
      ? null
      : { query: { ...of, step: "minute" }, minutes: Math.max(1, Math.ceil(length / minuteMs / maxColumns)) };
  if (length <= 28 * dayMs && now - begin < 91 * dayMs)
    return { query: { ...of, step: "hour" }, minutes: 60 * Math.ceil(length / hourMs / maxColumns) };
  return length <= 365 * dayMs ? { query: { ...of, step: "day" }, minutes: null } : null;
}
