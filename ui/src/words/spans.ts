// Spans of time in an account's zone: the hours and days by which charts count.

const hourMs = 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(at: number, zone: string, parts: Intl.DateTimeFormatOptions): string {
  const key = `${zone} ${JSON.stringify(parts)}`;
  let known = formats.get(key);
  if (known === undefined) {
    try {
      known = new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: zone });
    } catch {
      known = new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: "UTC" });
    }
    formats.set(key, known);
  }
  return known.format(at);
}

/** `14:00`. */
export const clockOf = (at: number, zone: string): string =>
  format(at, zone, { hour: "2-digit", minute: "2-digit" });

/** `24 Nov`. */
export const dateOf = (at: number, zone: string): string =>
  format(at, zone, { day: "numeric", month: "short" });

/** `2026-11-24`, as the API names a local day. */
export function dayOf(at: number, zone: string): string {
  const [day, month, year] = format(at, zone, { day: "2-digit", month: "2-digit", year: "numeric" }).split(
    "/",
  );
  return `${year}-${month}-${day}`;
}

/** `Tue 24 Nov 14:00–15:00`; a whole day without hours. Epoch ms; `to` is the first instant after it. */
export function spanOf(from: number, to: number, zone: string): string {
  const day = format(from, zone, { weekday: "short", day: "numeric", month: "short" }).replace(",", "");
  const [begins, ends] = [clockOf(from, zone), clockOf(to, zone)];
  return begins === ends ? day : `${day} ${begins}–${ends}`;
}

export interface Span {
  from: number;
  to: number;
}

/** Spans of this many hours that cover `after` to `before`, epoch ms. */
export function hoursBetween(after: number, before: number, hours: number): Span[] {
  const length = hours * hourMs;
  const count = Math.max(1, Math.ceil((before - after) / length));
  return Array.from({ length: count }, (_each, at) => ({
    from: after + at * length,
    to: after + (at + 1) * length,
  }));
}

/** Offsets of zones are whole multiples of a quarter of an hour. */
const quarterMs = hourMs / 4;

/** The local days that cover `after`, which begins one, to `before`: of 23 or 25 hours when clocks change. */
export function daysBetween(after: number, before: number, zone: string): Span[] {
  const starts = [after];
  let today = dayOf(after, zone);
  for (let at = after; at < before; at += quarterMs) {
    const day = dayOf(at, zone);
    if (day !== today) starts.push(at);
    today = day;
  }
  const last = starts.at(-1) ?? after;
  return starts.map((from, at) => ({ from, to: starts[at + 1] ?? last + 24 * hourMs }));
}

/** `2026-11-24T14:02` on the zone's clocks, in the format of date fields. */
export const localIn = (at: number, zone: string): string => `${dayOf(at, zone)}T${clockOf(at, zone)}`;

/** `09:30:00` on the zone's clocks; without seconds if they are zero. */
export const exactClockOf = (at: number, zone: string): string =>
  format(at, zone, {
    hour: "2-digit",
    minute: "2-digit",
    ...(at % 60_000 === 0 ? {} : { second: "2-digit" }),
  });

/** The hour of the zone's clocks that contains an instant: `2026-11-24T14`, which occurs twice when clocks are put back. */
export const hourOf = (at: number, zone: string): string => localIn(at, zone).slice(0, 13);

/** `Tue 24 Nov · 14:00–15:00`, for the hour of the zone's clocks that contains an instant; the day of `now` is "Today". */
export function hourTitle(at: number, zone: string, now: number): string {
  const day = format(at, zone, { weekday: "short", day: "numeric", month: "short" }).replace(",", "");
  const year =
    dayOf(at, zone).slice(0, 4) === dayOf(now, zone).slice(0, 4) ? "" : ` ${dayOf(at, zone).slice(0, 4)}`;
  const isToday = dayOf(at, zone) === dayOf(now, zone);
  const hour = Number(clockOf(at, zone).slice(0, 2));
  const two = (value: number) => String(value).padStart(2, "0");
  return `${isToday ? "Today, " : ""}${day}${year} · ${two(hour)}:00–${two((hour + 1) % 24)}:00`;
}

/**
 * The instant, epoch ms, at which the zone's clocks show `2026-11-24T14:02`. An hour that a change of clocks skips is the one after it; one
 * that occurs twice is its first.
 */
export function instantIn(local: string, zone: string): number {
  const asUtc = Date.parse(`${local}Z`);
  const apart = (at: number) => Date.parse(`${localIn(at, zone)}Z`) - at;
  const early = asUtc - apart(asUtc - 24 * hourMs);
  return localIn(early, zone) === local ? early : asUtc - apart(asUtc + 24 * hourMs);
}

/** The next full hour from an instant (epoch ms) on, on the clocks of the zone, in the format of `localIn`. */
export const nextHourIn = (zone: string, from: number): string =>
  localIn(Math.ceil(from / hourMs) * hourMs, zone);

/** A local time of an input, in the format of the API's `schedule_at`. */
export const scheduleAtOf = (local: string): string => `${local.slice(0, 16).replace("T", " ")}:00`;
