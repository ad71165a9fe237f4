// Addresses as Twilio writes them: a plain number is one of SMS, `whatsapp:` before it one of WhatsApp.

import type { Channel } from "#contract/messages/channel.ts";

/** The channels that have addresses here. */
export type TwilioChannel = Exclude<Channel, "email">;

const prefix = "whatsapp:";

/** The address of a recipient or sender of a channel. */
export const addressOf = (channel: TwilioChannel, text: string): string =>
  channel === "whatsapp" ? prefix + text : text;

/** The channel and the number (or other name) of an address. */
export function readAddress(address: string): { channel: TwilioChannel; text: string } {
  const isWhatsapp = address.slice(0, prefix.length).toLowerCase() === prefix;
  return isWhatsapp
    ? { channel: "whatsapp", text: address.slice(prefix.length).trim() }
    : { channel: "sms", text: address.trim() };
}
