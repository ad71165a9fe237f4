// Writes a stream of events to a client: headers and the first text together, no faster than the client reads, with a comment after a
// period of silence, so that no proxy in between closes the connection.

import type { ServerResponse } from "node:http";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";

/** Text as it arrives, from `ai/complete.ts`; or the bytes of a file. */
export interface EventSource {
  next(): Promise<string | Uint8Array | null>;
  /** Whether what `next` returned is the last of it, so that it is written together with the end; absent if only `next` tells. */
  isOver?(): boolean;
  cancel(): void;
  /** Not an event stream: nothing is added to the data. */
  isFile?: true;
  /** What is sent during silence; absent for a comment. */
  keepAlive?: (() => string) | undefined;
}

/** Silence after which a keep-alive is sent. */
const keepAliveMs = 15_000;
/** A comment by the SSE format, which clients skip; it keeps a silent connection open. */
export const keepAliveComment = ": keep-alive\n\n";
/** How long a client may take to read what was written, at most one read of the provider's, before its connection is closed. */
const stallMs = 60_000;

/** Longer texts are written as bytes, UTF-16 units. Shorter ones are cheaper as they are. */
const longText = 16 * 1024;

export const eventStreamHeaders: Readonly<Record<string, string>> = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // Otherwise nginx would buffer the events.
  "X-Accel-Buffering": "no",
};

/** Resolves when the stream has ended, one way or the other. Never rejects. */
export async function writeEvents(
  clock: Clock,
  response: ServerResponse,
  source: EventSource,
  head: { status: number; headers: string[] },
): Promise<void> {
  // A client that has just disconnected no longer reports it.
  if (response.destroyed) {
    source.cancel();
    return;
  }
  let open = true;
  const closed = new LightAbortController();
  response.once("close", () => {
    open = false;
    closed.abort();
    source.cancel();
  });
  if (source.isFile !== true) response.socket?.setNoDelay(true);
  response.writeHead(head.status, head.headers);
  let spokeAt = clock.monotonic();
  const keepAlive = async () => {
    while (open) {
      const waitMs = spokeAt + keepAliveMs - clock.monotonic();
      await clock.sleep(Math.max(waitMs, 1), closed);
      if (!open || clock.monotonic() - spokeAt < keepAliveMs) continue;
      spokeAt = clock.monotonic();
      // Nothing new is written until the client has read what was sent.
      if (!response.writableNeedDrain) response.write(source.keepAlive?.() ?? keepAliveComment);
    }
  };
  if (source.isFile !== true) void keepAlive();
  try {
    for (;;) {
      const state = writeText(response, await source.next(), open, source.isOver?.() === true);
      if (state === "over") break;
      if (state === "nothing") continue;
      spokeAt = clock.monotonic();
      if (state === "full" && !(await drained(clock, response, closed))) {
        response.destroy();
        return;
      }
    }
  } catch {
    // A stream that is cut off without its last frame is recognized as incomplete.
    response.destroy();
    return;
  } finally {
    source.cancel();
    open = false;
    closed.abort();
  }
  if (!response.writableEnded) response.end();
}

/**
 * Writes a text to a connected client, the last one together with the end. A separate function, so that no text is kept while waiting for its client: a hundred long ones
 * filled V8's old generation.
 */
function writeText(
  response: ServerResponse,
  text: string | Uint8Array | null,
  open: boolean,
  isLast: boolean,
): "over" | "nothing" | "taken" | "full" {
  if (text === null || !open) return "over";
  if (text.length === 0) return "nothing";
  // Node keeps what a client has not read: for a string also the copy that it writes from.
  const isLong = typeof text === "string" && text.length >= longText;
  const data = isLong ? Buffer.from(text) : text;
  if (isLast) {
    response.end(data);
    return "over";
  }
  return response.write(data) ? "taken" : "full";
}

/** Waits until the client has read what was written; false if it did not in time, or disconnected. */
async function drained(clock: Clock, response: ServerResponse, gone: LightAbortSignal): Promise<boolean> {
  const waiting = new LightAbortController();
  const stop = () => waiting.abort();
  gone.addEventListener("abort", stop, { once: true });
  const drain = new Promise<"drained">((resolve) => {
    response.once("drain", () => {
      resolve("drained");
      stop();
    });
  });
  const first = await Promise.race([drain, clock.sleep(stallMs, waiting).then(() => "over" as const)]);
  gone.removeEventListener("abort", stop);
  return first === "drained" || (!gone.aborted && !response.writableNeedDrain);
}
