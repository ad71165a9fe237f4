// Marks people's messages as read
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/mark-message-as-read).

import type { InboundMessage } from "#gateways/callback.ts";
import type { CallbackTools } from "#gateways/connection.ts";
import { authorization, type CloudSettings, graphUrl } from "./settings.ts";

const timeoutMs = 10_000;
const atOnce = 4;

/**
 * Best effort: if Meta refuses or cannot be reached, messages stay unread. Marking a message also marks the earlier ones of its chat, so
 * only the last one of each sender is marked.
 */
export async function markRead(
  inbound: readonly InboundMessage[],
  settings: CloudSettings,
  { outbound }: Pick<CallbackTools, "outbound">,
): Promise<void> {
  const last = new Map<string, InboundMessage>();
  for (const message of inbound) {
    const known = last.get(message.from);
    if (known === undefined || (known.sentAt ?? 0) <= (message.sentAt ?? 0)) last.set(message.from, message);
  }
  const waiting = last.values();
  const work = async () => {
    for (const { reference } of waiting)
      await outbound.request({
        method: "POST",
        url: graphUrl(settings, `/${settings.phone_number_id}/messages`),
        headers: { authorization: authorization(settings), "content-type": "application/json" },
        body: JSON.stringify({ messaging_product: "whatsapp", status: "read", message_id: reference }),
        timeoutMs,
      });
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
