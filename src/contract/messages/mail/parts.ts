// What makes a mail whole: further recipients, headers, tags, a text part and a sender of its own. All of them are optional. A header that
// the caller may set is on a list; every other name is refused, because the mail's own headers and those that vendors obey are ours to set.

import { z } from "zod";
import { asRequired } from "#contract/messages/contacts.ts";
import { emailAddress, longMessage, namedAddress } from "#contract/messages/fields.ts";
import { type Fields, isObject, trimOrNull } from "#contract/normalise.ts";

/** Recipients of one mail in all: the lowest limit among the vendors (SES, Postmark, Resend). */
export const maxRecipients = 50;
const maxHeaders = 10;
/** SES's limit for the value of a header. */
const maxHeaderLength = 870;
const maxTags = 10;

export const copyFields = ["to", "cc", "bcc"] as const;

/** Fields of a mail that most mails lack. A field is undefined if it has an issue. */
export interface MailParts {
  /** Recipients beside `email`, each a plain address or one behind a name. */
  to: readonly string[] | null | undefined;
  cc: readonly string[] | null | undefined;
  bcc: readonly string[] | null | undefined;
  headers: Readonly<Record<string, string>> | null | undefined;
  text: string | null | undefined;
  from_email: string | null | undefined;
  tags: readonly string[] | null | undefined;
}

/** Lower-case names that callers may set beside `X-…`. */
const allowedHeaders: ReadonlySet<string> = new Set([
  "in-reply-to",
  "references",
  "auto-submitted",
  "precedence",
  "importance",
  "priority",
  "sensitivity",
  "organization",
  "keywords",
  "comments",
  "feedback-id",
  "list-archive",
  "list-help",
  "list-id",
  "list-owner",
  "list-post",
  "list-subscribe",
  "list-unsubscribe",
  "list-unsubscribe-post",
]);
/** `X-…` headers that a vendor obeys or reads (tags, tracking, templates), that reports are matched by, or that are ours. */
const reserved =
  /^x-(?:trunkline|mailin|sib|mailgun|pm|smtpapi|sg|ses|resend|failed-recipients|hmxmroriginalrecipient)(?:-|$)/;

/** Whether callers may set a header of this name. */
export const isHeaderName = (name: string): boolean => {
  const lower = name.toLowerCase();
  return allowedHeaders.has(lower) || (/^x-[a-z0-9-]{1,74}$/.test(lower) && !reserved.test(lower));
};

/** `campaign`, or `campaign:spring` for vendors whose tags have values. */
const tagPattern = /^[A-Za-z0-9_-]{1,60}(?::[A-Za-z0-9_-]{1,60})?$/;
/** The name and the value of a tag; the value is empty for a tag of one word. */
export function tagParts(tag: string): [name: string, value: string] {
  const colon = tag.indexOf(":");
  return colon === -1 ? [tag, ""] : [tag.slice(0, colon), tag.slice(colon + 1)];
}

const addressList = z.array(namedAddress.schema).max(maxRecipients).meta({ id: "MailAddresses" });
const addresses = (description: string) => addressList.nullish().describe(description);

