// Ended spans wait here for the collector. The queue is bounded, batches are sent one after another, and spans that the collector does not
// accept are counted and dropped: a collector that is down or slow costs spans, never an answer.

import { describeError } from "#runtime/describe-error.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import type { EndedSpan } from "./tracing.ts";

const intervalMs = 1_000;
/** About 1 KB each. */
const maxQueued = 8_192;
/** The specification's size of a batch. */
const batchSize = 512;
const stopMs = 5_000;
/** A collector that accepts nothing is logged once in this time. */
const quietMs = 10 * 60_000;

interface SpanSender {
  /** Null if the collector has accepted them, otherwise why it has not, without its address and its words. */
  send(spans: readonly EndedSpan[]): Promise<string | null>;
  close(): void;
}

export class SpanQueue {
  readonly #sender: SpanSender;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #sending: Interval;
  #spans: EndedSpan[] = [];
  /** Spans of batches under way. */
  #underWay = 0;
  #dropped = 0;
  /** What is still under way has been counted. */
  #hasStopped = false;
  /** When dropped spans were last logged, monotonic ms; null if they never were. */
  #loggedAt: number | null = null;

  constructor(sender: SpanSender, { clock, log }: { clock: Clock; log: Log }) {
    this.#sender = sender;
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

  /** A span that has ended. */
  add(span: EndedSpan): void {
    if (this.#spans.length >= maxQueued) {
      this.#drop(1, "more spans wait than are kept");
      return;
    }
    this.#spans.push(span);
    this.#sending.start();
  }

  /** Sends what waits, for 5 s at most. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const timer = new LightAbortController();
    const sent = this.#sending
      .ended()
      .then(() => this.#send())
      .catch(() => {});
    await Promise.race([sent, this.#clock.sleep(stopMs, timer)]);
    timer.abort();
    this.#sender.close();
    this.#hasStopped = true;
    const left = this.#spans.length + this.#underWay;
    if (left > 0) this.#drop(left, "the process stops");
    this.#spans = [];
  }

  async #send(): Promise<void> {
    while (this.#spans.length > 0) {
      const batch = this.#spans.splice(0, batchSize);
      this.#underWay += batch.length;
      const reason = await this.#export(batch);
      if (this.#hasStopped) return;
      this.#underWay -= batch.length;
      if (reason === null) continue;
      this.#drop(batch.length, reason);
      // The next batch is sent in the next turn.
      return;
    }
  }

  /** Null if the collector has accepted it. */
  async #export(batch: readonly EndedSpan[]): Promise<string | null> {
    try {
      return await this.#sender.send(batch);
    } catch (error) {
      return describeError(error);
    }
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
