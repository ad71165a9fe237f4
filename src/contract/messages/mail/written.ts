// A mail that came whole, as its sender wrote it, and goes out as it is.

/** What acceptance and lookups need of such a mail besides the fields of a contact. */
export interface WrittenMail {
  /** Its attachments, as lookups show them. */
  files: readonly WrittenFile[];
  /** The size of the mail. */
  bytes: number;
  /** The field of the first recipient; a mail may have hidden ones alone. */
  firstField: "to" | "cc" | "bcc";
  /** Whether it has images to which its HTML refers. */
  hasInlineImages: boolean;
  /** Why it cannot be sent as text, HTML and files; null if it can. */
  obstacle: string | null;
}

export type WrittenFile = readonly [filename: string, size: number, contentType: string];
