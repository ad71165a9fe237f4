// WhatsApp's ids of our messages, which the sender chooses.

import { createHash } from "node:crypto";

/** WhatsApp's id of a message, derived from ours: a second transmission has the same one. */
export function whatsappId(messageId: string): string {
  const digest = createHash("sha256").update(`whatsapp ${messageId}`).digest("hex");
  return `3EB0${digest.slice(0, 18).toUpperCase()}`;
}
