// How long a peer asks us to wait, read from the headers of its answer. A value in none of the standard forms counts as absent:
// `Date.parse` alone finds a year in most garbage, and a wait derived from garbage would stop a healthy peer.

/** An hour: longer waits are reduced to it, and then the peer is called again. */
const maxRetryAfterMs = 3_600_000;

const decimal = /^\d{1,12}(\.\d{1,12})?$/;
const imfDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const rfc850Date = /^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}:\d{2}:\d{2}) GMT$/;
const asctimeDate = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2}) (\d{4})$/;

/** The instant of an HTTP date in one of the three forms that recipients must accept (RFC 9110, 5.6.7); NaN for other text. */
function parseHttpDate(text: string, now: number): number {
  if (imfDate.test(text)) return Date.parse(text);
  const [, day, month, short, time] = rfc850Date.exec(text) ?? [];
  if (short !== undefined) {
    const century = Math.floor(new Date(now).getUTCFullYear() / 100) * 100;
    const at = Date.parse(`${day} ${month} ${century + Number(short)} ${time} GMT`);
    // A two-digit year that seems more than 50 years ahead is in the past.
    return at - now > 50 * 365.25 * 86_400_000
      ? Date.parse(`${day} ${month} ${century - 100 + Number(short)} ${time} GMT`)
      : at;
  }
  const [, inMonth, inDay, atTime, year] = asctimeDate.exec(text) ?? [];
  return year === undefined ? Number.NaN : Date.parse(`${inDay} ${inMonth} ${year} ${atTime} GMT`);
}

/** Milliseconds in a `Retry-After` (RFC 9110, 10.2.3): seconds, with or without a fraction, or a date. Null if it is neither. */
function parseRetryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (decimal.test(text)) return Number(text) * 1000;
  const at = parseHttpDate(text, now);
  return Number.isNaN(at) ? null : at - now;
}

/** A wait in whole milliseconds between 0 and an hour. */
export function clampRetryAfter(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), maxRetryAfterMs);
}

/**
 * Milliseconds to wait, 0 to 3,600,000; null if no header says so. `retry-after-ms` (OpenAI, Azure) takes precedence over `Retry-After`; a
 * date in the past is 0. `headers`: lower-case names. `now`: epoch ms.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | null {
  for (const name of ["retry-after-ms", "x-ms-retry-after-ms"]) {
    const ms = headers[name]?.trim() ?? "";
    if (decimal.test(ms)) return clampRetryAfter(Number(ms));
  }
  const wait = parseRetryAfter(headers["retry-after"], now);
  return wait === null ? null : clampRetryAfter(wait);
}

/** `Retry-After` of a message or a webhook, as a field to spread: between 1 s and `maxMs`, and absent without a valid header. */
export function retryAfter(
  header: string | undefined,
  now: number,
  maxMs = maxRetryAfterMs,
): { retryAfterMs?: number } {
  const wait = parseRetryAfter(header, now);
  return wait === null ? {} : { retryAfterMs: Math.min(Math.max(Math.ceil(wait), 1000), maxMs) };
}
