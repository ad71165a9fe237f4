// Instants on the wire.

/** An instant (epoch ms) as ISO 8601 in UTC with milliseconds; null for null. */
export function isoTime(at: number): string;
export function isoTime(at: number | null): string | null;
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
