// An account's local day, cached because every call needs it and it changes once a day.

import { dayOf, startOfNextDay } from "#runtime/time-zones.ts";

const days = new Map<string, { day: string; from: number; until: number }>();

/** `YYYY-MM-DD` at `now` (epoch ms) in a zone. */
export function localDay(now: number, timeZone: string): string {
  const cached = days.get(timeZone);
  if (cached && now >= cached.from && now < cached.until) return cached.day;
  const day = dayOf(now, timeZone);
  days.set(timeZone, { day, from: now, until: startOfNextDay(now, timeZone) });
  return day;
}
