// An email as Resend's API shows it: https://resend.com/docs/api-reference/emails/retrieve-email

import { tagParts } from "#contract/messages/mail/parts.ts";
import type { EmailRecord } from "#contract/messages/record.ts";
import { lastEventOf } from "#contract/resend/events.ts";
import { uuidOf } from "#contract/resend/ids.ts";
import { isHtml } from "#messaging/email/html-text.ts";

/** The record of an email in Resend's shape. `from` is empty for one that was sent by another endpoint without an address of its own. */
export function emailResource(record: EmailRecord) {
  const { email, from_email: from, message, recipients, reply_to_email: replyTo, sender_name: name } = record;
  const html = isHtml(message);
  const addresses = (field: "to" | "cc" | "bcc") =>
    recipients.filter((each) => each.field === field).map((each) => each.email);
  return {
    object: "email",
    id: uuidOf(record.id),
    to: recipients.length === 0 ? [email] : addresses("to"),
    from: from === null ? "" : name === null ? from : `${name} <${from}>`,
    created_at: record.created_at,
    subject: record.subject,
    html: html ? message : null,
    text: html ? (record.text ?? null) : message,
    bcc: addresses("bcc"),
    cc: addresses("cc"),
    reply_to: replyTo === null ? [] : [replyTo],
    last_event: lastEventOf(record.status, record.opened_at !== null) as string,
    scheduled_at: record.scheduled_for,
    tags: record.tags.map((tag) => {
      const [tagName, value] = tagParts(tag);
      return { name: tagName, value };
    }),
  };
}
