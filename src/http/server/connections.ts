// Limits what one connection may request concurrently. HTTP lets a client send request after request without reading an answer, and Node
// starts each as it is parsed: 64 KiB of input are 1,600 requests for an answer of 640 KB. Here a request starts when the answer before it
// has left the process, so that a connection keeps one answer in memory, however large. Of the requests that waited, one starts in each
// turn of the event loop: the system buffers some MiB for a client that reads nothing, and 300 connections that filled theirs in one turn
// blocked all others for a second.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ReadingTurns } from "#runtime/net/paced-request.ts";
import { breakRequest, type RequestError } from "./broken-request.ts";

/** With this many requests waiting, nothing more is read from their connection; data that was already read may still contain more. */
const readingEndsAt = 16;
/** Maximum number of waiting requests on all connections together; each uses about 4 KB. */
const maxWaiting = 10_000;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The requests of one connection. */
interface Line {
  /** The request in progress: its answer has not left yet. */
  active: { request: IncomingMessage; response: ServerResponse } | null;
  waiting: { request: IncomingMessage; response: ServerResponse }[];
  /** The first of them starts in a later turn of the event loop. */
  scheduled: boolean;
  /** The data after the last of them is not a request: the connection is closed when they are answered. */
  broken: boolean;
}

interface Connections {
  /** The server's listener: hands requests to `handle`, those of one connection one after another. */
  listener: RequestListener;
  /**
   * The connection's bytes are no longer HTTP, or did not arrive in time. True if requests are in progress and will be answered before the
   * connection is closed; a body that is still being read ends here. False if there are none, so the fault itself can be answered.
   */
  break(socket: Socket, how: RequestError): boolean;
}

/** `isClosing`: whether connections end once they are idle. `turns`: schedules the requests that waited. */
export function createConnections(
  handle: Handle,
  isClosing: () => boolean,
  turns = new ReadingTurns(),
): Connections {
  const lines = new WeakMap<Socket, Line>();
  let waiting = 0;

  function begin(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.active = { request, response };
    if (line.broken && line.waiting.length === 0) response.shouldKeepAlive = false;
    response.on("close", onClose);
    handle(request, response);
  }

  /** The answer has left, or its connection is gone. */
  function onClose(this: ServerResponse): void {
    const { socket } = this.req;
    const line = lines.get(socket);
    if (line === undefined) return;
    line.active = null;
    // An answer with `Connection: close` is the last one; requests after it get none.
    if (!socket.writable) {
      drop(line);
      return;
    }
    if (line.waiting.length > 0) {
      line.scheduled = true;
      turns.wait(() => beginNext(line, socket));
    } else if (line.broken || isClosing()) socket.end(() => socket.destroy());
  }

  function beginNext(line: Line, socket: Socket): void {
    line.scheduled = false;
    const next = socket.writable ? line.waiting.shift() : undefined;
    if (next === undefined) {
      drop(line);
      return;
    }
    waiting -= 1;
    if (line.waiting.length === 0 && socket.isPaused()) socket.resume();
    begin(line, next.request, next.response);
  }

  function drop(line: Line): void {
    waiting -= line.waiting.length;
    line.waiting = [];
  }

  return {
    listener(request, response) {
      const { socket } = request;
      let line = lines.get(socket);
      if (line === undefined) {
        line = { active: null, waiting: [], scheduled: false, broken: false };
        lines.set(socket, line);
      }
      if (line.active === null && !line.scheduled) {
        begin(line, request, response);
        return;
      }
      line.waiting.push({ request, response });
      waiting += 1;
      if (line.waiting.length < readingEndsAt) return;
      // None of the waiting requests was started, so apart from the first, nothing was accepted that would get no answer.
      if (waiting > maxWaiting) {
        drop(line);
        socket.destroy();
      } else socket.pause();
    },
    break(socket, how) {
      const line = lines.get(socket);
      const last = line?.waiting.at(-1) ?? line?.active;
      if (line === undefined || !last) return false;
      line.broken = true;
      if (line.waiting.length === 0) last.response.shouldKeepAlive = false;
      if (!last.request.complete) breakRequest(last.request, how);
      return true;
    },
  };
}
