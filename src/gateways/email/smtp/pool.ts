// The connections of one gateway: as many as its lane sends side by side, each used for many mails. A server may close
// one that idles at any moment, so what dies before the mail was handed over is tried once more on a new connection.

import type { Outcome } from "#gateways/gateway.ts";
import type { Clock } from "#runtime/runtime.ts";
import { type Envelope, SmtpConnection, type Tools, type Transmission } from "./connection.ts";
import type { SmtpTarget } from "./settings.ts";

/** Servers limit it, often to 100. */
const mailsPerConnection = 100;
/** Shorter than any server's own patience, so that they are mostly closed by us. */
const idleMs = 5000;

export class SmtpPool {
  readonly #target: SmtpTarget;
  /** The one used last is last: in a quiet time the others grow old and go. */
  readonly #idle: { connection: SmtpConnection; since: number }[] = [];
  #sweeping: AbortController | null = null;
  #closed = false;
  /** Called when the last connection that idled has been closed. */
  readonly #quiet: () => void;

  constructor(target: SmtpTarget, quiet: () => void) {
    this.#target = target;
    this.#quiet = quiet;
  }

  /** Hands over one mail, over a connection that is open already or a new one. */
  async send(envelope: Envelope, pieces: readonly Buffer[], tools: Tools): Promise<Transmission["outcome"]> {
    const reused = this.#take();
    if (reused !== null) {
      const { outcome, retryable: stale } = await reused.transmit(envelope, pieces, tools);
      this.#give(reused, tools.clock);
      if (!stale || tools.signal.aborted) return outcome;
    }
    const opened = await SmtpConnection.open(this.#target, tools);
    if (!(opened instanceof SmtpConnection)) return opened satisfies Outcome;
    const { outcome } = await opened.transmit(envelope, pieces, tools);
    this.#give(opened, tools.clock);
    return outcome;
  }

  /** Says goodbye to the server, now and with what is still under way. */
  close(clock: Clock): void {
    this.#closed = true;
    this.#sweeping?.abort();
    for (const { connection } of this.#idle.splice(0)) void connection.quit(clock);
    this.#quiet();
  }

  #take(): SmtpConnection | null {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.connection.usable) return last.connection;
    }
    return null;
  }

  #give(connection: SmtpConnection, clock: Clock): void {
    if (!connection.usable) return;
    if (this.#closed || connection.used >= mailsPerConnection) {
      void connection.quit(clock);
      return;
    }
    this.#idle.push({ connection, since: clock.monotonic() });
    if (this.#sweeping === null) void this.#sweep(clock);
  }

  /** One sleeper for all of them, as long as any idles. */
  async #sweep(clock: Clock): Promise<void> {
    const stop = new AbortController();
    this.#sweeping = stop;
    for (let oldest = this.#idle[0]; oldest !== undefined && !stop.signal.aborted; oldest = this.#idle[0]) {
      const left = oldest.since + idleMs - clock.monotonic();
      if (left > 0) {
        await clock.sleep(left, stop.signal);
        continue;
      }
      this.#idle.shift();
      void oldest.connection.quit(clock);
    }
    this.#sweeping = null;
    if (!stop.signal.aborted) this.#quiet();
  }
}
