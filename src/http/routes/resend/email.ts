// An email as Resend's clients write it (https://resend.com/docs/api-reference/emails/send-email), as a contact of a send and its files.

import type { Account, AccountGateway } from "#accounts/account.ts";
import { readAddress } from "#contract/address.ts";
import type { Issue } from "#contract/issue.ts";
import { readMailbox, writeMailbox } from "#contract/mailbox.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { spellingOf } from "#contract/spelling.ts";
import { gatewayOfDomain } from "#messaging/accept/sender.ts";
import { htmlOfText, isHtml } from "#messaging/email/html-text.ts";
import { ResendRefusal } from "./errors.ts";
import { wallTimeOf } from "./schedule.ts";

/** Fields that would change what is sent, and cannot be followed. What is not named here and not read has no effect. */
const unsupported = ["react", "template", "topic_id"] as const;

const meantBy = spellingOf([
  ...unsupported,
  "attachments",
  "bcc",
  "cc",
  "from",
  "headers",
  "html",
  "reply_to",
  "scheduled_at",
  "subject",
  "tags",
  "text",
  "to",
]);

export const isAbsent = (value: unknown): value is null | undefined | "" =>
  value === undefined || value === null || value === "";

const invalid = (message: string) => new ResendRefusal("validation_error", message);

/** The mailboxes of a field, which is one text or a list. */
function mailboxesOf(fields: Fields, name: string): string[] {
  const value = fields[name];
  if (isAbsent(value)) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item) => {
    if (typeof item !== "string") throw invalid(`The \`${name}\` field must be a text or a list of texts.`);
    return item;
  });
}

/** The gateway that sends from addresses of the domain; null if the account has no email gateway. */
function gatewayFor(account: Account, domain: string): AccountGateway | null {
  const found = gatewayOfDomain(account, domain);
  if (found === "none")
    throw new ResendRefusal(
      "validation_error",
      `The ${domain} domain is not verified: no email gateway of this account sends from it.`,
      403,
    );
  return found;
}

/** A mailbox of a list, in quotes where a comma in its name would part it. */
function quotedWhereNeeded(text: string): string {
  const mailbox = readMailbox(text);
  return mailbox === null ? text : writeMailbox(mailbox);
}

function senderOf(fields: Fields, account: Account) {
  const { from } = fields;
  if (isAbsent(from)) throw new ResendRefusal("missing_required_field", "Missing `from` field.");
  const mailbox = readMailbox(typeof from === "string" ? from : "");
  const domain = mailbox === null ? undefined : readAddress(mailbox.address)?.domain;
  if (mailbox === null || domain === undefined)
    throw new ResendRefusal(
      "invalid_from_address",
      "Invalid `from` field. It needs the form `email@example.com` or `Name <email@example.com>`.",
    );
  const gateway = gatewayFor(account, domain);
  return {
    from_email: mailbox.address,
    sender_name: mailbox.name,
    gateway_identifier: gateway?.identifier ?? null,
  };
}

/**
 * The body, and the text part beside it. A body counts as HTML if it has a tag, so a text with a tag becomes HTML that shows it, and HTML
 * without one gets one.
 */
function partsOf({ html, text }: Fields): { message: unknown; text: unknown } {
  if (isAbsent(html) && isAbsent(text))
    throw new ResendRefusal("missing_required_field", "Missing `html` or `text` field.");
  if (isAbsent(html)) {
    // The text is the message of the contact, whose faults are those of `html`.
    if (typeof text !== "string" || text.trim() === "")
      throw invalid("The `text` field must be a text that is not blank.");
    return isHtml(text) ? { message: htmlOfText(text), text } : { message: text, text: null };
  }
  const message = typeof html === "string" && !isHtml(html) ? `<div>${html}</div>` : html;
  return { message, text: isAbsent(text) ? null : text };
}

function tagsOf({ tags }: Fields): string[] | null {
  if (isAbsent(tags)) return null;
  if (!Array.isArray(tags))
    throw invalid("The `tags` field must be a list of objects with `name` and `value`.");
  return tags.map((tag: unknown) => {
    const { name, value } = isObject(tag) ? tag : {};
    if (typeof name !== "string" || !(isAbsent(value) || typeof value === "string"))
      throw invalid("The `tags` field must be a list of objects with `name` and `value`.");
    return isAbsent(value) ? name : `${name}:${value}`;
  });
}

/** The fields of the contact that an email is. They are checked like those of any other contact. */
export function contactOf(value: unknown, account: Account, now: number): Fields {
  if (!isObject(value)) throw invalid("An email must be an object.");
  for (const name of unsupported)
    if (!isAbsent(value[name])) throw invalid(`The \`${name}\` field is not supported.`);
  for (const name of Object.keys(value)) {
    const meant = name === "replyTo" ? null : meantBy(name);
    if (meant !== null) throw invalid(`The \`${meant}\` field is misspelt: \`${name}\`.`);
  }
  const [first, ...to] = mailboxesOf(value, "to");
  if (first === undefined) throw new ResendRefusal("missing_required_field", "Missing `to` field.");
  if (isAbsent(value.subject)) throw new ResendRefusal("missing_required_field", "Missing `subject` field.");
  // Resend's packages had this name before.
  const replyTo = mailboxesOf(value, isAbsent(value.reply_to) ? "replyTo" : "reply_to");
  // A name of the first recipient goes with its second mention, because `email` is a plain address.
  const { name, address } = readMailbox(first) ?? { name: null, address: first };
  return {
    ...senderOf(value, account),
    ...partsOf(value),
    email: address,
    to: name === null ? to : [...to, first],
    cc: mailboxesOf(value, "cc"),
    bcc: mailboxesOf(value, "bcc"),
    subject: value.subject,
    reply_to_email: replyTo.length > 1 ? replyTo.map(quotedWhereNeeded).join(", ") : replyTo[0],
    headers: value.headers,
    tags: tagsOf(value),
    schedule_at: isAbsent(value.scheduled_at) ? null : wallTimeOf(value.scheduled_at, account, now),
  };
}

/** What a field of a contact is called here. */
const names: Readonly<Record<string, string>> = {
  email: "to",
  message: "html",
  from_email: "from",
  sender_name: "from",
  gateway_identifier: "from",
  reply_to_email: "reply_to",
  schedule_at: "scheduled_at",
};

/** Resend's error for an issue of a send. `isBatch`: the message says which email it is about. */
export function refusalOf({ path, message }: Issue, isBatch: boolean): ResendRefusal {
  if (path[0] === "attachments") return new ResendRefusal("invalid_attachment", message);
  const [, index, field, ...rest] = path;
  if (field === undefined) return invalid(message);
  const written = path.join(".");
  const shown = [names[String(field)] ?? field, ...rest].join(".");
  const text = message.replaceAll(written, shown).replaceAll(`contact.${index}.`, "");
  return invalid(isBatch ? `emails.${index}: ${text}` : text);
}
