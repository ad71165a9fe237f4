// One device's channel to the bridge: messages are validated, and questions are matched to their answers by number.

import type { SessionChild } from "#gateways/session.ts";
import type { Clock } from "#runtime/runtime.ts";
import { type FromBridge, fromBridge, type ToBridge } from "./protocol.ts";

/** A question to the bridge; its answer has the same number. */
type Question = ToBridge & { type: "send" | "uploads" | "log_out" | "close" };
type Answer = FromBridge & { type: "sent" | "upload_access" | "done" };
export type BridgeEvent = Exclude<FromBridge, Answer>;

export class BridgeChannel {
  readonly #child: SessionChild | null;
  readonly #clock: Clock;
  readonly #asked = new Map<number, (answer: Answer | null) => void>();
  #lastNumber = 0;
  /** Messages to the bridge no longer have an effect. */
  hasEnded = false;

  /** `child` is null if no bridge is needed. `onEnd`: the process ended, with the reason; not called after `release`. */
  constructor(
    child: SessionChild | null,
    clock: Clock,
    { onMessage, onEnd }: { onMessage(message: BridgeEvent): void; onEnd(reason: string): void },
  ) {
    this.#child = child;
    this.#clock = clock;
    if (child === null) {
      this.hasEnded = true;
      return;
    }
    child.onMessage((value) => {
      const parsed = fromBridge.safeParse(value);
      // It processes input from unknown people: one that violates the protocol may do anything.
      if (!parsed.success) return child.kill();
      const message = parsed.data;
      if (message.type === "sent" || message.type === "upload_access" || message.type === "done")
        this.#asked.get(message.n)?.(message);
      else onMessage(message);
    });
    void child.ended.then((reason) => {
      const isReleased = this.hasEnded;
      this.hasEnded = true;
      if (!isReleased) onEnd(reason);
      for (const answer of [...this.#asked.values()]) answer(null);
    });
  }

  send(message: ToBridge): void {
    if (!this.hasEnded) this.#child?.send(message);
  }

  /** The answer; null if the bridge ended, or `timeoutMs` passed. */
  async ask(question: (n: number) => Question, timeoutMs: number): Promise<Answer | null> {
    if (this.hasEnded) return null;
    this.#lastNumber += 1;
    const n = this.#lastNumber;
    const over = new AbortController();
    const answered = new Promise<Answer | null>((resolve) => this.#asked.set(n, resolve));
    this.#child?.send(question(n));
    const late = this.#clock.sleep(timeoutMs, over.signal).then(() => null);
    const answer = await Promise.race([answered, late]);
    over.abort();
    this.#asked.delete(n);
    return answer;
  }

  /** Ends the process for all devices that use it. */
  kill(): void {
    if (!this.hasEnded) this.#child?.kill();
  }

  /** The session no longer needs the bridge. Its process ends, unless other devices use it. */
  async release(): Promise<void> {
    if (this.hasEnded) return;
    this.hasEnded = true;
    for (const answer of [...this.#asked.values()]) answer(null);
    await this.#child?.stop();
  }
}
