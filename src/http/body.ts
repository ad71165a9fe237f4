// Reads the bytes of a request body: never more than the limit, never longer than the time allowed.
// Nothing is parsed here, so both hold for anything a client may send.

import type { IncomingMessage } from "node:http";
import type { Deadlines } from "./deadlines.ts";

/** `gone`: the client went away, and there is nobody to answer. */
export type BodyBytes =
  | { kind: "bytes"; bytes: Buffer }
  | { kind: "too_large" }
  | { kind: "too_slow" }
  | { kind: "gone" };

const none: BodyBytes = { kind: "bytes", bytes: Buffer.alloc(0) };

/** Whether the request announces a body: a length above zero, or chunks. */
export function announcesBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return (length !== undefined && Number(length) > 0) || request.headers["transfer-encoding"] !== undefined;
}

/**
 * The whole body, at most `maxBytes` of it. A body that says it is longer is refused unread; one that does
 * not say is refused when it becomes too long. What is left unread then stays in the socket, for `write` in
 * `answer.ts` to deal with.
 */
export function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  deadlines: Deadlines,
): Promise<BodyBytes> {
  if (!announcesBody(request)) return Promise.resolve(none);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes)
    return Promise.resolve({ kind: "too_large" });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;

    function settle(result: BodyBytes): void {
      inTime();
      request.off("data", onData).off("end", onEnd).off("close", onGone).off("error", onGone);
      if (result.kind !== "bytes") request.pause();
      resolve(result);
    }
    function onData(chunk: Buffer): void {
      size += chunk.length;
      if (size > maxBytes) settle({ kind: "too_large" });
      else chunks.push(chunk);
    }
    function onEnd(): void {
      settle({ kind: "bytes", bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size) });
    }
    // After "end" these are off; before it, both mean that the rest will never come.
    function onGone(): void {
      settle({ kind: "gone" });
    }

    const inTime = deadlines.watch(() => settle({ kind: "too_slow" }));
    request.on("data", onData).on("end", onEnd).on("close", onGone).on("error", onGone);
  });
}
