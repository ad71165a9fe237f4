// The outbound client for answers that are read as they arrive (completions). Like `outbound.ts`, it never contacts a forbidden address and
// follows nothing; unlike it, it returns the answer's head at once and its body piece by piece, each with a time limit of its own, and
// stops reading from the socket while the reader asks for nothing. Pieces are passed on within the budget of a turn of the event loop, so
// that a flood delays no other answer.

import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { Agent, type Dispatcher } from "undici";
import { describeError } from "#runtime/describe-error.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { AllowList } from "./address.ts";
import {
  AddressRefusedError,
  guardedConnector,
  guardedLookup,
  type Lookup,
  systemLookup,
} from "./connect.ts";
import { minPieceBytes } from "./paced-request.ts";
import { ProxyAgents } from "./proxy.ts";
import { TurnBudget } from "./turn-budget.ts";
import { targetReader } from "./url.ts";

export interface UpstreamRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  /** Time limit until the request is being written: DNS, connecting, TLS, ms. */
  connectMs: number;
  /** Time limit from then until the head of the answer, ms. */
  headersMs: number;
  signal: LightAbortSignal;
  /** The URL of a proxy (`http`, `https`, `socks5`), through which the request goes; default: none. */
  proxy?: string | null;
  /** On a connection of its own, because an idle one turned out to be dead, and the others may be as well. */
  fresh?: boolean;
}

export type UpstreamResult =
  | { kind: "answer"; status: number; headers: Record<string, string>; body: BodyReader }
  | {
      kind: "failed";
      why: "not_allowed" | "unreachable" | "connect_timeout" | "headers_timeout" | "cut" | "aborted";
      /** Plain words without secrets. */
      reason: string;
      /** It was sent on a connection that had been idle: the peer may just have closed it. */
      reused: boolean;
    };

/** Why a body did not arrive completely. */
export interface BodyError {
  why: "cut" | "timeout" | "cancelled";
  reason: string;
}

/** The body of an answer. */
export interface BodyReader {
  /** The next piece; null at the end; `Broken` if it is cut off or nothing arrives for `patienceMs`. One call at a time. */
  read(patienceMs: number): Promise<Buffer | null | BodyError>;
  /** Closes the connection; the reader gets an error. */
  cancel(): void;
}

export interface StreamingClient {
  open(request: UpstreamRequest): Promise<UpstreamResult>;
  close(): Promise<void>;
}

export function isBodyError(piece: Buffer | null | BodyError): piece is BodyError {
  return piece !== null && "why" in piece;
}

/** Long enough to be useful between the calls of a chat, short enough that most peers have not closed it. */
const idleMs = 15_000;
const connectionsPerOrigin = 4096;
/** Bytes that are buffered for a reader that is slower than the peer; after that the socket waits. Node keeps a read or two more. */
const highWater = 64 * 1024;
/** The minimum that a piece counts: a peer may send single bytes. */
const sizeOf = (piece: Buffer) => Math.max(piece.length, minPieceBytes);

