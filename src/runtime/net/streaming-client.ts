// The outbound client for answers that are read as they arrive (completions). Like `outbound.ts`, it never contacts a forbidden address and
// follows nothing; unlike it, it returns the answer's head at once and its body piece by piece, each with a time limit of its own, and
// stops reading from the socket while the reader asks for nothing. Pieces are passed on within the budget of a turn of the event loop, so
// that a flood delays no other answer.

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
import { HttpClient } from "./http/client.ts";
import type { HttpConnection, HttpExchange } from "./http/connection.ts";
import { minPieceBytes } from "./paced-request.ts";
import { ProxyClients } from "./proxy.ts";
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
/** A peer closes idle connections about then; it may already have done so. */
const hintMarginMs = 2000;
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
  const settings = { connector, connectionsPerOrigin, idleMs, hintMarginMs };
  const direct = new HttpClient(settings);
  const proxied = new ProxyClients(settings);
  const targetOf = targetReader(allow);

  return {
    open(request) {
      const { origin, host, path, refused } = targetOf(request.url);
      if (refused !== null) return Promise.resolve(failed("not_allowed", `Not allowed: ${refused}.`));
      if (request.signal.aborted) return Promise.resolve(failed("aborted", "Stopped."));
      return new Promise((resolve) => {
        const exchange = new UpstreamExchange(request, host, budget, resolve);
        const { method, headers, body, fresh, proxy = null } = request;
        const client = proxy === null ? direct : proxied.of(proxy);
        client.send({ origin, host, path, method, headers, body, fresh: fresh === true }, exchange);
      });
    },
    async close() {
      direct.close();
      proxied.close();
      connector.abandon();
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

/** A delay that a Node timer can hold: 2^31 ms and more silently become 1 ms. */
const wholeMs = (ms: number) => Math.max(1, Math.min(Math.ceil(ms), 2 ** 31 - 1));

const expire = (exchange: UpstreamExchange) => exchange.expire();

class UpstreamExchange implements HttpExchange, BodyReader {
  reused = false;
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
  /** Null before the request is written and after the answer has ended, when the connection may be another's. */
  #connection: HttpConnection | null = null;
  #phase: "connecting" | "waiting" | "reading" | "over" = "connecting";
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

  get isOver(): boolean {
    return this.#phase === "over";
  }

  onStart(connection: HttpConnection): void {
    this.#connection = connection;
    this.reused = connection.reused;
    this.#phase = "waiting";
    this.#arm(this.#request.headersMs);
  }

  onHead(status: number, headers: Record<string, string>): void {
    this.#phase = "reading";
    this.#settle({ kind: "answer", status, headers, body: this });
  }

  onData(piece: Buffer): void {
    const size = sizeOf(piece);
    const reader = this.#reader;
    // If a reader waits and a piece is buffered, the reader waits for its turn.
    if (reader && this.#pieces.length === 0) {
      if (this.#budget.take(size)) {
        this.#reader = null;
        reader(piece);
        return;
      }
      this.#budget.wait(size, this.#onTurn);
    }
    this.#pieces.push(piece);
    this.#kept += size;
    if (this.#kept < highWater || this.#paused) return;
    this.#paused = true;
    this.#connection?.pause();
  }

  onEnd(): void {
    this.#finish("end");
  }

  onError(error: Error): void {
    const before = this.#phase;
    if (before === "over") return;
    if (before === "reading") {
      this.#finish({ why: "cut", reason: describeError(error) });
      return;
    }
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
      this.#connection?.resume();
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
    const connection = this.#connection;
    this.#finish({ why, reason });
    connection?.abandon();
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
    this.#connection = null;
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
