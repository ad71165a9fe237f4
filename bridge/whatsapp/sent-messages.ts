// Sent messages, kept in case a device that could not decrypt one asks for it again.

import type { DeviceValues } from "./keys.ts";
import type { Library } from "./library.ts";

const day = 86_400_000;
const keptMs = 7 * day;
/** Maximum number of messages that one sweep deletes, in one transaction. */
const sweptAtOnce = 2_000;

interface SentMessage {
  /** The message's id at Trunkline. */
  messageId: string;
  at: number;
  /** Encoded, in base64. */
  bytes: string;
}

export class SentMessages {
  readonly #library: Library;
  readonly #values: DeviceValues;

  constructor(library: Library, values: DeviceValues) {
    this.#library = library;
    this.#values = values;
  }

  /** `id` is WhatsApp's. Null if it is no longer kept. */
  find(id: string): SentMessage | null {
    const text = this.#values.value(`sent:${id}`);
    return text === undefined ? null : JSON.parse(text);
  }

  /** For a device that could not read it. */
  decoded(id: string): unknown {
    const sent = this.find(id);
    return sent === null ? undefined : this.#library.proto.Message.decode(Buffer.from(sent.bytes, "base64"));
  }

  async keep(id: string, messageId: string, message: unknown): Promise<void> {
    const bytes = Buffer.from(this.#library.proto.Message.encode(message).finish()).toString("base64");
    await this.#values.write([[`sent:${id}`, JSON.stringify({ messageId, at: Date.now(), bytes })]]);
  }

  /** It arrived: no device will ask for it. */
  async drop(id: string): Promise<void> {
    if (this.#values.value(`sent:${id}`) !== undefined) await this.#values.write([[`sent:${id}`, null]]);
  }

  /** Deletes messages that no device will ask for any more, at most `sweptAtOnce`. */
  async sweep(): Promise<void> {
    const old = this.#values
      .keys("sent:")
      .filter((key) => Date.now() - (this.find(key.slice(5))?.at ?? 0) > keptMs)
      .slice(0, sweptAtOnce);
    if (old.length > 0) await this.#values.write(old.map((key) => [key, null]));
  }
}
