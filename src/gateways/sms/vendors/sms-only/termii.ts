// Termii (https://developer.termii.com): send and signed delivery reports, whose statuses are sentences. The key travels in the body.
// Unverified: the words of refusals, so that their status decides, and the fields of incoming messages.

import { z } from "zod";
import { answerFormat } from "#gateways/sms/engine/answer.ts";
import { defineHttpSms, fromField, smsSettings } from "#gateways/sms/engine/http-sms.ts";
import { hmac } from "#gateways/sms/engine/proof-hmac.ts";
import { wordReader } from "#gateways/sms/engine/words.ts";
import { secret } from "#settings/secrets.ts";
import { joinUrl } from "#settings/url.ts";

export const termii = defineHttpSms({
  kind: "termii",
  title: "Termii",
  summary: "SMS through Termii, with signed delivery reports.",
  settings: smsSettings(null, {
    api_key: secret().describe("The API key of the account."),
    secret_key: secret()
      .optional()
      .describe("The secret key of the account, which verifies callbacks. Without it they are refused."),
    from: fromField,
    channel: z
      .enum(["dnd", "generic"])
      .default("dnd")
      .describe("The route. `generic` never reaches numbers with do-not-disturb, and none at night."),
  }),
  url: ({ base_url }) => joinUrl(base_url, "/api/sms/send"),
  request: ({ digits, text }, { api_key, from, channel }, url) => ({
    url,
    json: { api_key, to: digits, from, sms: text, type: "plain", channel },
  }),
  answer: answerFormat({ vendor: "Termii", reference: "$.message_id", text: "$.message" }),
  callback: {
    proofs: [
      hmac({
        secret: ({ secret_key }) => secret_key,
        named: "secret key",
        hash: "sha512",
        encoding: "hex",
        header: "x-termii-signature",
        covers: "body",
        of: ({ body }) => [body],
      }),
    ],
    receipt: {
      when: ["$.type", "outbound"],
      reference: "$.message_id",
      status: "$.status",
      words: wordReader({
        sent: ["Message Sent*", "Sent"],
        delivered: ["Delivered*"],
        undelivered: ["DND Active*", "Message Failed*", "Failed*", "Rejected*", "Expired*"],
      }),
      reason: "$.status",
    },
    inbound: {
      when: ["$.type", "inbound"],
      id: "$.message_id",
      from: "$.sender",
      to: "$.receiver",
      text: "$.message",
      withoutPlus: true,
    },
  },
});
