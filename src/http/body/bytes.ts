// Reads the bytes of a request body: never more than the limit, never longer than the time allowed, never in more
// pieces than honest clients send. Nothing is parsed here, so all three hold for anything a client may send.

import type { IncomingMessage } from "node:http";
import { brokenEvent, requestErrorOf } from "#http/server/broken-request.ts";
import { ByteCollector } from "#runtime/byte-collector.ts";
import { piecesIn } from "#runtime/net/paced-request.ts";
import type { BodyShare } from "./budget.ts";
import type { ReadLimits } from "./limits.ts";

/**
 * How the reading of a body ended. `stopped`: by its consumer. `malformed`: its chunks are not HTTP. `gone`: the client disconnected, and
 * no reply can be sent.
 */
type BodyEnd = "ended" | "stopped" | BodyFault;
type BodyFault = "too_large" | "too_many_pieces" | "too_slow" | "malformed" | "gone";

/** `no_room`: the bodies of all requests together have reached their maximum. */
export type BodyBytes = { kind: "bytes"; bytes: Buffer } | { kind: BodyFault | "no_room" };

const none: BodyBytes = { kind: "bytes", bytes: Buffer.alloc(0) };

/** Number of pieces of any length that a body may arrive in. */
const freePieces = 16_384;
/** Beyond them its pieces have so many bytes on average. */
export const minAverageBytes = 64;

/**
 * Most pieces that a body may have come in when `size` bytes of it have come. A sender cuts its body into chunks as it
 * likes, and each costs Node about 3 µs however short it is. Pieces of 64 bytes always pass; clients that send each
 * token of a JSON text as a chunk of its own pass up to 16,384 tokens.
 */
export function maxPieces(size: number): number {
  return freePieces + Math.floor(size / minAverageBytes);
}

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
export function streamBody(
  request: IncomingMessage,
  { maxBytes, deadlines }: ReadLimits,
  take: (chunk: Buffer) => boolean | Promise<boolean>,
): Promise<BodyEnd> {
  if (!announcesBody(request)) return Promise.resolve("ended");
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve("too_large");
  const broken = requestErrorOf(request);
  if (broken !== undefined) return Promise.resolve(broken);
  if (request.destroyed) return Promise.resolve("gone");
  return new Promise((resolve, reject) => {
    let size = 0;
    let pieces = 0;
    let ended: BodyEnd | null = null;
    let taking: Promise<boolean> | null = null;

    function settle(end: BodyEnd): void {
      if (ended !== null) return;
      ended = end;
      inTime();
      request.off("data", onData).off("end", onEnd).off("close", onGone).off("error", onGone);
      request.off(brokenEvent, settle);
      if (end !== "ended") request.pause();
      if (taking === null) resolve(end);
      // The end may come while the last piece is being taken, and its taker may still say no.
      else void taking.then((more) => resolve(end === "ended" && !more ? "stopped" : end));
    }
    function onData(chunk: Buffer): void {
      size += chunk.length;
      pieces += piecesIn(chunk);
      if (size > maxBytes || pieces > maxPieces(size)) {
        settle(size > maxBytes ? "too_large" : "too_many_pieces");
        return;
      }
      const taken = take(chunk);
      if (taken === true) return;
      if (taken === false) {
        settle("stopped");
        return;
      }
      request.pause();
      taking = taken.then(resume, (error: unknown) => {
        reject(error);
        return resume(false);
      });
    }
    function resume(more: boolean): boolean {
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
    request.on(brokenEvent, settle);
  });
}

/** The whole body, at most `maxBytes` of it, as far as `share` has room for it. */
export async function readBytes(
  request: IncomingMessage,
  limits: ReadLimits,
  share: BodyShare,
): Promise<BodyBytes> {
  if (!announcesBody(request)) return none;
  const gathered = new ByteCollector();
  const end = await streamBody(request, limits, (chunk) => {
    if (!share.grow(chunk.length)) return false;
    gathered.add(chunk);
    return true;
  });
  if (end === "ended") return { kind: "bytes", bytes: gathered.take() };
  return { kind: end === "stopped" ? "no_room" : end };
}
