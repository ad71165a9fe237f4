// Accepts WhatsApp messages for one or many contacts: texts, files and templates, and lists to choose from.

import {
  readWhatsappListSlices,
  whatsappListRequest,
  whatsappSendRequest,
} from "#contract/messages/whatsapp.ts";
import { whatsappSendReply } from "#contract/replies.ts";
import { sendEndpoint } from "./send.ts";

const shared = {
  channel: "whatsapp",
  tag: "WhatsApp",
  reply: whatsappSendReply,
  queued: "WhatsApp messages have been queued.",
} as const;

export const sendWhatsappRoute = sendEndpoint({
  ...shared,
  name: "sendWhatsapp",
  summary: "Send WhatsApp messages",
  description:
    "Each contact gets one message: a text, a file with a caption, or a template. Either all messages are accepted or none. A file is fetched when its message is sent, so an address that cannot be reached fails the message and not the request. A 200 means that every message is stored and queued; a lookup shows whether it was delivered.",
  body: whatsappSendRequest,
});

export const sendWhatsappListRoute = sendEndpoint({
  ...shared,
  path: "/api/whatsapp/send-list",
  name: "sendWhatsappList",
  summary: "Send WhatsApp lists",
  description:
    "Each contact gets one message with a button that opens a list of up to ten rows. The row that the person chooses comes back as a received message. Either all messages are accepted or none.",
  body: whatsappListRequest,
  readSlices: readWhatsappListSlices,
});
