// How much of a limit a minute is left while it refills.

const minute = 60_000;

/** What of a limit a minute is left at an instant (ms): it refills evenly until it is full. */
export function leftAt(limit: number, fullAt: string, now: number): number {
  const missing = ((Date.parse(fullAt) - now) / minute) * limit;
  // The API counts in thousandths; a rounded instant must not hide one that is there.
  return Math.max(0, Math.min(limit, Math.floor(limit - missing + 0.001)));
}
