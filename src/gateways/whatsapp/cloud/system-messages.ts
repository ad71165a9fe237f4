// A person's number or id changed
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/system). Callers receive it as a
// message, and the person's decisions under the former one remain valid.

import type { InboundMessage } from "#gateways/callback.ts";
import { type Json, referenceFrom } from "#gateways/json-path.ts";
import { withPlus } from "./inbound.ts";
import { field, text, textOrNull } from "./json.ts";

/** The type of such messages. */
export const systemType = "system";

/** `customer_changed_number` is the word of older versions of the API. */
const changes = new Set(["user_changed_number", "user_changed_user_id", "customer_changed_number"]);

/** Null if nothing that identifies a person changed, or Meta does not say to what. */
export function identityChangeFrom(message: Json, displayNumber: string): InboundMessage | null {
  const system = field(message, "system");
  const reference = referenceFrom(text(field(message, "id")));
  const userId = textOrNull(field(system, "user_id"));
  const from = withPlus(text(field(system, "wa_id"))) || userId;
  if (reference === null || from === null || !changes.has(text(field(system, "type")))) return null;
  const former = [
    withPlus(text(field(message, "from"))),
    text(field(message, "from_user_id")),
    text(field(system, "previous_user_id")),
  ];
  return {
    reference,
    from,
    to: withPlus(displayNumber),
    message: text(field(system, "body")),
    media: [],
    formerSenders: former.filter((name) => name !== "" && name !== from && name !== userId),
    details: { type: systemType, reply: null, profileName: null, userId, forwarded: false },
  };
}
