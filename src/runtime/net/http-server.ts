// The server's side of HTTP. Here because a listener faces the outside world; what is asked is not known here.

import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import { PacedRequest, ReadingTurns } from "./paced-request.ts";

/** Limits of Node's own, ms but for the last. */
interface HttpServerLimits {
  headersMs: number;
  /** How often Node looks for connections whose time is over. */
  checkMs: number;
  /** Until a request has come whole. */
  requestMs: number;
  keepAliveMs: number;
  /** Connections at once; one more is closed as soon as it is made. */
  maxConnections: number;
}

/** A server that does not listen yet. */
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
