// The SMS from which a vendor's request is made. This is the one place where the engine reads an outgoing message.

import { type Encoding, type Measure, measure } from "#contract/messages/segments.ts";
import type { GatewayTools } from "#gateways/connection.ts";
import type { OutgoingMessage } from "#gateways/message.ts";

export interface Sms {
  /** Our id (`msg_…`, 30 characters). */
  readonly id: string;
  /** E.164 with its plus, or a short code in digits. */
  readonly to: string;
  /** The same without a plus. */
  readonly digits: string;
  readonly text: string;
  /** The text in UTF-16BE, hex: UCS-2 in the form that operators' gateways accept. */
  readonly hexUcs2: string;
  readonly encoding: Encoding;
  /** At least 1. */
  readonly segments: number;
  /** Different for each transmission of a message. */
  readonly transmission: string;
  /** The gateway's callback URL; null without a public URL. */
  readonly callbackUrl: string | null;
  /** The URL for reports about only this message, with a proof in it; undefined without a public URL. */
  readonly reportUrl: string | undefined;
}

/** Measured and encoded only if the vendor's request asks for it. */
class OutgoingSms implements Sms {
  readonly id: string;
  readonly to: string;
  readonly text: string;
  readonly transmission: string;
  readonly callbackUrl: string | null;
  readonly #messageUrl: GatewayTools["messageUrl"];
  #measure: Measure | null = null;

  constructor(
    message: OutgoingMessage<"text">,
    { callbackUrl, messageUrl }: Pick<GatewayTools, "callbackUrl" | "messageUrl">,
  ) {
    this.callbackUrl = callbackUrl;
    this.id = message.id;
    this.to = message.recipient;
    this.text = message.content.text;
    this.transmission = `${message.id}-${message.attempt}`;
    this.#messageUrl = messageUrl;
  }

  get digits(): string {
    return this.to.replace(/^\+/, "");
  }

  get hexUcs2(): string {
    return Buffer.from(this.text, "utf16le").swap16().toString("hex");
  }

  get encoding(): Encoding {
    return this.#measured().encoding;
  }

  get segments(): number {
    return this.#measured().segments;
  }

  get reportUrl(): string | undefined {
    return this.#messageUrl(this.id) ?? undefined;
  }

  #measured(): Measure {
    this.#measure ??= measure(this.text);
    return this.#measure;
  }
}

export function outgoingSms(message: OutgoingMessage<"text">, tools: GatewayTools): Sms {
  return new OutgoingSms(message, tools);
}
