// The two kinds of recipients that channels have, and how each is written, parsed and compared. Messages and the suppression list use the
// normalised form and are compared as plain text, so a second spelling would let a message through to a recipient who opted out.

import { normaliseAddress } from "#contract/address.ts";
import { isLid, isUserId } from "#contract/messages/user-id.ts";
import { adviceOn, type Sender, senderOf, toRecipient } from "./accept/phone.ts";

export interface RecipientKind {
  /** With its article, for issues: "is not a phone number". */
  noun: string;
  /** The field of a contact that names the recipient. */
  field: "number" | "email";
  /** The form that messages and the suppression list use; null if the text is not a recipient. */
  normalise(written: string, country: string | null): string | null;
  /** The sender of a message, as its provider writes it. `spellings`: of the same person. */
  senderOf(written: string, country: string | null): Sender & { spellings: readonly string[] };
  /** What to change in a text that is not a recipient, in one sentence; empty if there is nothing to say. */
  adviceOn(written: string, country: string | null): string;
  /** Whether a reply that is one keyword (STOP, START) changes consent. */
  hasConsentKeywords: boolean;
}

export const phoneNumber: RecipientKind = {
  noun: "a phone number",
  field: "number",
  // E.164, or a short code.
  normalise: (written, country) => toRecipient(written, country)?.recipient ?? null,
  senderOf: (written, country) => ({ ...senderOf(written, country), spellings: [] }),
  adviceOn,
  hasConsentKeywords: true,
};

export const whatsappRecipient: RecipientKind = {
  ...phoneNumber,
  // An id is not changed.
  normalise: (written, country) => {
    const id = written.trim();
    return isUserId(id) || isLid(id) ? id : phoneNumber.normalise(written, country);
  },
  senderOf: (written, country) => {
    const id = written.trim();
    if (isUserId(id) || isLid(id)) return { sender: id, readings: [], spellings: [] };
    const read = senderOf(written, country);
    return { ...read, spellings: whatsappSpellings(read.sender) };
  },
};

/** Mobile numbers that WhatsApp may know without a digit that was added later, or with one that was removed. */
const spellings: readonly { pattern: RegExp; before: string; digit: string }[] = [
  // Brazil's mobile numbers got a 9. Landlines, which begin with 2 to 5, did not.
  { pattern: /^\+55(\d{2})9?([6-9]\d{7})$/, before: "+55", digit: "9" },
  // Mexico's 1 was removed in 2019.
  { pattern: /^\+52()1?([2-9]\d{9})$/, before: "+52", digit: "1" },
  // Argentina's 9 is for calls from abroad.
  { pattern: /^\+54()9?([1-8]\d{9})$/, before: "+54", digit: "9" },
];

/** The other spellings of a number that certainly mean the same person. */
function whatsappSpellings(number: string): string[] {
  for (const { pattern, before, digit } of spellings) {
    const found = pattern.exec(number);
    if (found === null) continue;
    const [, area = "", rest = ""] = found;
    return [`${before}${area}${digit}${rest}`, `${before}${area}${rest}`].filter((other) => other !== number);
  }
  return [];
}

export const emailAddress: RecipientKind = {
  noun: "an email address",
  field: "email",
  // In lower case with the domain in ASCII, including tags (`+tag`).
  normalise: (written) => normaliseAddress(written.trim()),
  senderOf: (written) => {
    const sender = normaliseAddress(written.trim()) ?? written;
    return { sender, readings: [], spellings: [] };
  },
  adviceOn: () => "",
  // Mail programs quote the whole mail in a reply, and List-Unsubscribe exists for this.
  hasConsentKeywords: false,
};