/** The fields of a contact's schema. */
export const mailPartsShape = {
  to: addresses(`Further recipients, as \`Ada <ada@b.cd>\` or plain; ${maxRecipients} in all.`),
  cc: addresses("Copies."),
  bcc: addresses("Hidden copies."),
  headers: z
    .unknown()
    .check((field) => {
      const { value: input, issues } = field;
      if (input === null || input === undefined) return;
      if (!isObject(input)) {
        issues.push({ code: "invalid_type", expected: "object", input });
        return;
      }
      const entries = Object.entries(input);
      if (entries.length > maxHeaders) {
        issues.push({ code: "custom", params: { rule: "headers" }, input });
        return;
      }
      const seen = new Set<string>();
      for (const [name, value] of entries) {
        // The name is part of the issue's path, so it has to be harmless there.
        if (!/^[A-Za-z0-9-]{1,76}$/.test(name)) {
          issues.push({ code: "custom", params: { rule: "regex" }, input });
          return;
        }
        const at = { path: [name], input: value };
        if (!isHeaderName(name)) issues.push({ code: "custom", params: { rule: "header" }, ...at });
        else if (seen.has(name.toLowerCase()))
          issues.push({ code: "custom", params: { rule: "distinct" }, ...at });
        else if (typeof value !== "string") issues.push({ code: "invalid_type", expected: "string", ...at });
        else if (value.length > maxHeaderLength)
          issues.push({
            code: "too_big",
            origin: "string",
            maximum: maxHeaderLength,
            inclusive: true,
            ...at,
          });
        else if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value))
          issues.push({ code: "custom", params: { rule: "oneLine" }, ...at });
        else if (!/^[ -~]+$/.test(value))
          issues.push({ code: "custom", params: { rule: value === "" ? "regex" : "unsendable" }, ...at });
        seen.add(name.toLowerCase());
      }
    })
    .optional()
    .describe("Headers of your own: `X-…`, threading and list headers, in ASCII.")
    .meta({
      type: ["object", "null"],
      maxProperties: maxHeaders,
      additionalProperties: { type: "string", maxLength: maxHeaderLength },
    }),
  text: longMessage.schema.nullish().describe("The text part; `message` is then the HTML part."),
  from_email: emailAddress.schema
    .nullish()
    .describe("The sender's address, of the domain of the gateway's own."),
  tags: z
    .array(z.string())
    .max(maxTags)
    .check((field) => {
      const { value: input, issues } = field;
      const names = new Set<string>();
      for (const [index, tag] of input.entries()) {
        const [name] = tagParts(tag);
        const rule =
          !tagPattern.test(tag) || /^trunkline/i.test(name) ? "regex" : names.has(name) ? "distinct" : null;
        if (rule !== null) issues.push({ code: "custom", params: { rule }, path: [index], input: tag });
        names.add(name);
      }
    })
    .nullish()
    .describe("Labels such as `welcome` or `campaign:spring`."),
};

export const noMailParts: MailParts = {
  to: null,
  cc: null,
  bcc: null,
  headers: null,
  text: null,
  from_email: null,
  tags: null,
};

/** Whether an item has any of the fields. */
export const hasMailParts = (fields: Fields): boolean =>
  fields.to !== undefined ||
  fields.cc !== undefined ||
  fields.bcc !== undefined ||
  fields.headers !== undefined ||
  fields.text !== undefined ||
  fields.from_email !== undefined ||
  fields.tags !== undefined;

/** A list with its texts trimmed. Of one that is too long only as much is read as shows that it is. */
function listOf(value: unknown, max: number): unknown {
  if (!Array.isArray(value)) return trimOrNull(value);
  return value.length === 0 ? null : value.slice(0, max + 1).map((item) => asRequired(trimOrNull(item)));
}

/** An object without names counts as absent; a form cannot contain one, so an empty list counts as one. */
function headersOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value;
  if (!isObject(value)) return trimOrNull(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  if (entries.length > maxHeaders) return value;
  return Object.fromEntries(
    entries.map(([name, text]) => [name, typeof text === "string" ? text.trim() : text]),
  );
}

/** The fields in the form that the rules expect. */
export const normalisedMailParts = (fields: Fields): Record<keyof MailParts, unknown> =>
  hasMailParts(fields)
    ? {
        to: listOf(fields.to, maxRecipients),
        cc: listOf(fields.cc, maxRecipients),
        bcc: listOf(fields.bcc, maxRecipients),
        headers: headersOf(fields.headers),
        text: trimOrNull(fields.text),
        from_email: trimOrNull(fields.from_email),
        tags: listOf(fields.tags, maxTags),
      }
    : noMailParts;

/** The values by which two contacts are equal: empty if the contact has none of the fields, since older fingerprints have none. */
export function mailPartsFingerprint({ to, cc, bcc, headers, text, from_email, tags }: MailParts): unknown[] {
  const parts = [to, cc, bcc, headers, text, from_email, tags];
  return parts.every((part) => part == null) ? [] : [{ mail: parts }];
}
