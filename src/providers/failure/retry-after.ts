// How long a vendor wants to be left alone, read from its headers. What is not one of the three forms counts as
// not said: a wait read out of garbage would rest a healthy member, and one of a day would lose it.

/** An hour: longer waits are cut to it, and the member is asked again. */
export const maxRetryAfterMs = 3_600_000;

const imfDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** A wait kept between 0 and an hour. */
export function clampRetryAfter(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), maxRetryAfterMs);
}

/**
 * Milliseconds to wait, 0 to 3,600,000; null where no header says so. `retry-after-ms` (OpenAI, Azure) goes before
 * `Retry-After` (RFC 9110, 10.2.3), which is seconds, with or without a fraction, or an IMF-fixdate; a date that
 * has passed is 0. `headers`: lower-case names. `now`: epoch ms.
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
