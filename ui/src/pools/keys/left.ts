// How much of a limit a minute is left while it refills.

const minute = 60_000;

/** What of a limit a minute is left at an instant (ms): it refills evenly until it is full. `fullAt` null: it is. */
export function leftAt(limit: number, fullAt: string | null, now: number): number {
  if (fullAt === null) return limit;
  const missing = ((Date.parse(fullAt) - now) / minute) * limit;
  // The API counts in thousandths; a rounded instant must not hide one that is there.
  return Math.max(0, Math.min(limit, Math.floor(limit - missing + 0.001)));
}
