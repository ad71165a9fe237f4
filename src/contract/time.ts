// Instants on the wire.

/** An instant (epoch ms) as ISO 8601 in UTC with milliseconds; null for null. */
export function isoTime(at: number): string;
export function isoTime(at: number | null): string | null;
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

const hourMs = 3_600_000;

/**
 * When the last 24 hours begin, wherever something of them is counted: with the whole hour (UTC) in which they do, because counts are kept by
 * the hour. `now`: epoch ms.
 */
export const startOfLastDay = (now: number): number => now - (now % hourMs) - 24 * hourMs;
