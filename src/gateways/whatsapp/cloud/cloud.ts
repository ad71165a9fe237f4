// The WhatsApp Cloud API of Meta: send (https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages).
// Meta has no idempotency key and no lookup of past messages: a message that may have been sent stays `unknown` until a
// status callback, which carries our id, settles it.

import type { Received } from "#gateways/callback.ts";
import { defineGateway } from "#gateways/gateway.ts";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { outcomeOf } from "./outcome.ts";
import { bodyOf, isLonger, maxTextChars, type PlainContent, partOf } from "./request.ts";
import { appSecretProof, authorization, cloudSettings, graphUrl } from "./settings.ts";
import { handshake, isSigned } from "./signature.ts";
import { readWebhook } from "./webhook.ts";

export const whatsappCloud = defineGateway({
  kind: "whatsapp-cloud",
  channels: ["whatsapp"],
  contents: ["text", "list", "template"],
  title: "WhatsApp Cloud API",
  summary: "WhatsApp through Meta's Cloud API, with signed status reports and incoming messages.",
  settings: cloudSettings,
  urls: (settings) => [settings.base_url],
  timeoutMs: (settings) => settings.timeout_ms,
  encodedSecrets: (settings) => [appSecretProof(settings)].filter((proof) => proof !== null),
  async send(message, settings, tools): Promise<Outcome> {
    const refused = tooLong(message);
    if (refused !== null) return refused;
    const result = await tools.outbound.request({
      method: "POST",
      url: graphUrl(settings, `/${settings.phone_number_id}/messages`),
      headers: {
        authorization: authorization(settings),
        "content-type": "application/json",
        accept: "application/json",
      },
      body: bodyOf(message, partOf(message.content, settings), settings),
      timeoutMs: tools.timeoutMs,
      signal: tools.signal,
    });
    return outcomeOf(result, { settings, attempt: message.attempt, now: tools.clock.now() });
  },
  maxCallbackBytes: 4 * 1024 * 1024,
  receive(callback, settings): Received {
    if (callback.method === "GET") {
      if (settings.verify_token !== undefined) return handshake(callback, settings.verify_token);
      return { kind: "not_configured", reason: "The gateway has no verify token." };
    }
    if (settings.app_secret === undefined)
      return { kind: "not_configured", reason: "The gateway has no app secret." };
    if (!isSigned(callback, settings.app_secret))
      return { kind: "forbidden", reason: "The X-Hub-Signature-256 does not fit." };
    return readWebhook(callback.body, settings.phone_number_id);
  },
});

/** Acceptance checks the length where it knows the gateway; a message may come from another one later. */
function tooLong({ content }: Pick<OutgoingMessage<PlainContent["kind"]>, "content">): Outcome | null {
  if (content.kind === "template" || !isLonger(content.text, maxTextChars)) return null;
  const reason = `WhatsApp takes ${maxTextChars} characters of text at most.`;
  return { kind: "rejected", code: "message_too_long", reason };
}
