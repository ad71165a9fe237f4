// The two kinds of recipients that channels have, and how each is written, read and compared. Messages and the
// suppression list hold the normalised form and are compared as plain text, so a second spelling would let a message
// through to a recipient who opted out.

import { normaliseAddress } from "#contract/address.ts";
import { isLid, isUserId } from "#contract/messages/user-id.ts";
import { adviceOn, toRecipient } from "./accept/phone.ts";

export interface RecipientKind {
  /** With its article, for issues: "is not a phone number". */
  noun: string;
  /** The field of a contact that names the recipient. */
  field: "number" | "email";
  /** The form that messages and the suppression list hold; null when the text is no recipient. */
  normalise(written: string, country: string | null): string | null;
  /** What to change in a text that is no recipient, in one sentence; empty when there is nothing to say. */
  adviceOn(written: string, country: string | null): string;
  /** Whether a reply that is one keyword (STOP, START) changes consent. */
  hasConsentKeywords: boolean;
}

export const phoneNumber: RecipientKind = {
  noun: "a phone number",
  field: "number",
  // E.164, or a short code.
  normalise: (written, country) => toRecipient(written, country)?.recipient ?? null,
  adviceOn,
  hasConsentKeywords: true,
};

export const whatsappRecipient: RecipientKind = {
  ...phoneNumber,
  // An id stays as it is.
  normalise: (written, country) => {
    const id = written.trim();
    return isUserId(id) || isLid(id) ? id : phoneNumber.normalise(written, country);
  },
};

export const emailAddress: RecipientKind = {
  noun: "an email address",
  field: "email",
  // In lower case with the domain in ASCII, tags (`+tag`) included.
  normalise: (written) => normaliseAddress(written.trim()),
  adviceOn: () => "",
  // Mail programs quote the whole mail in a reply, and List-Unsubscribe exists for this.
  hasConsentKeywords: false,
};
