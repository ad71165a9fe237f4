// Collects a whole answer from the network within limits. The peer decides how its answer is split: each piece costs time and memory beyond
// its bytes, so pieces are counted too, and are copied together instead of being kept.

import { ByteCollector } from "#runtime/byte-collector.ts";
import { type BodyReader, isBodyError } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";

/** Default limit of a whole answer, bytes. Answers with images have megabytes. */
export const defaultMaxAnswerBytes = 16 * 1024 * 1024;
/** Vectors are longer: a thousand of 3,072 numbers take 64 MiB as text, ten images in base64 about as much. */
const longFactor = 4;

/**
 * Maximum number of pieces of an answer: this many, plus one for each KiB of its limit. A piece takes 2 to 3 µs, and a peer that sends
 * single bytes puts ten thousand of them into one socket read.
 */
const basePieces = 4096;

export type CollectResult =
  | { kind: "bytes"; bytes: Buffer }
  | { kind: "too_long" }
  | { kind: "cut" | "timeout"; reason: string };

/** The limit of an answer, bytes. `long`: it contains vectors, images or sound. */
export function maxAnswerBytes(configured: number = defaultMaxAnswerBytes, long = false): number {
  return long ? configured * longFactor : configured;
}

/**
 * Reads a body to its end: at most `maxBytes`, in at most 4,096 + `maxBytes` / 1,024 pieces. `limitAt`:
 * monotonic ms.
 */
export async function collect(
  clock: Clock,
  body: BodyReader,
  maxBytes: number,
  idleMs: number,
  limitAt: number,
): Promise<CollectResult> {
  const bytes = new ByteCollector();
  let pieces = 0;
  for (;;) {
    const leftMs = limitAt - clock.monotonic();
    const piece = leftMs <= 0 ? timedOut : await body.read(Math.min(idleMs, leftMs));
    if (piece === null) return { kind: "bytes", bytes: bytes.take() };
    if (isBodyError(piece)) {
      body.cancel();
      return { kind: piece.why === "timeout" ? "timeout" : "cut", reason: piece.reason };
    }
    bytes.add(piece);
    pieces += 1;
    if (bytes.length > maxBytes || pieces > basePieces + maxBytes / 1024) {
      body.cancel();
      return { kind: "too_long" };
    }
  }
}

/** The body as text, without a byte order mark. */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Returned instead of a piece if no time is left to read one. */
export const timedOut = { why: "timeout", reason: "the time for it was over" } as const;
