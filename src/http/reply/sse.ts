// Writes a stream of events to a client: headers and the first text together, no faster than the client reads,
// with a comment after a while of silence, so that no proxy in between closes the connection.

import type { ServerResponse } from "node:http";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";

/** Text as it comes, what `ai/complete.ts` gives; or the bytes of a file. */
export interface EventSource {
  next(): Promise<string | Uint8Array | null>;
  cancel(): void;
  /** No events: nothing is added to what comes. */
  isFile?: true;
  /** What is sent while nothing comes; absent: a comment. */
  keepAlive?: (() => string) | undefined;
}

/** Silence after which a sign of life is sent. */
const keepAliveMs = 15_000;
/** A comment by the SSE format, which clients skip; it keeps a silent connection open. */
export const keepAliveComment = ": keep-alive\n\n";
/** How long a client may take over what was written, at most a read of the provider's, before it is given up. */
const stallMs = 60_000;

/** Longer texts are written as bytes, UTF-16 units. Shorter ones are cheaper as they are. */
const longText = 16 * 1024;

export const eventStreamHeaders: Readonly<Record<string, string>> = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // nginx would collect the events otherwise.
  "X-Accel-Buffering": "no",
};

/** Resolves when the stream has ended, one way or the other. Never rejects. */
export async function writeEvents(
  clock: Clock,
  response: ServerResponse,
  source: EventSource,
  head: { status: number; headers: string[] },
): Promise<void> {
  // A client that went away a moment ago says so no more.
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
      // Nothing new for one who has not taken what is there.
      if (!response.writableNeedDrain) response.write(source.keepAlive?.() ?? keepAliveComment);
    }
  };
  if (source.isFile !== true) void keepAlive();
  try {
    for (;;) {
      const state = writeText(response, await source.next(), open);
      if (state === "over") break;
      if (state === "nothing") continue;
      spokeAt = clock.monotonic();
      if (state === "full" && !(await drained(clock, response, closed))) {
        response.destroy();
        return;
      }
    }
  } catch {
    // A stream that breaks off without its last frame is seen as broken, which is what it is.
    response.destroy();
    return;
  } finally {
    source.cancel();
    open = false;
    closed.abort();
  }
  response.end();
}

/**
 * Writes a text to a client that is there. A function of its own, so that no text is kept while its client is waited for:
 * a hundred long ones filled V8's old generation.
 */
function writeText(
  response: ServerResponse,
  text: string | Uint8Array | null,
  open: boolean,
): "over" | "nothing" | "taken" | "full" {
  if (text === null || !open) return "over";
  if (text.length === 0) return "nothing";
  // Node keeps what a client has not taken: of a string also the copy that it writes from.
  const isLong = typeof text === "string" && text.length >= longText;
  return response.write(isLong ? Buffer.from(text) : text) ? "taken" : "full";
}

/** Waits until the client has taken what was written; false: it did not in time, or went away. */
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
