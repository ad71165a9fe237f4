// The WhatsApp Cloud API of Meta: send (https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages).
// Meta has no idempotency key and no lookup of past messages: a message that may have been sent stays `unknown` until a
// status callback, which carries our id, settles it.

import type { Received } from "#gateways/callback.ts";
import { defineGateway } from "#gateways/gateway.ts";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { GatewayHost } from "#gateways/session.ts";
import { checkNumber, registerNumber } from "./account.ts";
import { MediaStore } from "./media.ts";
import { outcomeOf } from "./outcome.ts";
import {
  bodyOf,
  isLonger,
  type MediaSource,
  maxCaptionChars,
  maxTextChars,
  mediaPart,
  type Part,
  type PlainContent,
  partOf,
} from "./request.ts";
import { appSecretProof, authorization, type CloudSettings, cloudSettings, graphUrl } from "./settings.ts";
import { handshake, isSigned } from "./signature.ts";
import { readWebhook } from "./webhook.ts";

export const whatsappCloud = defineGateway({
  kind: "whatsapp-cloud",
  channels: ["whatsapp"],
  contents: ["text", "list", "template", "media"],
  title: "WhatsApp Cloud API",
  summary: "WhatsApp through Meta's Cloud API, with signed status reports and incoming messages.",
  settings: cloudSettings,
  urls: (settings) => [settings.base_url],
  timeoutMs: (settings) => settings.timeout_ms,
  encodedSecrets: (settings) => [appSecretProof(settings)].filter((proof) => proof !== null),
  connection: "on_demand",
  async open(settings, host) {
    const files = new MediaStore(settings, host);
    return {
      send: (message, signal) => send(message, settings, files, host, signal),
      close: async () => {},
    };
  },
  check: checkNumber,
  register: registerNumber,
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
    return readWebhook(callback.body, settings);
  },
});

type Sent = OutgoingMessage<PlainContent["kind"] | "media">;

async function send(
  message: Sent,
  settings: CloudSettings,
  files: MediaStore,
  host: GatewayHost,
  signal: AbortSignal,
): Promise<Outcome> {
  const refused = tooLong(message.content);
  if (refused !== null) return refused;
  const { content } = message;
  if (content.kind === "media") return await sendFile({ ...message, content }, settings, files, host, signal);
  return await post(message, partOf(content, settings), settings, host, signal);
}

/** Sends a message whose file is fetched and uploaded first. An upload that Meta refuses to send is made once more. */
async function sendFile(
  message: OutgoingMessage<"media">,
  settings: CloudSettings,
  files: MediaStore,
  host: GatewayHost,
  signal: AbortSignal,
): Promise<Outcome> {
  const source = await files.sourceOf(message, signal);
  if ("kind" in source) return source;
  const send = (from: MediaSource) => post(message, mediaPart(message.content, from), settings, host, signal);
  const outcome = await send(source);
  if (!("id" in source) || !isAboutTheFile(outcome)) return outcome;
  const renewed = await files.renewed(message, source.id, signal);
  if (renewed === null) return outcome;
  return "kind" in renewed ? renewed : await send(renewed);
}

async function post(
  message: Sent,
  part: Part,
  settings: CloudSettings,
  { outbound, clock, timeoutMs }: GatewayHost,
  signal: AbortSignal,
): Promise<Outcome> {
  const result = await outbound.request({
    method: "POST",
    url: graphUrl(settings, `/${settings.phone_number_id}/messages`),
    headers: {
      authorization: authorization(settings),
      "content-type": "application/json",
      accept: "application/json",
    },
    body: bodyOf(message, part, settings),
    timeoutMs,
    signal,
  });
  return outcomeOf(result, { settings, attempt: message.attempt, now: clock.now() });
}

/** 131053 is about the file. Meta names an id that it does not know with codes for parameters in general. */
function isAboutTheFile(outcome: Outcome): boolean {
  if (outcome.kind !== "rejected") return false;
  const { code, reason } = outcome;
  return code === "131053" || (["100", "131009"].includes(code) && /\b(?:media|attachment)\b/i.test(reason));
}

/** Acceptance checks the length where it knows the gateway; a message may come from another one later. */
function tooLong(content: Sent["content"]): Outcome | null {
  if (content.kind === "template" || (content.kind === "media" && content.media === "audio")) return null;
  const max = content.kind === "media" ? maxCaptionChars : maxTextChars;
  if (!isLonger(content.text, max)) return null;
  const reason = `WhatsApp takes ${max} characters of ${content.kind === "media" ? "caption" : "text"} at most.`;
  return { kind: "rejected", code: "message_too_long", reason };
}
