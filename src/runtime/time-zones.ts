// Conversions between an account's local times and instants: when a scheduled message is due, when a day or month begins, when sending
// hours open. Epoch milliseconds outside, Temporal inside; no offset is ever added by hand.

// Format and ranges in one pattern; only the day's upper bound needs the month. `\d` is ASCII.
const format = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/;

/**
 * The instant (epoch ms) of a local time written strictly as `Y-m-d H:i:s`; null when it is not, by the
 * measure of Laravel's `date_format`: formatting the parsed time must give the text again, so no 30 February,
 * hour 24, second 60, `2026-1-5`, `T`, `Z` or surrounding space. All years 0000 to 9999 pass, as there;
 * far past ones give negative numbers.
 *
 * A local time that a clock change skips moves forward by the gap; one that occurs twice means the first.
 * `timeZone` must be one that `isTimeZone` accepts, else RangeError. About 2 µs; see `scheduleReader`.
 */
export function readSchedule(text: string, timeZone: string): number | null {
  const match = format.exec(text);
  if (match === null) return null;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (day > 28 && day > new Temporal.PlainYearMonth(year, month).daysInMonth) return null;
  const local = new Temporal.PlainDateTime(
    year,
    month,
    day,
    Number(match[4]),
    Number(match[5]),
    Number(match[6]),
  );
  return local.toZonedDateTime(timeZone, { disambiguation: "compatible" }).epochMilliseconds;
}

/** `readSchedule` for the contacts of one request, which caches repeated texts. */
export function scheduleReader(timeZone: string): (text: string) => number | null {
  let lastText: string | undefined;
  let lastAt: number | null = null;
  return (text) => {
    if (text !== lastText) {
      lastAt = readSchedule(text, timeZone);
      lastText = text;
    }
    return lastAt;
  };
}

/**
 * Whether the name is a zone or link of the runtime's IANA database, in any letter case: `Europe/Berlin`, `UTC`, `Etc/GMT+2`. Offsets
 * (`+02:00`) are not names: an account's zone has to follow its clock changes.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    // Temporal also takes whole date-times with a zone in them; the id tells them apart.
    const id = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
    return id.toLowerCase() === name.toLowerCase();
  } catch {
    return false;
  }
}

/** The local time at `at` as `readSchedule` reads it: `2026-11-21 09:00:00`. */
export function localTime(at: number, timeZone: string): string {
  const local = zoned(at, timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: "second" }).replace("T", " ");
}

/** The first instant of the local day that contains `now`; if midnight is skipped, that is later than 00:00. */
export function startOfDay(now: number, timeZone: string): number {
  return zoned(now, timeZone).startOfDay().epochMilliseconds;
}

/** The local date at `now`, `2026-11-21`. */
export function dayOf(now: number, timeZone: string): string {
  return zoned(now, timeZone).toPlainDate().toString();
}

/** The first instant of the local month that contains `now`. */
export function startOfMonth(now: number, timeZone: string): number {
  return zoned(now, timeZone).with({ day: 1 }).startOfDay().epochMilliseconds;
}

/** The first instant of the next local day, always after `now`. */
export function startOfNextDay(now: number, timeZone: string): number {
  return startAfter(now, zoned(now, timeZone).toPlainDate().add({ days: 1 }), timeZone);
}

/** The first instant of the next local month, always after `now`. */
export function startOfNextMonth(now: number, timeZone: string): number {
  return startAfter(now, zoned(now, timeZone).toPlainDate().with({ day: 1 }).add({ months: 1 }), timeZone);
}

/** A daily window in minutes after midnight, including `from` and excluding `to`. `from > to` wraps around midnight. */
interface Hours {
  /** Minute of the day, 0–1439. */
  from: number;
  /** 0–1440. Equal to `from` for the whole day. */
  to: number;
}

const hoursFormat = /^([01]\d|2[0-3]):([0-5]\d)-(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;

/** Parses `08:00-20:00`. The end may be `24:00`; equal ends mean always open. Null for anything else. */
export function parseHours(text: string): Hours | null {
  const match = hoursFormat.exec(text);
  if (match === null) return null;
  const from = Number(match[1]) * 60 + Number(match[2]);
  return { from, to: match[3] === undefined ? 1440 : Number(match[3]) * 60 + Number(match[4]) };
}

type Opening = { open: true } | { open: false; opensAt: number };

/**
 * Whether the local clock at `now` is inside `hours`, and if not, the first instant at which it will be. The local clock decides: a window
 * whose start is skipped opens with the jump, one that is skipped completely stays closed that day, one that occurs twice opens twice.
 * RangeError for hours that `parseHours` does not accept.
 */
export function withinHours(hours: string, now: number, timeZone: string): Opening {
  const window = parseHours(hours);
  if (window === null) throw new RangeError(`not hours of the day: ${hours}`);
  const local = zoned(now, timeZone);
  if (holds(window, local)) return { open: true };
  return { open: false, opensAt: nextOpening(window, local) };
}

function holds({ from, to }: Hours, local: Temporal.ZonedDateTime): boolean {
  const minute = local.hour * 60 + local.minute;
  if (from === to) return true;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** The clock enters the window either by reaching `from`, once or twice on a day, or by a clock change. */
function nextOpening(window: Hours, local: Temporal.ZonedDateTime): number {
  const { compare } = Temporal.ZonedDateTime;
  const zone = local.timeZoneId;
  const opensAt = new Temporal.PlainTime(Math.floor(window.from / 60), window.from % 60);
  const change = local.getTimeZoneTransition("next");
  for (let days = 0; ; days++) {
    const start = local.toPlainDate().add({ days }).toPlainDateTime(opensAt);
    const last = start.toZonedDateTime(zone, { disambiguation: "later" });
    const entries = [start.toZonedDateTime(zone, { disambiguation: "earlier" }), last];
    if (change !== null && compare(change, last) < 0) entries.push(change);
    const next = entries
      .filter((entry) => compare(entry, local) > 0 && holds(window, entry))
      .sort(compare)[0];
    if (next !== undefined) return next.epochMilliseconds;
  }
}

function zoned(at: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
}

/**
 * The start of a future day. Where the clock moves back over midnight (00:01 to 23:01, as Newfoundland did), the day has already begun once
 * when the old one resumes: then its second midnight.
 */
function startAfter(now: number, date: Temporal.PlainDate, timeZone: string): number {
  const first = date.toZonedDateTime(timeZone).epochMilliseconds;
  if (first > now) return first;
  return date.toPlainDateTime().toZonedDateTime(timeZone, { disambiguation: "later" }).epochMilliseconds;
}
