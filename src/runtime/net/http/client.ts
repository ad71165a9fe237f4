// An HTTP/1.1 client: keeps connections per origin and sends each request on one of its own. It repeats nothing: a request on a kept
// connection that turns out to be dead fails, and the caller, who knows whether the request may arrive twice, decides.

import type { OnReadOpts, Socket } from "node:net";
import type { Connector, ConnectTarget } from "#runtime/net/connect.ts";
import { bareHost } from "#runtime/net/url.ts";
import { type ConnectionOwner, HttpConnection, type HttpExchange, type ReadyRequest } from "./connection.ts";
import { HttpError } from "./http-error.ts";
import { type RequestHead, requestHead } from "./request-head.ts";

interface HttpRequest extends RequestHead {
  /** Scheme, host and port. */
  origin: string;
  body: string | Uint8Array | null;
  /** On a new connection, which is closed afterwards. */
  fresh?: boolean;
}

export interface HttpClientOptions {
  connector: Connector;
  /** Requests beyond that wait for a connection. */
  connectionsPerOrigin: number;
  /** An idle connection is closed after that, ms; at most 2^31 - 1. */
  idleMs: number;
  /** A peer that says how long it keeps connections is believed but for this, ms. */
  hintMarginMs: number;
}

/** `exchange` hears the end of its request, also in the same turn. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #origins = new Map<string, OriginConnections>();
  #isClosed = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  send(request: HttpRequest, exchange: HttpExchange): void {
    if (this.#isClosed) return void exchange.onError(new HttpError("stopping", "the client was closed"));
    let ready: ReadyRequest;
    try {
      ready = readyRequest(request, exchange);
    } catch (error) {
      return void exchange.onError(error as Error);
    }
    const { origin } = request;
    let connections = this.#origins.get(origin);
    if (connections === undefined) {
      connections = new OriginConnections(origin, this.#options, () => this.#origins.delete(origin));
      this.#origins.set(origin, connections);
    }
    connections.send(ready, request.fresh === true);
  }

  /** Closes all connections and fails what waits for one. */
  close(): void {
    this.#isClosed = true;
    for (const connections of [...this.#origins.values()]) connections.close();
  }
}

function readyRequest(request: HttpRequest, exchange: HttpExchange): ReadyRequest {
  const { body, method } = request;
  const bodyBytes = body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const head = requestHead(request, bodyBytes, request.fresh !== true);
  const isHead = method === "HEAD";
  if (body === null || bodyBytes === 0) return { exchange, head, body: null, isHead };
  // As long in UTF-8 as in UTF-16: it is ASCII, and leaves in one string with the head.
  if (typeof body === "string" && bodyBytes === body.length)
    return { exchange, head: head + body, body: null, isHead };
  return { exchange, head, body, isHead };
}

/** Where the reads of plain sockets go: Node would allocate 64 KiB for each read, and cut it down to what came. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
/** On Windows, a read is under way while a socket waits, so sockets cannot share a buffer. */
const canShareReads = process.platform !== "win32";

class OriginConnections implements ConnectionOwner {
  readonly #target: ConnectTarget;
  readonly #options: HttpClientOptions;
  readonly #onEmpty: () => void;
  readonly #all = new Set<HttpConnection>();
  /** Oldest first; the newest is used first, because it is the least likely to be closed by its peer. */
  #idle: HttpConnection[] = [];
  #waiting: ReadyRequest[] = [];
  /** Connections that are being opened: for the requests that wait, and each for a request of its own. */
  #opening = 0;
  #openingForOne = 0;
  #closed: HttpError | null = null;
  #sweep: NodeJS.Timeout | null = null;

  constructor(origin: string, options: HttpClientOptions, onEmpty: () => void) {
    const { protocol, hostname, port } = new URL(origin);
    const bare = hostname.startsWith("[") ? bareHost(hostname) : hostname;
    this.#target = { protocol, hostname: bare, port };
    this.#options = options;
    this.#onEmpty = onEmpty;
  }

  send(request: ReadyRequest, fresh: boolean): void {
    if (fresh) return void this.#open(request);
    const connection = this.#takeIdle();
    if (connection !== null) return void connection.startInTurn(request);
    this.#waiting.push(request);
    this.#openForWaiting();
  }

  onFree(connection: HttpConnection, hintMs: number | null): void {
    for (let request = this.#nextWaiting(); request !== null; request = this.#nextWaiting())
      if (connection.start(request)) return;
    const { idleMs, hintMarginMs } = this.#options;
    const mayWaitMs = hintMs === null ? idleMs : Math.min(idleMs, hintMs - hintMarginMs);
    if (mayWaitMs <= 0) return void connection.abandon();
    connection.idleUntil = performance.now() + mayWaitMs;
    connection.unref();
    this.#idle.push(connection);
    this.#sweep ??= setTimeout(() => this.#closeExpired(), mayWaitMs).unref();
  }

  onGone(connection: HttpConnection, unsent: ReadyRequest | null): void {
    this.#all.delete(connection);
    const at = this.#idle.lastIndexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    if (unsent !== null) {
      if (this.#closed === null) this.send(unsent, false);
      else unsent.exchange.onError(this.#closed);
    } else this.#openForWaiting();
    this.#leaveIfEmpty();
  }

  close(): void {
    this.#closed = new HttpError("stopping", "the client was closed");
    for (const connection of [...this.#all]) connection.close(this.#closed);
    for (let request = this.#nextWaiting(); request !== null; request = this.#nextWaiting())
      request.exchange.onError(this.#closed);
    this.#leaveIfEmpty();
  }

  #takeIdle(): HttpConnection | null {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || connection.idleUntil > performance.now()) return connection ?? null;
      connection.abandon();
    }
  }

  /** The next request whose caller still waits. */
  #nextWaiting(): ReadyRequest | null {
    for (;;) {
      const request = this.#waiting.shift();
      if (request === undefined) return null;
      if (!request.exchange.isOver) return request;
    }
  }

  #openForWaiting(): void {
    const { connectionsPerOrigin } = this.#options;
    while (
      this.#closed === null &&
      this.#opening < this.#waiting.length &&
      this.#all.size + this.#opening < connectionsPerOrigin
    )
      this.#open(null);
  }

  /** `only`: the one request that the connection is for; null if it is kept for the requests that wait. */
  #open(only: ReadyRequest | null): void {
    this.#opening += only === null ? 1 : 0;
    this.#openingForOne += only === null ? 0 : 1;
    let connection: HttpConnection | null = null;
    const sharesReads =
      canShareReads && this.#options.connector.isDirect === true && this.#target.protocol === "http:";
    const onread: OnReadOpts | undefined = sharesReads
      ? {
          buffer: readBuffer,
          callback: (bytes) => {
            connection?.read(readBuffer.subarray(0, bytes));
            return true;
          },
        }
      : undefined;
    const onOpen = (error: Error | null, socket: Socket | null) => {
      this.#opening -= only === null ? 1 : 0;
      this.#openingForOne -= only === null ? 0 : 1;
      if (socket === null || this.#closed !== null) {
        socket?.destroy();
        this.#onUnreachable(only, this.#closed ?? error ?? new Error("no connection"));
        return;
      }
      connection = new HttpConnection(socket, this, only === null, sharesReads);
      this.#all.add(connection);
      if (only === null) this.onFree(connection, null);
      else if (!connection.start(only)) connection.abandon();
    };
    this.#options.connector.connect(this.#target, onOpen, onread);
  }

  #onUnreachable(only: ReadyRequest | null, error: Error): void {
    const request = only ?? this.#nextWaiting();
    if (request !== null && !request.exchange.isOver) request.exchange.onError(error);
    this.#openForWaiting();
    this.#leaveIfEmpty();
  }

  #closeExpired(): void {
    this.#sweep = null;
    const now = performance.now();
    for (const connection of [...this.#idle]) if (connection.idleUntil <= now) connection.abandon();
    const next = Math.min(...this.#idle.map((connection) => connection.idleUntil));
    if (this.#idle.length > 0) this.#sweep = setTimeout(() => this.#closeExpired(), next - now + 1).unref();
  }

  #leaveIfEmpty(): void {
    if (this.#all.size + this.#opening + this.#openingForOne + this.#waiting.length > 0) return;
    clearTimeout(this.#sweep ?? undefined);
    this.#sweep = null;
    this.#onEmpty();
  }
}
