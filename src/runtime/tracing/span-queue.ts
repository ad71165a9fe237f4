// Ended spans wait here for the collector. The queue is bounded, batches are sent one after another, and spans that the collector does not
// accept are counted and dropped: a collector that is down or slow costs spans, never an answer.

import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { describeError } from "#runtime/describe-error.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";

const intervalMs = 1_000;
/** About 1 KB each. */
const maxQueued = 8_192;
/** The specification's size of a batch. */
const batchSize = 512;
const stopMs = 5_000;
/** A collector that accepts nothing is logged once in this time. */
const quietMs = 10 * 60_000;

/** Bit 0 of the trace flags. */
const sampledFlag = 1;

export class SpanQueue implements SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #sending: Interval;
  #spans: ReadableSpan[] = [];
  /** Spans of batches under way. */
  #underWay = 0;
  #dropped = 0;
  /** When dropped spans were last logged, monotonic ms; null if they never were. */
  #loggedAt: number | null = null;

  constructor(exporter: SpanExporter, { clock, log }: { clock: Clock; log: Log }) {
    this.#exporter = exporter;
    this.#clock = clock;
    this.#log = log;
    this.#sending = new Interval({
      clock,
      log,
      signal: this.#stopping.signal,
      ms: intervalMs,
      isNeeded: () => this.#spans.length > 0,
      turn: () => this.#send(),
      failure: { event: "trace.send_failed", message: "Spans could not be sent." },
    });
  }

  /** Spans that did not reach the collector. */
  get dropped(): number {
    return this.#dropped;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & sampledFlag) === 0) return;
    if (this.#spans.length >= maxQueued) {
      this.#drop(1, "more spans wait than are kept");
      return;
    }
    this.#spans.push(span);
    this.#sending.start();
  }

  async forceFlush(): Promise<void> {
    await this.#send();
  }

  /** Sends what waits, for 5 s at most. */
  async shutdown(): Promise<void> {
    this.#stopping.abort();
    const timer = new LightAbortController();
    const sent = this.#sending
      .ended()
      .then(() => this.#send())
      .then(() => this.#exporter.shutdown())
      .catch(() => {});
    await Promise.race([sent, this.#clock.sleep(stopMs, timer)]);
    timer.abort();
    const left = this.#spans.length + this.#underWay;
    if (left > 0) this.#drop(left, "the process stops");
    this.#spans = [];
  }

  async #send(): Promise<void> {
    while (this.#spans.length > 0) {
      const batch = this.#spans.splice(0, batchSize);
      this.#underWay += batch.length;
      const reason = await this.#export(batch);
      this.#underWay -= batch.length;
      if (reason === null) continue;
      this.#drop(batch.length, reason);
      // The next batch is sent in the next turn.
      return;
    }
  }

  /** Null if the collector has accepted it. */
  #export(batch: ReadableSpan[]): Promise<string | null> {
    return new Promise((resolve) => {
      try {
        // Code 0 is success. The error's message may quote the collector's address and words.
        this.#exporter.export(batch, ({ code, error }) => resolve(code === 0 ? null : reasonOf(error)));
      } catch (error) {
        resolve(reasonOf(error));
      }
    });
  }

  #drop(count: number, reason: string): void {
    this.#dropped += count;
    const now = this.#clock.monotonic();
    if (this.#loggedAt !== null && now - this.#loggedAt < quietMs) return;
    this.#loggedAt = now;
    this.#log.warn(
      { event: "trace.spans_dropped", reason },
      "The collector does not accept spans; they are dropped and counted in trunkline_trace_spans_dropped_total.",
    );
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "number" ? `the collector answered ${code}` : describeError(error);
}
