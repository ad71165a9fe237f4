// Writes an answer: the headers that every response carries, the body, and what to do with a request body
// that was not read to its end.

import type { IncomingMessage, ServerResponse } from "node:http";
import { problem } from "#contract/problem.ts";
import { announcesBody } from "#http/body/bytes.ts";
import { brokenEvent, requestErrorOf } from "#http/server/broken-request.ts";
import { createDeadlines } from "#http/server/deadlines.ts";
import { piecesIn } from "#runtime/net/paced-request.ts";
import type { Clock } from "#runtime/runtime.ts";
import { type EventSource, writeEvents } from "./sse.ts";

export interface Reply {
  status: number;
  /** An object is written as JSON; bytes as they are; a stream of events as it comes. */
  body: object | string | Uint8Array | EventSource;
  /** For text and bytes; default plain text. */
  type?: string;
  /** Added to, or instead of, the usual ones. */
  headers?: Record<string, string>;
  /** `Set-Cookie`, each in a line of its own. */
  cookies?: readonly string[];
}

interface Writer {
  write(request: IncomingMessage, response: ServerResponse, requestId: string, answer: Reply): void;
  /** The same bytes for a connection whose request could not be parsed; the caller closes it. */
  rawResponse(requestId: string, answer: Reply): string;
  /** Whether so many large answers wait for their clients that another one would not be written. */
  isFull(): boolean;
  stop(): void;
}

/** How much Node reads and drops by itself if an answer ends early; above it the connection is closed. */
const dumpable = 64 * 1024;
/** How long the rest of a refused body is still read, so that the client can read the answer. */
const lingerMs = 2_000;
/** Maximum number of pieces: each costs the same however short it is. */
const lingerPieces = 4_096;
/** How long a client may read nothing of an answer. */
const stallMs = 60_000;

const reasons: Record<number, string> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/** From this size on, an answer is counted until its client has received it. */
const largeAnswer = 64 * 1024;
/**
 * Maximum bytes of large answers that wait for their clients, on all connections together. A list of 200 messages may have 13 MB, and 300
 * connections may request one each and read nothing.
 */
const maxUnreadBytes = 64 * 1024 * 1024;
export const tooManyUnread = problem("unavailable", {
  message: "Too many large answers wait to be read. Please try again.",
  retryAfterMs: 1_000,
});

const isBytes = (body: Reply["body"]): body is Uint8Array => body instanceof Uint8Array;

/** Whether an answer's body is a stream of events. */
export function isStream(body: Reply["body"]): body is EventSource {
  return typeof body === "object" && "next" in body && "cancel" in body;
}

