// The tables of email: what a mail has beside its message row, its files, the domains that it is signed for.

/** What an email has beside its row in `messages`. */
export interface EmailsTable {
  message_id: string;
  account_id: string;
  subject: string;
  sender_name: string | null;
  reply_to: string | null;
  /** First opening by a person, as far as one can tell; null: none. */
  opened_at: number | null;
  /** Openings by people; those of machines are counted apart. */
  open_count: number;
  machine_opens: number;
  clicked_at: number | null;
  click_count: number;
  complained_at: number | null;
}

/** An email's body, which may be megabytes long. Written with its message and removed with it, never changed. */
export interface EmailBodiesTable {
  message_id: string;
  body: string;
}

/** A file of a request, which every contact gets. Without a request it is unbound: uploaded, and not yet accepted. */
export interface AttachmentsTable {
  id: string;
  account_id: string | null;
  request_id: string | null;
  /** The request's messages have ids from the first to the last: what needs it is looked for between them. */
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
  created_at: number;
  /**
   * When its content was deleted, because no message needs it any more; for an unbound file: when its deletion began, so
   * that it cannot be bound any more. Null: all of it is there.
   */
  content_deleted_at: number | null;
}

export interface AttachmentChunksTable {
  attachment_id: string;
  seq: number;
  /** Base64: text crosses both engines and the threads alike, and mail needs it in this form anyway. */
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
  /** Made, and waits until its record is seen in DNS. */
  | "pending"
  | "active"
  /** Signs no more; its record should stay in DNS for a week. */
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
  /** The message that was counted last, so that no message counts twice. */
  message_id: string;
  updated_at: number;
}

/** Engagements that were stored, so that the same again counts once. */
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
