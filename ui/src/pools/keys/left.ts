// The remainder of a per-minute limit while it refills.

const minute = 60_000;

/** The remainder of a per-minute limit at an instant (ms): it refills evenly until it is full. `fullAt` is null if it is full. */
export function leftAt(limit: number, fullAt: string | null, now: number): number {
  if (fullAt === null) return limit;
  const missing = ((Date.parse(fullAt) - now) / minute) * limit;
  // The API counts in thousandths; a rounded instant must not hide an available one.
  return Math.max(0, Math.min(limit, Math.floor(limit - missing + 0.001)));
}