/** `https`: the public address uses it, so a header makes browsers stay with it. */
export function createWriter(clock: Clock, https: boolean): Writer {
  const lingering = createDeadlines(clock, lingerMs);
  const stalled = createDeadlines(clock, stallMs);
  let unreadBytes = 0;
  const defaultHeaders: Record<string, string> = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    ...(https ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
  const defaultHeaderList = Object.entries(defaultHeaders).flat();

  /** Adds the default headers and the answer's own, which override them. */
  function addHeaders(to: string[], headers: Record<string, string> | undefined): void {
    if (headers === undefined) {
      to.push(...defaultHeaderList);
      return;
    }
    for (let at = 0; at < defaultHeaderList.length; at += 2) {
      const name = defaultHeaderList[at]!;
      to.push(name, headers[name] ?? defaultHeaderList[at + 1]!);
    }
    for (const name in headers) if (defaultHeaders[name] === undefined) to.push(name, headers[name]!);
  }

  function head(requestId: string, answer: Reply, text: string | Uint8Array): string[] {
    const type =
      typeof answer.body === "string" || isBytes(answer.body)
        ? (answer.type ?? "text/plain; charset=utf-8")
        : "application/json; charset=utf-8";
    const length = String(Buffer.byteLength(text));
    // RFC 9110, 8.6: a 204 has no body and no Content-Length.
    const headers = answer.status === 204 ? [] : ["Content-Type", type, "Content-Length", length];
    headers.push("X-Request-Id", requestId);
    addHeaders(headers, answer.headers);
    for (const cookie of answer.cookies ?? []) headers.push("Set-Cookie", cookie);
    return headers;
  }

  function textOf(answer: Reply): string {
    return typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
  }

  /**
   * The client may still be sending. Closing now would reset the connection and could destroy the answer before it is read, so the whole
   * answer is sent, the rest of the body is dropped for a while, and only then is the connection closed.
   */
  function writeAndLinger(
    request: IncomingMessage,
    response: ServerResponse,
    text: string | Uint8Array,
  ): void {
    response.write(text);
    let pieces = 0;
    const done = () => {
      cancel();
      response.end();
    };
    const cancel = lingering.watch(done);
    request.on("data", (chunk: Buffer) => {
      pieces += piecesIn(chunk);
      if (pieces >= lingerPieces) done();
    });
    request.once("end", done).once("close", done).once(brokenEvent, done).resume();
  }

  /** The wait for a client that does not read the rest of the answer is limited. */
  function giveUpLater(response: ServerResponse): void {
    if (response.destroyed || (response.socket?.writableLength ?? 0) === 0) return;
    const flushed = stalled.watch(() => response.destroy());
    response.once("close", flushed);
  }

  /**
   * Counts a large answer until it was received, and converts it to bytes once. An answer without room is not written if it only returns
   * requested data; an answer that reports a completed action is always written.
   */
  function admitLarge(request: IncomingMessage, response: ServerResponse, text: string): Buffer | null {
    const bytes = Buffer.from(text);
    if (request.method === "HEAD" || response.destroyed) return bytes;
    if (request.method === "GET" && unreadBytes > 0 && unreadBytes + bytes.length > maxUnreadBytes)
      return null;
    unreadBytes += bytes.length;
    response.once("close", () => {
      unreadBytes -= bytes.length;
    });
    return bytes;
  }

  return {
    write(request, response, requestId, reply) {
      let answer = reply;
      if (isStream(answer.body)) {
        const headers = ["X-Request-Id", requestId];
        addHeaders(headers, answer.headers);
        const written = writeEvents(clock, response, answer.body, { status: answer.status, headers });
        void written.then(() => giveUpLater(response));
        return;
      }
      // Bytes are the same ones for all clients, so they need no room of their own.
      let text = isBytes(answer.body) ? answer.body : textOf(answer);
      if (typeof text === "string" && text.length > largeAnswer) {
        const admitted = admitLarge(request, response, text);
        if (admitted === null) answer = tooManyUnread;
        text = admitted ?? textOf(answer);
      }
      const headers = head(requestId, answer, text);
      // Nothing more follows on a broken request.
      const broken = requestErrorOf(request) !== undefined;
      const unread = announcesBody(request) && !request.complete && !request.readableEnded && !broken;
      const length = request.headers["content-length"];
      const lingers = unread && answer.status !== 408 && (length === undefined || Number(length) > dumpable);
      if (lingers || broken || answer.status === 408) headers.push("Connection", "close");
      response.writeHead(answer.status, headers);
      if (lingers) {
        writeAndLinger(request, response, text);
        return;
      }
      response.end(text);
      giveUpLater(response);
    },
    rawResponse(requestId, answer) {
      const text = textOf(answer);
      const headers = [...head(requestId, answer, text), "Connection", "close"];
      let head_ = `HTTP/1.1 ${answer.status} ${reasons[answer.status] ?? ""}\r\n`;
      for (let at = 0; at < headers.length; at += 2) head_ += `${headers[at]}: ${headers[at + 1]}\r\n`;
      return `${head_}\r\n${text}`;
    },
    isFull: () => unreadBytes >= maxUnreadBytes - largeAnswer,
    stop() {
      lingering.stop();
      stalled.stop();
    },
  };
}
