// The outgoing form of a mail that came whole: as it is for gateways that send it so, else as its parts. Its gateway's settings may add the
// headers of one-click unsubscribe and the return path; links and pixels would change what its sender wrote.

import { hash } from "node:crypto";
import { normaliseAddress, wireAddress } from "#contract/address.ts";
import { fieldOf, type MailHead, readHead } from "#gateways/email/mail-text/head.ts";
import { readMailboxes } from "#gateways/email/mail-text/mailboxes.ts";
import { contentOf, type MailPart, readMailParts } from "#gateways/email/mail-text/parts.ts";
import {
  carriedHeaders,
  isInline,
  outlineOf,
  readableText,
  replyToOf,
} from "#gateways/email/mail-text/rebuilt.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import type { EmailContent, OutgoingAttachment } from "#gateways/message.ts";
import { copiesOf, type StoredEmail, sentTo, wireOf } from "./compose.ts";
import { textOfHtml } from "./html-text.ts";
import { createTrackingExtras, type MailLinksDeps } from "./links.ts";

/** Why a gateway does not send the mail. */
interface Refusal {
  code: string;
  reason: string;
}

/** The mail in the form that the adapter sends. `recipient`: the first one, in the adapter's form. Rejects if its bytes cannot be read. */
export async function composeWritten(
  deps: MailLinksDeps,
  stored: StoredEmail & { written: OutgoingAttachment },
  { settings, able, recipient }: { settings: EmailSettings; able: GatewayAdapter["mail"]; recipient: string },
): Promise<EmailContent | Refusal> {
  const { mail, recipients, written } = stored;
  const raw = await written.content();
  const about = { messageId: mail.id, accountId: mail.account_id, recipient: mail.recipient, html: null };
  const extras = createTrackingExtras(deps, about, settings);
  const { from, tags } = mail.extras ?? {};
  const shared = {
    kind: "email",
    subject: mail.subject,
    headers: extras.headers,
    returnPath: extras.returnPath,
    ...(from === undefined ? {} : { from: wireAddress(from) ?? from }),
    ...(tags === undefined ? {} : { tags }),
  } as const;
  if (able?.whole) {
    const all = recipients.length === 0 ? [recipient] : sentTo(recipients).map(wireOf);
    const empty = { text: "", html: null, senderName: null, replyTo: [], attachments: [] } as const;
    return { ...shared, ...empty, written: { raw, recipients: all } };
  }
  const parts = partsOf(raw);
  if ("code" in parts) return parts;
  const added = new Set(shared.headers.map(([name]) => name.toLowerCase()));
  const own = parts.headers.filter(([name]) => !added.has(name.toLowerCase()));
  return {
    ...shared,
    ...parts,
    senderName: mail.sender_name,
    headers: [...own, ...shared.headers],
    ...(recipients.length === 0 ? {} : { copies: copiesOf(recipients) }),
  };
}

type Parts = Pick<EmailContent, "text" | "html" | "replyTo" | "headers" | "attachments" | "names">;

function partsOf(raw: Buffer): Parts | Refusal {
  const head = readHead(raw);
  const parts = readMailParts(raw);
  const cannot = (reason: string): Refusal => ({ code: "content_not_supported", reason });
  if (typeof head === "string") return cannot(head);
  if (typeof parts === "string") return cannot(parts);
  const { text, html, files, obstacle } = outlineOf(parts);
  if (obstacle !== null)
    return cannot(`The gateway sends mails as text, HTML and files, and this one has ${obstacle}.`);
  const replyTo = replyToOf(head);
  if (replyTo === null) return cannot("The gateway sends mails with plain addresses in Reply-To.");
  const written = html === null ? null : readableText(raw, html);
  return {
    text: text === null && written !== null ? textOfHtml(written) : readableText(raw, text),
    html: written,
    replyTo: replyTo.map(({ name, address }) => ({ name, address: wireAddress(address) ?? address })),
    headers: carriedHeaders(head),
    names: namesIn(head),
    attachments: files.map((part, index) => attachmentOf(raw, part, index)),
  };
}

/** The names of the recipients that the mail shows. */
function namesIn(head: MailHead): Record<string, string> {
  const shown = ["to", "cc"].flatMap((field) => readMailboxes(fieldOf(head, field) ?? ""));
  return Object.fromEntries(
    shown.flatMap(({ name, address }) => {
      const recipient = address && normaliseAddress(address);
      return recipient && name ? [[recipient, name]] : [];
    }),
  );
}

function attachmentOf(raw: Buffer, part: MailPart, index: number): OutgoingAttachment {
  const content = contentOf(raw, part) ?? Buffer.alloc(0);
  return {
    filename: part.filename ?? `attachment-${index + 1}`,
    contentType: part.type,
    size: content.length,
    sha256: hash("sha256", content),
    content: async () => content,
    ...(isInline(part) && part.contentId !== null ? { contentId: part.contentId } : {}),
  };
}
