// The tables of email: what a mail stores besides its message row, its files, and signing domains.

import type { WrittenFile } from "#contract/messages/mail/written.ts";

/** What an email stores besides its row in `messages`. */
export interface EmailsTable {
  message_id: string;
  account_id: string;
  subject: string;
  sender_name: string | null;
  reply_to: string | null;
  /** JSON of `MailExtras`: what only some mails have. Null if it has none of it. Never changed. */
  extras: string | null;
  /** First opening by a person, as far as that can be determined; null if none. */
  opened_at: number | null;
  /** Openings by people; those by machines are counted separately. */
  open_count: number;
  machine_opens: number;
  clicked_at: number | null;
  click_count: number;
  complained_at: number | null;
}

/** An email's body, which may be megabytes long. Written and removed with its message, never changed. */
export interface EmailBodiesTable {
  message_id: string;
  body: string;
  /** The text part that the caller wrote; null if it is derived from the body. */
  text_part: string | null;
}

/** What only some mails have, besides files and a text part. */
export interface MailExtras {
  /** As the caller wrote it; absent for the gateway's address. */
  from?: string;
  headers?: readonly (readonly [name: string, value: string])[];
  tags?: readonly string[];
  /** For a mail that came whole, which is the one file of its request: its attachments. */
  written?: readonly WrittenFile[];
  /** How many recipients the mail has, if it has several: they are rows of `mail_recipients`. */
  recipients?: number;
  /** The names of recipients for the mail's header, by `recipient`. */
  names?: Readonly<Record<string, string>>;
}

/** A recipient of a mail to several, the message's own recipient included (position 0). A mail to one has no such rows. */
export interface MailRecipientsTable {
  message_id: string;
  position: number;
  field: "to" | "cc" | "bcc";
  /** As the caller wrote it. */
  address: string;
  /** As `messages.recipient`. */
  recipient: string;
  /** What became of the mail to this recipient alone; null if the message's own status is true of them. */
  status: "suppressed" | "failed" | "undelivered" | "delivered" | "bounced" | null;
  error_code: string | null;
  error_message: string | null;
}

/** A file of a request, which every contact receives. Without a request it is unbound: uploaded, but not yet accepted. */
export interface AttachmentsTable {
  id: string;
  account_id: string | null;
  request_id: string | null;
  /** The request's messages have ids from the first to the last: messages that need the file are searched between them. */
  first_id: string | null;
  last_id: string | null;
  /** From 0, in the order of the request. */
  position: number;
  filename: string;
  content_type: string;
  /** Bytes. */
  size: number;
  /** Of the content, hex. */
  sha256: string;
  /** By which the HTML refers to it (`cid:`); null for a file beside the mail. */
  content_id: string | null;
  created_at: number;
  /**
   * When its content was deleted, because no message needs it any more; for an unbound file, when its deletion began, so that it can no
   * longer be bound. Null if all of it exists.
   */
  content_deleted_at: number | null;
}

export interface AttachmentChunksTable {
  attachment_id: string;
  seq: number;
  /** Base64: text is handled alike by both engines and the threads, and mail needs this form anyway. */
  content: string;
}

export interface SendingDomainsTable {
  id: string;
  account_id: string;
  /** Lower case, ASCII. */
  domain: string;
  created_at: number;
  updated_at: number;
}

type DkimKeyState =
  /** Created, and waiting until its record is seen in DNS. */
  | "pending"
  | "active"
  /** No longer signs; its record should stay in DNS for a week. */
  | "retired";

export interface DkimKeysTable {
  id: string;
  domain_id: string;
  account_id: string;
  selector: string;
  algorithm: "rsa-sha256" | "ed25519-sha256";
  /** The value of `p=` in the DNS record. */
  public_key: string;
  /** PKCS #8 PEM, sealed. */
  private_key: string;
  state: DkimKeyState;
  created_at: number;
  updated_at: number;
}

/** Consecutive soft bounces per recipient. A delivery, a suppression, or 90 days without a bounce resets the count. */
export interface SoftBouncesTable {
  account_id: string;
  recipient: string;
  count: number;
  /** The last message that was counted, so that no message counts twice. */
  message_id: string;
  updated_at: number;
}

/** Stored engagements, so that a repetition counts once. */
export interface EngagementsTable {
  message_id: string;
  key: string;
  at: number;
}

/** Signatures of callbacks that do not cover the event in the same call. */
export interface CallbackSignaturesTable {
  /** SHA-256 of the signature. */
  signature_hash: string;
  /** SHA-256 of the event. */
  event_hash: string;
  /** When the signature becomes too old to be accepted. */
  expires_at: number;
}
