// A person stops or resumes the marketing messages of a business in WhatsApp itself
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/user_preferences). Meta enforces it
// (131050); callers receive it as a message. It is not an opt-out from everything, so its text contains no opt-out keyword.

import type { InboundMessage } from "#gateways/callback.ts";
import type { Json } from "#gateways/json-path.ts";
import { contactOf, withPlus } from "./inbound.ts";
import { field, list, text, textOrNull, timeMs, valueAt } from "./json.ts";

/** The type of such messages. */
export const preferenceType = "user_preferences";

const sentences = new Map([
  ["stop", "The person stopped marketing messages."],
  ["resume", "The person resumed marketing messages."],
]);

/** An entry of `user_preferences[]` of a change's value. Null if it is of another kind, or names neither person nor time. */
export function preferenceFrom(preference: Json, value: Json | undefined): InboundMessage | null {
  const choice = text(field(preference, "value"));
  const message = sentences.get(choice);
  const number = text(field(preference, "wa_id"));
  const userId = textOrNull(field(preference, "user_id"));
  const at = timeMs(field(preference, "timestamp"));
  const from = withPlus(number) || userId;
  if (text(field(preference, "category")) !== "marketing_messages") return null;
  if (message === undefined || from === null || at === undefined) return null;
  const sender = contactOf(list(field(value, "contacts")), number, userId);
  return {
    // It has no id. Without `sentAt` it opens no reply window: the person wrote nothing.
    reference: `preference:${from}:${at}:${choice}`,
    from,
    to: withPlus(text(valueAt(value, "metadata", "display_phone_number"))),
    message,
    media: [],
    details: {
      type: preferenceType,
      reply: { type: "preference", id: choice, title: null, description: null },
      profileName: textOrNull(valueAt(sender, "profile", "name")),
      userId: userId ?? textOrNull(field(sender, "user_id")),
      forwarded: false,
    },
  };
}
