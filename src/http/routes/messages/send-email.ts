// POST /api/email/send

import { emailSendRequest } from "#contract/messages/email.ts";
import { emailSendReply } from "#contract/replies.ts";
import { sendEndpoint } from "./send.ts";

export const sendEmailRoute = sendEndpoint({
  channel: "email",
  name: "sendEmail",
  tag: "Email",
  summary: "Send emails",
  description:
    "Accepts one email per contact, all or none, each with all the attachments of the request. A 200 means that every message is stored and queued; look it up to learn whether it was delivered. How many files may come, and how large each may be, is the account's setting. Send the key in the header, or as a field before the files: of files before the key no more than 2 MiB are taken (413).",
  body: emailSendRequest,
  uploads: true,
  reply: emailSendReply,
  queued: "Email messages have been queued.",
});
