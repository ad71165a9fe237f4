// The contents of an email message. Its body was checked when it was read; what depends on the gateway is checked here.

import type { AccountGateway } from "#accounts/account.ts";
import { normaliseAddress, readAddress } from "#contract/address.ts";
import type { Issue } from "#contract/issue.ts";
import { readMailbox, readMailboxes } from "#contract/mailbox.ts";
import type { Send } from "#contract/messages/contacts.ts";
import type { EmailDraft } from "#contract/messages/email.ts";
import { copyFields, maxRecipients } from "#contract/messages/mail/parts.ts";
import type { WrittenMail } from "#contract/messages/mail/written.ts";
import { sentences } from "#contract/wording.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { NewMailRecipient } from "#store/email/mail-recipients.ts";
import type { MailExtras } from "#store/schema/email.ts";
import { createPreparer } from "./prepare.ts";

export const prepareEmail = createPreparer<EmailDraft>({
  channel: "email",
  partsOf: (contact, _country, { hasInlineImages = false }) => {
    const { email, subject, message, sender_name = null, reply_to_email = null } = contact;
    const { recipients, names } = recipientsOf(contact);
    const extras = extrasOf(contact, recipients.length, names);
    return {
      written: email,
      recipient: email === undefined ? undefined : (normaliseAddress(email) ?? undefined),
      content: "email",
      body: message,
      email:
        subject === undefined
          ? undefined
          : { subject, sender_name, reply_to: reply_to_email, extras: extras && JSON.stringify(extras) },
      recipients: recipients.length > 1 ? recipients : undefined,
      textPart: contact.text,
      stays:
        contact.from_email != null || recipients.length > 1 || hasInlineImages || hasSeveralReplyTo(contact),
    };
  },
  issuesOf,
});

const hasCopies = ({ to, cc, bcc }: EmailDraft): boolean => to != null || cc != null || bcc != null;

const hasSeveralReplyTo = ({ reply_to_email: text }: EmailDraft): boolean =>
  text != null && (readMailboxes(text)?.length ?? 0) > 1;

interface Recipients {
  recipients: Omit<NewMailRecipient, "message_id">[];
  /** Their names by `recipient`: the first that was given for each. */
  names: Map<string, string>;
}

const noRecipients: Recipients = { recipients: [], names: new Map() };

/** The recipients, each once: in `to` rather than in `cc`, and there rather than in `bcc`. Empty without further ones. */
function recipientsOf(contact: EmailDraft): Recipients {
  if (!hasCopies(contact)) return noRecipients;
  const names = new Map<string, string>();
  const found = new Map<string, Omit<NewMailRecipient, "message_id">>();
  const add = (field: NewMailRecipient["field"], text: string) => {
    const { name, address } = readMailbox(text) ?? { name: null, address: text };
    const recipient = normaliseAddress(address) ?? address;
    if (!found.has(recipient)) found.set(recipient, { position: found.size, field, address, recipient });
    if (name !== null && !names.has(recipient)) names.set(recipient, name);
  };
  if (contact.email !== undefined) add(contact.written?.firstField ?? "to", contact.email);
  for (const field of copyFields) for (const address of contact[field] ?? []) add(field, address);
  return { recipients: [...found.values()], names };
}

/** Null for a mail that has none of it. */
function extrasOf(
  contact: EmailDraft,
  recipients: number,
  names: ReadonlyMap<string, string>,
): MailExtras | null {
  const { from_email: from, headers, tags, written } = contact;
  if (from == null && headers == null && tags == null && written === undefined && recipients < 2)
    return names.size === 0 ? null : { names: Object.fromEntries(names) };
  return {
    ...(from == null ? {} : { from }),
    ...(headers == null ? {} : { headers: Object.entries(headers) }),
    ...(tags == null ? {} : { tags }),
    ...(written === undefined ? {} : { written: written.files }),
    ...(recipients < 2 ? {} : { recipients }),
    ...(names.size === 0 ? {} : { names: Object.fromEntries(names) }),
  };
}

function issuesOf(
  contact: EmailDraft,
  index: number,
  gateway: AccountGateway | null,
  { hasInlineImages = false }: Send<EmailDraft>,
): Issue[] {
  const issues: Issue[] = [];
  const at = (field: string) => ["contact", index, field];
  const last = copyFields.findLast((field) => contact[field] != null);
  const count = recipientsOf(contact).recipients.length;
  if (last !== undefined) {
    if (count > maxRecipients)
      issues.push({ path: at(last), message: sentences.atMostRecipients(at(last), maxRecipients) });
  }
  if (gateway === null) return issues;
  const refuse = (field: string, why: string) =>
    issues.push({ path: at(field), message: `Gateway ${gateway.identifier} ${why}.` });
  const { domain = null, unsubscribe = false } = gateway.mail ?? {};
  if (last !== undefined && count > 1 && unsubscribe)
    refuse(last, "adds an unsubscribe link to each mail, so a mail can have one recipient only");
  if (contact.from_email != null && domain !== null && readAddress(contact.from_email)?.domain !== domain)
    refuse("from_email", `sends from addresses of ${domain} only`);
  const able = findAdapter(gateway.kind, "email")?.mail;
  if (contact.written === undefined && able?.severalReplyTo === false && hasSeveralReplyTo(contact))
    refuse("reply_to_email", `of kind ${gateway.kind} takes one address for replies`);
  if (hasInlineImages && able?.inlineImages === false)
    refuse("message", `of kind ${gateway.kind} cannot send images within a mail (content_id)`);
  if (contact.written !== undefined && able !== undefined) {
    const obstacle = obstacleTo(contact, contact.written, able);
    if (obstacle !== null) refuse("message", `of kind ${gateway.kind} ${obstacle}`);
  }
  return issues;
}

/** What keeps a kind of gateway from sending a mail that came whole; null for nothing. */
function obstacleTo(
  contact: EmailDraft,
  mail: WrittenMail,
  able: NonNullable<GatewayAdapter["mail"]>,
): string | null {
  if (able.maxBytes !== undefined && mail.bytes > able.maxBytes)
    return `takes mails of at most ${able.maxBytes} bytes`;
  if (able.whole) return null;
  if (mail.obstacle !== null) return `sends mails as text, HTML and files, and this one has ${mail.obstacle}`;
  if (mail.firstField !== "to") return "needs a recipient who is in the To field";
  if (able.severalReplyTo === false && hasSeveralReplyTo(contact)) return "takes one address for replies";
  if (mail.hasInlineImages && able.inlineImages === false) return "cannot send images within a mail";
  return null;
}
