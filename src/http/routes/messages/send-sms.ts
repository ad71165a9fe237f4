// POST /api/sms/send

import { smsSendRequest } from "#contract/messages/sms.ts";
import { sendReply } from "#contract/replies.ts";
import { sendEndpoint } from "./send.ts";

export const sendSmsRoute = sendEndpoint({
  channel: "sms",
  name: "sendSms",
  tag: "SMS",
  summary: "Send SMS messages",
  description:
    "Accepts one message per contact, all or none. A 200 means that every message is stored and queued; look it up to learn whether it was delivered.",
  body: smsSendRequest,
  reply: sendReply,
  queued: "SMS messages have been queued.",
});
