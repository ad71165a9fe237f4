// The contents of an email message. Its body was checked when it was read.

import { normaliseAddress } from "#contract/address.ts";
import type { EmailDraft } from "#contract/messages/email.ts";
import { createPreparer } from "./prepare.ts";

export const prepareEmail = createPreparer<EmailDraft>({
  channel: "email",
  partsOf: ({ email, subject, message, sender_name = null, reply_to_email = null }) => ({
    written: email,
    recipient: email === undefined ? undefined : (normaliseAddress(email) ?? undefined),
    content: "email",
    body: message,
    email: subject === undefined ? undefined : { subject, sender_name, reply_to: reply_to_email },
  }),
});
