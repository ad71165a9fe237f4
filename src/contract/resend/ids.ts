// Resend's ids of emails are UUIDs, and applications keep them in columns of that type. Our ids have the same 128 bits, so each is the
// other written differently, and nothing has to be stored.

import { idOfSid, sidOf } from "#contract/twilio/sids.ts";

/** The UUID of a message's id. Throws for a text that is not an id. */
export const uuidOf = (id: string): string =>
  sidOf("SM", id)
    .slice(2)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The id of the message that a UUID or an id of ours (`msg_…`) names; null for any other text. */
export function messageIdOf(text: string): string | null {
  if (text.startsWith("msg_")) return text;
  return uuidShape.test(text) ? idOfSid("SM", `SM${text.replaceAll("-", "").toLowerCase()}`, "msg") : null;
}
