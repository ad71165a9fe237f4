// One request through undici, and its outcome. `not_sent` is a promise that no byte of the request left and none will: an exchange that was
// settled while it waited for a connection refuses to start. undici retries nothing by itself as long as its pipelining is 1 (read in
// 8.12.4, lib/dispatcher/client-h1.js onHttpSocketClose: a failed head of the pipeline is never queued again).

import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { ByteCollector } from "#runtime/byte-collector.ts";
import { describeError } from "#runtime/describe-error.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import { AddressRefusedError } from "./connect.ts";

/** The exchange that undici is starting at this moment; see `onRequestStart`. */
let starting: Exchange | null = null;

subscribe("undici:client:sendHeaders", (message) => {
  if (starting === null) return;
  starting.socket = (message as { socket: Socket }).socket;
  starting = null;
});

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

/** A dispatch handler that calls `settle` exactly once. */
export class Exchange implements Dispatcher.DispatchHandler {
  socket: Socket | null = null;
  /** The guard's refusal behind a `url_not_allowed`, for the log. */
  refusal: AddressRefusedError | null = null;
  readonly #limits: ExchangeLimits;
  readonly #settle: (result: OutboundResult) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #siblings: Set<Exchange> | undefined;
  #settled = false;
  /** Some byte of the request may have been sent. */
  #left = false;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: Record<string, string> = {};
  #endsWithConnection = false;
  readonly #gathered = new ByteCollector();
  #bytes = 0;
  #pieces = 0;

  constructor(limits: ExchangeLimits, settle: (result: OutboundResult) => void) {
    this.#limits = limits;
    this.#settle = settle;
    // 2^31 ms is the longest that a timer holds; undici's own phase timers are off.
    this.#timer = setTimeout(expire, Math.min(limits.timeoutMs, 2 ** 31 - 1), this);
    this.#siblings = limits.signal && stopWith(limits.signal, this);
  }

  /** Called by undici in the same synchronous function that goes on to publish sendHeaders and to write. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown rather than aborted: undici then drops the request and keeps the connection.
    if (this.#settled) throw new Error("settled before it started");
    // From here to the sendHeaders event nothing can fail, so this is the same moment, one call earlier; unlike the event, it cannot be
    // missed, and it is right for requests that undici queued and creates only now.
    this.#left = true;
    this.#controller = controller;
    starting = this;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx: the final answer is still to come.
    if (status < 200 || this.#settled) return;
    this.#status = status;
    const named: Record<string, string> = {};
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) named[name] = typeof value === "string" ? value : value.join(", ");
    }
    this.#headers = named;
    this.#endsWithConnection =
      named["content-length"] === undefined &&
      !/chunked\s*$/i.test(named["transfer-encoding"] ?? "") &&
      status !== 204 &&
      status !== 304;
    const { maxBytes, truncate: cutAnswer } = this.#limits;
    if (!cutAnswer && Number(named["content-length"] ?? 0) > maxBytes) this.#tooLong();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    const { maxBytes, truncate: cutAnswer } = this.#limits;
    const room = maxBytes - this.#bytes;
    this.#bytes += chunk.length;
    this.#pieces += 1;
    // Each piece costs about 3 µs however short it is; pieces of 128 bytes are always accepted.
    if (this.#pieces > 8_192 + maxBytes / 128) this.#cut("it came in too many pieces");
    else if (this.#bytes <= maxBytes) this.#gathered.add(chunk);
    else if (!cutAnswer) this.#tooLong();
    else {
      this.#gathered.add(chunk.subarray(0, room));
      this.#answer();
      this.#giveUpConnection();
    }
  }

  onResponseEnd(): void {
    // undici treats a reset as the end of an answer without a length (client-h1.js, onHttpSocketError); only an orderly close proves that
    // it is complete.
    if (this.#endsWithConnection && this.socket?.errored) this.#fail("the answer was cut off");
    else this.#answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (error instanceof AddressRefusedError && !this.#left && !this.#settled) {
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
    this.#controller?.abort(new Error("given up"));
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
