// One request through the HTTP client, and its outcome. `not_sent` is a promise that no byte of the request left and none will: an exchange
// that was settled while it waited for a connection is never started. The client repeats nothing.

import { ByteCollector } from "#runtime/byte-collector.ts";
import { describeError } from "#runtime/describe-error.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import { AddressRefusedError } from "./connect.ts";
import type { HttpConnection, HttpExchange } from "./http/connection.ts";

/**
 * The unsettled exchanges of each abort signal, with one listener: a lane passes the same signal to all of its requests, and EventTarget
 * walks its list for every listener that is added or removed.
 */
const stoppable = new WeakMap<AbortSignal, Set<Exchange>>();

function stopWith(signal: AbortSignal, exchange: Exchange): Set<Exchange> {
  let all = stoppable.get(signal);
  if (all === undefined) {
    const fresh = new Set<Exchange>();
    signal.addEventListener("abort", () => fresh.forEach((one) => void one.stop()), { once: true });
    stoppable.set(signal, fresh);
    all = fresh;
  }
  return all.add(exchange);
}

interface ExchangeLimits {
  /** Host and port, for reasons. */
  host: string;
  timeoutMs: number;
  maxBytes: number;
  /** Only the beginning of a longer answer is used, instead of none of it. */
  truncate: boolean;
  signal: AbortSignal | undefined;
}

/** Calls `settle` exactly once. */
export class Exchange implements HttpExchange {
  /** The guard's refusal behind a `url_not_allowed`, for the log. */
  refusal: AddressRefusedError | null = null;
  readonly #limits: ExchangeLimits;
  readonly #settle: (result: OutboundResult) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #siblings: Set<Exchange> | undefined;
  #settled = false;
  /** Some byte of the request may have been sent. */
  #left = false;
  #connection: HttpConnection | null = null;
  #status = 0;
  #headers: Record<string, string> = {};
  readonly #gathered = new ByteCollector();
  #bytes = 0;
  #pieces = 0;

  constructor(limits: ExchangeLimits, settle: (result: OutboundResult) => void) {
    this.#limits = limits;
    this.#settle = settle;
    // 2^31 ms is the longest that a timer holds.
    this.#timer = setTimeout(expire, Math.min(limits.timeoutMs, 2 ** 31 - 1), this);
    this.#siblings = limits.signal && stopWith(limits.signal, this);
  }

  get isOver(): boolean {
    return this.#settled;
  }

  onStart(connection: HttpConnection): void {
    // The request is written next.
    this.#left = true;
    this.#connection = connection;
  }

  onHead(status: number, headers: Record<string, string>): void {
    this.#status = status;
    this.#headers = headers;
    const { maxBytes, truncate: cutAnswer } = this.#limits;
    if (!cutAnswer && Number(headers["content-length"] ?? 0) > maxBytes) this.#tooLong();
  }

  onData(piece: Buffer, chunks: number): void {
    const { maxBytes, truncate: cutAnswer } = this.#limits;
    const room = maxBytes - this.#bytes;
    this.#bytes += piece.length;
    this.#pieces += chunks;
    // Pieces of 128 bytes are always accepted.
    if (this.#pieces > 8_192 + maxBytes / 128) this.#cut("it came in too many pieces");
    else if (this.#bytes <= maxBytes) this.#gathered.add(piece);
    else if (!cutAnswer) this.#tooLong();
    else {
      this.#gathered.add(piece.subarray(0, room));
      this.#answer();
      this.#giveUpConnection();
    }
  }

  onEnd(): void {
    this.#answer();
  }

  onError(error: Error): void {
    if (error instanceof AddressRefusedError && !this.#left) {
      this.refusal = error;
      this.#end({ kind: "not_sent", code: "url_not_allowed", reason: `${error.message}.` });
    } else {
      this.#fail(describeError(error));
    }
  }

  /** Abandons the exchange because its caller is no longer interested. */
  stop(): void {
    if (this.#settled) return;
    const { host } = this.#limits;
    if (this.#left) this.#cut("stopped before the answer was complete");
    else
      this.#end({
        kind: "not_sent",
        code: "aborted",
        reason: `Stopped before anything was sent to ${host}.`,
      });
  }

  /** Abandons the exchange because its time is over. */
  expire(): void {
    if (this.#settled) return;
    const { timeoutMs } = this.#limits;
    if (!this.#left) this.#fail(`no connection within ${timeoutMs} ms`);
    else if (this.#status === 0) this.#cut(`nothing came within ${timeoutMs} ms`);
    else this.#cut(`it was not complete within ${timeoutMs} ms`);
  }

  #answer(): void {
    // Copied: a chunk keeps the socket's whole 64 KiB read buffer alive.
    const body = Buffer.from(this.#gathered.take());
    this.#end({ kind: "answer", status: this.#status, headers: this.#headers, body });
  }

  #tooLong(): void {
    this.#cut(`it is longer than ${this.#limits.maxBytes} bytes`);
  }

  /** Fails a started exchange and closes its connection, on which an answer may still arrive. */
  #cut(reason: string): void {
    this.#fail(reason);
    this.#giveUpConnection();
  }

  #giveUpConnection(): void {
    this.#connection?.abandon();
  }

  #fail(reason: string): void {
    const { host } = this.#limits;
    if (this.#left) this.#end({ kind: "no_answer", reason: `No complete answer from ${host}: ${reason}.` });
    else this.#end({ kind: "not_sent", code: "unreachable", reason: `Could not reach ${host}: ${reason}.` });
  }

  #end(result: OutboundResult): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#siblings?.delete(this);
    this.#gathered.clear();
    this.#settle(result);
  }
}

function expire(exchange: Exchange): void {
  exchange.expire();
}
