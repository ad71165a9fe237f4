// Composes the outgoing mail from the stored one: derives the part that the caller left out, and adds what the gateway's settings ask for
// (pixel, links, unsubscribe headers, return path). Every attempt repeats this with the same result; its cost is bounded for very large
// mails.

import { wireAddress } from "#contract/address.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import type { EmailContent, OutgoingAttachment } from "#gateways/message.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Database } from "#store/database.ts";
import { type ComposableEmail, readEmail } from "#store/email/emails.ts";
import type { MailFiles } from "./files.ts";
import { htmlOfText, isHtml, textOfHtml } from "./html-text.ts";
import { createTrackingExtras, type MailLinksDeps } from "./links.ts";

export interface ComposeDeps extends MailLinksDeps {
  database: Database;
  mailFiles: MailFiles;
}

/** The content of a mail, with its files still unread. */
interface StoredEmail {
  mail: ComposableEmail;
  attachments: readonly OutgoingAttachment[];
  /** A lower bound of its size on the wire: the body in UTF-8 and the files in base64. */
  bytes: number;
}

/** The mail of a message; null if retention has removed it. Rejects if storage fails. */
export async function storedEmail(deps: ComposeDeps, messageId: string): Promise<StoredEmail | null> {
  const mail = await deps.database.run(readEmail, messageId);
  if (mail === null) return null;
  const attachments = await deps.mailFiles.forRequest(mail.request_id);
  const files = attachments.reduce((sum, { size }) => sum + Math.ceil(size / 3) * 4, 0);
  return { mail, attachments, bytes: Buffer.byteLength(mail.body) + files };
}

/** The mail in the form that is sent. */
export function composeEmail(
  deps: ComposeDeps,
  { mail, attachments }: StoredEmail,
  settings: EmailSettings,
): EmailContent {
  const { tracking } = settings;
  const { text, html } = partsOf(mail.body, tracking.opens || tracking.clicks);
  const { id: messageId, account_id: accountId, recipient, reply_to: replyTo } = mail;
  const extras = createTrackingExtras(deps, { messageId, accountId, recipient, html }, settings);
  return {
    kind: "email",
    subject: mail.subject,
    text,
    html: extras.html,
    senderName: mail.sender_name,
    replyTo: replyTo === null ? null : (wireAddress(replyTo) ?? replyTo),
    headers: extras.headers,
    returnPath: extras.returnPath,
    attachments,
  };
}

interface BodyParts {
  text: string;
  html: string | null;
}

/** Campaigns repeat one body, whose parts are made once. Large bodies are rare and not cached. */
const maxCachedBodies = 8;
const maxCachedLength = 256 * 1024;
const cache = new LruCache<string, BodyParts>(maxCachedBodies);

/** A longer text gets no HTML part, and so neither pixel nor tracked links: people do not write such texts by hand. */
const maxTextLength = 512 * 1024;

/** A body that contains a tag is HTML, and its text is derived from it. Any other body is text, and gets HTML only if tracking needs it. */
function partsOf(body: string, needsHtml: boolean): BodyParts {
  if (!isHtml(body)) {
    return { text: body, html: needsHtml && body.length <= maxTextLength ? htmlOfText(body) : null };
  }
  const make = () => ({ text: textOfHtml(body), html: body });
  return body.length > maxCachedLength ? make() : cache.getOrCreate(body, make);
}
