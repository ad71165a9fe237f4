// Accepts SMS for one or many contacts, immediately or for a later time.

import { smsSendRequest } from "#contract/messages/sms.ts";
import { sendReply } from "#contract/replies.ts";
import { sendEndpoint } from "./send.ts";

export const sendSmsRoute = sendEndpoint({
  channel: "sms",
  name: "sendSms",
  tag: "SMS",
  summary: "Send SMS messages",
  description:
    "Each contact gets one message. Either all messages are accepted or none. A 200 means that every message is stored and queued; a lookup shows whether it was delivered.",
  body: smsSendRequest,
  reply: sendReply,
  queued: "SMS messages have been queued.",
});
