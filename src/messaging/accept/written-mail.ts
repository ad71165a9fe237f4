// A mail that came whole, as a contact of a send: who it is from and for, what lookups show of it, and what its `X-Trunkline-…` headers
// ask for. Those headers and Bcc are removed; the rest of the mail is not touched.

import { hash } from "node:crypto";
import type { Account } from "#accounts/account.ts";
import { normaliseAddress, readAddress } from "#contract/address.ts";
import type { Issue } from "#contract/issue.ts";
import { maxReplyTo, writeMailbox } from "#contract/mailbox.ts";
import { type EmailDraft, readEmail } from "#contract/messages/email.ts";
import { faultOfHead, fieldOf, type MailHead, readHead, withFields } from "#gateways/email/mail-text/head.ts";
import { readMailboxes, textOf } from "#gateways/email/mail-text/mailboxes.ts";
import { contentOf, type MailPart, readMailParts, sizeOf } from "#gateways/email/mail-text/parts.ts";
import {
  isInline,
  obstacleIn,
  outlineOf,
  readableText,
  subjectOf,
} from "#gateways/email/mail-text/rebuilt.ts";
import type { FileMeaning } from "./request-files.ts";
import { gatewayOfDomain } from "./sender.ts";

/** Why a mail is refused. `status`: its enhanced status code (RFC 3463). */
export class WrittenMailRefusal extends Error {
  readonly status: string;

  constructor(status: string, message: string) {
    super(message);
    this.status = status;
  }
}

interface ReadWrittenMail {
  draft: EmailDraft;
  /** The mail as it is stored. */
  raw: Buffer;
  idempotencyKey: string | null;
  meaning(): FileMeaning[];
}

const prefix = "x-trunkline-";
/** Headers that ask for something, and the field of a contact that each of them is. */
const asked = {
  "x-trunkline-gateway": "gateway_identifier",
  "x-trunkline-schedule-at": "schedule_at",
  "x-trunkline-reference": "reference",
  "x-trunkline-tags": "tags",
} as const;
const keyHeader = "x-trunkline-idempotency-key";
const maxKeyLength = 255;
/** Ours: a mail that was forwarded has it from the first time. */
const identityHeader = "x-trunkline-message";
/** The longest text of a mail that lookups show, in characters. */
const maxShownText = 1024 * 1024;

const isRemoved = (name: string): boolean =>
  name === "bcc" || name === "resent-bcc" || name === "return-path" || name.startsWith(prefix);

/** Reads a mail with its envelope. `recipients`: at least one, each a plain address. `now`: epoch ms. Throws a `WrittenMailRefusal`. */
export function readWrittenMail(
  account: Account,
  { recipients, raw, now }: { recipients: readonly string[]; raw: Buffer; now: number },
): ReadWrittenMail {
  const head = readHead(raw);
  if (typeof head === "string") throw new WrittenMailRefusal("5.6.0", head);
  const fault = faultOfHead(raw, head);
  if (fault !== null) throw new WrittenMailRefusal("5.6.0", fault);
  const parts = readMailParts(raw);
  if (typeof parts === "string") throw new WrittenMailRefusal("5.6.0", parts);
  const outline = outlineOf(parts);
  checkFiles(raw, outline.files, account.attachments);
  const sender = senderOf(head, account);
  const wishes = wishesOf(head);
  const split = byField(head, recipients);
  const shown = outline.html ?? outline.text;
  const { contacts, issues } = readEmail(
    {
      contact: [
        {
          ...sender,
          ...wishes.fields,
          gateway_identifier: wishes.fields.gateway_identifier ?? sender.gateway_identifier,
          ...split.contact,
          reply_to_email: shownReplyTo(head),
          // What a mail's own words may be is its sender's affair; they are set below.
          subject: "-",
          message: "-",
        },
      ],
    },
    { maxContacts: 1 },
  );
  const [issue] = issues;
  if (issue !== undefined) throw refusalOf(issue);
  const draft: EmailDraft = {
    ...contacts[0]!,
    subject: cut(subjectOf(head), 998),
    message: sendable(readableText(raw, shown)),
    text: outline.html === null || outline.text === null ? null : sendable(readableText(raw, outline.text)),
    written: {
      files: outline.files.map((part, index) => [nameOf(part, index), sizeOf(raw, part), part.type]),
      bytes: raw.length,
      firstField: split.firstField,
      hasInlineImages: outline.files.some(isInline),
      obstacle: outline.obstacle ?? obstacleIn(head),
    },
  };
  const date = fieldOf(head, "date") === null ? `Date: ${dateText(now)}\r\n` : "";
  return {
    draft,
    raw: withFields(raw, head, isRemoved, date),
    idempotencyKey: wishes.key,
    meaning: () => outline.files.map((part, index) => meaningOf(raw, part, index)),
  };
}

/** The addresses for replies as lookups show them: those that are plain, the first of them. */
function shownReplyTo(head: MailHead): string {
  const shown = readMailboxes(fieldOf(head, "reply-to") ?? "").flatMap(({ name, address }) =>
    address === null ? [] : [writeMailbox({ name: name === null ? null : cut(name, 256), address })],
  );
  return shown.slice(0, maxReplyTo).join(", ");
}

/** The first characters, none of them cut in half. */
const cut = (text: string, max: number): string => text.slice(0, max).toWellFormed();

