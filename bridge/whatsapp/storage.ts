// The connection to the parent, which stores everything: a value counts once the parent has confirmed it.

import type { FromBridge } from "../../src/gateways/whatsapp/linked/protocol.ts";
import type { Changes } from "./keys.ts";

const commitMs = 30_000;

export type ReportedStatus = "sent" | "delivered" | "read" | "failed";

/** For a receipt. Null if it is of no use to the sender, such as a device's request to send once more. */
export function receiptStatus(type: string | undefined): "delivered" | "read" | null {
  if (type === undefined || type === "inactive") return "delivered";
  return type === "read" || type === "played" ? "read" : null;
}

export class ParentStorage {
  readonly #post: (message: FromBridge) => void;
  readonly #onFailure: () => void;
  readonly #pending = new Map<number, { resolve(): void; reject(error: Error): void }>();
  #lastNumber = 0;
  #isClosed = false;

  /** `onFailure`: changes were not stored, and nothing that depends on them may be sent. */
  constructor(post: (message: FromBridge) => void, onFailure: () => void) {
    this.#post = post;
    this.#onFailure = onFailure;
  }

  /** Resolves when the parent has stored the changes. */
  async save(changes: Changes): Promise<void> {
    if (this.#isClosed) throw new Error("The device was closed.");
    const { n, stored } = this.#ask();
    const timer = setTimeout(
      () => this.#pending.get(n)?.reject(new Error("Storing took too long.")),
      commitMs,
    );
    this.#post({ type: "save", n, changes: changes.map(([key, value]) => [key, value]) });
    try {
      await stored;
    } catch (error) {
      this.#onFailure();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(n);
    }
  }

  /** Resolves when the parent has stored the outcome of a message. `messageId`: ours, if it is known. */
  async report(
    id: string,
    messageId: string | null,
    status: ReportedStatus,
    code: string | null,
  ): Promise<void> {
    const { n, stored } = this.#ask();
    this.#post({ type: "receipt", n, id, messageId, status, code });
    await stored;
  }

  /** The parent has answered. */
  settle(n: number, isStored: boolean): void {
    const pending = this.#pending.get(n);
    this.#pending.delete(n);
    if (isStored) pending?.resolve();
    else pending?.reject(new Error("The parent stored nothing."));
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(new Error("The device was closed."));
    this.#pending.clear();
  }

  #ask(): { n: number; stored: Promise<void> } {
    this.#lastNumber += 1;
    const n = this.#lastNumber;
    return { n, stored: new Promise((resolve, reject) => this.#pending.set(n, { resolve, reject })) };
  }
}
