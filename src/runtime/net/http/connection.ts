// A connection of the HTTP client: one request at a time, and its answer. It is kept for the next request only if nothing is left over from
// this one: the request was written whole, the answer has ended by its own framing, and both sides want to go on.

import type { Socket } from "node:net";
import { AnswerParser } from "./answer-parser.ts";
import { HttpError } from "./http-error.ts";

/**
 * What a request is to the one who makes it. Exactly one of `onEnd` and `onError` is called, and nothing after it; after `abandon` of the
 * connection, nothing at all.
 */
export interface HttpExchange {
  /** The caller has its result already; a request that has not started is not sent then. */
  readonly isOver: boolean;
  /** The request is written as soon as this returns, unless the exchange is over then. */
  onStart(connection: HttpConnection): void;
  /** The head of the answer, never an informational one. */
  onHead(status: number, headers: Record<string, string>): void;
  /** The next part of the body, which is the exchange's own. `chunks`: in how many pieces the peer sent it, as far as HTTP tells. */
  onData(piece: Buffer, chunks: number): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** A request that is ready to be written. */
export interface ReadyRequest {
  exchange: HttpExchange;
  /** The head and, if it is ASCII, the body. */
  head: string;
  /** What follows the head. */
  body: string | Uint8Array | null;
  isHead: boolean;
}

/** Where a connection came from, and where it returns to. */
export interface ConnectionOwner {
  /** The connection can take another request. `hintMs`: how long the peer keeps it. */
  onFree(connection: HttpConnection, hintMs: number | null): void;
  /** The connection is gone. `unsent`: the request that it had been given, of which nothing was written. */
  onGone(connection: HttpConnection, unsent: ReadyRequest | null): void;
}

/** Connections whose turn comes behind the sockets that are ready now. */
let inTurn: HttpConnection[] = [];

function runTurns(): void {
  const connections = inTurn;
  inTurn = [];
  for (const connection of connections) connection.onTurn();
}

export class HttpConnection {
  /** It carried a request before the one that it carries now. */
  reused = false;
  /** Monotonic ms until which it may wait for a request; kept by its owner. */
  idleUntil = 0;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  /** Bytes of a read are in a buffer that the next read overwrites. */
  readonly #readsAreShared: boolean;
  readonly #parser = new AnswerParser();
  #exchange: HttpExchange | null = null;
  /** To be written when its turn comes. */
  #reserved: ReadyRequest | null = null;
  #isResting = false;
  #keepsOpen: boolean;
  #isPaused = false;
  #isGone = false;

  /** `keepsOpen`: false for a connection that serves one request. */
  constructor(socket: Socket, owner: ConnectionOwner, keepsOpen: boolean, readsAreShared: boolean) {
    this.#socket = socket;
    this.#owner = owner;
    this.#keepsOpen = keepsOpen;
    this.#readsAreShared = readsAreShared;
    socket.on("error", (error) => this.#fail(error));
    socket.once("end", () => this.#onEnd());
    socket.once("close", () => this.#fail(new HttpError("closed", "the connection was closed")));
    if (!readsAreShared) socket.on("data", (bytes: Buffer) => this.read(bytes));
  }

  /** Writes the request now. False: its exchange was over, nothing was written, and the connection is free. */
  start(request: ReadyRequest): boolean {
    const { exchange, head, body } = request;
    if (exchange.isOver) return false;
    this.#exchange = exchange;
    this.#parser.begin(request.isHead);
    exchange.onStart(this);
    if (exchange.isOver) {
      this.#exchange = null;
      return false;
    }
    const socket = this.#socket;
    if (body === null) {
      socket.write(head, "latin1");
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
    return true;
  }

  /**
   * Writes the request when the sockets that are ready in this turn of the event loop have been read: a peer that has closed a connection, or
   * sends unrequested bytes on it, is noticed before the request goes out.
   */
  startInTurn(request: ReadyRequest): void {
    this.#reserved = request;
    this.#socket.ref();
    this.#queueTurn();
  }

  onTurn(): void {
    const request = this.#reserved;
    if (this.#isGone) return;
    if (this.#isResting) {
      this.#isResting = false;
      this.#owner.onFree(this, this.#parser.head?.keepsOpenMs ?? null);
    } else if (request !== null) {
      this.#reserved = null;
      if (!this.start(request)) this.#owner.onFree(this, this.#parser.head?.keepsOpenMs ?? null);
    }
  }

  /** Lets the process end while the connection is idle. */
  unref(): void {
    this.#socket.unref();
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Closes the connection; its exchange hears no more. */
  abandon(): void {
    this.#exchange = null;
    this.#leave();
  }

  /** Closes the connection, which fails its exchange. */
  close(error: Error): void {
    this.#fail(error);
  }

  /** What came from the peer. */
  read(bytes: Buffer): void {
    const exchange = this.#exchange;
    // Bytes without a request: they would be taken for the next answer.
    if (exchange === null) return void this.#leave();
    const parser = this.#parser;
    const hadHead = parser.head !== null;
    const error = parser.push(bytes);
    if (!hadHead && parser.head !== null) {
      exchange.onHead(parser.head.status, parser.head.headers);
      if (this.#exchange !== exchange) return;
    }
    const { piece } = parser;
    if (piece !== null) {
      exchange.onData(this.#readsAreShared ? Buffer.from(piece) : piece, parser.chunks);
      if (this.#exchange !== exchange) return;
    }
    if (error !== null) this.#fail(error);
    else if (parser.isDone) this.#complete(exchange);
  }

  #complete(exchange: HttpExchange): void {
    const parser = this.#parser;
    const isWritten = this.#socket.writableLength === 0;
    this.#exchange = null;
    this.reused = true;
    if (this.#keepsOpen && isWritten && !parser.hasMore && parser.head!.keepsOpen) {
      this.resume();
      this.#isResting = true;
      this.#queueTurn();
    } else this.#leave();
    exchange.onEnd();
  }

  #onEnd(): void {
    const exchange = this.#exchange;
    if (exchange === null) return void this.#leave();
    const error = this.#parser.end();
    if (error === null) this.#complete(exchange);
    else this.#fail(error);
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#leave();
    if (exchange === null) return;
    const { code } = error as NodeJS.ErrnoException;
    const isCut =
      code === "ECONNRESET" || code === "EPIPE" || (error instanceof HttpError && error.kind === "closed");
    // With the head read, it is the answer that ended too early.
    if (isCut && this.#parser.head !== null)
      exchange.onError(new HttpError("cut", "the connection ended inside the answer"));
    else exchange.onError(error);
  }

  #leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const unsent = this.#reserved;
    this.#reserved = null;
    this.#socket.destroy();
    this.#owner.onGone(this, unsent);
  }

  #queueTurn(): void {
    if (inTurn.length === 0) setImmediate(runTurns);
    inTurn.push(this);
  }
}
