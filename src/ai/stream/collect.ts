// A whole answer, gathered from the wire within bounds. A peer decides how its answer is cut: each piece costs time
// and memory beside its bytes, so that pieces are counted as well, and copied together instead of being kept.

import { ByteCollector } from "#runtime/byte-collector.ts";
import { type BodyReader, isBodyError } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";

/** Longest whole answer, bytes, where the configuration does not say. Pictures in answers have megabytes. */
export const defaultMaxAnswerBytes = 16 * 1024 * 1024;
/** Vectors are longer: a thousand of 3,072 numbers fill 64 MiB as text. */
const embeddingsFactor = 4;

/**
 * Most pieces of an answer: so many, and one more for each KiB that it may have. A piece takes 2 to 3 µs, and a peer
 * that sends single bytes puts ten thousand of them into what one read of its socket brings.
 */
const basePieces = 4096;

export type CollectResult =
  | { kind: "text"; text: string }
  | { kind: "too_long" }
  | { kind: "cut" | "timeout"; reason: string };

/** How long an answer may be, bytes. */
export function maxAnswerBytes(configured: number = defaultMaxAnswerBytes, embeddings = false): number {
  return embeddings ? configured * embeddingsFactor : configured;
}

/** Reads a body to its end: at most `most` bytes, in at most 4,096 + `most` / 1,024 pieces; `limitAt`: monotonic ms. */
export async function collect(
  clock: Clock,
  body: BodyReader,
  most: number,
  idleMs: number,
  limitAt: number,
): Promise<CollectResult> {
  const bytes = new ByteCollector();
  let pieces = 0;
  for (;;) {
    const leftMs = limitAt - clock.monotonic();
    const piece = leftMs <= 0 ? outOfTime : await body.read(Math.min(idleMs, leftMs));
    if (piece === null) {
      const text = bytes.take().toString("utf8");
      return { kind: "text", text: text.charCodeAt(0) === 0xfeff ? text.slice(1) : text };
    }
    if (isBodyError(piece)) {
      body.cancel();
      return { kind: piece.why === "timeout" ? "timeout" : "cut", reason: piece.reason };
    }
    bytes.add(piece);
    pieces += 1;
    if (bytes.length > most || pieces > basePieces + most / 1024) {
      body.cancel();
      return { kind: "too_long" };
    }
  }
}

/** In place of a piece, where there is no time left for one. */
export const outOfTime = { why: "timeout", reason: "the time for it was over" } as const;
