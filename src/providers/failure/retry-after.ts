// Reads a vendor's `Retry-After`. A value in none of the three forms is ignored: a wait parsed from garbage would
// disable a healthy member, and a wait of a day would lose it.

/** An hour: longer waits are cut to it. */
export const maxRetryAfterMs = 3_600_000;

const imfDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Clamps a wait to 0 up to an hour. */
export function clampRetryAfter(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), maxRetryAfterMs);
}

/**
 * Milliseconds to wait, 0 to 3,600,000; null if no header says. `retry-after-ms` (OpenAI, Azure) precedes
 * `Retry-After` (RFC 9110, 10.2.3): seconds, with or without a fraction, or an IMF-fixdate; a past date is 0.
 * `headers`: lower-case names. `now`: epoch ms.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | null {
  const number = /^\d{1,12}(\.\d{1,12})?$/;
  for (const name of ["retry-after-ms", "x-ms-retry-after-ms"]) {
    const ms = headers[name]?.trim() ?? "";
    if (number.test(ms)) return clampRetryAfter(Number(ms));
  }
  const text = headers["retry-after"]?.trim() ?? "";
  if (number.test(text)) return clampRetryAfter(Number(text) * 1000);
  const at = imfDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : clampRetryAfter(at - now);
}
