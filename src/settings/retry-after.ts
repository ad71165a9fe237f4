// How long a peer asks us to wait, read from the headers of its answer. A value in none of the standard forms counts as
// absent: `Date.parse` alone reads a year out of most garbage, and a wait made of garbage would stop a healthy peer.

/** An hour: longer waits are cut to it, and the peer is asked again. */
const maxRetryAfterMs = 3_600_000;

const decimal = /^\d{1,12}(\.\d{1,12})?$/;
const imfDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds in a `Retry-After` (RFC 9110, 10.2.3): seconds, with or without a fraction, or an IMF-fixdate. Null: neither. */
function parseRetryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (decimal.test(text)) return Number(text) * 1000;
  const at = imfDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at - now;
}

/** A wait in whole milliseconds between 0 and an hour. */
export function clampRetryAfter(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), maxRetryAfterMs);
}

/**
 * Milliseconds to wait, 0 to 3,600,000; null when no header says so. `retry-after-ms` (OpenAI, Azure) takes precedence
 * over `Retry-After`; a date in the past is 0. `headers`: lower-case names. `now`: epoch ms.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | null {
  for (const name of ["retry-after-ms", "x-ms-retry-after-ms"]) {
    const ms = headers[name]?.trim() ?? "";
    if (decimal.test(ms)) return clampRetryAfter(Number(ms));
  }
  const wait = parseRetryAfter(headers["retry-after"], now);
  return wait === null ? null : clampRetryAfter(wait);
}

/** `Retry-After` of a message or a webhook, as a field to spread: between 1 s and `maxMs`, and absent without a readable header. */
export function retryAfter(
  header: string | undefined,
  now: number,
  maxMs = maxRetryAfterMs,
): { retryAfterMs?: number } {
  const wait = parseRetryAfter(header, now);
  return wait === null ? {} : { retryAfterMs: Math.min(Math.max(Math.ceil(wait), 1000), maxMs) };
}
