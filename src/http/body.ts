// Reads the bytes of a request body: never more than the limit, never longer than the time allowed.
// Nothing is parsed here, so both hold for anything a client may send.

import type { IncomingMessage } from "node:http";
import type { Deadlines } from "./deadlines.ts";

/** How the reading of a body ended. `stopped`: by its taker. `gone`: the client went away, and there is nobody to answer. */
export type BodyEnd = "ended" | "stopped" | "too_large" | "too_slow" | "gone";

export type BodyBytes = { kind: "bytes"; bytes: Buffer } | { kind: Exclude<BodyEnd, "ended" | "stopped"> };

const none: BodyBytes = { kind: "bytes", bytes: Buffer.alloc(0) };

/** Whether the request announces a body: a length above zero, or chunks. */
export function announcesBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return (length !== undefined && Number(length) > 0) || request.headers["transfer-encoding"] !== undefined;
}

/**
 * Hands a body to `take` as it comes, at most `maxBytes` of it; while `take` is at work, nothing more is read, and
 * false from it ends the reading. A body that says it is longer is refused unread; one that does not say is refused
 * when it becomes too long. What is left unread then stays in the socket, for `write` in `answer.ts` to deal with.
 * Rejects when `take` does. However it ends, `take` is not at work any more then.
 */
export function takeBody(
  request: IncomingMessage,
  maxBytes: number,
  deadlines: Deadlines,
  take: (chunk: Buffer) => boolean | Promise<boolean>,
): Promise<BodyEnd> {
  if (!announcesBody(request)) return Promise.resolve("ended");
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve("too_large");
  return new Promise((resolve, reject) => {
    let size = 0;
    let ended: BodyEnd | null = null;
    let taking: Promise<boolean> | null = null;

    function settle(end: BodyEnd): void {
      if (ended !== null) return;
      ended = end;
      inTime();
      request.off("data", onData).off("end", onEnd).off("close", onGone).off("error", onGone);
      if (end !== "ended") request.pause();
      if (taking === null) resolve(end);
      // The end may be told while the last piece is being taken, and its taker may still say no.
      else void taking.then((more) => resolve(end === "ended" && !more ? "stopped" : end));
    }
    function onData(chunk: Buffer): void {
      size += chunk.length;
      if (size > maxBytes) {
        settle("too_large");
        return;
      }
      const taken = take(chunk);
      if (taken === true) return;
      if (taken === false) {
        settle("stopped");
        return;
      }
      request.pause();
      taking = taken.then(goOn, (error: unknown) => {
        reject(error);
        return goOn(false);
      });
    }
    function goOn(more: boolean): boolean {
      taking = null;
      if (ended === null) {
        if (more) request.resume();
        else settle("stopped");
      }
      return more;
    }
    function onEnd(): void {
      settle("ended");
    }
    // After "end" these are off; before it, both mean that the rest will never come.
    function onGone(): void {
      settle("gone");
    }

    const inTime = deadlines.watch(() => settle("too_slow"));
    request.on("data", onData).on("end", onEnd).on("close", onGone).on("error", onGone);
  });
}

/** The whole body, at most `maxBytes` of it. */
export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  deadlines: Deadlines,
): Promise<BodyBytes> {
  if (!announcesBody(request)) return none;
  const chunks: Buffer[] = [];
  const end = await takeBody(request, maxBytes, deadlines, (chunk) => {
    chunks.push(chunk);
    return true;
  });
  if (end === "ended")
    return { kind: "bytes", bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
  if (end === "stopped") throw new Error("Nobody stops the reading of a whole body.");
  return { kind: end };
}
