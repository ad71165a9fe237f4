// The local day and month of an account, asked for every call and good for a day.

import { dayOf, startOfNextDay } from "#runtime/time-zones.ts";

const known = new Map<string, { day: string; from: number; until: number }>();

/** `YYYY-MM-DD` at `now` (epoch ms) in a zone. */
export function localDay(now: number, timeZone: string): string {
  const one = known.get(timeZone);
  if (one && now >= one.from && now < one.until) return one.day;
  const day = dayOf(now, timeZone);
  known.set(timeZone, { day, from: now, until: startOfNextDay(now, timeZone) });
  return day;
}