/** Text for lookups, without the one character that the databases cannot store. */
const sendable = (text: string): string => cut(text, maxShownText).replaceAll("\0", "�");

const nameOf = ({ filename }: MailPart, index: number): string => filename || `attachment-${index + 1}`;

function meaningOf(raw: Buffer, part: MailPart, index: number): FileMeaning {
  const content = contentOf(raw, part) ?? raw.subarray(part.start, part.end);
  return {
    filename: nameOf(part, index),
    content_type: part.type,
    sha256: hash("sha256", content),
    content_id: null,
  };
}

function checkFiles(raw: Buffer, files: readonly MailPart[], limits: Account["attachments"]): void {
  const { maxFiles, maxBytes } = limits;
  if (files.length > maxFiles)
    throw new WrittenMailRefusal("5.3.4", `A mail may have at most ${maxFiles} attachments.`);
  for (const [index, part] of files.entries())
    if (part.end - part.start > maxBytes && sizeOf(raw, part) > maxBytes)
      throw new WrittenMailRefusal(
        "5.3.4",
        `The attachment ${asciiName(nameOf(part, index))} is larger than ${Math.floor(maxBytes / 1024)} kilobytes.`,
      );
}

const asciiName = (name: string): string => name.replaceAll(/[^ -~]/g, "?").slice(0, 80);

/** The address and name of the sender, and the gateway that sends from this address. */
function senderOf(head: MailHead, account: Account) {
  const from = fieldOf(head, "from");
  if (from === null) throw new WrittenMailRefusal("5.6.0", "The mail has no From field.");
  const [mailbox, ...others] = readMailboxes(from);
  const address = mailbox?.address ?? null;
  const domain = address && readAddress(address)?.domain;
  if (!mailbox || !address || !domain || others.length > 0)
    throw new WrittenMailRefusal("5.6.0", "The From field must have one plain address.");
  const gateway = gatewayOfDomain(account, domain);
  const isNamed = fieldOf(head, "x-trunkline-gateway") !== null;
  if (gateway === "none" && !isNamed)
    throw new WrittenMailRefusal("5.7.1", `No email gateway of this account sends from ${domain}.`);
  return {
    from_email: address,
    sender_name: mailbox.name === null ? null : cut(mailbox.name, 256),
    gateway_identifier: gateway === "none" || gateway === null ? null : gateway.identifier,
  };
}

/** What the headers of ours ask for. */
function wishesOf(head: MailHead) {
  const fields: Partial<Record<(typeof asked)[keyof typeof asked], string | string[]>> = {};
  let key: string | null = null;
  const seen = new Set<string>();
  for (const { name, value } of head.fields) {
    if (!name.startsWith(prefix) || name === identityHeader) continue;
    if (seen.has(name)) throw new WrittenMailRefusal("5.6.0", `The mail has more than one ${name} field.`);
    seen.add(name);
    if (name === keyHeader) {
      if (value === "" || value.length > maxKeyLength)
        throw new WrittenMailRefusal("5.6.0", `${keyHeader} must have 1 to ${maxKeyLength} characters.`);
      key = value;
    } else if (Object.hasOwn(asked, name)) {
      const field = asked[name as keyof typeof asked];
      const text = textOf(value);
      fields[field] = field === "tags" ? text.split(",").map((tag) => tag.trim()) : text;
    } else {
      const known = [...Object.keys(asked), keyHeader].join(", ");
      throw new WrittenMailRefusal("5.6.0", `${name} is no header of this service; there are ${known}.`);
    }
  }
  return { fields, key };
}

/** The envelope's recipients by the fields in which the mail names them; a hidden one is in none. */
function byField(head: MailHead, recipients: readonly string[]) {
  const named = (field: string) =>
    new Set(
      readMailboxes(fieldOf(head, field) ?? "").map(({ address }) => address && normaliseAddress(address)),
    );
  const [inTo, inCc] = [named("to"), named("cc")];
  const fieldFor = (address: string) => {
    const normal = normaliseAddress(address);
    if (inTo.has(normal)) return "to";
    return inCc.has(normal) ? "cc" : "bcc";
  };
  const groups = { to: [] as string[], cc: [] as string[], bcc: [] as string[] };
  for (const address of recipients) groups[fieldFor(address)].push(address);
  const firstField = (["to", "cc", "bcc"] as const).find((field) => groups[field].length > 0) ?? "to";
  const [email] = groups[firstField].splice(0, 1);
  return { firstField, contact: { email, ...groups } };
}

/** RFC 5322, 3.3. */
const dateText = (epochMs: number): string => new Date(epochMs).toUTCString().replace("GMT", "+0000");

const headerNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(asked).map(([header, field]) => [field, header])),
  from_email: "From",
  sender_name: "From",
  reply_to_email: "Reply-To",
};

/** The refusal for an issue of the contact that the mail is. */
export function refusalOf({ path, message }: Issue): WrittenMailRefusal {
  const field = String(path[2] ?? "");
  const shown = [headerNames[field] ?? field, ...path.slice(3)].join(".");
  const isPolicy = field === "from_email" || field === "gateway_identifier";
  return new WrittenMailRefusal(isPolicy ? "5.7.1" : "5.6.0", message.replaceAll(path.join("."), shown));
}
