// Instants on the wire.

/** An instant (epoch ms) as ISO 8601 in UTC with milliseconds. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}
