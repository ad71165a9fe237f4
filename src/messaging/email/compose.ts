// From a stored mail to the one that goes out: the part that its sender left out is derived, and what the gateway's
// settings ask for (pixel, links, unsubscribe headers, return path) is added. Done at every attempt anew, with the same
// result, and cheap for any mail: what only very large ones would need more time for is bounded.

import { wireAddress } from "#contract/address.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import type { OutgoingAttachment, OutgoingEmail } from "#gateways/gateway.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Database } from "#store/database.ts";
import { type Mail, readMail } from "#store/email/bodies.ts";
import type { MailFiles } from "./files.ts";
import { htmlOfText, isHtml, textOfHtml } from "./html-text.ts";

/** What a mail is given by which its recipient can be heard of again. */
export interface TrackingExtras {
  html: string | null;
  headers: OutgoingEmail["headers"];
  returnPath: string | null;
}

export interface ComposeDeps {
  database: Database;
  files: MailFiles;
  /** Adds what the settings ask for; see `mail-links.ts`. */
  add(mail: {
    messageId: string;
    accountId: string;
    recipient: string;
    html: string | null;
    settings: EmailSettings;
  }): TrackingExtras;
}

/** What a mail is made of. */
export interface StoredEmail {
  mail: Mail;
  attachments: readonly OutgoingAttachment[];
  /** About the least that it has on the wire: its body in UTF-8 and its files in base64. */
  bytes: number;
}

/** The mail of a message, its files still unread; null when it has been removed. Rejects when storage does. */
export async function storedEmail(parts: ComposeDeps, messageId: string): Promise<StoredEmail | null> {
  const mail = await parts.database.run(readMail, messageId);
  if (mail === null) return null;
  const attachments = await parts.files.forRequest(mail.request_id);
  const files = attachments.reduce((sum, { size }) => sum + Math.ceil(size / 3) * 4, 0);
  return { mail, attachments, bytes: Buffer.byteLength(mail.body) + files };
}

/** The mail as it goes out. */
export function composeEmail(
  parts: ComposeDeps,
  { mail, attachments }: StoredEmail,
  settings: EmailSettings,
): OutgoingEmail {
  const { tracking } = settings;
  const { text, html } = partsOf(mail.body, tracking.opens || tracking.clicks);
  const { id: messageId, account_id: accountId, recipient, reply_to: replyTo } = mail;
  const added = parts.add({ messageId, accountId, recipient, html, settings });
  return {
    subject: mail.subject,
    text,
    html: added.html,
    senderName: mail.sender_name,
    replyTo: replyTo === null ? null : (wireAddress(replyTo) ?? replyTo),
    headers: added.headers,
    returnPath: added.returnPath,
    attachments,
  };
}

interface BodyParts {
  text: string;
  html: string | null;
}

/** Campaigns repeat one body: its parts are made once. Large bodies are few, and not kept. */
const maxCachedBodies = 8;
const maxCachedLength = 256 * 1024;
const cache = new LruCache<string, BodyParts>(maxCachedBodies);

/** Nobody writes longer ones by hand: they stay text alone, without a pixel and without links of ours. */
const maxTextLength = 512 * 1024;

/** A body with a tag is HTML, and its text is derived; one without is text, and gets HTML only where that is needed. */
function partsOf(body: string, needsHtml: boolean): BodyParts {
  if (!isHtml(body)) {
    return { text: body, html: needsHtml && body.length <= maxTextLength ? htmlOfText(body) : null };
  }
  const make = () => ({ text: textOfHtml(body), html: body });
  return body.length > maxCachedLength ? make() : cache.getOrCreate(body, make);
}
