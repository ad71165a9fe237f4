// Bytes as a stream that is being read, cut where a test says so, and what a caller's side makes of it.

import { type StreamEvent, UpstreamStream } from "#ai/failover/upstream-stream.ts";
import { EventReader } from "#ai/stream/event-reader.ts";
import type { MemberTimeouts } from "#contract/manage/pools/members.ts";
import type { Chunk, Failure, Provider, StreamPiece, VendorEvent } from "#providers/provider.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { BodyError, BodyReader } from "#runtime/net/streaming-client.ts";
import { requestOf } from "../providers/conformance-cases.ts";

export const timeouts: MemberTimeouts = {
  connect_ms: 5000,
  headers_ms: 60_000,
  first_token_ms: 120_000,
  idle_ms: 30_000,
  thinking_ms: 600_000,
  total_ms: null,
};

/** A body that holds these pieces, and ends as asked. */
export function incoming(pieces: readonly Buffer[], end: BodyError | null = null) {
  const left = [...pieces];
  let cancelled = 0;
  const body: BodyReader = {
    read: async () => left.shift() ?? end,
    cancel: () => {
      cancelled += 1;
      left.length = 0;
    },
  };
  return { body, cancelled: () => cancelled, left: () => left.length };
}

/** The events of these pieces; null: one was too long. */
export function eventsIn(pieces: readonly Buffer[]): VendorEvent[] | null {
  const reader = new EventReader();
  const events: VendorEvent[] = [];
  for (const piece of pieces) {
    const some = reader.push(piece);
    if (some === null) return null;
    events.push(...some);
  }
  const last = reader.end();
  return last === null ? null : [...events, ...last];
}

/** What a provider's reader makes of events. */
export function piecesOf(
  provider: Provider,
  body: Record<string, unknown>,
  model: string,
  events: VendorEvent[],
): StreamPiece[] {
  const reader = provider.stream(requestOf(body, model, true));
  return events.flatMap((event) => reader.push(event));
}

export interface Heard {
  chunks: Chunk[];
  end: "done" | Failure;
}

/** A stream heard to its end, as the gateway hears it. */
export async function heard(
  provider: Provider,
  body: Record<string, unknown>,
  model: string,
  pieces: readonly Buffer[],
  end: BodyError | null = null,
): Promise<Heard> {
  const reader = provider.stream(requestOf(body, model, true));
  const stream = new UpstreamStream(movableClock(), incoming(pieces, end).body, reader, timeouts, 600_000);
  const chunks: Chunk[] = [];
  for (;;) {
    const read: StreamEvent = await stream.next();
    if (read.kind === "done") return { chunks, end: "done" };
    if (read.kind === "failed") return { chunks, end: read.failure };
    chunks.push(...read.chunks);
  }
}
