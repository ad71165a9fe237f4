// The server side of HTTP. Here because a listener faces the outside world; it does not interpret requests.

import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createTcpServer,
  isIPv6,
  type Socket,
  type Server as TcpServer,
} from "node:net";
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

function serverWith(limits: HttpServerLimits, listener: RequestListener): Server {
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

/** Where a server listens. Port 0 is any free one. */
interface ListenAt {
  host: string;
  port: number;
}

/** Fails if the address cannot be used. */
async function listening(server: TcpServer, at: ListenAt): Promise<void> {
  server.listen(at);
  // Throws what the server emits as an error.
  await once(server, "listening");
}

/** Never fails: a server that does not listen is closed already. */
const closed = (server: TcpServer) => new Promise<void>((resolve) => server.close(() => resolve()));

/** An address at which this machine reaches a server that listens on `address`. */
function reachable(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return isIPv6(address) ? `[${address}]` : address;
}

/** An HTTP server that may listen on several addresses. It is not listening yet. */
export class HttpServer {
  readonly server: Server;
  /** Answers a request that may have no connection. */
  readonly handle: RequestListener;
  readonly #onClosed: () => void;
  readonly #others: TcpServer[] = [];
  #closing: Promise<void> | null = null;

  /** `listener`: hands requests to `handle`, perhaps later. `onClosed`: called once all requests have been answered. */
  constructor(
    limits: HttpServerLimits,
    listener: RequestListener,
    handle: RequestListener,
    onClosed: () => void,
  ) {
    this.server = serverWith(limits, listener);
    this.handle = handle;
    this.#onClosed = onClosed;
  }

  get isClosing(): boolean {
    return this.#closing !== null;
  }

  /**
   * Starts listening, on `localhost` at all addresses of that name; returns the URL. Fails with Node's error, `EADDRINUSE` for example.
   */
  async listen(at: ListenAt): Promise<string> {
    await listening(this.server, at);
    const { address, port } = this.server.address() as AddressInfo;
    if (at.host === "localhost") await this.#listenElsewhere(address, port);
    return `http://${reachable(address)}:${port}`;
  }

  /** Names resolve to addresses that the machine may not have, IPv6 in a container for example. */
  async #listenElsewhere(first: string, port: number): Promise<void> {
    for (const { address } of await lookup("localhost", { all: true })) {
      if (address === first) continue;
      const other = createTcpServer((socket) => this.server.emit("connection", socket));
      try {
        await listening(other, { host: address, port });
        this.#others.push(other);
      } catch {
        // The first address is enough.
      }
    }
  }

  /** Stops accepting connections, closes those that are idle, and waits until the others have ended. */
  close(): Promise<void> {
    this.#closing ??= Promise.all([this.server, ...this.#others].map(closed)).then(() => this.#onClosed());
    return this.#closing;
  }
}
