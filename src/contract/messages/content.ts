// The kinds of message contents. Gateways differ in what they can send, even within one channel. No zod here: the storage threads load this
// file.

/**
 * `text`: only a text. `email`: a mail with its subject, its parts and its files. For WhatsApp: `media`, a file with a caption; `list`, a
 * text with rows to choose from; `template`, an approved text of the business.
 */
export const contentKinds = ["text", "email", "media", "list", "template"] as const;
export type ContentKind = (typeof contentKinds)[number];

/** What a WhatsApp message may contain besides its text. */
export const mediaKinds = ["image", "audio", "video", "document"] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** A file that the gateway fetches when the message is sent. */
export interface MediaFields {
  media: MediaKind;
  /** Absolute, http or https, as the caller wrote it. */
  url: string;
  /** The name that the recipient of a document sees; null if the caller gave none. */
  filename: string | null;
}

interface ListRow {
  id: string;
  title: string;
  description: string | null;
}

export interface ListSection {
  /** Null only in a list of one section. */
  title: string | null;
  rows: readonly ListRow[];
}

/** A list message, besides its text. */
export interface ListFields {
  header: string | null;
  footer: string | null;
  /** The text of the button that opens the list. */
  button: string;
  sections: readonly ListSection[];
}

/** A part of a template call in Meta's own form. */
interface TemplateComponent {
  type: string;
  [field: string]: unknown;
}

/** The call of a template that Meta has approved. Its parameters: values by position or by name, or Meta's own form. */
export interface TemplateFields {
  name: string;
  language: string;
  parameters: readonly string[] | Readonly<Record<string, string>> | null;
  /** Meta's `components`, passed on unchanged; null if `parameters` are used. */
  components: readonly TemplateComponent[] | null;
}

/** The contents of a message besides its text. */
export type MessagePayload =
  | ({ kind: "media" } & MediaFields)
  | ({ kind: "list" } & ListFields)
  | ({ kind: "template" } & TemplateFields);
