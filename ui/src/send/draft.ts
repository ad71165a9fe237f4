// The draft that a person composes, and its request.

import type { Channel, SendAccountMessagesRequest } from "#ui/api/schema.ts";
import { scheduleAtOf } from "#ui/words/spans.ts";

/** The contents of a WhatsApp message. */
export type Content = "text" | "media" | "list" | "template";

interface Row {
  id: string;
  title: string;
  description: string;
}

interface Section {
  title: string;
  rows: readonly Row[];
}

export interface Draft {
  channel: Channel;
  /** As pasted: one recipient a line. */
  recipients: string;
  /** The identifier of a gateway; empty for the default one. */
  gateway: string;
  /** `2026-11-24T09:00` on the account's clocks; null for now. */
  at: string | null;
  message: string;
  subject: string;
  senderName: string;
  replyTo: string;
  /** The names of the files of an email. Their bytes are not part of the draft, which the tab stores. */
  files: readonly string[];
  content: Content;
  media: string;
  url: string;
  filename: string;
  header: string;
  footer: string;
  button: string;
  sections: readonly Section[];
  template: string;
  language: string;
  /** The values of the template's variables: one a line, or `name=value`. */
  values: string;
  isNamed: boolean;
}

const emptyRow: Row = { id: "", title: "", description: "" };

export const emptySection: Section = { title: "", rows: [emptyRow] };

export const emptyDraft: Draft = {
  channel: "sms",
  recipients: "",
  gateway: "",
  at: null,
  message: "",
  subject: "",
  senderName: "",
  replyTo: "",
  files: [],
  content: "text",
  media: "image",
  url: "",
  filename: "",
  header: "",
  footer: "",
  button: "",
  sections: [emptySection],
  template: "",
  language: "en",
  values: "",
  isNamed: false,
};

/** The recipients in the order of their lines. A pasted table column, and a list with commas, semicolons or quotes, are accepted. */
export const recipientsOf = (text: string): string[] =>
  text
    .split(/[\n\r;,\t]/)
    .map((each) => each.trim().replace(/^"\s*(.*?)\s*"$/, "$1"))
    .filter((each) => each !== "");

const linesOf = (text: string): string[] => (text.trim() === "" ? [] : text.trimEnd().split("\n"));

/** The values of a template's variables, or null if it has none. */
function parametersOf({ values, isNamed }: Draft): string[] | Record<string, string> | null {
  const lines = linesOf(values);
  if (lines.length === 0) return null;
  if (!isNamed) return lines;
  return Object.fromEntries(
    lines.map((line) => {
      const sign = line.indexOf("=");
      return sign === -1 ? [line.trim(), ""] : [line.slice(0, sign).trim(), line.slice(sign + 1).trim()];
    }),
  );
}

/** The fields that were filled in: empty ones are not part of the request. */
const filled = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ""));

/** The id returned when the row is chosen; a row without one gets its position. */
const rowId = (id: string, section: number, row: number): string =>
  id.trim() === "" ? `row-${section + 1}-${row + 1}` : id;

function listOf({ header, footer, button, sections }: Draft): Record<string, unknown> {
  return {
    ...filled({ header, footer }),
    button,
    sections: sections.map(({ title, rows }, at) => ({
      ...filled({ title }),
      rows: rows.map(({ id, title: row, description }, place) => ({
        id: rowId(id, at, place),
        title: row,
        ...filled({ description }),
      })),
    })),
  };
}

function whatsappFields(draft: Draft): Record<string, unknown> {
  const { content, media, url, filename, template: name, language } = draft;
  if (content === "media") return { media, url, ...filled(media === "document" ? { filename } : {}) };
  if (content === "list") return listOf(draft);
  if (content === "text") return {};
  const parameters = parametersOf(draft);
  return { template: { name, language, ...(parameters === null ? {} : { parameters }) } };
}

/** What all contacts of the draft share besides their recipient. */
function fieldsOf(draft: Draft): Record<string, unknown> {
  const { channel, gateway, at, message, subject, senderName, replyTo } = draft;
  return {
    ...(channel === "email"
      ? { subject, ...filled({ sender_name: senderName, reply_to_email: replyTo }) }
      : {}),
    message,
    ...(channel === "whatsapp" ? whatsappFields(draft) : {}),
    ...filled({ gateway_identifier: gateway }),
    ...(at === null ? {} : { schedule_at: scheduleAtOf(at) }),
  };
}

/** A file of an email, with its bytes as base64. */
export interface ChosenFile {
  filename: string;
  content: string;
}

/** The request that sends the draft. Without a recipient it has one contact, whose recipient the service then reports as missing. */
export function requestOf(draft: Draft, files: readonly ChosenFile[]): SendAccountMessagesRequest {
  const { channel, recipients } = draft;
  const field = channel === "email" ? "email" : "number";
  const fields = fieldsOf(draft);
  const all = recipientsOf(recipients);
  const contact = (all.length === 0 ? [""] : all).map((recipient) => ({ [field]: recipient, ...fields }));
  const isMail = channel === "email" && files.length > 0;
  return { channel, contact, ...(isMail ? { attachments: files.map((file) => ({ ...file })) } : {}) };
}

/** Duplicate recipients: each of their lines is a message. */
export function repeatedIn(recipients: readonly string[]): number {
  return recipients.length - new Set(recipients).size;
}
