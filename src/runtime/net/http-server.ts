// The server side of HTTP. Here because a listener faces the outside world; it does not interpret requests.

import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import { PacedRequest, ReadingTurns } from "./paced-request.ts";

/** Limits of Node's own, ms but for the last. */
interface HttpServerLimits {
  headersMs: number;
  /** How often Node looks for connections that have timed out. */
  checkMs: number;
  /** Until a request has been received completely. */
  requestMs: number;
  keepAliveMs: number;
  /** Maximum concurrent connections; further ones are closed at once. */
  maxConnections: number;
}

/** A server that is not listening yet. */
export function createHttpServer(limits: HttpServerLimits, listener: RequestListener): Server {
  const turns = new ReadingTurns();
  class Incoming extends PacedRequest {
    constructor(socket: Socket) {
      super(socket, turns);
    }
  }
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      IncomingMessage: Incoming,
    },
    listener,
  );
  server.requestTimeout = limits.requestMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.maxConnections = limits.maxConnections;
  return server;
}
