// The WhatsApp Cloud API of Meta: send (https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages).
// Meta has no idempotency key and no lookup of past messages: a message that may have been sent stays `unknown` until a
// status callback, which carries our id, settles it.

import type { Received } from "#gateways/callback.ts";
import { defineGateway } from "#gateways/gateway.ts";
import { checkNumber, registerNumber } from "./account.ts";
import { markRead } from "./mark-read.ts";
import { preferenceType } from "./preferences.ts";
import { openReceivedFile, receivedFileMs } from "./received-file.ts";
import { maxCaptionChars, maxTextChars } from "./request.ts";
import { CloudSender } from "./send.ts";
import { appSecretProof, cloudSettings } from "./settings.ts";
import { handshake, isSigned } from "./signature.ts";
import { systemType } from "./system-messages.ts";
import { readWebhook } from "./webhook.ts";

/** Types of received messages that no person wrote. */
const unwritten = new Set([preferenceType, systemType]);

export const whatsappCloud = defineGateway({
  kind: "whatsapp-cloud",
  channels: ["whatsapp"],
  contents: ["text", "list", "template", "media"],
  takesIds: ["user_id"],
  maxChars: { text: maxTextChars, caption: maxCaptionChars },
  title: "WhatsApp Cloud API",
  summary: "WhatsApp through Meta's Cloud API, with signed status reports and incoming messages.",
  settings: cloudSettings,
  // A number that is shared with the phone app may send 20 a second, others 80, including what they receive.
  defaultPace: { perSecond: 20, jitterMs: 0, perDay: null },
  urls: (settings) => [settings.base_url],
  timeoutMs: (settings) => settings.timeout_ms,
  encodedSecrets: (settings) => [appSecretProof(settings)].filter((proof) => proof !== null),
  connection: "on_demand",
  async open(settings, host) {
    const sender = new CloudSender(settings, host);
    return { send: (message, signal) => sender.send(message, signal), close: async () => {} };
  },
  files: { keptMs: receivedFileMs, open: openReceivedFile },
  account: { check: checkNumber, register: registerNumber },
  maxCallbackBytes: 4 * 1024 * 1024,
  receive(callback, settings, tools): Received {
    if (callback.method === "GET") {
      if (settings.verify_token !== undefined) return handshake(callback, settings.verify_token);
      return { kind: "not_configured", reason: "The gateway has no verify token." };
    }
    if (settings.app_secret === undefined)
      return { kind: "not_configured", reason: "The gateway has no app secret." };
    if (!isSigned(callback, settings.app_secret))
      return { kind: "forbidden", reason: "The X-Hub-Signature-256 does not fit." };
    const received = readWebhook(callback.body, settings, tools.clock.now());
    if (!settings.mark_read || received.kind !== "received") return received;
    const written = received.inbound.filter(({ details }) => !unwritten.has(details?.type ?? ""));
    if (written.length === 0) return received;
    return { ...received, afterStored: () => markRead(written, settings, tools) };
  },
});
