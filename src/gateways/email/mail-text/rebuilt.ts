// A mail as its parts, for vendors whose API takes parts and no whole mails. A mail that is more than text, HTML, images within it and files
// cannot be built again without losing something (a signature, an invitation), so it is refused.

import { type Mailbox, maxReplyTo } from "#contract/mailbox.ts";
import { isHeaderName } from "#contract/messages/mail/parts.ts";
import { fieldOf, type MailHead } from "./head.ts";
import { readMailboxes, textOf } from "./mailboxes.ts";
import { contentOf, type MailPart, textOfPart } from "./parts.ts";

/** Multiparts whose parts can be put together again. */
const known: ReadonlySet<string> = new Set(["multipart/mixed", "multipart/alternative", "multipart/related"]);

/** What a mail consists of. */
interface MailOutline {
  text: MailPart | null;
  html: MailPart | null;
  files: readonly MailPart[];
  /** Why the mail cannot be built of its parts; null if it can. */
  obstacle: string | null;
}

/** Which part is what. The first text and the first HTML are the mail's own; everything else is a file. */
export function outlineOf(parts: readonly MailPart[]): MailOutline {
  let text: MailPart | null = null;
  let html: MailPart | null = null;
  const files: MailPart[] = [];
  let obstacle: string | null = null;
  for (const part of parts) {
    const unknown = part.within.find((type) => !known.has(type));
    if (unknown !== undefined) obstacle ??= unknown;
    if (!part.isAttachment && part.type === "text/plain" && text === null && html === null) text = part;
    else if (!part.isAttachment && part.type === "text/html" && html === null) html = part;
    else {
      const isAlternative = part.within.at(-1) === "multipart/alternative";
      if (isAlternative || (!part.isAttachment && /^text\/(?:plain|html)$/.test(part.type)))
        obstacle ??= isAlternative
          ? `${part.type} in multipart/alternative`
          : `several parts of ${part.type}`;
      files.push(part);
    }
    if (!/^(?:base64|quoted-printable|7bit|8bit|binary|)$/.test(part.encoding))
      obstacle ??= `the encoding ${part.encoding.slice(0, 40)}`;
  }
  for (const part of [text, html])
    if (part !== null && !isCharset(part.charset))
      obstacle ??= `the character set ${part.charset.slice(0, 40)}`;
  return { text, html, files, obstacle };
}

function isCharset(label: string): boolean {
  try {
    return new TextDecoder(label === "us-ascii" ? "utf-8" : label).encoding !== "";
  } catch {
    return false;
  }
}

/** Whether the part is an image to which the HTML refers. */
export const isInline = ({ within, contentId }: MailPart): boolean =>
  contentId !== null && within.includes("multipart/related");

/** A text for people, of a part in any character set. */
export function readableText(raw: Buffer, part: MailPart | null): string {
  if (part === null) return "";
  return (
    textOfPart(raw, part) ??
    contentOf(raw, part)?.toString("latin1") ??
    raw.toString("latin1", part.start, part.end)
  );
}

/** The headers that go with the parts: those that callers of the API may set. All others are left to the vendor. */
export function carriedHeaders(head: MailHead): [name: string, value: string][] {
  return head.fields
    .filter(({ name, value }) => isHeaderName(name) && value !== "")
    .map(({ name, value }) => [properName(name), textOf(value)] as [string, string])
    .filter(([, value]) => /^[ -~]{1,870}$/.test(value))
    .slice(0, 10);
}

/** The addresses for replies; null if the field is not plainly a list of them. */
export function replyToOf(head: MailHead): Mailbox[] | null {
  const mailboxes: Mailbox[] = [];
  for (const { name, address } of readMailboxes(fieldOf(head, "reply-to") ?? ""))
    if (address === null) return null;
    else mailboxes.push({ name: name || null, address });
  return mailboxes.length > maxReplyTo ? null : mailboxes;
}

/** A group without members, which stands for recipients that the mail does not name (RFC 5322, 3.4). */
const emptyGroup = /^[^<>@,;:"]{0,200}:\s*;$/;

/** What the header has that a vendor's API would not show; null for nothing. */
export function obstacleIn(head: MailHead): string | null {
  if (head.fields.some(({ name }) => name.startsWith("resent-"))) return "Resent fields";
  if (replyToOf(head) === null) return "a Reply-To that is no list of plain addresses";
  for (const name of ["to", "cc"]) {
    const value = fieldOf(head, name) ?? "";
    const isPlain = emptyGroup.test(value) || readMailboxes(value).every(({ address }) => address !== null);
    if (!isPlain) return `a ${properName(name)} that is no list of plain addresses`;
  }
  return null;
}

/** `List-Unsubscribe` of `list-unsubscribe`. */
const properName = (name: string): string => name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());

/** The subject of a mail, on one line. */
export const subjectOf = (head: MailHead): string => textOf(fieldOf(head, "subject") ?? "");