/** HTTP/1.1 over keep-alive connections of its own. Requests ask for uncompressed answers. `budget`: shared by all of them. */
export function createStreamingClient(options: {
  allow: AllowList;
  lookup?: Lookup;
  budget?: TurnBudget;
}): StreamingClient {
  const { allow, lookup = systemLookup, budget = new TurnBudget() } = options;
  const connector = guardedConnector(allow, guardedLookup(allow, lookup));
  const settings = {
    connect: connector.connect,
    connections: connectionsPerOrigin,
    allowH2: false,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // The exchange has timers of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const agent = new Agent({ ...settings, pipelining: 1 });
  /** Its connections close after their only request. */
  const freshAgent = new Agent({ ...settings, pipelining: 0 });
  const proxied = new ProxyAgents(connector, { ...settings, pipelining: 1 });
  const targetOf = targetReader(allow);

  return {
    open(request) {
      const { origin, host, path, refused } = targetOf(request.url);
      if (refused !== null) return Promise.resolve(failed("not_allowed", `Not allowed: ${refused}.`));
      if (request.signal.aborted) return Promise.resolve(failed("aborted", "Stopped."));
      return new Promise((resolve) => {
        const exchange = new UpstreamExchange(request, host, budget, resolve);
        const { method, body, proxy = null } = request;
        const dispatcher = proxy === null ? (request.fresh ? freshAgent : agent) : proxied.of(proxy);
        const headers = ["accept-encoding", "identity"];
        for (const name in request.headers) headers.push(name, request.headers[name]!);
        dispatcher.dispatch({ origin, path, method, headers, body }, exchange);
      });
    },
    async close() {
      connector.abandon();
      await Promise.all([agent.destroy(), freshAgent.destroy(), proxied.destroy()]);
    },
  };
}

function failed(
  why: Extract<UpstreamResult, { kind: "failed" }>["why"],
  reason: string,
  reused = false,
): UpstreamResult {
  return { kind: "failed", why, reason, reused };
}

/** The exchange that undici is starting at this moment: it publishes `sendHeaders` in the same turn. */
let starting: UpstreamExchange | null = null;
/** Connections that carried a request before. */
const used = new WeakSet<Socket>();

subscribe("undici:client:sendHeaders", (message) => {
  if (starting === null) return;
  const { socket } = message as { socket: Socket };
  starting.reused = used.has(socket);
  starting.socket = socket;
  used.add(socket);
  socket.setNoDelay(true);
  starting = null;
});

/** Headers with repeated ones joined. The object that undici made is not shared, so it is changed in place. */
function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== "string") headers[name] = value?.join(", ") ?? "";
  }
  return headers as Record<string, string>;
}

/** A delay that a Node timer can hold: 2^31 ms and more silently become 1 ms. */
const wholeMs = (ms: number) => Math.max(1, Math.min(Math.ceil(ms), 2 ** 31 - 1));

const expire = (exchange: UpstreamExchange) => exchange.expire();

class UpstreamExchange implements Dispatcher.DispatchHandler, BodyReader {
  reused = false;
  socket: Socket | null = null;
  readonly #request: UpstreamRequest;
  readonly #host: string;
  readonly #budget: TurnBudget;
  readonly #settle: (result: UpstreamResult) => void;
  #timer: NodeJS.Timeout;
  /** The current time limit, ms; and its end, monotonic ms. */
  #patienceMs: number;
  #patientUntil: number;
  /** When the timer fires, monotonic ms: at that end, or earlier. */
  #timerAt: number;
  readonly #onAbort: () => void;
  #controller: Dispatcher.DispatchController | null = null;
  #phase: "connecting" | "waiting" | "reading" | "over" = "connecting";
  #endsWithConnection = false;
  #pieces: Buffer[] = [];
  #kept = 0;
  #paused = false;
  #end: null | BodyError | "end" = null;
  #reader: ((piece: Buffer | null | BodyError) => void) | null = null;

