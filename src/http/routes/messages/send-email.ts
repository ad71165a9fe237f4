// Accepts emails for one or many contacts, as JSON or as a form with files.

import { emailSendRequest } from "#contract/messages/email.ts";
import { emailSendReply } from "#contract/replies.ts";
import { sendEndpoint } from "./send.ts";

export const sendEmailRoute = sendEndpoint({
  channel: "email",
  name: "sendEmail",
  tag: "Email",
  summary: "Send emails",
  description:
    "Each contact gets one email with all attachments of the request. Either all emails are accepted or none. A 200 means that every message is stored and queued; a lookup shows whether it was delivered. The account limits the number and the size of the files. Send the key in the header, or as a field before the files: a request whose files come before the key may have 2 MiB.",
  body: emailSendRequest,
  uploads: true,
  reply: emailSendReply,
  queued: "Email messages have been queued.",
});
