// Posts batches of spans to an OTLP/HTTP collector. What it may accept later is sent again, within the time of the batch.
// https://opentelemetry.io/docs/specs/otlp/#otlphttp-response

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { describeError } from "#runtime/describe-error.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import type { Clock, Random } from "#runtime/runtime.ts";
import { retryDelay } from "#runtime/waiting/retry.ts";

const compressed = promisify(gzip);
const maxRetries = 5;
const retry = { firstMs: 1_000, maxMs: 5_000 };
/** The statuses that the protocol names. */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Errors of a connection that may work later. */
const retriedErrors: ReadonlySet<unknown> = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENOTFOUND",
  "ENETUNREACH",
  "EHOSTUNREACH",
]);

interface CollectorSettings {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  gzip: boolean;
  /** PEM texts. */
  tls: { ca?: string; cert?: string; key?: string };
}

/** Why a request failed; `retryAfterMs`: when the collector wants it again, null if it does not say. */
interface Refusal {
  reason: string;
  isRetried: boolean;
  retryAfterMs: number | null;
}

export class Collector {
  readonly #settings: CollectorSettings;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #request: typeof requestHttp;
  readonly #closing = new AbortController();

  constructor(settings: CollectorSettings, { clock, random }: { clock: Clock; random: Random }) {
    const isSecure = settings.url.startsWith("https:");
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
    this.#request = isSecure ? requestHttps : requestHttp;
    this.#agent = isSecure
      ? new HttpsAgent({ keepAlive: true, ...settings.tls })
      : new HttpAgent({ keepAlive: true });
  }

  /** Null if the collector has accepted it, otherwise why it has not. */
  async send(json: string): Promise<string | null> {
    const { timeoutMs, gzip: isCompressed } = this.#settings;
    const body = isCompressed ? await compressed(json) : Buffer.from(json);
    const deadline = this.#clock.monotonic() + timeoutMs;
    const late = new AbortController();
    const done = new LightAbortController();
    void this.#clock.sleep(timeoutMs, done).then(() => late.abort());
    const signal = AbortSignal.any([late.signal, this.#closing.signal]);
    try {
      for (let attempt = 1; ; attempt++) {
        const refusal = await this.#post(body, signal);
        if (refusal === null) return null;
        const waitMs = refusal.retryAfterMs ?? retryDelay(retry, attempt, "half", this.#random.random());
        if (!refusal.isRetried || attempt > maxRetries || this.#clock.monotonic() + waitMs >= deadline)
          return refusal.reason;
        await this.#clock.sleep(waitMs, signal);
      }
    } finally {
      done.abort();
    }
  }

  /** Ends the requests under way and the waits between them, and closes the connections. */
  close(): void {
    this.#closing.abort();
    this.#agent.destroy();
  }

  #post(body: Buffer, signal: AbortSignal): Promise<Refusal | null> {
    const { url, headers, gzip: isCompressed } = this.#settings;
    return new Promise((resolve) => {
      const failed = (error: unknown) =>
        resolve({
          reason: signal.aborted ? "no answer came in time" : describeError(error),
          isRetried: !signal.aborted && retriedErrors.has((error as NodeJS.ErrnoException).code),
          retryAfterMs: null,
        });
      try {
        this.#request(
          url,
          {
            method: "POST",
            agent: this.#agent,
            signal,
            headers: {
              ...headers,
              "content-type": "application/json",
              "content-length": body.length,
              ...(isCompressed ? { "content-encoding": "gzip" } : {}),
            },
          },
          (response) => {
            const answered = () => resolve(this.#refusalOf(response));
            // The connection is free again when the body has been read; nothing in it is used.
            response.on("end", answered).on("error", answered).resume();
          },
        )
          .on("error", failed)
          .end(body);
      } catch (error) {
        // A certificate or a header that Node does not take.
        failed(error);
      }
    });
  }

  #refusalOf({ statusCode = 0, headers }: IncomingMessage): Refusal | null {
    if (statusCode >= 200 && statusCode <= 299) return null;
    return {
      reason: `the collector answered ${statusCode}`,
      isRetried: retried.has(statusCode),
      retryAfterMs: this.#waitOf(headers["retry-after"]),
    };
  }

  /** `Retry-After`: seconds or a date. */
  #waitOf(text = ""): number | null {
    const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - this.#clock.now();
    return Number.isNaN(ms) ? null : Math.max(0, ms);
  }
}
