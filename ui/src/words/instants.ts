// Instants in an account's zone, in which its people think.

import { duration } from "./numbers.ts";

/** `24 Nov 14:02:51`; with the year if it is not this one. An unknown zone is UTC. `fine`: to the millisecond. */
export function instant(iso: string, zone: string, now: number, fine = false): string {
  const at = new Date(iso);
  const year = at.getUTCFullYear() === new Date(now).getUTCFullYear() ? {} : ({ year: "numeric" } as const);
  const parts = {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...(fine ? ({ fractionalSecondDigits: 3 } as const) : {}),
  } as const;
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat("en-GB", { ...parts, ...year, timeZone }).format(at).replace(", ", " ");
  try {
    return format(zone);
  } catch {
    return format("UTC");
  }
}

/** The parts of a text, in order: those with an odd index are the instants in it, as ISO 8601 in UTC. */
export const instantsIn = (text: string): string[] =>
  text.split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)/);

/** `12 s ago`, `in 4 min`; the seconds are whole ones, the spaces no-break ones. */
export function relative(iso: string, now: number): string {
  const apart = Date.parse(iso) - now;
  const seconds = Math.round(Math.abs(apart) / 1_000);
  if (seconds < 2) return "now";
  const words = seconds < 60 ? `${seconds}\u00a0s` : duration(seconds * 1_000);
  return apart < 0 ? `${words}\u00a0ago` : `in\u00a0${words}`;
}
