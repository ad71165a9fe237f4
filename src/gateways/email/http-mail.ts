// What the adapters of email APIs share: mailboxes and attachments in JSON, and the reading of signed events. Vendors
// differ in names; the traps here are the same with all.

import { wireAddress } from "#contract/address.ts";
import { encodedWords, type Mailbox } from "#gateways/email/mime/header-text.ts";
import type { OutgoingEmail, OutgoingMessage } from "#gateways/gateway.ts";
import { oneLine } from "#runtime/text.ts";
import type { EmailSettings } from "./settings.ts";

/** Under this name our id goes to a vendor (tag, custom argument, variable, metadata) and comes back in its events. */
export const messageIdTag = "trunkline_message";

/** The mail of a message. The channel `email` always has one: without it somebody chose the wrong gateway. */
export function requireEmail(message: OutgoingMessage): OutgoingEmail {
  if (message.email === undefined) throw new Error(`Message ${message.id} is no email.`);
  return message.email;
}

/** Who the mail is from: the gateway's address, with the caller's name or else the gateway's. */
export function senderOf(email: OutgoingEmail, own: EmailSettings): Mailbox {
  return { address: wireAddress(own.from) ?? own.from, name: email.senderName ?? own.from_name ?? null };
}

/** `"Name" <address>` (RFC 5322, 3.4), the name in UTF-8: for vendors that encode it themselves. */
export function mailboxText({ address, name }: Mailbox): string {
  if (name === null) return address;
  return `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

/** The same in ASCII alone (RFC 2047): for vendors that want names encoded. */
export function asciiMailboxText(mailbox: Mailbox): string {
  const { address, name } = mailbox;
  if (name === null || /^[\u0020-\u007e]*$/.test(name)) return mailboxText(mailbox);
  return `${encodedName(name)} <${address}>`;
}

/** Encoded words on one line, for a field that takes no others. */
export const encodedName = (name: string) => encodedWords(name.toWellFormed()).join(" ");

export interface Base64Attachment {
  filename: string;
  contentType: string;
  base64: string;
}

/** The attachments in their order. Read one after the other: each is in memory twice while it is encoded. */
export async function base64Attachments(email: OutgoingEmail): Promise<Base64Attachment[]> {
  const encoded: Base64Attachment[] = [];
  for (const { filename, contentType, content } of email.attachments) {
    encoded.push({ filename, contentType, base64: (await content()).toString("base64") });
  }
  return encoded;
}

/** Our id as an event brought it back; undefined when it is none of ours. */
export function parseMessageId(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && /^msg_[\w-]{1,60}$/.test(text) ? text : undefined;
}

/** A vendor's time as epoch ms: a count of seconds (fractions allowed) or ISO 8601 with a zone; undefined: neither. */
export function eventTime(text: string | null | undefined): number | undefined {
  const given = text ?? "";
  if (/^\d{9,10}(?:\.\d{1,9})?$/.test(given)) return Math.round(Number(given) * 1000);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/.test(given)) return undefined;
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Vendors repeat a callback for up to three days with its first timestamp, so no shorter window keeps every report;
 * inside it a replay changes nothing, because the same report again is the same row.
 */
const replayWindowMs = 3 * 86_400_000;
/** How far a vendor's clock may be ahead. */
const aheadMs = 3_600_000;

/** Whether a callback that was signed at that time (epoch ms) is still taken. */
export function isFresh(signedAt: number | undefined, now: number): boolean {
  return signedAt !== undefined && signedAt > now - replayWindowMs && signedAt < now + aheadMs;
}

/** Until when a callback that was signed at that time (epoch ms) is taken, epoch ms. */
export const freshUntil = (signedAt: number) => signedAt + replayWindowMs;

/** A vendor's words of an event, on one line, not masked and not cut yet; undefined when there are none. */
export function reasonText(text: string | null | undefined): string | undefined {
  const words = oneLine(text ?? "");
  return words === "" ? undefined : words;
}
