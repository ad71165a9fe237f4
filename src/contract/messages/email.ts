// The email send request: one definition gives the types, the OpenAPI schema and the checks. Text for a header of the mail
// (subject, sender name, file names, addresses) must be one line without control characters: a line break would let the
// caller write headers.

import { z } from "zod";
import { type Fields, trimmed, trimOrNull } from "#contract/normalise.ts";
import { checker } from "#contract/wording.ts";
import { attachment } from "./attachments.ts";
import { asRequired, contactReader, fitsOptional, type Send, type SharedDraft } from "./contacts.ts";
import {
  emailAddress,
  gatewayIdentifier,
  longMessage,
  replyAddresses,
  scheduleAt,
  scheduleAtPattern,
  senderName,
  subjectLine,
} from "./fields.ts";
import {
  hasMailParts,
  type MailParts,
  mailPartsShape,
  noMailParts,
  normalisedMailParts,
} from "./mail/parts.ts";
import type { WrittenMail } from "./mail/written.ts";
import { normalisedOwnWords, ownWordsShape, plainOwnWords } from "./own-words.ts";

/** A contact as it is checked: text trimmed, empty text null. */
export const emailContact = z
  .object({
    email: emailAddress.schema
      .describe("The recipient's plain address.")
      .meta({ examples: ["ada@example.com"] }),
    subject: subjectLine.schema
      .describe("The subject, which is one line.")
      .meta({ maxLength: 998, examples: ["Your invoice"] }),
    message: longMessage.schema
      .describe("The body, at most 5 MiB. A body with an HTML tag is HTML, and its text part is derived.")
      .meta({ examples: ["<p>Hello Ada, your invoice is attached.</p>"] }),
    gateway_identifier: gatewayIdentifier.schema
      .nullish()
      .describe("An active email gateway of the account. The default is the account's default gateway."),
    // A name that contains an `@` is accepted ("Support @ Acme"): the address beside it is of the gateway's own domain, and adapters pass on
    // name and address separately, so that a name can never become the address.
    sender_name: senderName.schema
      .nullish()
      .describe("The name that the recipient sees. The default is the gateway's name.")
      .meta({ maxLength: 256, examples: ["Acme Billing"] }),
    reply_to_email: replyAddresses.schema
      .nullish()
      .describe("The address for replies, as `Help <help@b.cd>` or plain; several with commas between."),
    schedule_at: scheduleAt.schema
      .nullish()
      .describe("When to send the message: `Y-m-d H:i:s` in the account's time zone. The default is at once.")
      .meta({ examples: ["2030-01-31 09:00:00"], pattern: scheduleAtPattern }),
    ...mailPartsShape,
    ...ownWordsShape,
  })
  .meta({ id: "EmailContact" });

/** The body of `POST /api/email/send`. */
export const emailSendRequest = z
  .object({
    contact: z.array(emailContact).min(1).describe("One entry per message."),
    attachments: z.array(attachment).nullish().describe("The files for every contact."),
  })
  .meta({ id: "EmailSendRequest" });

/** A contact of an email request after the rules that need no account. `undefined`: the field has an issue. */
export interface EmailDraft extends SharedDraft, MailParts {
  email: string | undefined;
  subject: string | undefined;
  message: string | undefined;
  sender_name: string | null | undefined;
  reply_to_email: string | null | undefined;
  /** For a mail that came whole. Its subject and its message, which lookups show, may be empty. */
  written?: WrittenMail;
}

export type EmailSend = Send<EmailDraft>;

function plainContact(fields: Fields): EmailDraft | null {
  if (
    hasMailParts(fields) ||
    typeof fields.email !== "string" ||
    typeof fields.subject !== "string" ||
    typeof fields.message !== "string"
  )
    return null;
  const email = trimmed(fields.email);
  const subject = trimmed(fields.subject);
  const message = trimmed(fields.message);
  if (email === "" || subject === "" || message === "") return null;
  if (!emailAddress.fits(email) || !subjectLine.fits(subject) || !longMessage.fits(message)) return null;
  const name = trimOrNull(fields.sender_name);
  if (!fitsOptional(name, senderName)) return null;
  const replyTo = trimOrNull(fields.reply_to_email);
  if (!fitsOptional(replyTo, replyAddresses)) return null;
  const gateway = trimOrNull(fields.gateway_identifier);
  if (!fitsOptional(gateway, gatewayIdentifier)) return null;
  const at = trimOrNull(fields.schedule_at);
  if (!fitsOptional(at, scheduleAt)) return null;
  const own = plainOwnWords(fields);
  if (own === null) return null;
  return {
    email,
    subject,
    message,
    gateway_identifier: gateway,
    sender_name: name,
    reply_to_email: replyTo,
    schedule_at: at,
    ...noMailParts,
    reference: own.reference,
    metadata: own.metadata,
  };
}

export const { slices: readEmailSlices, read: readEmail } = contactReader<Omit<EmailDraft, "written">>({
  fastPath: plainContact,
  normalise: (fields) => ({
    email: asRequired(trimOrNull(fields.email)),
    subject: asRequired(trimOrNull(fields.subject)),
    message: asRequired(trimOrNull(fields.message)),
    gateway_identifier: trimOrNull(fields.gateway_identifier),
    sender_name: trimOrNull(fields.sender_name),
    reply_to_email: trimOrNull(fields.reply_to_email),
    schedule_at: trimOrNull(fields.schedule_at),
    ...normalisedMailParts(fields),
    ...normalisedOwnWords(fields),
  }),
  check: checker(emailContact),
});
