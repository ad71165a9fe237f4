import { type Channel, words } from "#ui/api/schema.ts";

export const channelNames: Readonly<Record<Channel, string>> = {
  sms: "SMS",
  whatsapp: "WhatsApp",
  email: "Email",
};

/** The choices of a channel, with the API's word and its name. */
export const channels = words.Channel.map((word) => [word, channelNames[word]] as const);
