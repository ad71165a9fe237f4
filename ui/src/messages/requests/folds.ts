// Messages of one request as one row of a list, which expands.

import type { MessageRecord } from "#ui/api/schema.ts";

/** A message, or the messages of a request of which a list has read several. */
export type Line =
  | { kind: "message"; record: MessageRecord }
  | { kind: "request"; request: string; first: MessageRecord; read: number; isOpen: boolean };

/** The row of a single message. */
export const lineOf = (record: MessageRecord): Line => ({ kind: "message", record });

/**
 * The rows of a list of messages in order. A request has the position of its first message. The messages of an expanded one keep their own
 * positions.
 */
export function linesOf(records: readonly MessageRecord[], open: ReadonlySet<string>): Line[] {
  const counts = new Map<string, number>();
  for (const { request_id: request } of records) counts.set(request, (counts.get(request) ?? 0) + 1);
  const seen = new Set<string>();
  return records.flatMap((record): Line[] => {
    const { request_id: request } = record;
    const read = counts.get(request) ?? 0;
    if (read < 2) return [lineOf(record)];
    const isOpen = open.has(request);
    const lines: Line[] = isOpen ? [lineOf(record)] : [];
    if (!seen.has(request)) lines.unshift({ kind: "request", request, first: record, read, isOpen });
    seen.add(request);
    return lines;
  });
}

/** The message at whose position a row is. */
export const firstOf = (line: Line): MessageRecord => (line.kind === "message" ? line.record : line.first);

export const lineId = (line: Line): string => (line.kind === "message" ? line.record.id : line.request);