  constructor(
    request: UpstreamRequest,
    host: string,
    budget: TurnBudget,
    settle: (result: UpstreamResult) => void,
  ) {
    this.#request = request;
    this.#host = host;
    this.#budget = budget;
    this.#settle = settle;
    this.#patienceMs = wholeMs(request.connectMs);
    this.#patientUntil = performance.now() + this.#patienceMs;
    this.#timerAt = this.#patientUntil;
    this.#timer = setTimeout(expire, this.#patienceMs, this);
    this.#onAbort = () => this.#giveUp("cancelled", "stopped");
    request.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown rather than aborted: undici then drops the request and keeps the connection.
    if (this.#phase === "over") throw new Error("settled before it started");
    this.#controller = controller;
    this.#phase = "waiting";
    this.#arm(this.#request.headersMs);
    starting = this;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200 || this.#phase !== "waiting") return;
    this.#phase = "reading";
    const named = joined(headers);
    this.#endsWithConnection =
      named["content-length"] === undefined && !/chunked\s*$/i.test(named["transfer-encoding"] ?? "");
    this.#settle({ kind: "answer", status, headers: named, body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase !== "reading") return;
    const size = sizeOf(chunk);
    const reader = this.#reader;
    // If a reader waits and a piece is buffered, the reader waits for its turn.
    if (reader && this.#pieces.length === 0) {
      if (this.#budget.take(size)) {
        this.#reader = null;
        reader(chunk);
        return;
      }
      this.#budget.wait(size, this.#onTurn);
    }
    this.#pieces.push(chunk);
    this.#kept += size;
    if (this.#kept < highWater || this.#paused) return;
    this.#paused = true;
    controller.pause();
  }

  onResponseEnd(): void {
    // undici treats a reset as the end of an answer without a length; see `exchange.ts`.
    const reset = this.#endsWithConnection && this.socket?.errored;
    this.#finish(reset ? { why: "cut", reason: "the answer was cut off" } : "end");
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#phase === "over") return;
    if (this.#phase === "reading") {
      this.#finish({ why: "cut", reason: describeError(error) });
      return;
    }
    const before = this.#phase;
    this.#finish({ why: "cut", reason: "" });
    const detail = `${this.#host}: ${describeError(error)}.`;
    if (error instanceof AddressRefusedError) this.#settle(failed("not_allowed", `${error.message}.`));
    else if (before === "connecting") this.#settle(failed("unreachable", `Could not reach ${detail}`));
    else this.#settle(failed("cut", `No answer from ${detail}`, this.reused));
  }

  read(patienceMs: number): Promise<Buffer | null | BodyError> {
    const [next] = this.#pieces;
    if (next !== undefined && this.#budget.take(sizeOf(next))) return Promise.resolve(this.#shift(next));
    if (next === undefined && this.#end !== null)
      return Promise.resolve(this.#end === "end" ? null : this.#end);
    return new Promise((resolve) => {
      this.#reader = resolve;
      if (next === undefined) this.#arm(patienceMs);
      else this.#budget.wait(sizeOf(next), this.#onTurn);
    });
  }

  /** The waiting reader gets its piece; none is left if the answer was abandoned. */
  readonly #onTurn = () => {
    const reader = this.#reader;
    const [next] = this.#pieces;
    if (reader === null || next === undefined) return;
    this.#reader = null;
    reader(this.#shift(next));
  };

  #shift(next: Buffer): Buffer {
    this.#pieces.shift();
    this.#kept -= sizeOf(next);
    if (this.#paused && this.#kept < highWater / 2) {
      this.#paused = false;
      this.#controller?.resume();
    }
    return next;
  }

  cancel(): void {
    this.#giveUp("cancelled", "given up");
  }

  /** One timer for all phases: one that fires too early checks again, which is cheaper than setting it for each phase. */
  #arm(ms: number): void {
    this.#patienceMs = wholeMs(ms);
    this.#patientUntil = performance.now() + this.#patienceMs;
    if (this.#patientUntil >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = this.#patientUntil;
    this.#timer = setTimeout(expire, this.#patienceMs, this);
  }

  expire(): void {
    const left = this.#patientUntil - performance.now();
    // A timer may fire up to a millisecond early, because the event loop counts whole ones.
    if (left >= 1) {
      this.#timerAt = this.#patientUntil;
      this.#timer = setTimeout(expire, Math.ceil(left), this);
      return;
    }
    this.#timerAt = Number.POSITIVE_INFINITY;
    // Time in which the reader asks for nothing, or waits for its turn, does not count against the peer.
    if (this.#phase === "reading" && (this.#reader === null || this.#pieces.length > 0)) return;
    this.#giveUp("timeout", `nothing came within ${this.#patienceMs} ms`);
  }

  #giveUp(why: BodyError["why"], reason: string): void {
    const phase = this.#phase;
    if (phase === "over") return;
    this.#pieces = [];
    this.#finish({ why, reason });
    this.#controller?.abort(new Error("given up"));
    if (phase === "reading") return;
    if (why === "cancelled") this.#settle(failed("aborted", "Stopped."));
    else if (phase === "connecting")
      this.#settle(
        failed("connect_timeout", `No connection to ${this.#host} within ${this.#patienceMs} ms.`),
      );
    else
      this.#settle(failed("headers_timeout", `No answer from ${this.#host} within ${this.#patienceMs} ms.`));
  }

  #finish(end: BodyError | "end"): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener("abort", this.#onAbort);
    this.#end = end;
    // In its turn, the reader gets the next piece, or the end after the last one.
    if (this.#pieces.length > 0) return;
    const reader = this.#reader;
    this.#reader = null;
    reader?.(end === "end" ? null : end);
  }
}
