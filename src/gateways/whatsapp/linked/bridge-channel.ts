// One device's channel to the bridge: messages are checked, and questions get their answers by number.

import type { SessionChild } from "#gateways/session.ts";
import type { Clock } from "#runtime/runtime.ts";
import { type FromBridge, fromBridge, type ToBridge } from "./protocol.ts";

/** A question to the bridge, whose answer carries the same number. */
type Question = ToBridge & { type: "send" | "uploads" | "log_out" | "close" };
type Answer = FromBridge & { type: "sent" | "upload_access" | "done" };
export type Told = Exclude<FromBridge, Answer>;

export class BridgeChannel {
  readonly #child: SessionChild;
  readonly #clock: Clock;
  readonly #asked = new Map<number, (answer: Answer | null) => void>();
  #lastNumber = 0;
  /** Nothing that the bridge was told later has an effect. */
  hasEnded = false;

  /** `onEnd`: the process ended, with the reason. What was asked gets null first. */
  constructor(
    child: SessionChild,
    clock: Clock,
    { onMessage, onEnd }: { onMessage(message: Told): void; onEnd(reason: string): void },
  ) {
    this.#child = child;
    this.#clock = clock;
    child.onMessage((value) => {
      const parsed = fromBridge.safeParse(value);
      // It handles what strangers send: one that speaks differently may do anything.
      if (!parsed.success) return child.kill();
      const message = parsed.data;
      if (message.type === "sent" || message.type === "upload_access" || message.type === "done")
        this.#asked.get(message.n)?.(message);
      else onMessage(message);
    });
    void child.ended.then((reason) => {
      this.hasEnded = true;
      onEnd(reason);
      for (const answer of [...this.#asked.values()]) answer(null);
    });
  }

  tell(message: ToBridge): void {
    this.#child.send(message);
  }

  /** The answer; null: the bridge ended, or `timeoutMs` passed. */
  async ask(question: (n: number) => Question, timeoutMs: number): Promise<Answer | null> {
    this.#lastNumber += 1;
    const n = this.#lastNumber;
    const over = new AbortController();
    const answered = new Promise<Answer | null>((resolve) => this.#asked.set(n, resolve));
    this.#child.send(question(n));
    const late = this.#clock.sleep(timeoutMs, over.signal).then(() => null);
    const answer = await Promise.race([answered, late]);
    over.abort();
    this.#asked.delete(n);
    return answer;
  }

  /** Ends the process, for all devices that use it. */
  kill(): void {
    this.#child.kill();
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
