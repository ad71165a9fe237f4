// Instants in an account's zone, which is where its people decide.

import { duration } from "./numbers.ts";

/** `24 Nov 14:02:51`; with the year when it is not this one. An unknown zone is UTC. */
export function instant(iso: string, zone: string, now: number): string {
  const at = new Date(iso);
  const year = at.getUTCFullYear() === new Date(now).getUTCFullYear() ? {} : ({ year: "numeric" } as const);
  const parts = {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  } as const;
  try {
    return new Intl.DateTimeFormat("en-GB", { ...parts, ...year, timeZone: zone })
      .format(at)
      .replace(", ", " ");
  } catch {
    return new Intl.DateTimeFormat("en-GB", { ...parts, ...year, timeZone: "UTC" })
      .format(at)
      .replace(", ", " ");
  }
}

/** `12 s ago`, `in 4 min`; the seconds are whole ones. */
export function relative(iso: string, now: number): string {
  const apart = Date.parse(iso) - now;
  const seconds = Math.round(Math.abs(apart) / 1_000);
  if (seconds < 2) return "now";
  const words = seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
  return apart < 0 ? `${words} ago` : `in ${words}`;
}
