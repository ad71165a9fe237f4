// The connections of one gateway: as many as its lane sends in parallel, each used for many mails. A server may close an
// idle connection at any moment, so a mail on a connection that was lost before its content went out is tried once more
// on a new one.

import type { Clock } from "#runtime/runtime.ts";
import { type Envelope, SmtpConnection, type SmtpOutcome, type Tools } from "./connection.ts";
import type { SmtpTarget } from "./settings.ts";

/** Servers limit this number, often to 100. */
const maxMailsPerConnection = 100;
/** Shorter than the idle timeout of any server, so that we mostly close first. */
const maxIdleMs = 5000;

export class SmtpPool {
  readonly #target: SmtpTarget;
  /** The most recently used one is last and is used first, so that the others expire in a quiet time. */
  readonly #idle: { connection: SmtpConnection; since: number }[] = [];
  #sweeping: AbortController | null = null;
  #closed = false;
  /** Called when the last idle connection has been closed. */
  readonly #onEmpty: () => void;

  constructor(target: SmtpTarget, onEmpty: () => void) {
    this.#target = target;
    this.#onEmpty = onEmpty;
  }

  /** Transmits one mail, over an open connection or a new one. */
  async send(envelope: Envelope, pieces: readonly Buffer[], tools: Tools): Promise<SmtpOutcome> {
    const reused = this.#acquire();
    if (reused !== null) {
      const { outcome, retryable: stale } = await reused.transmit(envelope, pieces, tools);
      this.#release(reused, tools.clock);
      if (!stale || tools.signal.aborted) return outcome;
    }
    const opened = await SmtpConnection.open(this.#target, tools);
    if (!(opened instanceof SmtpConnection)) return opened;
    const { outcome } = await opened.transmit(envelope, pieces, tools);
    this.#release(opened, tools.clock);
    return outcome;
  }

  /** Closes idle connections now, and the others when their mail is done. */
  close(clock: Clock): void {
    this.#closed = true;
    this.#sweeping?.abort();
    for (const { connection } of this.#idle.splice(0)) void connection.quit(clock);
    this.#onEmpty();
  }

  #acquire(): SmtpConnection | null {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.connection.usable) return last.connection;
    }
    return null;
  }

  #release(connection: SmtpConnection, clock: Clock): void {
    if (!connection.usable) return;
    if (this.#closed || connection.mailCount >= maxMailsPerConnection) {
      void connection.quit(clock);
      return;
    }
    this.#idle.push({ connection, since: clock.monotonic() });
    if (this.#sweeping === null) void this.#sweep(clock);
  }

  /** One sleeping timer for all connections, while one of them is idle. */
  async #sweep(clock: Clock): Promise<void> {
    const stop = new AbortController();
    this.#sweeping = stop;
    for (let oldest = this.#idle[0]; oldest !== undefined && !stop.signal.aborted; oldest = this.#idle[0]) {
      const left = oldest.since + maxIdleMs - clock.monotonic();
      if (left > 0) {
        await clock.sleep(left, stop.signal);
        continue;
      }
      this.#idle.shift();
      void oldest.connection.quit(clock);
    }
    this.#sweeping = null;
    if (!stop.signal.aborted) this.#onEmpty();
  }
}
