// Composes the outgoing mail from the stored one: derives the part that the caller left out, and adds what the gateway's settings ask for
// (pixel, links, unsubscribe headers, return path). Every attempt repeats this with the same result; its cost is bounded for very large
// mails.

import { readAddress, wireAddress } from "#contract/address.ts";
import { readMailboxes } from "#contract/mailbox.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import type { EmailContent, MailCopies, OutgoingAttachment } from "#gateways/message.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { Database } from "#store/database.ts";
import { type ComposableEmail, readEmail } from "#store/email/emails.ts";
import { type OutgoingRecipient, readRecipients } from "#store/email/mail-recipients.ts";
import type { MailFiles } from "./files.ts";
import { htmlOfText, isHtml, textOfHtml } from "./html-text.ts";
import { createTrackingExtras, type MailLinksDeps } from "./links.ts";

export interface ComposeDeps extends MailLinksDeps {
  database: Database;
  mailFiles: MailFiles;
}

/** The content of a mail, with its files still unread. */
export interface StoredEmail {
  mail: ComposableEmail;
  /** Of a mail to several, each of them; otherwise empty. */
  recipients: readonly OutgoingRecipient[];
  attachments: readonly OutgoingAttachment[];
  /** The bytes of a mail that came whole; null for any other. */
  written: OutgoingAttachment | null;
  /** A lower bound of its size on the wire: the body in UTF-8 and the files in base64. */
  bytes: number;
}

/** The mail of a message; null if retention has removed it. Rejects if storage fails. */
export async function storedEmail(deps: ComposeDeps, messageId: string): Promise<StoredEmail | null> {
  const mail = await deps.database.run(readEmail, messageId);
  if (mail === null) return null;
  const stored = await deps.mailFiles.forRequest(mail.request_id);
  const written = mail.extras?.written === undefined ? null : (stored[0] ?? null);
  const attachments = written === null ? stored : [];
  const files = attachments.reduce((sum, { size }) => sum + Math.ceil(size / 3) * 4, 0);
  const { id, account_id: accountId, body, text_part: text, extras } = mail;
  const recipients =
    extras?.recipients === undefined
      ? []
      : await deps.database.run(readRecipients, { messageId: id, accountId });
  return {
    mail,
    recipients,
    attachments,
    written,
    bytes: written?.size ?? Buffer.byteLength(body) + (text === null ? 0 : Buffer.byteLength(text)) + files,
  };
}

/** The mail in the form that is sent. */
export function composeEmail(
  deps: ComposeDeps,
  { mail, recipients, attachments }: StoredEmail,
  settings: EmailSettings,
): EmailContent {
  const { tracking } = settings;
  const { text, html } =
    mail.text_part === null
      ? partsOf(mail.body, tracking.opens || tracking.clicks)
      : { text: mail.text_part, html: mail.body };
  const { id: messageId, account_id: accountId, recipient, reply_to: replyTo } = mail;
  const { from, headers = [], tags, names } = mail.extras ?? {};
  const extras = createTrackingExtras(deps, { messageId, accountId, recipient, html }, settings);
  // What the gateway's settings add comes before what the caller wrote.
  const added = new Set(extras.headers.map(([name]) => name.toLowerCase()));
  const own = headers.filter(([name]) => !added.has(name.toLowerCase()));
  return {
    kind: "email",
    subject: mail.subject,
    text,
    html: extras.html,
    senderName: mail.sender_name,
    replyTo: repliesOf(replyTo).map((mailbox) => ({ ...mailbox, address: wireOf(mailbox) })),
    headers: [...own, ...extras.headers],
    returnPath: extras.returnPath,
    attachments,
    ...(from === undefined ? {} : { from: wireAddress(from) ?? from }),
    ...(recipients.length === 0 ? {} : { copies: copiesOf(recipients) }),
    ...(tags === undefined ? {} : { tags }),
    ...(names === undefined ? {} : { names }),
  };
}

/** The stored addresses for replies. */
const repliesOf = (replyTo: string | null) => (replyTo === null ? [] : (readMailboxes(replyTo) ?? []));

/** The address as the caller wrote it, its domain in ASCII. */
export const wireOf = ({ address }: Pick<OutgoingRecipient, "address">) => wireAddress(address) ?? address;

/** The recipients of a mail to several that it is sent to: those who are not suppressed. */
export const sentTo = (recipients: readonly OutgoingRecipient[]) =>
  recipients.filter(({ suppressed }) => suppressed === 0);

/**
 * The first recipient of a mail to several, in the adapter's form; null if all of its field are suppressed. The field is `to`, but of a mail
 * that came whole with copies alone.
 */
export function firstRecipient(recipients: readonly OutgoingRecipient[]): string | null {
  const first = sentTo(recipients).find(({ field }) => field === recipients[0]?.field);
  return first === undefined ? null : wireOf(first);
}

/** The recipients beside the first one, by their fields. */
export function copiesOf(recipients: readonly OutgoingRecipient[]): MailCopies {
  const all = sentTo(recipients);
  const those = (field: OutgoingRecipient["field"]) =>
    all.filter((recipient) => recipient.field === field).map(wireOf);
  return { to: those("to").slice(1), cc: those("cc"), bcc: those("bcc") };
}

/**
 * Why the gateway may not send the mail with its present settings. Acceptance checked them, but they may have changed since. Null if it may.
 */
export function mailRefusal(
  { mail, recipients, attachments }: StoredEmail,
  settings: EmailSettings,
  {
    inlineImages = true,
    severalReplyTo = true,
  }: Pick<NonNullable<GatewayAdapter["mail"]>, "inlineImages" | "severalReplyTo">,
): { code: string; reason: string } | null {
  const from = mail.extras?.from;
  const domain = readAddress(settings.from)?.domain;
  if (from !== undefined && domain !== undefined && readAddress(from)?.domain !== domain)
    return { code: "from_not_allowed", reason: `The gateway sends from addresses of ${domain} only.` };
  if (recipients.length > 0 && settings.unsubscribe)
    return {
      code: "unsubscribe_needs_one_recipient",
      reason: "The gateway adds an unsubscribe link to each mail, so a mail can have one recipient only.",
    };
  if (!inlineImages && attachments.some(({ contentId }) => contentId !== undefined))
    return { code: "content_not_supported", reason: "The gateway cannot send images within a mail." };
  if (!severalReplyTo && repliesOf(mail.reply_to).length > 1)
    return { code: "content_not_supported", reason: "The gateway takes one address for replies." };
  return null;
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
