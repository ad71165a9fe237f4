// The input of an adapter: whose message it is, and its content, of a kind that the adapter declares. An email is complete except for its
// sender's address, which is a setting of the gateway.

import type { KeyObject } from "node:crypto";
import type { Mailbox } from "#contract/mailbox.ts";
import type { ContentKind, ListFields, MediaFields, TemplateFields } from "#contract/messages/content.ts";

/** A message on its way to a provider, its content of one of the kinds `Kind`. */
export interface OutgoingMessage<Kind extends ContentKind = ContentKind> {
  /** Our id (`msg_…`): the reference to give to providers that take one. */
  id: string;
  /** Our id of the request that contained the message (`req_…`): its messages may share what is fetched for one of them. */
  requestId: string;
  /** E.164 with its plus, a short code in digits, an email address, or an id that the adapter accepts. */
  recipient: string;
  /** 1 for the first transmission. */
  attempt: number;
  /** An earlier transmission may have reached the provider, and the gateway's policy is to send the message once more. */
  repeated?: boolean;
  content: Contents[Kind];
}

/** The contents of messages by kind. */
interface Contents {
  text: TextContent;
  email: EmailContent;
  media: MediaContent;
  list: ListContent;
  template: TemplateContent;
}

export interface TextContent {
  kind: "text";
  /** As its sender gave it. */
  text: string;
}

/** A file for WhatsApp with its caption. The adapter fetches the URL, under the guard of outbound requests. */
export interface MediaContent extends MediaFields {
  kind: "media";
  /** The caption of the file; empty for none. */
  text: string;
}

/** A text of WhatsApp with rows to choose from. */
export interface ListContent extends ListFields {
  kind: "list";
  text: string;
}

/** A template of WhatsApp. */
export interface TemplateContent extends TemplateFields {
  kind: "template";
  /** What the caller wrote as the message: it is part of the record and is not sent. */
  text: string;
}

export interface EmailContent {
  kind: "email";
  /** One line, without control characters. */
  subject: string;
  /** Always set: derived from the HTML if the caller gave only HTML. */
  text: string;
  /** Null for a mail of text only. Tracked links and the pixel are already in it if the gateway tracks. */
  html: string | null;
  /** The display name that the caller gave; null for the gateway's `from_name`. */
  senderName: string | null;
  /** The addresses for replies, their domains in ASCII. */
  replyTo: readonly Mailbox[];
  /** Further headers (`List-Unsubscribe`, …), names and values safe to send. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Where bounces of this message are sent (VERP); null for the sender's address. */
  returnPath: string | null;
  attachments: readonly OutgoingAttachment[];
  /** The sender's address in place of the gateway's, its domain in ASCII; the gateway's own if absent. */
  from?: string;
  /** Further recipients of the same mail; absent for a mail to one. */
  copies?: MailCopies;
  /** The names of recipients, by their addresses in lower case; those of many recipients are unknown. */
  names?: Readonly<Record<string, string>>;
  /** A mail that came whole, for an adapter that sends it as it is; its parts above are then empty. */
  written?: { raw: Buffer; recipients: readonly string[] };
  /** Labels for vendors that have them: `name` or `name:value`, in letters, digits, `_` and `-`. */
  tags?: readonly string[];
}

/** Recipients of a mail beside `recipient`, their domains in ASCII. */
export interface MailCopies {
  to: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
}

export interface OutgoingAttachment {
  /** Without a path and without control characters; any script. */
  filename: string;
  contentType: string;
  /** Bytes. */
  size: number;
  /** Of the content, hex: the key of caches. */
  sha256: string;
  /**
   * Reads the bytes; messages of one request share them. Rejects with `AttachmentReadError`. An adapter reads all attachments before it
   * sends anything, and does not catch the error.
   */
  content(): Promise<Buffer>;
  /** For an image to which the HTML refers as `cid:…`: its id. */
  contentId?: string;
}

/** An attachment or a body could not be read, so nothing of the mail was sent. `cause`: why. */
export class AttachmentReadError extends Error {
  override readonly name = "AttachmentReadError";
}

/** A key that signs for a sending domain. */
export interface DkimKey {
  domain: string;
  selector: string;
  algorithm: "rsa-sha256" | "ed25519-sha256";
  privateKey: KeyObject;
}
