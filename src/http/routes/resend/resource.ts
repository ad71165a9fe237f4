// An email as Resend's API shows it: https://resend.com/docs/api-reference/emails/retrieve-email

import { normaliseAddress } from "#contract/address.ts";
import { readMailboxes, writeMailbox } from "#contract/mailbox.ts";
import { tagParts } from "#contract/messages/mail/parts.ts";
import type { EmailRecord } from "#contract/messages/record.ts";
import { lastEventOf } from "#contract/resend/events.ts";
import { uuidOf } from "#contract/resend/ids.ts";
import { isHtml } from "#messaging/email/html-text.ts";

/** The record of an email in Resend's shape. `from` is empty for one that was sent by another endpoint without an address of its own. */
export function emailResource(record: EmailRecord) {
  const { message, text } = record;
  const html = isHtml(message);
  return {
    object: "email",
    ...listedEmail(record),
    html: html ? message : null,
    text: html ? (text ?? null) : message,
    tags: record.tags.map((tag) => {
      const [tagName, value] = tagParts(tag);
      return { name: tagName, value };
    }),
  };
}

/** What a list shows of an email: https://resend.com/docs/api-reference/emails/list-emails */
export function listedEmail(record: EmailRecord) {
  const { email, from_email: from, recipients, reply_to_email: replyTo, sender_name, names } = record;
  const named = (address: string) =>
    writeMailbox({ name: names?.[normaliseAddress(address) ?? address] ?? null, address });
  const mailboxes = (field: "to" | "cc" | "bcc") =>
    recipients.filter((each) => each.field === field).map((each) => named(each.email));
  return {
    id: uuidOf(record.id),
    to: recipients.length === 0 ? [named(email)] : mailboxes("to"),
    from: from === null ? "" : writeMailbox({ name: sender_name, address: from }),
    created_at: record.created_at,
    subject: record.subject,
    bcc: mailboxes("bcc"),
    cc: mailboxes("cc"),
    reply_to: (replyTo === null ? null : readMailboxes(replyTo))?.map(writeMailbox) ?? [],
    last_event: lastEventOf(record.status, record.opened_at !== null) as string,
    scheduled_at: record.scheduled_for,
  };
}
